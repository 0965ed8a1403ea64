"""How much each agent may do without asking, and the flags for it: one table.

Nobody sits beside an agent in a loop, so everything that it would ask for is denied. `make e2e` tries the rows of
Claude, Gemini, Qwen, Copilot and OpenCode with the real programs.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from shlex import split
from typing import Literal, get_args

from msgspec import Struct

from ralph.agents.allowed_commands import beginnings, coarse_beginnings
from ralph.agents.codex import AUTONOMY
from ralph.model.events import PermissionDenied

Level = Literal["all", "project", "own"]
LEVELS: tuple[Level, ...] = get_args(Level)
DEFAULT_LEVEL: Level = "project"


class Permissions(Struct, frozen=True):
    """The permission flags of one agent. `everything`, `edits` and `command` are entries of `agent.flags`."""

    everything: str = ""
    """The flag with which it may do anything; empty if it has none."""
    edits: str = ""
    """The flag with which it may edit the project's files."""
    command: str = ""
    """The flag with which it may run one command, which replaces `{}`."""
    reads: str = ""
    """The flag with which it may read and change nothing, whatever else it is allowed; empty if it has none."""
    named: Callable[[Sequence[str]], list[str]] = beginnings
    """The function that names commands as exactly as the agent can distinguish them."""
    modes: Collection[str] = ()
    """The flags of which it accepts one: if the user gives one, nothing is added."""
    grants: Collection[str] = ()
    """The flags that allow single things, in addition to any other."""
    asks: bool = False
    """Whether it asks before it edits or runs anything when it gets none of these flags."""
    root_refusal: str = ""
    """The variable without which it refuses `everything` as root."""
    all_means: str = "may do anything without asking"
    project_means: str = "may edit the project's files and {run}; every other request is denied"
    own_means: str = "gets no flag: what its own settings do not allow is denied"

    @property
    def has_flags(self) -> bool:
        return bool(self.everything)


def _always(means: str, *modes: str, reads: str = "") -> Permissions:
    """An agent for which no level has a flag; `modes` are those by which the user may still choose."""
    return Permissions(reads=reads, modes=modes, all_means=means, project_means=means, own_means=means)


# A known agent is a row here; the tests check each.
TABLE: Mapping[str, Permissions] = {
    "claude": Permissions(
        everything="--dangerously-skip-permissions",
        edits="--permission-mode acceptEdits",
        command="--allowedTools 'Bash({}:*)'",
        reads="--permission-mode default --disallowedTools Edit,Write,NotebookEdit",
        modes=("--dangerously-skip-permissions", "--permission-mode"),
        grants=("--allowedTools", "--allowed-tools", "--permission-prompt-tool", "--settings"),
        asks=True,
        root_refusal="IS_SANDBOX",
        all_means="may do anything without asking; as root it refuses that, unless IS_SANDBOX=1 is set",
    ),
    "codex": Permissions(
        everything="--dangerously-bypass-approvals-and-sandbox",
        edits="--sandbox workspace-write",
        reads="--sandbox read-only",
        modes=AUTONOMY,
        project_means="may edit the project's files and run any command in its own sandbox, without network or commits",
        own_means="gets no flag, but ralph starts it with --sandbox workspace-write: without that it only reads",
    ),
    "amp": _always("takes no flag for this: ralph starts it with --dangerously-allow-all, so it may do anything"),
    "opencode": Permissions(
        everything="--auto",
        modes=("--auto",),
        all_means="may do anything that its own settings do not deny",
        project_means="gets no flag: edits and runs commands without asking; what its own settings ask about is denied",
        own_means="gets no flag: edits and runs commands without asking; what its own settings ask about is denied",
    ),
    "gemini": Permissions(
        everything="--yolo",
        edits="--approval-mode auto_edit",
        command="--allowed-tools 'run_shell_command({})'",
        reads="--approval-mode default",
        modes=("--yolo", "-y", "--approval-mode"),
        grants=("--allowed-tools", "--policy", "--admin-policy"),
        asks=True,
    ),
    "qwen": Permissions(
        everything="--yolo",
        edits="--approval-mode auto-edit",
        command="--allowed-tools 'run_shell_command({})'",
        reads="--approval-mode default",
        modes=("--yolo", "-y", "--approval-mode"),
        grants=("--allowed-tools",),
        asks=True,
    ),
    "copilot": Permissions(
        everything="--allow-all",
        edits="--allow-tool=write",
        command="--allow-tool='shell({}:*)'",
        reads="--deny-tool=write",
        named=coarse_beginnings,
        modes=("--allow-all", "--yolo", "--allow-all-tools"),
        grants=("--allow-tool", "--assisted-approval"),
        asks=True,
    ),
    "goose": _always("takes no flag for this: GOOSE_MODE in its environment decides, and auto lets it do anything"),
    "aider": _always(
        "takes no flag for this: ralph starts it with --yes-always, so it does everything that it proposes"
    ),
    "acp": _always(
        "may do what it asks for; --permissions=reads in agent.flags lets it only read, =deny not even that",
        "--permissions",
        reads="--permissions=reads",
    ),
}
SHELLS = ("bash", "shell", "run_shell_command")
EDITING = ("edit", "multiedit", "write", "write_file", "replace", "notebookedit", "apply_patch")
"""The agents' names for tools that run commands and edit files."""
UNKNOWN = _always("has no flags for this that ralph knows: its own settings decide what it may do")


def permissions_of(agent: str) -> Permissions:
    """The permissions of an agent, by the name of its adapter."""
    return TABLE.get(agent, UNKNOWN)


def flags_for(agent: str, level: Level, commands: Sequence[str]) -> list[str]:
    """The entries of `agent.flags` for this level; the commands are the project's own."""
    row = permissions_of(agent)
    if level == "own":
        return []
    if level == "all":
        return [row.everything] if row.everything else []
    allowed = [row.command.format(name) for name in row.named(commands)] if row.command else []
    return [row.edits, *allowed] if row.edits else []


def flag_for(agent: str, denied: PermissionDenied) -> str:
    """The entry of `agent.flags` with which it may do what it was denied; empty if it has none."""
    row = permissions_of(agent)
    if denied.tool.casefold() in EDITING:
        return row.edits or row.everything
    commands = row.named([denied.reason]) if row.command and denied.tool.casefold() in SHELLS else []
    return row.command.format(commands[0]) if commands else row.everything


def reading_only(agent: str, words: Sequence[str]) -> list[str]:
    """These flags for an agent that must change nothing: its mode is replaced with the one that only reads."""
    row = permissions_of(agent)
    kept: list[str] = []
    is_dropped = False
    for word in words:
        if word.startswith("-"):
            is_dropped = _first([word], row.modes) is not None
        # The words after a mode, up to the next flag, belong to it.
        kept += [] if is_dropped else [word]
    return [*kept, *split(row.reads)]


def mode_among(agent: str, words: Sequence[str]) -> str | None:
    """The flag among these by which the user has already chosen how much it may do."""
    return _first(words, permissions_of(agent).modes)


def is_denied(agent: str, words: Sequence[str]) -> bool:
    """Whether everything that it asks for is denied, because nobody answers: none of its flags is among these."""
    row = permissions_of(agent)
    return row.asks and _first(words, (*row.modes, *row.grants)) is None


def refusal_as_root(agent: str, words: Sequence[str], environ: Mapping[str, str]) -> str | None:
    """The variable that root must set to 1 for it to work with these flags."""
    row = permissions_of(agent)
    missing = row.root_refusal and environ.get(row.root_refusal) != "1"
    return row.root_refusal if missing and row.everything in words else None


def meaning(agent: str, words: Sequence[str], called: str = "") -> str:
    """What these flags let the agent do, in one sentence."""
    row = permissions_of(agent)
    said = _meaning(row, words)
    flags = dict.fromkeys(word.partition("=")[0] for word in words if _first([word], (*row.modes, *row.grants)))
    return f"{called or agent} {said}" + (f" ({', '.join(flags)})." if flags else ".")


def meaning_of_level(agent: str, level: Level, commands: Sequence[str]) -> str:
    """What this level would let the agent do."""
    return _meaning(permissions_of(agent), [word for flag in flags_for(agent, level, commands) for word in split(flag)])


def _meaning(row: Permissions, words: Sequence[str]) -> str:
    if row.everything and row.everything in words:
        return row.all_means
    if row.edits and set(split(row.edits)) <= set(words):
        return row.project_means.format(run=_run(row, words))
    if chosen := _first(words, (*row.modes, *row.grants)):
        return f"may do what {chosen} of its flags allows"
    return row.own_means


def _run(row: Permissions, words: Sequence[str]) -> str:
    """The commands among the flags, in words."""
    before, _, after = split(row.command)[-1].partition("{}") if row.command else ("", "", "")
    names = [word[len(before) : -len(after)] for word in words if before and _encloses(before, word, after)]
    return f"run {', '.join(names)}" if names else "run no command that needs permission"


def _encloses(before: str, word: str, after: str) -> bool:
    return word.startswith(before) and word.endswith(after)


def _first(words: Sequence[str], flags: Collection[str]) -> str | None:
    return next((word for word in words if word.partition("=")[0] in flags), None)
