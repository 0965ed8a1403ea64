"""The stop guard with the real programs on a scripted model: a stop is refused until the work is proven."""

import json
import shlex
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from guarded import CHECK, FILES
from loops import wait_until
from ralph.testing import run_ralph, temp_repo
from real_programs import SECONDS, need_cli
from scripted_model import ModelServer, real_agent

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

DONE = {"say": "All done."}
FIX = {"tool": {"shell": "echo right > work.txt"}}
START = {
    "claude": ["--output-format", "stream-json", "--verbose", "-p", "Make the check pass."],
    "codex": ["exec", "--json", "--dangerously-bypass-hook-trust", "--sandbox", "workspace-write", "Make it pass."],
}


@pytest.fixture(params=START)
def name(request):
    need_cli(request.param)
    return request.param


@pytest.fixture
def repo(tmp_path):
    repo = temp_repo(tmp_path, FILES)
    repo.write(".ralph/settings.json", json.dumps({"guardrails": [{"command": CHECK}], "guard": {"maxBlocks": 2}}))
    repo.commit_all("settings")
    return repo


def work(repo, name, *turns, scope="--project"):
    """What the model was told, and what the agent printed."""
    with ModelServer(*turns) as server:
        agent = real_agent(name, server.url, repo.home)
        installed = run_ralph(repo, "guard", "install", "--agent", name, scope, env=agent.env)
        assert installed.returncode == 0, installed.stderr
        done = repo.run(agent.command, *agent.flags, *START[name], env=agent.env, timeout=SECONDS)
        assert done.returncode == 0, done.stdout + done.stderr
        return [request.prompt for request in server.conversation], done.stdout


def runs(repo):
    return [run["verdict"] for run in reversed(json.loads(run_ralph(repo, "runs", "--json").stdout))]


@pytest.mark.parametrize("scope", ["--project", "--user"])
def test_a_stop_is_refused_until_the_work_is_proven(repo, name, scope):
    told, _ = work(repo, name, DONE, FIX, DONE, scope=scope)
    assert runs(repo) == ["failed", "verified"]
    assert "- sh check.sh: exit code 1" in told[1]


def test_a_cheat_is_refused_with_what_gives_it_away(repo, name):
    cheat = {"tool": {"shell": "echo true > check.sh"}}
    put_back = {"tool": {"shell": "echo grep -q right work.txt > check.sh; echo right > work.txt"}}
    told, _ = work(repo, name, cheat, DONE, put_back, DONE)
    assert runs(repo) == ["tampered", "verified"]
    assert any("check.sh" in each and "Put back the tests" in each for each in told)


def test_an_agent_that_never_does_it_is_let_go_at_the_limit(repo, name):
    told, printed = work(repo, name, DONE)
    assert runs(repo) == ["failed"] * 3
    assert len(told) == 3
    assert "All done." in printed


def test_inside_claudes_own_goal_it_speaks_beside_the_goal_and_is_silent_once_the_work_is_proven(repo, monkeypatch):
    """The scripted model never calls the goal met, so the session goes on until Claude Code itself has enough."""
    need_cli("claude")
    monkeypatch.setitem(START, "claude", [*START["claude"][:-1], "/goal The check passes."])
    told, _ = work(repo, "claude", DONE, FIX, DONE)
    assert "- sh check.sh: exit code 1" in told[1]
    assert len(told) > 6
    assert runs(repo) == ["failed", "verified"]


@contextmanager
def terminal(repo, env, *argv):
    """The program in a terminal of its own: to `codex exec` a `/goal` is a prompt like any other."""
    with tempfile.TemporaryDirectory(prefix="tmux-") as directory:
        tmux = ["tmux", "-S", f"{directory}/socket"]

        def tell(*words):
            return subprocess.run(
                [*tmux, *words], env=repo.env | env, capture_output=True, text=True, check=True
            ).stdout

        tell("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40", "-c", str(repo.path), shlex.join(argv))
        try:
            yield tell
        finally:
            tell("kill-server")


def test_inside_codexs_own_goal_a_goal_that_the_model_calls_complete_is_refused_until_the_work_is_proven(repo):
    need_cli("codex")
    if not shutil.which("tmux"):
        pytest.skip("tmux is not installed")
    complete = {"tool": {"name": "update_goal", "input": {"status": "complete"}}}
    with ModelServer(complete, DONE, FIX, DONE) as server:
        agent = real_agent("codex", server.url, repo.home)
        config = Path(agent.env["CODEX_HOME"], "config.toml")
        config.write_text(f'{config.read_text()}\n[projects."{repo.path}"]\ntrust_level = "trusted"\n')
        assert run_ralph(repo, "guard", "install", "--agent", "codex", env=agent.env).returncode == 0
        flags = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "--no-alt-screen"]
        with terminal(repo, agent.env | {"TERM": "xterm-256color"}, agent.command, *agent.flags, *flags) as tell:
            wait_until(lambda: "Ask Codex" in tell("capture-pane", "-p"), "codex does not begin", SECONDS)
            tell("send-keys", "-l", "/goal The check passes.")
            wait_until(lambda: "/goal The check passes." in tell("capture-pane", "-p"), "nothing is typed", SECONDS)
            tell("send-keys", "Enter")
            wait_until(lambda: runs(repo) == ["failed", "verified"], "the guard does not come to its end", SECONDS)
        told = [request.prompt for request in server.conversation]
        results = [result for request in server.conversation for result in request.tool_results]
    assert "The check passes." in told[0]
    assert any('"status":"complete"' in each.replace(" ", "") for each in results)
    assert any("- sh check.sh: exit code 1" in each for each in told)
    assert repo.read("work.txt") == "right\n"


def test_inside_ralphs_own_loop_the_hook_is_silent(repo):
    need_cli("claude")
    with ModelServer(DONE, FIX, {"say": "<response>DONE</response>"}) as server:
        agent = real_agent("claude", server.url, repo.home)
        run_ralph(repo, "guard", "install", "--agent", "claude", "--user")
        repo.write(".ralph/settings.json", json.dumps({**agent.settings, "guardrails": [{"command": CHECK}]}))
        ended = run_ralph(repo, "run", "-p", "Work until <response>DONE</response>", env=agent.env, timeout=SECONDS)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert len(json.loads(run_ralph(repo, "runs", "--json").stdout)) == 1
