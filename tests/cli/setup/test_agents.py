import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RALPH = Path(sys.executable).with_name("ralph")
KNOWN = ["claude", "codex", "amp", "opencode", "gemini", "qwen", "copilot", "goose", "aider", "claude-agent-acp"]


@pytest.fixture
def env(tmp_path):
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "cat", "touch"):
        (tmp_path / "bin" / tool).symlink_to(str(shutil.which(tool)))
    return {"HOME": str(tmp_path), "PATH": str(tmp_path / "bin"), "LC_ALL": "C.UTF-8"}


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project/.ralph").mkdir(parents=True)
    return tmp_path / "project"


def install(env, name, script):
    path = Path(env["PATH"]) / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def add_executors(project, *executors):
    (project / ".ralph/settings.json").write_text(json.dumps({"tools": {"executors": executors}}))


def agents(project, env, *arguments):
    return subprocess.run(
        [RALPH, "agents", *arguments], cwd=project, env=env, capture_output=True, text=True, timeout=60, check=False
    )


def listed(project, env):
    ended = agents(project, env, "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    return {agent["name"]: agent for agent in json.loads(ended.stdout)}


def test_every_known_agent_is_listed_in_order_also_where_none_is_installed(project, env):
    found = listed(project, env)
    assert list(found) == KNOWN
    assert not any(agent["installed"] for agent in found.values())
    assert {agent["path"] for agent in found.values()} == {None}


def test_an_installed_agent_has_its_path_version_and_call(project, env):
    install(env, "claude", "echo '2.1.197 (Claude Code)'")
    found = listed(project, env)["claude"]
    assert found == {
        "name": "claude",
        "type": "claude",
        "fromSettings": False,
        "path": f"{env['PATH']}/claude",
        "version": "2.1.197",
        "format": "events",
        "argv": ["claude", "-p", "--output-format", "stream-json", "--verbose"],
        "prompt": "stdin",
        "installed": True,
    }


@pytest.mark.parametrize(
    ("script", "version"),
    [
        ("echo 'codex-cli 0.166.0'", "0.166.0"),
        ("echo 'GitHub Copilot CLI 1.0.102.'", "1.0.102"),
        ("echo '0.0.1790142911-g7618fb (released 2026-09-23)'", "0.0.1790142911-g7618fb"),
        ("echo who knows", None),
        ("echo 1.2.3; exit 1", None),
    ],
)
def test_the_version_is_taken_from_what_the_program_says(project, env, script, version):
    install(env, "opencode", script)
    assert listed(project, env)["opencode"]["version"] == version


def test_the_call_has_the_prompt_where_it_goes(project, env):
    found = listed(project, env)
    assert found["amp"]["argv"][-2:] == ["-x", "PROMPT"]
    assert found["aider"]["argv"][-2:] == ["--message-file", "PROMPT_FILE"]
    assert (found["amp"]["prompt"], found["aider"]["prompt"], found["gemini"]["prompt"]) == ("argv", "argv", "stdin")


def test_an_agent_that_only_prints_is_said_to_be_text(project, env):
    found = listed(project, env)
    assert {name for name, agent in found.items() if agent["format"] == "text"} == {"aider"}


def test_without_streaming_the_calls_are_those_for_text(project, env):
    (project / ".ralph/settings.json").write_text('{"streamAgentOutput": false}')
    found = listed(project, env)
    assert found["claude"]["argv"] == ["claude", "-p", "--output-format", "text"]
    assert found["claude"]["format"] == "text"


def test_executors_of_the_settings_are_listed_with_their_model_and_flags(project, env):
    add_executors(
        project,
        {"id": "fast", "type": "claude", "model": "haiku", "flags": ["--max-turns 5"]},
        {"id": "local", "command": "llm {prompt_file}"},
    )
    install(env, "llm", "touch called; exit 1")
    found = listed(project, env)
    assert list(found)[-2:] == ["fast", "local"]
    assert found["fast"]["argv"][:6] == ["claude", "-p", "--max-turns", "5", "--model", "haiku"]
    assert (found["fast"]["fromSettings"], found["fast"]["installed"]) == (True, False)
    assert found["local"]["argv"] == ["llm", "PROMPT_FILE"]
    assert (found["local"]["type"], found["local"]["path"]) == ("generic", f"{env['PATH']}/llm")


def test_a_command_of_the_users_own_is_never_started_to_be_asked(project, env):
    add_executors(project, {"id": "mine", "command": "./mine.sh"})
    (project / "mine.sh").write_text("#!/bin/sh\ntouch started\n")
    (project / "mine.sh").chmod(0o755)
    found = listed(project, env)["mine"]
    assert (found["installed"], found["version"]) == (True, None)
    assert not (project / "started").exists()


def test_an_executor_may_take_the_name_of_a_known_agent(project, env):
    add_executors(project, {"id": "codex", "type": "codex", "command": "/opt/old/codex"})
    found = listed(project, env)
    assert len(found) == len(KNOWN)
    assert found["codex"]["argv"][0] == "/opt/old/codex"


def test_secrets_in_flags_are_not_shown(project, env):
    add_executors(project, {"id": "paid", "type": "qwen", "flags": ["--openai-api-key s3cret-value"]})
    assert "s3cret-value" not in agents(project, env, "--json").stdout
    assert "s3cret-value" not in agents(project, env).stdout


def test_as_text_each_agent_has_a_line_and_its_command_below(project, env):
    install(env, "codex", "echo 0.166.0")
    ended = agents(project, env)
    lines = ended.stdout.splitlines()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert f"codex             0.166.0 · {env['PATH']}/codex · read as events" in lines
    assert "                  codex e --json --sandbox workspace-write - < PROMPT" in lines
    assert "goose             not installed · read as events" in lines
    assert len(lines) == 2 * len(KNOWN)


def test_where_nothing_is_installed_the_last_line_says_what_to_do(project, env):
    assert "tools.executors" in agents(project, env).stdout.splitlines()[-1]


def test_an_executor_of_an_unknown_type_is_one_clear_line(project, env):
    add_executors(project, {"id": "odd", "type": "claud"})
    ended = agents(project, env)
    assert ended.returncode == 2
    assert "Did you mean claude?" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
