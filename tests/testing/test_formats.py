"""What is played looks like what the real agents print: compared with recordings of them."""

import json
from pathlib import Path

import pytest

CASSETTES = Path(__file__).parent / "cassettes"
ARGS = {"codex": ["exec", "--json"], "amp": ["--stream-json-thinking", "-x"]}
DONE = "All done.\n<response>DONE</response>"
TOOL = {
    "do": [
        {"say": "I will create the file."},
        {"run": "echo hi > hello.txt && cat hello.txt"},
        {"final": DONE},
    ],
}
# What holds the agent's own choice of names, not the format's.
OPEN = {"input", "arguments", "parameters", "models", "modelUsage"}
# Lines about the machine and the session that tell nothing of the work.
NOISE = {
    "codex": {"item.completed/error"},
    "claude": {"system/thinking_tokens", "system/api_retry"},
    "copilot": {
        "session.skills_loaded",
        "session.mcp_servers_loaded",
        "session.tools_updated",
        "session.background_tasks_changed",
        "model.call_start",
        "model.call_finished",
        "model.call_final_result",
        "assistant.tool_call_delta",
        "assistant.idle",
        "tool.shell_output",
        "tool.execution_partial_result",
    },
}
# Keys of a real line that the scripted agent leaves out, each by its path.
LEFT_OUT = {
    "claude": {
        "analytics_disabled",
        "product_feedback_disabled",
        "memory_paths.auto",
        "ttft_ms",
        "ttft_stream_ms",
        "time_to_request_ms",
        "usage.server_tool_use.web_search_requests",
        "usage.server_tool_use.web_fetch_requests",
        "usage.cache_creation.ephemeral_1h_input_tokens",
        "usage.cache_creation.ephemeral_5m_input_tokens",
        "usage.inference_geo",
        "usage.iterations",
        "usage.speed",
    },
    "qwen": {"message.usage.cache_read_input_tokens", "message.usage.total_tokens"},
    "copilot": {
        "data.supportedNativeDocumentMimeTypes",
        "data.delivery",
        "data.parentAgentTaskId",
        "data.originatingMessageId",
        "data.rte",
        "data.apiCallId",
        "data.toolTitle",
        "data.shellToolInfo.possiblePaths",
        "data.shellToolInfo.hasWriteFileRedirection",
        "data.shellExecution.exitCode",
        "data.toolRequests[].intentionSummary",
        "data.toolRequests[].toolTitle",
    },
}


def recorded(agent, case):
    noise = NOISE.get(agent, set())
    lines = [json.loads(line) for line in (CASSETTES / agent / f"{case}.ndjson").read_text().splitlines()]
    return [line for line in lines if kind(line) not in noise]


@pytest.fixture
def played(play):
    def start(agent, step):
        return [json.loads(line) for line in play(step, *ARGS.get(agent, []), format=agent).stdout.splitlines()]

    return start


def kind(line):
    """What a line is: its type, with the type of what it carries."""
    blocks = line["message"]["content"] if "message" in line and isinstance(line["message"], dict) else []
    inner = [block["type"] for block in blocks]
    inner += [line[key]["type"] for key in ("item", "part") if key in line]
    return "/".join([line["type"], *([line["subtype"]] if "subtype" in line else []), *inner])


def paths(value, prefix=""):
    """All keys of a line, nested ones by their path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            path = f"{prefix}.{key}".lstrip(".")
            yield from [path] if key in OPEN or not inner else paths(inner, path)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for inner in value:
            yield from paths(inner, f"{prefix}[]")
    else:
        yield prefix


def keys(lines):
    found = {}
    for line in lines:
        found.setdefault(kind(line), set()).update(paths(line))
    return found


@pytest.mark.parametrize("agent", ["claude", "codex", "opencode", "gemini", "qwen"])
def test_the_same_work_gives_the_same_lines_in_the_same_order(played, agent):
    assert list(map(kind, played(agent, TOOL))) == list(map(kind, recorded(agent, "tool")))


def test_copilot_gives_the_same_kinds_of_lines(played):
    assert {kind(line) for line in played("copilot", TOOL)} == {kind(line) for line in recorded("copilot", "tool")}


@pytest.mark.parametrize("agent", ["claude", "codex", "opencode", "gemini", "qwen", "copilot"])
def test_each_line_has_the_keys_of_the_real_one(played, agent):
    real, ours = keys(recorded(agent, "tool")), keys(played(agent, TOOL))
    left_out = LEFT_OUT.get(agent, set())
    for name, found in ours.items():
        assert found - real[name] == set(), f"{name}: invented"
        missing = {path for path in real[name] - found if not path.startswith("data.toolTelemetry")}
        assert missing - left_out == set(), f"{name}: missing"


@pytest.mark.parametrize(
    ("agent", "case", "step"),
    [
        ("claude", "think", {"do": [{"think": "Need a file."}, *TOOL["do"]]}),
        ("claude", "text", {"final": DONE}),
        (
            "claude",
            "todowrite-enabled",
            {"do": [{"todo": [{"text": "Do it", "status": "in_progress"}]}, {"final": DONE}]},
        ),
        ("claude", "hooks-plugin-toolfail", {"do": [{"run": "echo oops; exit 3"}, {"final": DONE}]}),
        ("claude", "err429-maxretries2", {"final": "API Error", "is_error": 429}),
        ("codex", "think", {"do": [{"think": "Need a file."}, *TOOL["do"]]}),
        ("codex", "patch-shell", {"write": {"new.txt": "x"}, "final": DONE}),
        ("codex", "err400", {"is_error": 400}),
    ],
)
def test_other_recordings_have_the_same_kinds_of_lines(played, agent, case, step):
    real, ours = recorded(agent, case), played(agent, step)
    assert {kind(line) for line in ours} == {kind(line) for line in real if not kind(line).startswith("system/hook")}


def test_claude_results_say_what_the_real_ones_say(played):
    for step, case in ((TOOL, "tool"), ({"final": DONE}, "text")):
        ours, real = played("claude", step)[-1], recorded("claude", case)[-1]
        same = ("subtype", "is_error", "api_error_status", "num_turns", "result", "stop_reason", "terminal_reason")
        assert {key: ours[key] for key in same} == {key: real[key] for key in same}


def test_a_failed_claude_request_says_what_the_real_one_says(played):
    real = recorded("claude", "err429-maxretries2")[-1]
    ours = played("claude", {"final": real["result"], "is_error": 429})[-1]
    same = ("subtype", "is_error", "api_error_status", "num_turns", "result", "stop_reason", "terminal_reason")
    assert {key: ours[key] for key in same} == {key: real[key] for key in same}


def test_a_failed_claude_command_says_what_the_real_one_says(played):
    def seen(lines):
        return [
            (
                line["message"]["content"][0]["content"],
                line["message"]["content"][0]["is_error"],
                line["tool_use_result"],
            )
            for line in lines
            if kind(line) == "user/tool_result"
        ]

    step = {"run": "echo oops; exit 3"}
    assert seen(played("claude", step)) == seen(recorded("claude", "hooks-plugin-toolfail"))


def test_codex_commands_say_what_the_real_ones_say(played):
    def items(lines):
        return [line["item"] | {"id": ""} for line in lines if "item" in line]

    assert items(played("codex", TOOL)) == items(recorded("codex", "tool"))


def test_codex_counts_what_came_from_the_cache_into_the_input(played):
    step = {"tokens": {"input": 10, "output": 2, "cache_read": 30, "cache_write": 4}}
    assert played("codex", step)[-1]["usage"] == {
        "input_tokens": 40,
        "cached_input_tokens": 30,
        "cache_write_input_tokens": 4,
        "output_tokens": 2,
        "reasoning_output_tokens": 0,
    }


def test_a_failed_codex_turn_says_so(played):
    real = recorded("codex", "err400")[-1]
    assert played("codex", {"final": real["error"]["message"], "is_error": 400})[-1] == real


def test_opencode_tells_cost_and_tokens_when_a_step_finishes(played):
    step = {"cost": 0.5, "tokens": {"input": 1, "output": 2, "cache_read": 3, "cache_write": 4}}
    last = played("opencode", step)[-1]["part"]
    assert (last["reason"], last["cost"]) == ("stop", 0.5)
    assert last["tokens"] == {"total": 10, "input": 1, "output": 2, "reasoning": 0, "cache": {"write": 4, "read": 3}}


def test_a_failed_opencode_request_says_so(played):
    real = recorded("opencode", "err401")[-1]["error"]
    ours = played("opencode", {"final": "invalid x-api-key", "is_error": 401})[-1]["error"]
    assert ours["name"] == real["name"]
    assert ours["data"] == {key: real["data"][key] for key in ours["data"]}


def test_an_opencode_command_that_fails_is_a_completed_call(played):
    (state,) = [line["part"]["state"] for line in played("opencode", {"run": "exit 3"}) if line["type"] == "tool_use"]
    assert (state["status"], state["metadata"]["exit"]) == ("completed", 3)


def test_gemini_says_what_the_real_one_says(played):
    real = recorded("gemini", "tool")[-1]
    ours = played("gemini", TOOL | {"tokens": {"input": 200, "output": 40}})[-1]
    times = ("duration_ms", "models")
    assert {k: v for k, v in ours["stats"].items() if k not in times} == {
        k: v for k, v in real["stats"].items() if k not in times
    }
    assert played("gemini", {"final": "no", "is_error": True})[-1]["status"] == "error"


def test_copilot_tells_failure_by_its_exit_code_field(played):
    assert played("copilot", {"final": "x"})[-1]["exitCode"] == recorded("copilot", "tool")[-1]["exitCode"] == 0
    failed = played("copilot", {"final": "x", "is_error": True})
    assert failed[-1]["exitCode"] == 1
    assert "session.error" in {line["type"] for line in failed}


def test_qwen_results_say_what_the_real_ones_say(played):
    real = recorded("qwen", "tool")[-1]
    ours = played("qwen", TOOL | {"tokens": {"input": 200, "output": 40}})[-1]
    same = ("subtype", "is_error", "num_turns", "result", "usage", "permission_denials")
    assert {key: ours[key] for key in same} == {key: real[key] for key in same}


def test_amp_repeats_the_prompt_and_ends_with_a_result(played):
    lines = played("amp", {"do": [{"think": "hm"}, *TOOL["do"]], "tokens": {"input": 7, "cache_read": 3}})
    assert list(map(kind, lines)) == [
        "system/init",
        "user/text",
        "assistant/thinking",
        "assistant/text",
        "assistant/tool_use",
        "user/tool_result",
        "assistant/text",
        "result/success",
    ]
    assert set(lines[0]) == {"type", "subtype", "cwd", "session_id", "tools", "mcp_servers"}
    assert lines[1]["message"]["content"] == [{"type": "text", "text": "the prompt"}]
    assert lines[5]["message"]["content"][0]["tool_use_id"] == lines[4]["message"]["content"][0]["id"]
    result = lines[-1]
    assert (result["result"], result["is_error"], result["num_turns"]) == (DONE, False, 2)
    assert (result["usage"]["input_tokens"], result["usage"]["cache_read_input_tokens"]) == (7, 3)


def test_a_failed_amp_thread_says_so(played):
    result = played("amp", {"final": "out of credit", "is_error": True})[-1]
    assert (result["subtype"], result["is_error"], result["error"]) == ("error_during_execution", True, "out of credit")


def test_amp_thinks_aloud_only_when_asked_to(play):
    output = play({"think": "hm"}, "--stream-json", format="amp").stdout
    assert b"thinking" not in output


def test_all_formats_can_play_every_kind_of_line(played, work):
    step = {
        "do": [
            {"say": "a", "think": "b", "write": {"f": "1"}},
            {"append": {"f": "2"}},
            {"delete": ["f"]},
            {"tool": {"name": "Search", "input": {"query": "q"}, "output": "found"}},
            {"tool": {"name": "Search", "input": {"query": "q"}, "output": "broken", "error": True}},
            {"todo": [{"text": "t", "status": "in_progress"}]},
        ],
        "final": "the end",
    }
    for agent in ("claude", "codex", "amp", "opencode", "gemini", "qwen", "copilot"):
        text = json.dumps(played(agent, step))
        for part in ("found", "broken", "the end", '"t"' if agent != "copilot" else "[ ] t"):
            assert part in text, agent


@pytest.mark.parametrize(
    ("agent", "args"),
    [
        ("claude", ["-p", "--output-format", "text"]),
        ("claude", ["-p", "--output-format=text"]),
        ("qwen", ["--output-format", "text"]),
        ("gemini", ["--output-format", "text"]),
        ("copilot", ["--output-format", "text"]),
        ("opencode", ["run", "--format", "default"]),
        ("codex", ["exec"]),
        ("amp", ["-x"]),
    ],
)
def test_asked_for_text_an_agent_prints_its_final_message_only(play, agent, args):
    assert play(TOOL, *args, format=agent).stdout == (CASSETTES / "claude/format-text.ndjson").read_bytes()


@pytest.mark.parametrize("mode", [["--json"], []])
@pytest.mark.parametrize("flag", ["-o", "--output-last-message"])
def test_codex_writes_its_last_message_to_a_file(play, work, mode, flag):
    play({"final": DONE}, "exec", *mode, flag, "answer.txt", format="codex")
    assert (work / "answer.txt").read_text() == DONE


def test_text_prints_what_is_said_and_done(play):
    step = {
        "do": [
            {"say": "I begin."},
            {"think": "hm"},
            {"run": "echo out"},
            {"run": "echo bad; false"},
            {"write": {"a.txt": "1"}},
            {"todo": [{"text": "one", "status": "completed"}, {"text": "two", "status": "pending"}]},
            {"final": "Done."},
        ]
    }
    assert play(step, format="text").stdout.decode().splitlines() == [
        "I begin.",
        "(hm)",
        "> Bash echo out",
        "out",
        "> failed: Bash echo bad; false",
        "Exit code 1",
        "bad",
        "> Write a.txt",
        "File created successfully at: a.txt",
        "[x] one",
        "[ ] two",
        "Done.",
    ]


def test_a_flood_comes_in_text_too(play):
    output = play({"flood": {"bytes": 5000}, "final": "end"}, "--output-format", "text").stdout
    assert len(output) == 5000 + len("end\n")
