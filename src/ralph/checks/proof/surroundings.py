"""What a check's result depends on besides the files: the programs that it finds, and its environment.

Evidence is kept for later runs. An agent may start ralph with its own program first on PATH, and remove it again: what
was seen then must not count for the user's own environment.
"""

from collections.abc import Iterable, Mapping
from hashlib import blake2b

from ralph.checks.proof.programs import programs_of

SESSION = ("RALPH_", "CLAUDE", "CODEX_", "TERM", "SSH_", "XDG_SESSION", "TMUX", "VSCODE_", "WINDOWID", "ITERM", "KITTY")
"""The prefixes of names that describe a terminal session, and differ from one terminal to the next."""
PLACES = ("PWD", "OLDPWD", "SHLVL", "_", "COLUMNS", "LINES", "TASK_FOLDER", "RUN_FOLDER")


def surroundings(commands: Iterable[str], env: Mapping[str, str]) -> bytes:
    """A digest: if it is the same, a command finds the same programs, settings and variables."""
    kept = [f"{name}={value}" for name, value in sorted(env.items()) if not _is_of_the_session(name)]
    found = [f"{name}={where}" for name, where in sorted(programs_of(commands, env).items())]
    return blake2b("\0".join((*kept, "", *found)).encode(errors="surrogateescape"), digest_size=16).digest()


def _is_of_the_session(name: str) -> bool:
    return name in PLACES or name.startswith(SESSION)
