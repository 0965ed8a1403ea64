"""A whole `ralph review` with the real programs on a scripted model: they read, cannot write, and answer in form."""

import json

import pytest

from ralph.testing import run_ralph
from real_programs import need_cli
from review_scene import AFTER, BEFORE, INJECTION
from scripted_model import ModelServer, real_agent

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

FINDING = INJECTION | {"requirement": "", "id": ""}
REVIEW = {
    "decision": "REVISE",
    "issues": [FINDING],
    "summary": {"total": 1, "high": 1, "medium": 0, "low": 0},
    "priorFindings": [],
    "opened": [],
}
ANSWERS = {
    # Each has its own way to a structured answer.
    "claude": ({"tool": {"name": "StructuredOutput", "input": REVIEW}}, {"say": "There."}),
    "codex": ({"say": json.dumps(REVIEW)},),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_reviewer_reads_the_change_and_cannot_write_into_it(name, git_loop):
    need_cli(name)
    repo = git_loop.repo
    repo.write("app.py", BEFORE)
    repo.commit_all("Begin")
    repo.write("app.py", AFTER)
    repo.commit_all("Find users")
    turns = (
        {"tool": {"shell": "cat app.py"}},
        {"tool": {"shell": "echo pass > app.py"}},
        *ANSWERS[name],
    )
    with ModelServer(*turns) as server:
        agent = real_agent(name, server.url, repo.home)
        git_loop.settings(**agent.settings)
        ended = run_ralph(repo, "review", "HEAD~1..HEAD", "--json", env=agent.env, timeout=240)
        told = [request.prompt for request in server.conversation]
    assert ended.returncode == 1, ended.stderr + ended.stdout
    review = json.loads(ended.stdout)
    assert (review["decision"], [each["id"] for each in review["issues"]]) == ("REVISE", ["F1"])
    assert "# Code Review Request" in told[0]
    assert repo.read("app.py") == AFTER
    shown = run_ralph(repo, "show").stdout
    assert "it wrote into its checkout" not in shown
