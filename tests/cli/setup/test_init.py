import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import terminals
from ralph.agents.permissions import LEVELS, flags_for, meaning
from ralph.agents.registry import split_flags
from ralph.cli.setup.init import command
from terminals import PATIENCE, RALPH

WITHOUT_OVERRIDE = """
import ctypes, os, sys
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
if os.geteuid() == 0 and ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0):
    sys.exit(99)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Takes from root the right to write where the permissions say no, then becomes the program."""

AGENT = "Agent command (e.g., claude, codex, amp, or other LLM CLI): "
EXAMPLE = f"""
{AGENT}claude
Agent flags (comma-separated, optional): --model,opus
Maximum iterations [10]: 
Completion response [DONE]: 
Add guardrail command (leave blank to finish): make lint
  Fail action (APPEND|PREPEND|REPLACE): APPEND
  Hint (optional, guidance for agent on failure): Fix lint errors only. Do not change behavior.
Add guardrail command (leave blank to finish): make test
  Fail action (APPEND|PREPEND|REPLACE): APPEND
  Hint (optional, guidance for agent on failure): 
Add guardrail command (leave blank to finish): 
Configure SCM? (y/N): y
  SCM command (e.g., git): git
  SCM tasks (comma-separated, e.g., commit,push): commit
How much may claude do?
  all      may do anything without asking; as root it refuses that, unless IS_SANDBOX=1 is set
  project  may edit the project's files and run make lint, make test; every other request is denied
  own      gets no flag: what its own settings do not allow is denied
Permissions (all|project|own) [project]: 

Settings written to .ralph/settings.json
Permissions: claude may edit the project's files and run make lint, make test; every other request is denied \
(--permission-mode, --allowedTools).
"""  # noqa: W291 - a blank answer leaves the space after the question


class Terminal(terminals.Terminal):
    """`ralph init` there."""

    def __init__(
        self, project: Path, env: dict[str, str], *arguments: str, program: Sequence[str | Path] = (RALPH,)
    ) -> None:
        super().__init__(project, env, "init", *arguments, program=program)


@pytest.fixture
def project(tmp_path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def env(tmp_path) -> dict[str, str]:
    (tmp_path / "bin").mkdir()
    return {
        "HOME": str(tmp_path),
        "PATH": str(tmp_path / "bin"),
        "TERM": "dumb",
        "LC_ALL": "C.UTF-8",
    }


def install(env: dict[str, str], *agents: str) -> None:
    for name in agents:
        path = Path(env["PATH"]) / name
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)


def written(project: Path) -> dict[str, object]:
    return json.loads((project / ".ralph/settings.json").read_text())


def script(project: Path, env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [RALPH, "init", *arguments],
        cwd=project, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


# What is asked, in order, and an answer for each.
QUESTIONS = [
    (AGENT, "claude"),
    ("Agent flags (comma-separated, optional): ", "--model,opus"),
    ("Maximum iterations [10]: ", ""),
    ("Completion response [DONE]: ", ""),
    ("Add guardrail command (leave blank to finish): ", "make lint"),
    ("  Fail action (APPEND|PREPEND|REPLACE): ", "APPEND"),
    ("  Hint (optional, guidance for agent on failure): ", "Fix lint errors only. Do not change behavior."),
    ("Add guardrail command (leave blank to finish): ", "make test"),
    ("  Fail action (APPEND|PREPEND|REPLACE): ", "APPEND"),
    ("  Hint (optional, guidance for agent on failure): ", ""),
    ("Add guardrail command (leave blank to finish): ", ""),
    ("Configure SCM? (y/N): ", "y"),
    ("  SCM command (e.g., git): ", "git"),
    ("  SCM tasks (comma-separated, e.g., commit,push): ", "commit"),
    ("Permissions (all|project|own) [project]: ", ""),
]
EDITS = "--permission-mode acceptEdits"
MAKE = ["--allowedTools 'Bash(make lint:*)'", "--allowedTools 'Bash(make test:*)'"]


def test_example_flow_looks_and_writes_as_in_the_seed(project, env):
    with Terminal(project, env) as terminal:
        for question, line in QUESTIONS:
            terminal.answer(question, line)
        assert terminal.end() == 0
        assert terminal.screen.startswith(EXAMPLE)
    assert written(project) == {
        "maximumIterations": 10,
        "completionResponse": "DONE",
        "outputTruncateChars": 5000,
        "streamAgentOutput": True,
        "agent": {"command": "claude", "flags": ["--model", "opus", EDITS, *MAKE]},
        "guardrails": [
            {
                "command": "make lint",
                "failAction": "APPEND",
                "hint": "Fix lint errors only. Do not change behavior.",
            },
            {"command": "make test", "failAction": "APPEND"},
        ],
        "scm": {"command": "git", "tasks": ["commit"]},
    }


def test_next_step_is_named_at_the_end(project, env):
    with Terminal(project, env) as terminal:
        for question, line in QUESTIONS:
            terminal.answer(question, line)
        terminal.end()
        assert 'Next: ralph doctor, then ralph run -p "what to do. ' in terminal.screen
        assert "<response>DONE</response>" in terminal.screen


def test_interactive_only_requires_a_terminal(project, env):
    ended = script(project, env)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1
    assert "--yes" in ended.stderr
    assert list(project.iterdir()) == []


def test_closed_stdin_is_no_terminal(project, env):
    closed = "import os, sys; os.close(0); os.execv(sys.argv[1], sys.argv[1:])"
    ended = subprocess.run(
        [sys.executable, "-c", closed, RALPH, "init"], cwd=project, env=env, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "--yes" in ended.stderr


@pytest.mark.parametrize("key", [b"\x03", b"\x04"], ids=["Ctrl-C", "end of input"])
@pytest.mark.parametrize("place", [0, 1, 2, 3, 4, 5, 6, 11, 12, 13, 14])
def test_interrupted_at_each_kind_of_question_writes_nothing_and_exits_130(project, env, place, key):
    with Terminal(project, env) as terminal:
        for question, line in QUESTIONS[:place]:
            terminal.answer(question, line)
        terminal.expect(QUESTIONS[place][0])
        terminal.type(key)
        assert terminal.end() == 130
        assert terminal.screen.endswith("ralph: nothing was written.\n")
    assert list(project.iterdir()) == []


def test_ctrl_c_in_the_middle_of_an_answer_writes_nothing(project, env):
    with Terminal(project, env) as terminal:
        terminal.expect(AGENT)
        terminal.type("clau")
        terminal.expect("clau")
        terminal.type(b"\x03")
        assert terminal.end() == 130
    assert list(project.iterdir()) == []


def test_sigterm_writes_nothing_and_exits_130(project, env):
    with Terminal(project, env) as terminal:
        terminal.expect(AGENT)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.end() == 130
    assert list(project.iterdir()) == []


def test_hang_up_writes_nothing(project, env):
    terminal = Terminal(project, env)
    terminal.expect(AGENT)
    os.close(terminal._master)
    assert terminal.process.wait(PATIENCE) != 0
    assert list(project.iterdir()) == []


def exist(project: Path, local: str | None = None) -> str:
    (project / ".ralph").mkdir()
    text = '{"agent":{"command":"claude"},"maximumIterations":3}'
    (project / ".ralph/settings.json").write_text(text)
    if local is not None:
        (project / ".ralph/settings.local.json").write_text(local)
    return text


SHOWN = '\n{\n  "agent": {\n    "command": "claude"\n  },\n  "maximumIterations": 3\n}\n'


@pytest.mark.parametrize("answer", ["", "n", "NO"])
def test_declined_overwrite_exits_0_and_keeps_the_settings(project, env, answer):
    text = exist(project)
    with Terminal(project, env) as terminal:
        terminal.answer("Overwrite? (y/N): ", answer)
        assert terminal.end() == 0
        assert terminal.screen.startswith(f"{SHOWN}Loaded from .ralph/settings.json\nOverwrite? (y/N): ")
    assert (project / ".ralph/settings.json").read_text() == text


def test_existing_settings_are_shown_with_the_local_overlay(project, env):
    exist(project, local='{"maximumIterations": 7}')
    with Terminal(project, env) as terminal:
        terminal.expect("Overwrite? (y/N): ")
        shown = SHOWN.replace("3", "7")
        source = "Loaded from .ralph/settings.json (with local overlay from settings.local.json)"
        assert terminal.screen.startswith(f"{shown}{source}\nOverwrite? (y/N): ")


@pytest.mark.parametrize("key", [b"\x03", b"\x04"], ids=["Ctrl-C", "end of input"])
def test_interrupted_at_overwrite_keeps_the_settings(project, env, key):
    text = exist(project)
    with Terminal(project, env) as terminal:
        terminal.expect("Overwrite? (y/N): ")
        terminal.type(key)
        assert terminal.end() == 130
    assert (project / ".ralph/settings.json").read_text() == text


def test_interrupted_after_overwrite_was_accepted_keeps_the_settings(project, env):
    text = exist(project)
    with Terminal(project, env) as terminal:
        terminal.answer("Overwrite? (y/N): ", "y")
        terminal.answer(AGENT, "amp")
        terminal.expect("Agent flags")
        terminal.type(b"\x03")
        assert terminal.end() == 130
    assert (project / ".ralph/settings.json").read_text() == text


def test_accepted_overwrite_writes_the_new_settings(project, env):
    exist(project)
    with Terminal(project, env) as terminal:
        terminal.answer("Overwrite? (y/N): ", "y")
        for question, line in QUESTIONS:
            terminal.answer(question, line)
        assert terminal.end() == 0
    assert written(project)["maximumIterations"] == 10


def test_questions_are_asked_again_until_the_answer_fits(project, env):
    with Terminal(project, env) as terminal:
        terminal.answer(AGENT, "")
        terminal.answer(AGENT, "amp")
        terminal.answer("Agent flags", " -a , --b c ")
        terminal.answer("Maximum iterations [10]: ", "0")
        terminal.answer("Maximum iterations [10]: ", "many")
        terminal.answer("Maximum iterations [10]: ", "4")
        terminal.answer("Completion response [DONE]: ", "FINISHED")
        terminal.answer("Add guardrail", "make")
        terminal.answer("Fail action", "shout")
        terminal.answer("Fail action", "prepend")
        terminal.answer("Hint", "")
        terminal.answer("Add guardrail", "")
        terminal.answer("Configure SCM? (y/N): ", "")
        assert terminal.end() == 0
    settings = written(project)
    assert settings["agent"] == {"command": "amp", "flags": ["-a", "--b c"]}
    assert settings["maximumIterations"] == 4
    assert settings["completionResponse"] == "FINISHED"
    assert settings["guardrails"] == [{"command": "make", "failAction": "PREPEND"}]
    assert "scm" not in settings


def test_what_is_detected_is_offered(project, env):
    install(env, "codex", "amp")
    (project / "Makefile").write_text("lint:\ntest:\n")
    with Terminal(project, env) as terminal:
        terminal.expect("Agents found: codex, amp\n")
        terminal.answer("or other LLM CLI) [codex]: ", "")
        terminal.answer("Agent flags", "")
        terminal.answer("Maximum iterations", "")
        terminal.answer("Completion response", "")
        terminal.expect("Detected guardrails:\n  make lint\n  make test\n")
        terminal.answer("Use the detected guardrails? (Y/n): ", "")
        terminal.answer("Add guardrail", "")
        terminal.answer("Configure SCM?", "")
        terminal.answer("Permissions (all|project|own) [project]: ", "all")
        assert terminal.end() == 0
    settings = written(project)
    assert settings["agent"] == {"command": "codex", "flags": ["--dangerously-bypass-approvals-and-sandbox"]}
    assert [guardrail["command"] for guardrail in settings["guardrails"]] == ["make lint", "make test"]


def test_ctrl_c_at_the_detected_guardrails_writes_nothing(project, env):
    (project / "go.mod").write_text("module x\n")
    with Terminal(project, env) as terminal:
        for question, line in QUESTIONS[:4]:
            terminal.answer(question, line)
        terminal.expect("Use the detected guardrails? (Y/n): ")
        terminal.type(b"\x03")
        assert terminal.end() == 130
    assert [path.name for path in project.iterdir()] == ["go.mod"]


def test_no_detect_holds_for_the_questions_too(project, env):
    (project / "go.mod").write_text("module x\n")
    with Terminal(project, env, "--no-detect") as terminal:
        for question, line in QUESTIONS:
            terminal.answer(question, line)
        assert terminal.end() == 0
        assert "detected" not in terminal.screen


def test_an_answer_that_is_not_utf8_is_asked_again(project, env):
    with Terminal(project, env) as terminal:
        terminal.expect(AGENT)
        terminal.type(b"caf\xe9\n")
        terminal.expect("That is not UTF-8 text. Type it again.")
        for question, line in QUESTIONS:
            terminal.answer(question, line)
        assert terminal.end() == 0
    assert written(project)["agent"] == {"command": "claude", "flags": ["--model", "opus", EDITS, *MAKE]}


def test_an_answer_with_arrow_keys_in_it_is_asked_again(project, env):
    with Terminal(project, env) as terminal:
        terminal.expect(AGENT)
        terminal.type(b"claude\x1b[D\n")
        terminal.expect("control characters")
        for question, line in QUESTIONS:
            terminal.answer(question, line)
        assert terminal.end() == 0
    assert written(project)["agent"] == {"command": "claude", "flags": ["--model", "opus", EDITS, *MAKE]}


def test_answers_typed_ahead_are_all_taken(project, env):
    with Terminal(project, env) as terminal:
        terminal.type("".join(f"{line}\n" for _, line in QUESTIONS))
        assert terminal.end() == 0
    assert written(project)["scm"] == {"command": "git", "tasks": ["commit"]}


def test_end_of_input_after_half_an_answer_writes_nothing(project, env):
    with Terminal(project, env) as terminal:
        terminal.expect(AGENT)
        terminal.type(b"clau\x04\x04")
        assert terminal.end() == 130
    assert list(project.iterdir()) == []


def test_flags_without_yes_are_refused(project, env):
    ended = script(project, env, "--agent", "claude")
    assert ended.returncode == 2
    assert "--agent needs --yes" in ended.stderr


def test_yes_writes_what_the_flags_say(project, env):
    ended = script(
        project, env, "--yes", "--agent", "claude", "--flag", "--model opus", "--flag", "-x",
        "--guardrail", "make lint", "--guardrail", "make test", "--max", "3", "--completion", "FINISHED",
        "--scm-command", "git", "--scm-task", "commit", "--scm-task", "push",
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("Settings written to .ralph/settings.json\n")
    assert written(project) == {
        "maximumIterations": 3,
        "completionResponse": "FINISHED",
        "outputTruncateChars": 5000,
        "streamAgentOutput": True,
        "agent": {"command": "claude", "flags": ["--model opus", "-x", EDITS, *MAKE]},
        "guardrails": [
            {"command": "make lint", "failAction": "APPEND"},
            {"command": "make test", "failAction": "APPEND"},
        ],
        "scm": {"command": "git", "tasks": ["commit", "push"]},
    }


def test_yes_takes_the_detected_agent_and_guardrails(project, env):
    install(env, "gemini")
    (project / "Cargo.toml").write_text("")
    assert script(project, env, "--yes").returncode == 0
    settings = written(project)
    tools = [f"--allowed-tools 'run_shell_command(cargo {name})'" for name in ("clippy", "test", "build")]
    assert settings["agent"] == {"command": "gemini", "flags": ["--approval-mode auto_edit", *tools]}
    assert [guardrail["command"] for guardrail in settings["guardrails"]][-1] == "cargo test"


@pytest.mark.parametrize("level", LEVELS)
def test_yes_takes_the_level_and_says_what_it_means(project, env, level):
    ended = script(project, env, "--yes", "--agent", "qwen", "--guardrail", "make test", "--permissions", level)
    assert (ended.returncode, ended.stderr) == (0, "")
    flags = flags_for("qwen", level, ["make test"])
    assert written(project)["agent"] == {"command": "qwen", "flags": flags}
    assert f"\nPermissions: {meaning('qwen', split_flags(flags))}\n" in ended.stdout


def test_yes_says_it_in_words_where_an_agent_takes_no_such_flag(project, env):
    ended = script(project, env, "--yes", "--agent", "amp", "--permissions", "own")
    assert "\nPermissions: amp takes no flag for this: ralph starts it with --dangerously-allow-all" in ended.stdout
    assert written(project)["agent"] == {"command": "amp", "flags": []}


def test_the_levels_of_the_flag_are_those_of_the_table():
    (option,) = [each for each in command.params if each.name == "permissions"]
    assert tuple(option.type.choices) == LEVELS


def test_the_readmes_own_path_lets_claude_edit_and_run_the_tests(project, env, tmp_path):
    """`init`, `doctor`, `run`: no iteration of the first hour is lost to a permission."""
    install(env, "claude")
    for tool in ("git", "sh"):
        (Path(env["PATH"]) / tool).symlink_to(str(shutil.which(tool)))
    (project / "Makefile").write_text("test:\n")
    assert script(project, env, "--yes").returncode == 0
    assert written(project)["agent"]["flags"] == [EDITS, MAKE[1]]
    told = subprocess.run([RALPH, "doctor", "--json"], cwd=project, env=env, capture_output=True, check=False)
    assert told.stdout, told.stderr
    (permissions,) = [finding for finding in json.loads(told.stdout) if finding["name"] == "permissions"]
    assert permissions["status"] == "ok"
    dry = subprocess.run(
        [RALPH, "run", "--dry-run", "-p", "x"], cwd=project, env=env, capture_output=True, text=True, check=False
    )
    assert "claude -p --permission-mode acceptEdits --allowedTools 'Bash(make test:*)'" in dry.stdout, dry.stderr


def test_yes_with_no_detect_takes_no_guardrails(project, env):
    (project / "Cargo.toml").write_text("")
    assert script(project, env, "--yes", "--agent", "amp", "--no-detect").returncode == 0
    assert written(project)["guardrails"] == []


def test_yes_without_any_agent_exits_2_and_says_so(project, env):
    ended = script(project, env, "--yes")
    assert ended.returncode == 2
    assert ended.stderr == "ralph: no known agent is on PATH. Name yours: ralph init --yes --agent NAME\n"
    assert list(project.iterdir()) == []


def test_yes_refuses_existing_settings_unless_forced(project, env):
    text = exist(project)
    ended = script(project, env, "--yes", "--agent", "amp")
    assert ended.returncode == 2
    assert "--force" in ended.stderr
    assert (project / ".ralph/settings.json").read_text() == text
    assert script(project, env, "--yes", "--agent", "amp", "--force").returncode == 0
    assert written(project)["agent"] == {"command": "amp", "flags": []}


INVALID = {
    "blank agent": ["--agent", " "],
    "blank guardrail": ["--agent", "x", "--guardrail", ""],
    "blank completion": ["--agent", "x", "--completion", ""],
    "zero iterations": ["--agent", "x", "--max", "0"],
    "negative iterations": ["--agent", "x", "--max", "-1"],
    "iterations in words": ["--agent", "x", "--max", "ten"],
    "more iterations than can be counted": ["--agent", "x", "--max", "9" * 30],
    "digits without end": ["--agent", "x", "--max", "9" * 5000],
    "scm command without a task": ["--agent", "x", "--scm-command", "git"],
    "unknown permissions": ["--agent", "claude", "--permissions", "some"],
    "permissions beside a flag that says them": ["--agent", "qwen", "--flag=--yolo", "--permissions", "project"],
    "an open quotation": ["--agent", "claude '"],
    "blank scm task": ["--agent", "x", "--scm-task", ""],
    "bytes that are not UTF-8": ["--agent", "x\udcff"],
}


@pytest.mark.parametrize("arguments", INVALID.values(), ids=INVALID)
def test_validation_error_exits_2_and_writes_nothing(project, env, arguments):
    ended = script(project, env, "--yes", *arguments)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert list(project.iterdir()) == []


def test_in_a_repository_state_is_ignored(project, env):
    subprocess.run(["git", "init", "-q", project], check=True)
    ended = script(project, env, "--yes", "--agent", "x")
    assert "Added ralph's state to .gitignore\n" in ended.stdout
    assert "/.ralph/*\n" in (project / ".gitignore").read_text()


def test_write_failure_exits_2(project, env):
    (project / ".ralph").write_text("a file")
    ended = script(project, env, "--yes", "--agent", "x")
    assert ended.returncode == 2
    assert (
        ended.stderr == "ralph: cannot write .ralph/settings.json: File exists. Run ralph init where you may write.\n"
    )


def unprivileged(*command: str | Path) -> list[str | Path]:
    return [sys.executable, "-c", WITHOUT_OVERRIDE, *command]


@pytest.fixture
def read_only(project):
    if subprocess.run(unprivileged(sys.executable, "-c", "pass"), check=False).returncode:
        pytest.skip("root may write to read-only directories here, and cannot give that right up")
    project.chmod(0o555)
    yield project
    project.chmod(0o755)


def test_read_only_directory_exits_2(read_only, env):
    ended = subprocess.run(
        unprivileged(RALPH, "init", "--yes", "--agent", "x"),
        cwd=read_only, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 2
    assert ended.stderr == (
        "ralph: cannot write .ralph/settings.json: Permission denied. Run ralph init where you may write.\n"
    )
    assert list(read_only.iterdir()) == []


def test_read_only_directory_is_told_before_the_questions(read_only, env):
    with Terminal(read_only, env, program=unprivileged(RALPH)) as terminal:
        assert terminal.end() == 2
        assert "cannot write .ralph/settings.json: the directory is read-only" in terminal.screen
        assert AGENT not in terminal.screen
