"""Each key of a step, played by a real process."""

import base64
import json
import os
import signal
import subprocess
import time

import pytest

ONLY = {"no_result": True}


def lines(output):
    return [json.loads(line) for line in output.splitlines()]


def blocks(output, kind):
    """The content blocks of one kind in a stream of Claude's format."""
    messages = [line["message"] for line in lines(output) if "message" in line]
    return [block for message in messages for block in message["content"] if block["type"] == kind]


def result(output):
    last = lines(output)[-1]
    assert last["type"] == "result"
    return last


def alive(pid):
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")


def test_write_makes_folders_and_shows_the_tool_call(play, work):
    done = play({"write": {"src/a.py": "x = 1\n", "b.txt": "ä"}})
    assert (work / "src/a.py").read_text() == "x = 1\n"
    assert (work / "b.txt").read_text(encoding="utf-8") == "ä"
    assert [(call["name"], call["input"]["file_path"]) for call in blocks(done.stdout, "tool_use")] == [
        ("Write", "src/a.py"),
        ("Write", "b.txt"),
    ]


def test_append_adds_to_the_end(play, work):
    (work / "notes.txt").write_text("one\n")
    play({"append": {"notes.txt": "two\n", "new.txt": "first\n"}})
    assert (work / "notes.txt").read_text() == "one\ntwo\n"
    assert (work / "new.txt").read_text() == "first\n"


def test_delete_removes_files(play, work):
    (work / "old.txt").write_text("")
    done = play({"delete": ["old.txt"]})
    assert not (work / "old.txt").exists()
    assert blocks(done.stdout, "tool_use")[0]["input"] == {"command": "rm old.txt"}


def test_delete_of_a_missing_file_is_one_clear_line(play):
    done = play({"delete": ["never.txt"]})
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"never.txt" in done.stderr


def test_run_shows_the_output_of_a_real_command(play, work):
    done = play({"run": "echo out; echo err >&2; touch made"})
    assert (work / "made").exists()
    assert [block["content"] for block in blocks(done.stdout, "tool_result")] == ["out\nerr"]
    assert not blocks(done.stdout, "tool_result")[0]["is_error"]


def test_run_that_fails_is_a_tool_error_and_not_the_end(play):
    done = play({"run": "echo no; exit 3", "final": "went on"})
    block = blocks(done.stdout, "tool_result")[0]
    assert (block["content"], block["is_error"]) == ("Exit code 3\nno", True)
    assert result(done.stdout)["result"] == "went on"
    assert done.returncode == 0


def test_say_think_tool_and_todo_appear_in_the_stream_only(play, work):
    done = play(
        {
            "say": "hello",
            "think": "hm",
            "tool": {"name": "Read", "input": {"file_path": "a"}, "output": "content", "error": True},
            "todo": [{"text": "one", "status": "completed"}, {"text": "two", "status": "pending"}],
        }
    )
    assert [block["text"] for block in blocks(done.stdout, "text")] == ["hello"]
    assert [block["thinking"] for block in blocks(done.stdout, "thinking")] == ["hm"]
    read, todo = blocks(done.stdout, "tool_use")
    assert (read["name"], read["input"]) == ("Read", {"file_path": "a"})
    assert [(item["content"], item["status"]) for item in todo["input"]["todos"]] == [
        ("one", "completed"),
        ("two", "pending"),
    ]
    seen = blocks(done.stdout, "tool_result")[0]
    assert (seen["tool_use_id"], seen["content"], seen["is_error"]) == (read["id"], "content", True)
    assert list(work.iterdir()) == []


def test_raw_is_a_line_and_nothing_else(play):
    assert play({"raw": "{not json"} | ONLY).stdout == b"{not json\n"


def test_raw_base64_is_these_bytes_exactly(play):
    wanted = b"\xff\xfe half a line"
    assert play({"raw_base64": base64.b64encode(wanted).decode()} | ONLY).stdout == wanted


def test_raw_base64_that_is_none_is_one_clear_line(play):
    done = play({"raw_base64": "a"} | ONLY)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)


def test_stderr_leaves_the_stream_alone(play):
    done = play({"stderr": "warning: ä"} | ONLY)
    assert (done.stdout, done.stderr) == (b"", "warning: ä\n".encode())


@pytest.mark.parametrize("kind", ["text", "tool"])
@pytest.mark.parametrize("format_", ["claude", "codex", "amp", "copilot", "opencode", "gemini", "qwen"])
def test_flood_is_so_many_bytes_of_valid_lines(play, kind, format_):
    args = {"codex": ["--json"], "amp": ["--stream-json"]}.get(format_, [])
    # Blank lines show where the flood begins.
    step = {
        "do": [{"flood": {"bytes": 2, "kind": "empty"}}, {"flood": {"bytes": 3_000_001, "line": 2500, "kind": kind}}]
    }
    begin, flood = play(step | ONLY, *args, format=format_).stdout.split(b"\n\n\n")
    assert begin
    assert len(flood) == 3_000_001
    assert all(json.loads(line) for line in flood.splitlines())
    assert 1200 <= 3_000_001 / flood.count(b"\n") <= 2600


def test_flood_is_exact_to_the_byte(play):
    plain = play({"flood": {"bytes": 2_500_003, "line": 777}} | ONLY, format="text").stdout
    assert len(plain) == 2_500_003
    assert {len(line) for line in plain.splitlines(keepends=True)[:-1]} == {777}


def test_flood_of_empty_lines(play):
    assert play({"flood": {"bytes": 100_000, "kind": "empty"}} | ONLY, format="text").stdout == b"\n" * 100_000


def test_line_of_is_one_line_of_that_length(play):
    output = play({"line_of": {"bytes": 5_000_000}} | ONLY).stdout.splitlines(keepends=True)
    assert [json.loads(line)["type"] for line in output] == ["system", "assistant"]
    assert len(output[1]) == 5_000_000


def test_sleep_takes_its_time(play):
    began = time.monotonic()
    play({"sleep": 0.3})
    assert time.monotonic() - began >= 0.3


def test_hang_ends_at_a_polite_signal(scripted, work):
    agent = scripted({"say": "ready", "hang": True})
    with subprocess.Popen([agent.command], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline()
        process.terminate()
        assert process.wait(30) == -signal.SIGTERM


def test_hang_hard_ends_only_by_sigkill(scripted, work):
    agent = scripted({"say": "ready", "hang": "hard"})
    with subprocess.Popen([agent.command], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline()
        process.terminate()
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.kill()
        assert process.wait(30) == -signal.SIGKILL


def test_close_stdout_tells_the_result_and_lives_on_until_killed(scripted, work):
    agent = scripted({"final": "bye", "close_stdout": True})
    with subprocess.Popen([agent.command], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert result(process.stdout.read())["result"] == "bye"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.terminate()


def test_close_stdout_lives_on_for_the_time_of_sleep(scripted, work):
    agent = scripted({"close_stdout": True, "sleep": 0.4, "exit": 5})
    with subprocess.Popen([agent.command], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        process.stdout.read()
        closed = time.monotonic()
        assert process.wait(30) == 5
        assert time.monotonic() - closed >= 0.3


@pytest.mark.parametrize("setsid", [False, True])
def test_spawn_leaves_a_child_behind(play, work, setsid):
    command = "echo $$ > child.pid; exec sleep 600 > /dev/null 2>&1"
    play({"spawn": {"command": command, "setsid": setsid}, "run": "true"})
    deadline = time.monotonic() + 30
    while not (work / "child.pid").exists() or not (work / "child.pid").read_text().strip():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    pid = int((work / "child.pid").read_text())
    try:
        assert alive(pid)
        assert (os.getsid(pid) == pid) is setsid
    finally:
        os.kill(pid, signal.SIGKILL)


def test_echo_prompt_says_the_prompt(play):
    done = play({"echo_prompt": True}, prompt="do it\nnow ä")
    assert [block["text"] for block in blocks(done.stdout, "text")] == ["do it\nnow ä"]


def test_expect_prompt_lets_the_right_prompt_through(play):
    assert play({"expect_prompt": "guardrail"}, prompt="the guardrail failed").returncode == 0


def test_expect_prompt_stops_before_anything_is_done(play, work):
    done = play({"expect_prompt": "guardrail", "write": {"a": "b"}}, prompt="something else")
    assert (done.returncode, done.stdout, list(work.iterdir())) == (97, b"", [])
    assert done.stderr == b"ralph-scripted-agent: the prompt lacks 'guardrail'; it was: 'something else'\n"


def test_final_is_said_and_stands_in_the_result(play):
    done = play({"say": "working", "final": "<response>DONE</response>"})
    assert [block["text"] for block in blocks(done.stdout, "text")] == ["working", "<response>DONE</response>"]
    assert result(done.stdout)["result"] == "<response>DONE</response>"


def test_without_final_the_last_thing_said_is_the_result(play):
    assert result(play({"say": "that is all"}).stdout)["result"] == "that is all"


def test_cost_and_tokens_stand_in_the_result(play):
    tokens = {"input": 10, "output": 20, "cache_read": 30, "cache_write": 40}
    seen = result(play({"cost": 0.25, "tokens": tokens}).stdout)
    assert seen["total_cost_usd"] == 0.25
    assert seen["usage"]["input_tokens"] == 10
    assert seen["usage"]["output_tokens"] == 20
    assert seen["usage"]["cache_read_input_tokens"] == 30
    assert seen["usage"]["cache_creation_input_tokens"] == 40


@pytest.mark.parametrize(("value", "status"), [(True, 500), (429, 429)])
def test_is_error_marks_the_result(play, value, status):
    seen = result(play({"final": "API Error", "is_error": value}).stdout)
    assert (seen["is_error"], seen["api_error_status"], seen["result"]) == (True, status, "API Error")


def test_no_result_leaves_the_last_line_out(play):
    output = play({"say": "cut off"} | ONLY).stdout
    assert [line["type"] for line in lines(output)] == ["system", "assistant"]


def test_exit_is_the_exit_code(play):
    done = play({"final": "x", "exit": 42})
    assert (done.returncode, result(done.stdout)["result"]) == (42, "x")


def test_a_step_that_shows_nothing_prints_nothing(play):
    done = play({"exit": 1} | ONLY)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGTERM"])
def test_kill_is_a_crash_without_a_result(play, work, name):
    done = play({"say": "working", "kill": name})
    assert done.returncode == -getattr(signal, name)
    assert [line["type"] for line in lines(done.stdout)] == ["system", "assistant"]
    assert list(work.iterdir()) == []  # no core file


def test_kill_after_a_final_message_crashes_after_the_result(play):
    done = play({"final": "x", "kill": "SIGABRT"})
    assert done.returncode == -signal.SIGABRT
    assert result(done.stdout)["result"] == "x"


def test_do_gives_the_order(play, work):
    done = play({"do": [{"say": "first"}, {"run": "cat b"}, {"write": {"b": "2"}}, {"run": "cat b"}, {"say": "last"}]})
    assert [block["text"] for block in blocks(done.stdout, "text")] == ["first", "last"]
    shell = [block for block in blocks(done.stdout, "tool_result") if "created" not in block["content"]]
    assert [block["is_error"] for block in shell] == [True, False]
    assert shell[1]["content"] == "2"


def test_do_can_tell_the_result_and_then_hang(scripted, work):
    agent = scripted({"do": [{"final": "done"}, {"hang": True}]})
    with subprocess.Popen([agent.command], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        seen = [json.loads(process.stdout.readline())["type"] for _ in range(3)]
        assert seen == ["system", "assistant", "result"]
        assert process.poll() is None
        process.kill()


def test_a_reader_that_goes_away_ends_a_flood(scripted, work):
    agent = scripted({"flood": {"bytes": 10_000_000_000}})
    with subprocess.Popen([agent.command], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        process.stdout.read(1000)
        process.stdout.close()
        assert process.wait(30) == -signal.SIGPIPE
