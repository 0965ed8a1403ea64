"""A whole `ralph task run` with the real programs on a scripted model: a lie first, and a model that judges."""

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
        "reviewer": {
            "promise": "READ",
            "verification_method": "semantic",
            "verification_config": {"check_for": "{{acceptance_criteria}}"},
        },
    },
}
JUDGED = {"criteria": [{"criterion": "greeting.txt says hello", "met": True, "reason": "line 1 does"}], "files": []}
ANSWERS = {
    # Each has its own way to a structured answer.
    "claude": ({"tool": {"name": "StructuredOutput", "input": JUDGED}}, {"say": "There."}),
    "codex": ({"say": json.dumps(JUDGED)},),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_task_from_a_lie_to_a_commit(name, git_loop):
    need_cli(name)
    repo = git_loop.repo
    turns = (
        {"say": "Done.\n<promise>WRITTEN</promise>"},
        {"tool": {"shell": "echo hello > greeting.txt"}},
        {"say": "Now it is there.\n<promise>WRITTEN</promise>"},
        {"say": "I read it.\n<promise>READ</promise>"},
        *ANSWERS[name],
    )
    with ModelServer(*turns) as server:
        agent = real_agent(name, server.url, repo.home)
        git_loop.settings(**agent.settings, pipeline=["coder", "reviewer"])
        assert run_ralph(repo, "task", "import", "-", input=json.dumps(TASK)).returncode == 0
        ended = run_ralph(repo, "task", "run", "T-1", env=agent.env, timeout=240)
        told = [request.prompt for request in server.conversation]
    assert ended.returncode == 0, ended.stderr + ended.stdout
    assert "proven done after 3 iterations" in ended.stderr
    assert repo.git("show", "ralph/s:greeting.txt") == "hello\n"
    assert any("Verification failed: exit code" in prompt for prompt in told)
    shown = run_ralph(repo, "task", "show", "T-1").stdout
    assert "[x] greeting.txt says hello" in shown
    assert "line 1 does" in shown
