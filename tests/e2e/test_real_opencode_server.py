"""ralph and a real `opencode serve` on a scripted model: a worktree, a login, a server that dies, and no orphans."""

import os
import signal
import socket
import subprocess
import urllib.request
from contextlib import contextmanager

import psutil
import pytest

from loops import wait_until
from ralph.testing import run_ralph
from real_programs import need_cli
from scripted_model import ModelServer, real_agent

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

PASSWORD = {"OPENCODE_SERVER_PASSWORD": "open-sesame-1"}
DONE = {"say": "All done.\n<response>DONE</response>"}
TODO = {"name": "todowrite", "input": {"todos": [{"content": "Greet", "status": "completed", "priority": "high"}]}}


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


class Served:
    def __init__(self, url, process):
        self.url = url
        self.process = process

    @property
    def tools(self):
        """What its tools have started."""
        return [each for each in psutil.Process(self.process.pid).children(recursive=True) if sleeps(each)]


def sleeps(process):
    try:
        return "sleep" in " ".join(process.cmdline())
    except psutil.Error:
        return False


@contextmanager
def served(model, home):
    """A server of its own, outside of everything that ralph starts."""
    need_cli("opencode")
    agent = real_agent("opencode", model.url, home)
    port = free_port()
    with (home / "serve.log").open("wb") as log:
        process = subprocess.Popen(
            [agent.command, "serve", "--port", str(port)],
            cwd=home,
            env={"PATH": os.environ["PATH"], "HOME": str(home), **agent.env, **PASSWORD},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        # Not by a connection: one that comes before this line is never answered.
        wait_until(
            lambda: f"listening on {url}" in (home / "serve.log").read_text(), "it does not listen", patience=120
        )
        yield Served(url, process)
    finally:
        below = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        for each in (*below, process):
            try:
                each.kill()
            except (psutil.Error, ProcessLookupError):
                continue
        process.wait()


def chosen(url, **more):
    return {"tools": {"executors": [{"id": "served", "type": "opencode", "endpoint": url}]}, **more}


def prepare(loop, url, **more):
    loop.settings(**chosen(url, defaults={"executor": "served"}, **more))


def test_a_chunk_is_done_in_its_worktree_and_its_events_come_live(git_loop):
    repo = git_loop.repo
    turns = ({"tool": {"shell": "echo hello > greeting.txt"}}, {"tool": TODO}, {"say": "I wrote the greeting."})
    with ModelServer(*turns) as model, served(model, repo.home) as server:
        off = {"executor": "served", "quickReviewer": "none", "deepReviewer": "none", "finalReviewer": "none"}
        step = {"name": "Greets", "command": "grep -q hello greeting.txt"}
        git_loop.settings(**chosen(server.url, defaults=off, verification={"steps": [step]}))
        assert run_ralph(repo, "spec", "create", "s").returncode == 0
        created = run_ralph(repo, "task", "create", "T-1", "s", "Greet", "--without-criteria")
        assert created.returncode == 0, created.stderr
        ended = run_ralph(repo, "task", "run", "T-1", env=PASSWORD, timeout=240)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    shown = ended.stdout + ended.stderr
    assert repo.git("show", "ralph/s:greeting.txt") == "hello\n"
    assert not (repo.path / "greeting.txt").exists()
    assert repo.git("status", "--porcelain", "--", ":!.ralph") == ""
    for words in ("bash(echo hello > greeting.txt)", "Todo List", "I wrote the greeting."):
        assert words in shown
    assert "open-sesame" not in shown
    kept = [path for path in (*repo.path.rglob("*"), *repo.home.joinpath(".ralph").rglob("*")) if path.is_file()]
    assert any(path.name == "stream.ndjson" for path in kept)
    assert not [path for path in kept if b"open-sesame" in path.read_bytes()]


def test_doctor_tells_whether_it_answers_and_config_check_does_not_ask(git_loop):
    repo = git_loop.repo
    with ModelServer(DONE) as model, served(model, repo.home) as server:
        prepare(git_loop, server.url)
        found = run_ralph(repo, "doctor", env=PASSWORD)
        assert f"served (OpenCode 1.18.33 at {server.url})" in found.stdout, found.stdout
        refused = run_ralph(repo, "doctor")
        assert "requires a login, and there is no OPENCODE_SERVER_PASSWORD" in refused.stdout
    gone = run_ralph(repo, "doctor", env=PASSWORD)
    assert "no OpenCode server answers at" in gone.stdout
    assert run_ralph(repo, "config", "check").returncode == 0


@pytest.mark.parametrize("how", ["two signals", "kill -9 and again"])
def test_what_is_interrupted_is_aborted_on_the_server(git_loop, how):
    repo = git_loop.repo
    turns = ({"tool": {"shell": "echo $$ > pid; sleep 3600"}}, DONE)
    with ModelServer(*turns) as model, served(model, repo.home) as server:
        prepare(git_loop, server.url)
        with git_loop.start("run", "-p", "Sleep.", env=PASSWORD) as running:
            wait_until(lambda: git_loop.exists("pid"), "the tool did not begin", patience=120)
            assert server.tools
            if how == "two signals":
                running.send_and_hear()
                running.send()
            else:
                running.send(signal.SIGKILL)
            running.end()
        if how != "two signals":
            # The next session aborts what the killed client could not.
            ended = run_ralph(repo, "resume", env=PASSWORD, timeout=240)
            assert ended.returncode == 0, ended.stderr + ended.stdout
        wait_until(lambda: not server.tools, "the tool still runs")


def test_a_server_that_dies_is_one_line_and_an_agent_error(git_loop):
    repo = git_loop.repo
    turns = ({"tool": {"shell": "touch begun; sleep 3600"}}, DONE)
    with ModelServer(*turns) as model, served(model, repo.home) as server:
        prepare(git_loop, server.url)
        with git_loop.start("run", "-p", "Sleep.", env=PASSWORD) as running:
            wait_until(lambda: git_loop.exists("begun"), "the tool did not begin", patience=120)
            for each in server.tools:
                each.kill()
            server.process.kill()
            ended = running.end()
    assert ended.code == 7, ended.err
    assert git_loop.show()["verdict"] == "agent_error"
    assert (
        f"the OpenCode server at {server.url} closed the connection" in ended.err
        or "no OpenCode server answers" in ended.err
    )
    assert "Traceback" not in ended.err


def test_the_api_is_still_what_the_client_speaks(git_loop):
    """A newer OpenCode that renames one of these is noticed here, not by a user."""
    with ModelServer(DONE) as model, served(model, git_loop.repo.home) as server:
        login = urllib.request.HTTPPasswordMgrWithDefaultRealm()
        login.add_password(None, server.url, "opencode", PASSWORD["OPENCODE_SERVER_PASSWORD"])
        opener = urllib.request.build_opener(urllib.request.HTTPBasicAuthHandler(login))
        with opener.open(f"{server.url}/doc", timeout=60) as page:
            described = page.read().decode()
    for path in ("/session/{sessionID}/prompt_async", "/session/{sessionID}/abort", "/session/status", "/event"):
        assert f'"{path}"' in described
    for path in ("/permission/{requestID}/reply", "/question/{requestID}/reject", "/global/health"):
        assert f'"{path}"' in described
