"""docs/architecture.md: the walks go through ralph as it really is, in the order in which it really goes."""

import json
import re
import sys
from pathlib import Path

import pytest

import ralph
from ralph.testing import temp_repo

PAGE = (Path(__file__).parents[1] / "docs/architecture.md").read_text(encoding="utf-8")
RUN = PAGE.split("\n## One iteration of `ralph run`\n", 1)[1].split("\n## ", 1)[0]
TASK = PAGE.split("\n### One `ralph task run`, step by step\n", 1)[1].split("\n**Who owns a run**", 1)[0]
NAMED = re.compile(r"`([a-z_/]+\.py:[\w.]+)`")
PLAN = "loop/plan.py:make_plan"
FOLLOWER = "store/state_tree.py:StateTree.look"
"""It looks when it is its turn, which may be at any time of the stage."""
TRACED = """
import json, sys
from ralph.cli.main import main

below, seen = sys.argv.pop(1), {}

def profile(frame, event, _):
    if event == "call" and frame.f_code.co_filename.startswith(below):
        name = f"{frame.f_code.co_filename[len(below):]}:{frame.f_code.co_qualname}"
        seen[name] = seen.get(name, 0) + 1

sys.setprofile(profile)
try:
    main()
finally:
    sys.setprofile(None)
    with open("trace", "w", encoding="utf-8") as file:
        json.dump(seen, file)
"""
AGENT = """\
#!/bin/sh
cat > /dev/null
echo hello > greeting.txt
echo "<promise>IMPLEMENTATION_COMPLETE</promise> <response>DONE</response>"
"""


@pytest.fixture
def repo(tmp_path):
    repo = temp_repo(tmp_path)
    (tmp_path / "agent").write_text(AGENT, encoding="utf-8")
    (tmp_path / "agent").chmod(0o755)
    return repo


def trace(repo, *args, **env):
    """How often each function of ralph was called, in the order in which each was first called."""
    below = f"{Path(ralph.__file__).parent}/"
    agent = ("--agent", str(repo.path.parent / "agent"))
    done = repo.run(sys.executable, "-P", "-c", TRACED, below, *args, *agent, env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(repo.read("trace"))


def steps(walk):
    """The functions that a walk names, in the order in which it first names them."""
    assert re.findall(r"^(\d+)\. ", walk, re.MULTILINE) == [str(number + 1) for number in range(16)]
    return list(dict.fromkeys(NAMED.findall(walk)))


def assert_goes_through(called, named):
    assert [name for name in named if name not in called] == []
    in_turn = [name for name in named if name != FOLLOWER]
    assert sorted(in_turn, key=list(called).index) == in_turn


def test_one_iteration_of_a_run(repo):
    called = trace(repo, "run", "-p", "Greet.", RALPH_GUARDRAILS='[{"command": "true"}]')
    assert_goes_through(called, steps(RUN))
    assert called[PLAN] == 1


def test_one_run_of_a_task(repo):
    assert repo.run("ralph", "spec", "create", "greeting", "--title", "Greet").returncode == 0
    about = (
        "--outcome",
        "It greets",
        "--acceptance",
        "greeting.txt exists",
        "--coder-verify-cmd",
        "test -e greeting.txt",
    )
    assert repo.run("ralph", "task", "create", "GREET-1", "greeting", "Greet", *about).returncode == 0
    called = trace(repo, "task", "run", "GREET-1", RALPH_PIPELINE="coder")
    assert_goes_through(called, steps(TASK))
    # One for the task, one for its stage.
    assert called[PLAN] == 2
