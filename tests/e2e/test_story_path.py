"""From `ralph prd init` to done, by what each command prints as the next step and nothing else."""

import json
import re
import shlex

import pytest

from plans import question, requirements, stories
from ralph.testing import ScriptedAgent, run_ralph, temp_repo
from real_programs import need_cli
from scripted_model import ModelServer, real_agent

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

MOVE = """\
import json, subprocess, sys

plan = json.load(open("ralph/tasks.json"))
story = plan["userStories"][0]
if sys.argv[1] == "implement":
    open("work.txt", "w").write("right\\n")
    story.update(reviewStatus="needs_review", notes="wrote work.txt")
else:
    story.update(reviewStatus="approved", passes=True, reviewCount=story["reviewCount"] + 1)
json.dump(plan, open("ralph/tasks.json", "w"), indent=2)
subprocess.run(["git", "add", "--all"], check=True)
subprocess.run(["git", "commit", "--quiet", "--message", sys.argv[1]], check=True)
"""
STEP = re.compile(r"^\s*(?:\d+\.|Next:) (ralph prd (?:plan|run)[^(\n]*)", re.MULTILINE)


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"move.py": MOVE, "README.md": "# Greeter\n"})


def follow(repo, env=None):
    """Give each command that is printed as the next one, with --yes where nobody answers."""
    done = run_ralph(repo, "prd", "init", "--name", "greeting")
    given = []
    while steps := STEP.findall(done.stdout):
        _, *words = shlex.split(steps[0])
        words += ["--yes"] if "plan" in words else []
        given.append(" ".join(words))
        done = run_ralph(repo, *words, env=env, timeout=240)
        assert done.returncode == 0, done.stderr
    return given, done


def settings(repo, agent):
    (repo.home / ".ralph").mkdir(exist_ok=True)
    (repo.home / ".ralph/config.yaml").write_text(json.dumps({"agent": agent}), encoding="utf-8")


def assert_done(repo, given, done):
    assert given == ["prd plan --yes", "prd run"]
    assert "proven done after 2 iterations" in done.stderr
    assert repo.git("branch", "--show-current").strip() == "ralph/greeting"
    assert json.loads(repo.read("ralph/tasks.json"))["userStories"][0]["passes"] is True
    assert repo.git("status", "--short") == ""


def test_the_printed_steps_lead_from_a_name_to_a_proven_story(repo, tmp_path):
    agent = ScriptedAgent(
        {"final": requirements(question())},
        {"final": requirements()},
        {"final": stories()},
        {"run": "python3 move.py implement", "final": "Done."},
        {"run": "python3 move.py review", "final": "<promise>COMPLETE</promise>"},
        directory=tmp_path / "bin",
        format="text",
    )
    settings(repo, {"command": agent.command})
    assert_done(repo, *follow(repo))
    assert "Nobody was asked; you recommended: In a constant" in agent.prompts[1]


def test_the_real_claude_goes_the_same_way(repo):
    need_cli("claude")

    def answer(text):
        return {"tool": {"name": "StructuredOutput", "input": json.loads(text)}}

    turns = (
        {"tool": {"shell": "echo broken > README.md"}},
        answer(requirements(question())),
        answer(requirements()),
        answer(stories()),
        {"tool": {"shell": "python3 move.py implement"}},
        {"say": "I stop."},
        {"tool": {"shell": "python3 move.py review"}},
        {"say": "<promise>COMPLETE</promise>"},
    )
    with ModelServer(*turns) as server:
        agent = real_agent("claude", server.url, repo.home)
        settings(repo, {"command": agent.command, "flags": agent.flags})
        given, done = follow(repo, {**agent.env, "IS_SANDBOX": "1"})
        told = [request.prompt for request in server.conversation]
    assert_done(repo, given, done)
    assert "# Plan greeting" in told[0]
    assert repo.read("README.md") == "# Greeter\n"
