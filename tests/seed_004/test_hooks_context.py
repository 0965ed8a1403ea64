"""Seed 004, verification plan 3: the context monitor, started by itself with a fake transcript."""

import json
import os
import stat
import subprocess
import sys

import pytest

from plugin_hooks import PLUGIN, SCRIPTS

THRESHOLDS = {50: "NOTICE", 60: "NOTICE", 70: "WARNING", 80: "WARNING", 90: "CRITICAL"}
WINDOW = 200_000


@pytest.fixture
def monitor(tmp_path, hooks, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in ("CLAUDE_CONTEXT_WINDOW", "CLAUDE_CONTEXT_CHARS_PER_TOKEN"):
        monkeypatch.delenv(name, raising=False)

    def told(size=None, event="PostToolUse", session="s1"):
        """With a transcript of so many bytes, in which no usage is recorded."""
        if size is not None:
            (tmp_path / "transcript").write_bytes(b"x" * size)
        payload = {
            "session_id": session,
            "transcript_path": str(tmp_path / "transcript"),
            "hook_event_name": event,
            "cwd": str(tmp_path),
        }
        answer = hooks.call("context_monitor", payload)
        if answer is None:
            return None
        assert answer["hookSpecificOutput"]["hookEventName"] == event
        return answer["hookSpecificOutput"]["additionalContext"]

    return told


def size_of(percent, divisor=4, window=WINDOW):
    return int(window * divisor * percent / 100)


def test_alerts_fire_at_the_thresholds_and_each_only_once(monitor):
    assert monitor(size_of(49)) is None
    for percent, severity in THRESHOLDS.items():
        assert monitor(size_of(percent)).startswith(f"[{severity}]")
        assert monitor() is None
        assert monitor(size_of(percent + 9)) is None


def test_several_thresholds_at_once_tell_only_the_highest(monitor):
    assert monitor(size_of(85)).startswith("[WARNING] About 85%")
    assert monitor(size_of(65)) is None, "what was passed with it is not told later"
    assert monitor(size_of(90)).startswith("[CRITICAL]")


def test_a_session_start_arms_the_thresholds_of_that_session_alone(monitor, tmp_path):
    assert monitor(size_of(50))
    assert monitor(size_of(50), session="s2")
    assert monitor(event="SessionStart") is None
    assert not (tmp_path / "claude-context-alerts-s1").exists()
    assert monitor(size_of(50))
    assert monitor(size_of(50), session="s2") is None


@pytest.mark.parametrize("divisor", [3, 5, 6])
def test_the_divisor_tunes_how_early_alerts_fire(monitor, monkeypatch, divisor):
    monkeypatch.setenv("CLAUDE_CONTEXT_CHARS_PER_TOKEN", str(divisor))
    assert monitor(size_of(50, divisor) - divisor) is None
    assert monitor(size_of(50, divisor)).startswith("[NOTICE]")


def test_the_window_can_be_set(monitor, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONTEXT_WINDOW", "1000")
    assert monitor(1996) is None
    assert monitor(2000).startswith("[NOTICE] About 50%")


@pytest.mark.parametrize("text", ["", "many", "0", "-5", "nan"])
def test_a_number_that_is_none_is_the_default(monitor, monkeypatch, text):
    monkeypatch.setenv("CLAUDE_CONTEXT_WINDOW", text)
    monkeypatch.setenv("CLAUDE_CONTEXT_CHARS_PER_TOKEN", text)
    assert monitor(size_of(49)) is None
    assert monitor(size_of(50)).startswith("[NOTICE] About 50%")


def test_the_usage_records_of_the_transcript_count_more_than_its_size(monitor, tmp_path):
    usage = {"input_tokens": 10, "cache_read_input_tokens": 120_000, "cache_creation_input_tokens": 19_990}
    lines = [{"message": {"usage": {"input_tokens": 199_000}}}, {"message": {"usage": usage}}, {"message": "x" * 9000}]
    (tmp_path / "transcript").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert monitor().startswith("[WARNING] About 70%"), "the last record is how full it is now"


@pytest.mark.parametrize("kind", ["symlink", "dangling", "hard link", "pipe", "folder"])
def test_a_state_file_that_somebody_else_laid_out_is_neither_read_nor_written(monitor, tmp_path, kind):
    state, other = tmp_path / "claude-context-alerts-s1", tmp_path / "other"
    other.write_text("keep", encoding="utf-8")
    match kind:
        case "symlink":
            state.symlink_to(other)
        case "dangling":
            state.symlink_to(tmp_path / "made-by-nobody")
        case "hard link":
            os.link(other, state)
        case "pipe":
            os.mkfifo(state)
        case "folder":
            state.mkdir()
    assert monitor(size_of(90)) is None
    assert other.read_text(encoding="utf-8") == "keep"
    assert not (tmp_path / "made-by-nobody").exists()


def test_the_state_file_is_the_users_alone_and_its_name_leads_nowhere(monitor, tmp_path):
    assert monitor(size_of(50), session="../../etc/x y")
    [state] = tmp_path.glob("claude-context-alerts-*")
    assert state.name == "claude-context-alerts-______etc_x_y"
    assert stat.S_IMODE(state.stat().st_mode) == 0o600


def test_the_hooks_are_wired_to_their_events():
    wired = json.loads((PLUGIN / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    commands = {
        event: [hook["command"] for group in groups for hook in group["hooks"]] for event, groups in wired.items()
    }
    assert {event: "".join(lines).count(".py") for event, lines in commands.items()} == dict.fromkeys(commands, 1)
    assert "context_monitor.py" in commands["PostToolUse"][0]
    assert "context_monitor.py" in commands["SessionStart"][0]
    assert "stop_loop_reminder.py" in commands["Stop"][0]
    assert commands["PreToolUse"][0].endswith('command_guard.py" || exit 2'), "a missing python3 denies"
    assert wired["PostToolUse"][0]["matcher"] == ".*"


@pytest.mark.parametrize("name", ["context_monitor", "stop_loop_reminder", "command_guard"])
def test_a_hook_uses_the_standard_library_only(name, tmp_path):
    """As an agent starts it: with nothing of the project's environment."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(SCRIPTS / f"{name}.py")],
        input=json.dumps(
            {"cwd": str(tmp_path), "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
        ),
        env={"PATH": os.defpath, "HOME": str(tmp_path), "RALPH_GUARD": "1", "TMPDIR": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
