"""`--sandbox` and `--no-sandbox` mean the same in every loop."""

import json

import pytest

from ralph.testing import run_ralph, temp_repo

LOOPS = {
    "run": ("run", "-p", "Do it. <response>", "--agent", "true", "--dry-run"),
    "supervise": ("supervise", "--max-restarts", "1", "--", "touch", "DONE"),
    "task run": ("task", "run", "A", "--agent", "true", "--dry-run"),
    "spec run": ("spec", "run", "shop", "--agent", "true", "--dry-run"),
    "prd run": ("prd", "run", "--agent", "true", "--allow-dirty", "--dry-run"),
}
NONE_HERE = "--sandbox asks for a sandbox, and this version has none. Continue without one: --no-sandbox"
NEEDS = ("required", "bwrap", {"network": "none"})


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    """A project in which each loop could start."""
    repo = temp_repo(tmp_path_factory.mktemp("sandbox"))
    assert run_ralph(repo, "spec", "create", "shop").returncode == 0
    made = run_ralph(repo, "task", "create", "A", "shop", "Title", "--description", "Make it", "--without-criteria")
    assert made.returncode == 0, made.stderr
    assert run_ralph(repo, "prd", "init", "--name", "shop").returncode == 0
    story = {"id": "US-001", "title": "T", "description": "D", "acceptanceCriteria": ["C"], "priority": 1}
    state = {"passes": False, "reviewStatus": None, "reviewCount": 0, "reviewFeedback": "", "notes": ""}
    plan = {"project": "shop", "branchName": "ralph/stories", "description": "D", "userStories": [{**story, **state}]}
    repo.write("ralph/tasks.json", json.dumps(plan))
    return repo


def start(repo, loop, flag=None, sandbox=None):
    repo.write(".ralph/settings.json", json.dumps({} if sandbox is None else {"sandbox": sandbox}))
    (repo.path / "DONE").unlink(missing_ok=True)
    command = LOOPS[loop]
    at = 2 if loop.endswith(" run") else 1
    return run_ralph(repo, *command[:at], *([flag] if flag else []), *command[at:])


@pytest.mark.parametrize("loop", LOOPS)
def test_sandbox_is_refused_because_there_is_none(repo, loop):
    ended = start(repo, loop, "--sandbox")
    assert (ended.returncode, NONE_HERE in ended.stderr) == (8, True), ended.stderr


@pytest.mark.parametrize("sandbox", NEEDS, ids=str)
@pytest.mark.parametrize("loop", LOOPS)
def test_no_sandbox_is_permission_enough_whatever_the_settings_ask_for(repo, loop, sandbox):
    refused = start(repo, loop, sandbox=sandbox)
    assert (refused.returncode, "and this version has none" in refused.stderr) == (8, True), refused.stderr
    ended = start(repo, loop, "--no-sandbox", sandbox)
    assert ended.returncode == 0, ended.stderr
    assert "no sandbox:" not in ended.stderr.lower()


@pytest.mark.parametrize(
    ("loop", "told"), [("run", 0), ("supervise", 0), ("task run", 1), ("spec run", 1), ("prd run", 1)]
)
def test_without_a_flag_only_loops_over_plans_ask_for_one(repo, loop, told):
    ended = start(repo, loop)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.lower().count("no sandbox:") == told
