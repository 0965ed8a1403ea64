"""What `ralph config check` refuses, every run refuses, in the same words and before it does anything."""

import json

import pytest

from ralph.testing import run_ralph

TASK = {"id": "T-1", "spec": "s", "title": "Greet", "completion": {"outcome": "x", "acceptance_criteria": ["y"]}}
REFUSED = {
    "tools": {"executors": [{"id": "mine", "type": "opencode", "endpoint": "nowhere"}]},
    "agent": {"command": "true"},
}
WORDS = (
    "the executor 'mine': the endpoint 'nowhere' is not the address of a server. Use one such as http://localhost:4096"
)


@pytest.fixture
def project(git_loop):
    repo = git_loop.repo
    assert run_ralph(repo, "task", "import", "-", input=json.dumps(TASK)).returncode == 0
    git_loop.settings(**REFUSED)
    return repo


def test_what_config_check_refuses_every_run_refuses(project):
    runs = (["run", "-p", "x"], ["supervise", "."], ["task", "run", "T-1"], ["spec", "run", "s"], ["review", "HEAD"])
    for command in (["config", "check"], *runs):
        ended = run_ralph(project, *command)
        assert (ended.returncode, ended.stderr) == (2, f"ralph: {WORDS}\n"), command
    assert json.loads(run_ralph(project, "runs", "--json").stdout) == []


@pytest.mark.parametrize(
    ("sandbox", "words"),
    [
        ("required", '"sandbox": "required" asks for a sandbox, and this version has none. '),
        ({"backend": "bwrap"}, '"sandbox": "bwrap" asks for a sandbox, and this version has none. '),
        ({"network": "none"}, "sandbox.network needs a sandbox, and this version has none. "),
    ],
)
def test_a_sandbox_that_there_is_not_is_refused_with_8(git_loop, sandbox, words):
    git_loop.settings(agent={"command": "true"}, sandbox=sandbox)
    for command in (["config", "check"], ["run", "-p", "x"]):
        ended = run_ralph(git_loop.repo, *command)
        assert (ended.returncode, ended.stderr.startswith(f"ralph: {words}")) == (8, True), command
