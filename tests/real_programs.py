"""Starting the real agents' programs themselves, without ralph: bounded in time, and with nothing left behind."""

import json
import os
import subprocess
import uuid
from contextlib import contextmanager, suppress
from threading import Timer

import psutil
import pytest

from scripted_model import find_cli

MARK = "REAL_PROGRAM_MARK"
SECONDS = 240
TO_LEAVE = 15
# What stands before the flags, and after them.
WORDS = {
    "claude": (["--output-format", "stream-json", "--verbose"], ["-p"]),
    "codex": (["exec", "--json", "--sandbox", "workspace-write"], []),
    "opencode": (["run", "--format", "json"], []),
    "gemini": (["--output-format", "stream-json"], ["-p"]),
    "qwen": (["--output-format", "stream-json"], ["-p"]),
    "copilot": (["--output-format", "json"], ["-p"]),
}


def need_cli(name):
    """Skip the test where the program is missing; in CI that is a failure, unless npm cannot reach its registry."""
    if find_cli(name) is None:
        if os.environ.get("AGENTS_CACHE") == "unreachable":
            pytest.skip(f"{name} is not installed: npm cannot reach its registry")
        missing = f"{name} is not installed: `make e2e` installs it, or set AGENTS_CACHE"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(missing)


def start(repo, agent, prompt):
    """What the program prints, and its exit code."""
    with _nothing_left() as mark:
        if agent.name == "claude-agent-acp":
            return _over_acp(repo, agent, prompt, mark)
        before, after = WORDS[agent.name]
        argv = [agent.command, *before, *agent.flags, *after, prompt]
        done = repo.run(*argv, env=agent.env | mark, timeout=SECONDS)
        return done.stdout, done.returncode


@contextmanager
def _nothing_left():
    mark = uuid.uuid4().hex
    try:
        yield {MARK: mark}
    finally:
        marked = [process for process in psutil.process_iter() if _mark_of(process) == mark]
        _, staying = psutil.wait_procs(marked, timeout=TO_LEAVE)
        for process in staying:
            with suppress(psutil.Error):
                process.kill()
        assert not staying, f"still alive: {staying}"


def _mark_of(process):
    with suppress(psutil.Error):
        return process.environ().get(MARK)


def _over_acp(repo, agent, prompt, mark):
    argv = [agent.command, *agent.flags]
    with subprocess.Popen(
        argv, cwd=repo.path, env=repo.env | agent.env | mark, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        too_late = Timer(SECONDS, process.kill)
        too_late.start()
        try:
            return _converse(process, repo, prompt), 0
        finally:
            too_late.cancel()
            process.kill()


def _converse(process, repo, prompt):
    """One prompt in one session; what the agent wrote as its own words."""
    _request(process, "initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    session, _ = _request(process, "session/new", {"cwd": str(repo.path), "mcpServers": []})
    words = {"sessionId": session["sessionId"], "prompt": [{"type": "text", "text": prompt}]}
    result, updates = _request(process, "session/prompt", words)
    assert result["stopReason"] == "end_turn"
    chunks = [update["content"]["text"] for update in updates if update["sessionUpdate"] == "agent_message_chunk"]
    return "".join(chunks)


def _request(process, method, params):
    """The result of a request, and the updates that came before it; permissions are given."""
    _send(process, {"id": 1, "method": method, "params": params})
    updates = []
    for line in process.stdout:
        message = json.loads(line)
        match message.get("method"):
            case None:
                assert "result" in message, message
                return message["result"], updates
            case "session/update":
                updates.append(message["params"]["update"])
            case "session/request_permission":
                allowed = next(o["optionId"] for o in message["params"]["options"] if o["kind"].startswith("allow"))
                outcome = {"outcome": {"outcome": "selected", "optionId": allowed}}
                _send(process, {"id": message["id"], "result": outcome})
    raise AssertionError(f"the agent ended before it answered {method}")


def _send(process, message):
    process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
    process.stdin.flush()
