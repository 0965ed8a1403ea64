"""Seed 004, verification plan 8: the planning skill in both modes, as `ralph prd plan` runs it."""

import json

import pytest

from plans import question, requirements, stories, story
from ralph.app.stories.files import prepare
from ralph.testing import ScriptedAgent, run_ralph, temp_repo
from terminals import Terminal

WRITTEN = "# Greeting\n\n## Summary\nPeople are greeted by name.\n"


def project(root, *answers):
    repo = temp_repo(root)
    prepare(repo.path)
    return repo, ScriptedAgent(*({"final": each} for each in answers), directory=root / "bin", after="error")


def plan_of(repo):
    return json.loads(repo.read("ralph/tasks.json"))


@pytest.mark.e2e
def test_mode_1_with_an_empty_prd_it_asks_questions_and_generates_both_files(tmp_path):
    in_order = stories(story(1), story(2, title="Greet by name", dependsOn=["US-001"]))
    repo, agent = project(tmp_path, requirements(question()), requirements(), in_order)
    env = repo.env | {"TERM": "dumb", "COLUMNS": "80"}
    with Terminal(repo.path, env, "prd", "plan", "--agent", agent.command) as terminal:
        terminal.answer("End with an empty line.\n> ", "A greeting")
        terminal.answer("> ", "")
        terminal.expect("Where is the greeting kept?")
        terminal.answer("Answer [1]: ", "2")
        terminal.answer("or say what to change.\n> ", "")
        terminal.answer("or say what to change.\n> ", "")
        assert terminal.end() == 0, terminal.screen
    assert "Answer: In a file" in agent.prompts[1]
    assert "A greeting." in repo.read("ralph/prd.md")
    made = plan_of(repo)["userStories"]
    assert [(each["id"], each["priority"], each["dependsOn"]) for each in made] == [
        ("US-001", 1, []), ("US-002", 2, ["US-001"]),
    ]  # fmt: skip
    assert {(each["passes"], each["reviewStatus"], each["reviewCount"]) for each in made} == {(False, None, 0)}
    # How large a story may be is for the planner to judge: it is told.
    assert "one iteration" in " ".join(agent.prompts[2].split())


@pytest.mark.e2e
def test_stories_out_of_the_order_of_their_dependencies_are_not_taken(tmp_path):
    wrong = stories(story(1, dependsOn=["US-002"]), story(2))
    repo, agent = project(tmp_path, wrong, stories(story(1), story(2, dependsOn=["US-001"])))
    repo.write("ralph/prd.md", WRITTEN)
    planned = run_ralph(repo, "prd", "plan", "--agent", agent.command, "--yes")
    assert planned.returncode == 0, planned.stderr
    assert "Story US-001 depends on US-002, so its priority must be above 2, not 1." in agent.prompts[1]
    assert [each["dependsOn"] for each in plan_of(repo)["userStories"]] == [[], ["US-001"]]


@pytest.mark.e2e
def test_mode_2_with_a_written_prd_it_derives_the_stories_and_leaves_the_prd_alone(tmp_path):
    repo, agent = project(tmp_path, stories())
    repo.write("ralph/prd.md", WRITTEN)
    planned = run_ralph(repo, "prd", "plan", "--agent", agent.command, "--yes")
    assert planned.returncode == 0, planned.stderr
    assert len(agent.prompts) == 1
    assert "People are greeted by name." in agent.prompts[0]
    assert repo.read("ralph/prd.md") == WRITTEN
    assert [each["id"] for each in plan_of(repo)["userStories"]] == ["US-001"]
