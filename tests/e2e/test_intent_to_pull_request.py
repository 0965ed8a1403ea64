"""From an intent to the description of a pull request: the real claude and the real codex on a scripted model, one
planning, one at work, and a person at a terminal who answers.
"""

import json

import pytest

from plans import question
from ralph.testing import run_ralph, temp_repo
from real_programs import need_cli
from scripted_model import ModelServer, real_agent
from spec_plans import OFF, chunk, chunks, spec
from terminals import Terminal

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]

PARTS = (1, 2)


def answered(name, answer):
    """Each has its own way to a structured answer, with which it ends."""
    is_tool = name == "claude"
    return {"tool": {"name": "StructuredOutput", "input": json.loads(answer)}} if is_tool else {"say": answer}


def checked(number, **changes):
    shown = {"check": f"grep -q hello part{number}.txt", "text": f"part{number}.txt says hello"}
    return chunk(number, acceptanceCriteria=[shown], **changes)


def work(number):
    return (
        {"tool": {"shell": f"echo hello > part{number}.txt"}},
        {"say": f"I wrote part{number}.txt, and it says hello. Read it to verify."},
    )


def settings(repo, agents, planner, worker):
    executors = [
        {"id": f"my-{name}", "type": name, "command": agent.command, "flags": agent.flags}
        for name, agent in agents.items()
    ]
    written = {
        "tools": {"executors": executors, "planners": [{"id": "mine", "agent": f"my-{planner}"}]},
        "defaults": {"executor": f"my-{worker}", "planner": "mine", **OFF},
        "rules": ["Say hello"],
    }
    (repo.home / ".ralph").mkdir(exist_ok=True)
    (repo.home / ".ralph/config.yaml").write_text(json.dumps(written), encoding="utf-8")


@pytest.mark.parametrize(("planner", "worker"), [("claude", "codex"), ("codex", "claude")])
def test_intent_questions_spec_chunks_run_and_the_description_of_the_pull_request(planner, worker, tmp_path):
    for name in (planner, worker):
        need_cli(name)
    repo = temp_repo(tmp_path, {"app.py": "class Greeting: ...\n"})
    turns = (
        {"tool": {"shell": "cat app.py"}},
        answered(planner, spec(question())),
        answered(planner, spec(text="## Goal\nGreet people.\n")),
        answered(planner, chunks(checked(1), checked(2, dependsOn=["T001"]))),
        *(turn for number in PARTS for turn in work(number)),
    )
    with ModelServer(*turns, after="error") as model:
        agents = {name: real_agent(name, model.url, repo.home) for name in (planner, worker)}
        settings(repo, agents, planner, worker)
        env = {**agents[planner].env, **agents[worker].env}
        with Terminal(repo.path, repo.env | {"TERM": "dumb", "COLUMNS": "80"} | env, "spec", "new", "Greet") as screen:
            screen.answer("Answer [1]: ", "2")
            screen.expect("Greet people.")
            screen.answer("or say what to change.\n> ", "")
            screen.expect("2. T002  Write part 2 (after T001)")
            screen.answer("what the planner should change.\n> ", "")
            assert screen.end() == 0, screen.screen
        assert "- **Where is the greeting kept?** In a file\n" in repo.read(".ralph/specs/greet/spec.md")
        ended = run_ralph(repo, "spec", "run", "greet", env=env, timeout=300)
        assert ended.returncode == 0, ended.stderr + ended.stdout
        asked = [request.prompt for request in model.conversation]
        assert len(asked) == len(turns), ended.stderr
    assert "Key Types: Greeting (app.py)" in asked[0]
    assert "Answer: In a file" in asked[2]
    assert "Greet people." in asked[3]
    assert any("# Task: Write part 1" in prompt for prompt in asked)
    log = repo.git("log", "--reverse", "--format=%s", "main..ralph/greet").splitlines()
    assert log == ["Write part 1", "Write part 2"]
    described = run_ralph(repo, "spec", "pr", "greet", "--dry-run", env=env)
    for part in ("Write part 1", "Write part 2", "part1.txt says hello"):
        assert part in described.stdout, described.stderr
