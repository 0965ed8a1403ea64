"""The context monitor: five marks, each told once, the highest of several."""

import json
import os

import pytest

from plugin_hooks import marker

WINDOW = 1000


@pytest.fixture
def session(tmp_path, hooks, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONTEXT_WINDOW", str(WINDOW))
    transcript = tmp_path / "transcript.jsonl"

    def told(tokens=None, size=None, event="PostToolUse"):
        if tokens is not None:
            record = {"message": {"usage": {"input_tokens": tokens, "cache_read_input_tokens": 0, "output_tokens": 0}}}
            transcript.write_text(json.dumps(record) + "\n", encoding="utf-8")
        elif size is not None:
            transcript.write_text("x" * size, encoding="utf-8")
        payload = {"session_id": "s1", "transcript_path": str(transcript), "hook_event_name": event}
        answer = hooks.call("context_monitor", payload)
        return answer["hookSpecificOutput"]["additionalContext"] if answer else None

    return told


def test_each_threshold_fires_once_with_its_severity(session):
    assert session(tokens=499) is None
    for percent, severity in ((50, "NOTICE"), (60, "NOTICE"), (70, "WARNING"), (80, "WARNING"), (90, "CRITICAL")):
        words = session(tokens=percent * 10)
        assert words.startswith(f"[{severity}] About {percent}% of the context is used.")
        assert session(tokens=percent * 10 + 9) is None
    assert session(tokens=1200) is None


def test_the_words_of_the_seed(session):
    assert "Be mindful of remaining space. Plan to finish your current task within this session." in session(tokens=500)
    assert "Finish your current task and commit soon. Do not start additional tasks." in session(tokens=700)
    assert "Wrap up immediately. Do NOT start new work." in session(tokens=900)


def test_several_at_once_tell_only_the_highest(session):
    assert session(tokens=950).startswith("[CRITICAL]")
    assert session(tokens=650) is None, "less after a compaction is no news"


def test_a_new_session_arms_them_again(session):
    assert session(tokens=500)
    assert session(event="SessionStart") is None
    assert session(tokens=500)


def test_without_usage_the_size_counts_with_a_divisor(session, monkeypatch):
    assert session(size=WINDOW * 2 - 4) is None
    assert session(size=WINDOW * 2).startswith("[NOTICE] About 50%")
    monkeypatch.setenv("CLAUDE_CONTEXT_CHARS_PER_TOKEN", "2")
    assert session(size=WINDOW * 2).startswith("[CRITICAL]")


def test_a_subagent_has_a_context_of_its_own(session, tmp_path):
    records = [
        {"message": {"usage": {"input_tokens": 510}}},
        {"isSidechain": True, "message": {"usage": {"input_tokens": 990}}},
    ]
    (tmp_path / "transcript.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert session().startswith("[NOTICE] About 51%")


def test_somebody_elses_file_is_not_written(session, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("keep", encoding="utf-8")
    state = tmp_path / "claude-context-alerts-s1"
    state.symlink_to(other)
    assert session(tokens=900) is None
    state.unlink()
    os.link(other, state)
    assert session(tokens=900) is None
    assert other.read_text(encoding="utf-8") == "keep"


@pytest.mark.parametrize(
    "payload", [b"", b"[]", b"{}", b'{"session_id": 3}', b'{"session_id": "x", "transcript_path": "/nowhere"}']
)
def test_it_advises_and_never_stands_in_the_way(hooks, payload):
    assert hooks.call("context_monitor", payload) is None


def test_a_pipe_in_place_of_the_transcript_does_not_block(session, tmp_path):
    os.mkfifo(tmp_path / "transcript.jsonl")
    assert session() is None


def codex_record(tokens, window=2000):
    info = {"last_token_usage": {"input_tokens": tokens - 10, "total_tokens": tokens}, "model_context_window": window}
    return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}


def test_codex_counts_tokens_and_names_its_window(session, tmp_path, monkeypatch):
    monkeypatch.delenv("CLAUDE_CONTEXT_WINDOW")
    records = [codex_record(100), codex_record(1000), {"payload": {"type": "message", "text": "token_count"}}]
    (tmp_path / "transcript.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert session().startswith("[NOTICE] About 50%")
    monkeypatch.setenv("CLAUDE_CONTEXT_WINDOW", "1100")
    assert session().startswith("[CRITICAL] About 90%")


@pytest.mark.parametrize("info", [None, {}, {"last_token_usage": None}, {"last_token_usage": {"total_tokens": "x"}}, 3])
def test_a_count_that_cannot_be_read_is_none(session, tmp_path, info):
    record = {"payload": {"type": "token_count", "info": info}}
    (tmp_path / "transcript.jsonl").write_text(json.dumps(record), encoding="utf-8")
    assert session() is None


def test_one_very_long_line_does_not_hide_the_count(session, tmp_path):
    usage = json.dumps({"message": {"usage": {"input_tokens": 510}}})
    (tmp_path / "transcript.jsonl").write_text(f"{usage}\n{'x' * 2_000_000}", encoding="utf-8")
    assert session().startswith("[NOTICE] About 51%")


def test_in_a_run_without_stories_it_names_no_files_of_stories(session, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RALPH_RUN_ID", "r1")
    told = session(tokens=500)
    assert told.endswith("Be mindful of remaining space. Plan to finish your current task within this session.")
    assert session(tokens=700).endswith("Finish your current task and commit soon. Do not start additional tasks.")
    marker(tmp_path, runId="r1")
    assert "progress.txt" in session(tokens=900)
