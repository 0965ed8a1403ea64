import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pytest

RALPH = Path(sys.executable).with_name("ralph")
PATIENCE = 30.0
TERMINAL = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
"""Makes the terminal on stdin the controlling one, so that Ctrl-C becomes a signal, then becomes the program."""
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

Settings written to .ralph/settings.json
"""  # noqa: W291 - a blank answer leaves the space after the question


class Terminal:
    """The real program on a pseudo-terminal: read the screen, type on the keyboard."""

    def __init__(
        self, project: Path, env: dict[str, str], *arguments: str, program: Sequence[str | Path] = (RALPH,)
    ) -> None:
        self.screen = ""
        self._seen = 0
        self._master, slave = os.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", TERMINAL, *program, "init", *arguments],
            cwd=project, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        )  # fmt: skip
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def expect(self, text: str) -> None:
        until = time.monotonic() + PATIENCE
        while text not in self.screen[self._seen :]:
            assert time.monotonic() < until, f"{text!r} did not come:\n{self.screen}"
            assert self._read(), f"it ended before {text!r} came:\n{self.screen}"
        self._seen = self.screen.index(text, self._seen) + len(text)

    def type(self, keys: str | bytes) -> None:
        os.write(self._master, keys if isinstance(keys, bytes) else keys.encode())

    def answer(self, question: str, line: str) -> None:
        self.expect(question)
        self.type(f"{line}\n")

    def end(self) -> int:
        while self._read():
            pass
        return self.process.wait(PATIENCE)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], PATIENCE)
        assert ready, f"nothing more came:\n{self.screen}"
        try:
            data = os.read(self._master, 65536)
        except OSError:
            # Linux says so when the last holder of the other side is gone.
            return False
        self.screen += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)


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
]


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
        "agent": {"command": "claude", "flags": ["--model", "opus"]},
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
        assert terminal.screen.endswith('Next: ralph doctor, then ralph run -p "what is to be done"\n')


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
@pytest.mark.parametrize("place", [0, 1, 2, 3, 4, 5, 6, 11, 12, 13])
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
        assert terminal.end() == 0
    settings = written(project)
    assert settings["agent"] == {"command": "codex", "flags": []}
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
        terminal.expect("That is not UTF-8 text.")
        for question, line in QUESTIONS:
            terminal.answer(question, line)
        assert terminal.end() == 0
    assert written(project)["agent"] == {"command": "claude", "flags": ["--model", "opus"]}


def test_an_answer_with_arrow_keys_in_it_is_asked_again(project, env):
    with Terminal(project, env) as terminal:
        terminal.expect(AGENT)
        terminal.type(b"claude\x1b[D\n")
        terminal.expect("control characters")
        for question, line in QUESTIONS:
            terminal.answer(question, line)
        assert terminal.end() == 0
    assert written(project)["agent"] == {"command": "claude", "flags": ["--model", "opus"]}


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
    assert "--agent goes with --yes" in ended.stderr


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
        "agent": {"command": "claude", "flags": ["--model opus", "-x"]},
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
    assert settings["agent"] == {"command": "gemini", "flags": []}
    assert [guardrail["command"] for guardrail in settings["guardrails"]][-1] == "cargo test"


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
