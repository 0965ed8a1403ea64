"""The command guard in recipes other than stories, with the real programs on a scripted model."""

import json

import pytest

from ralph.testing import run_ralph
from real_programs import need_cli
from scripted_model import ModelServer, real_agent

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

TASK = {
    "id": "T-1",
    "spec": "s",
    "title": "Write a greeting",
    "completion": {
        "outcome": "greeting.txt greets",
        "acceptance_criteria": ["greeting.txt says hello"],
        "coder": {"promise": "WRITTEN", "verification_config": {"command": "grep -q hello greeting.txt"}},
    },
}
DANGEROUS = {"tool": {"shell": "git push --force nowhere HEAD"}}
WRITE = {"tool": {"shell": "echo hello > greeting.txt"}}
# Codex takes hooks in a home of the run, which in a test lies where its own sandbox does not work.
ALL = {"claude": [], "codex": ["--dangerously-bypass-approvals-and-sandbox"]}


@pytest.fixture(params=ALL)
def name(request):
    need_cli(request.param)
    return request.param


def work(git_loop, name, said, *words, **settings):
    repo = git_loop.repo
    with ModelServer(DANGEROUS, WRITE, {"say": said}) as server:
        agent = real_agent(name, server.url, repo.home)
        command = {"command": agent.command, "flags": [*agent.flags, *ALL[name]]}
        git_loop.settings(agent=command, pipeline=["coder"], **settings)
        assert run_ralph(repo, "task", "import", "--replace", "-", input=json.dumps(TASK)).returncode == 0
        ended = run_ralph(repo, *words, env=agent.env, timeout=240)
        assert ended.returncode == 0, ended.stderr + ended.stdout
        return ended, [result for request in server.conversation for result in request.tool_results]


def records(repo, *run):
    shown = json.loads(run_ralph(repo, "show", *run, "--json").stdout)
    ends = (action["result"] for each in shown["iterations"] for action in each["actions"])
    return [end["sandbox"] for end in ends if end and "sandbox" in end]


def stage(repo):
    [run] = [each["id"] for each in json.loads(run_ralph(repo, "runs", "--all", "--json").stdout) if each["parentId"]]
    return run


def test_a_task_is_guarded_where_there_is_no_sandbox(git_loop, name):
    ended, results = work(git_loop, name, "<promise>WRITTEN</promise>", "task", "run", "T-1")
    assert "runs unsandboxed + guard." in ended.stderr
    assert any("ralph's guard denied this: git history and force push" in each for each in results)
    assert records(git_loop.repo, stage(git_loop.repo)) == ["unsandboxed + guard"]


def test_with_none_there_is_no_guard(git_loop, name):
    ended, results = work(git_loop, name, "<promise>WRITTEN</promise>", "task", "run", "T-1", sandbox="none")
    assert "sandbox" not in ended.stderr.replace(ALL["codex"][0], "")
    assert not any("ralph's guard" in each for each in results)
    assert records(git_loop.repo, stage(git_loop.repo)) == ["none"]


def test_run_has_a_guard_only_where_it_is_asked_for(git_loop, name):
    words = ("run", "-p", "Greet, then say <response>DONE</response>", "--no-proof")
    _, results = work(git_loop, name, "<response>DONE</response>", *words)
    assert not any("ralph's guard" in each for each in results)
    assert records(git_loop.repo) == ["none"]
    ended, results = work(git_loop, name, "<response>DONE</response>", *words, sandbox="auto")
    assert "runs unsandboxed + guard." in ended.stderr
    assert any("ralph's guard denied this" in each for each in results)
    assert records(git_loop.repo) == ["unsandboxed + guard"]
