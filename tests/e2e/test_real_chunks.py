"""A spec of three chunks with the real claude and the real codex, one at work, one reviewing, on a scripted model."""

import json

import pytest

from ralph.testing import run_ralph
from real_programs import need_cli
from scripted_model import ModelServer, real_agent

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]

CHUNKS = ("one", "two", "three")
WRONG = {
    "file": "one.txt",
    "lines": [1, 1],
    "type": "logic_bug",
    "severity": "high",
    "description": "It greets nobody",
    "suggestion": "Greet",
    "agentPrompt": "In one.txt, greet somebody",
    "quote": "nobody",
    "confidence": 95,
    "introduced": True,
    "requirement": "",
    "id": "",
}


def review(*issues, prior=()):
    return {
        "decision": "REVISE" if issues else "SHIP",
        "issues": list(issues),
        "summary": {"total": len(issues), "high": len(issues), "medium": 0, "low": 0},
        "priorFindings": [{"id": name, "answer": "fixed"} for name in prior],
        "opened": [],
    }


def answered(name, answer):
    """Each has its own way to a structured answer, with which it ends."""
    is_tool = name == "claude"
    return {"tool": {"name": "StructuredOutput", "input": answer}} if is_tool else {"say": json.dumps(answer)}


def work(chunk, text):
    return (
        {"tool": {"shell": f"echo {text} > {chunk}.txt"}},
        {"say": f"I wrote {chunk}.txt, and it says {text}. Read it to verify."},
    )


def task(number, chunk):
    before = [f"T-{number - 1}"] if number > 1 else []
    title = f"Write {chunk}"
    return {"id": f"T-{number}", "spec": "s", "title": title, "description": f"{title}.txt.", "dependencies": before}


@pytest.mark.parametrize(("worker", "reviewer"), [("claude", "codex"), ("codex", "claude")])
def test_a_spec_of_three_chunks_with_a_revision_on_the_way(worker, reviewer, git_loop):
    for name in (worker, reviewer):
        need_cli(name)
    repo = git_loop.repo
    repo.write("user.txt", "not committed\n")
    turns = (
        *work("one", "nobody"),
        answered(reviewer, review(WRONG)),
        *work("one", "hello"),
        answered(reviewer, review(prior=["F1"])),
        *(turn for chunk in CHUNKS[1:] for turn in (*work(chunk, "hello"), answered(reviewer, review()))),
        answered(reviewer, review()),
    )
    with ModelServer(*turns, after="error") as model:
        agents = {name: real_agent(name, model.url, repo.home) for name in (worker, reviewer)}
        executors = [
            {"id": f"my-{name}", "type": name, "command": agent.command, "flags": agent.flags}
            for name, agent in agents.items()
        ]
        git_loop.settings(
            tools={"executors": executors, "reviewers": [{"id": "other", "agent": f"my-{reviewer}"}]},
            defaults={
                "executor": f"my-{worker}",
                "quickReviewer": "other",
                "deepReviewer": "none",
                "finalReviewer": "other",
            },
            verification={"steps": [{"name": "Written", "command": "test -s one.txt"}]},
        )
        for number, chunk in enumerate(CHUNKS, 1):
            told = json.dumps(task(number, chunk))
            assert run_ralph(repo, "task", "import", "-", "--without-criteria", input=told).returncode == 0
        env = {**agents[worker].env, **agents[reviewer].env}
        ended = run_ralph(repo, "spec", "run", "s", env=env, timeout=360)
        asked = [request.prompt for request in model.conversation]
        assert ended.returncode == 0, ended.stderr + ended.stdout
        assert len(asked) == len(turns), ended.stderr
    log = repo.git("log", "--reverse", "--format=%s", "main..ralph/s").splitlines()
    assert log == [f"Write {chunk}" for chunk in CHUNKS]
    assert [repo.git("show", f"ralph/s:{chunk}.txt") for chunk in CHUNKS] == ["hello\n"] * 3
    bodies = repo.git("log", "--reverse", "--format=%b", "main..ralph/s")
    assert all(f"I wrote {chunk}.txt, and it says hello." in bodies for chunk in CHUNKS)
    assert bodies.count("Ralph-Task: T-") == 3
    assert len(repo.git("for-each-ref", "--format=%(refname)", "refs/ralph/discarded").split()) == 1
    assert any("In one.txt, greet somebody" in prompt and "# Task: Write one" in prompt for prompt in asked)
    assert any("# Code Review Request" in prompt for prompt in asked)
    state = repo.path / ".ralph/specs/s"
    assert sorted(path.name for path in (state / "iterations/T-1").glob("iteration-*")) == [
        "iteration-1",
        "iteration-2",
    ]
    decided = [json.loads(path.read_text())["decision"] for path in sorted(state.glob("iterations/T-1/*/review.json"))]
    assert decided == ["REVISE", "SHIP"]
    assert (state / "final/round-1/review.json").is_file()
    assert repo.git("status", "--porcelain", "--", "user.txt") == "?? user.txt\n"
