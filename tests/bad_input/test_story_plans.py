"""Plans that are no plans, at the start of a story loop: each is said in one line, and none is waited for."""

import json
import os

import pytest

from ralph.app.stories.ground import plan_at, refuse_living
from ralph.kernel.actions.stories import BegunStory
from ralph.kernel.story_summary import summary_of
from ralph.loop.story_marker import living_loop, write_marker
from ralph.loop.story_plan import made_legal, read_plan
from ralph.model.errors import ConfigError
from ralph.plugin.hooks.scripts.active_loop import process_start
from user_stories import story


def plan(*stories, **changes):
    return {"project": "p", "branchName": "b", "description": "", "userStories": list(stories), **changes}


@pytest.fixture
def tasks(tmp_path):
    (tmp_path / "ralph").mkdir()
    return tmp_path / "ralph/tasks.json"


def refused(tasks):
    with pytest.raises(ConfigError) as caught:
        plan_at(tasks.parent.parent, "ralph")
    return str(caught.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is not valid JSON"),
        ("{", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("[]", "must be a JSON object"),
        (plan(), "is empty: there is nothing to do"),
        ({"userStories": [story()]}, "has no field 'project'"),
        (plan(story(), story()), "ids must be unique"),
        (plan(story(dependsOn=["US-404"])), "depends on US-404, which is not a story"),
        (plan(story(dependsOn=["US-001"])), "in a circle: US-001 > US-001"),
        (plan(story("A", dependsOn=["B"]), story("B", dependsOn=["A"])), "in a circle: A > B > A"),
        (plan(story(priority="high")), "'priority' must be a number"),
        (plan(story(notes="", passes=True)), "passes=true with empty notes"),
        (plan(story(), verifyCommands="make test"), "'verifyCommands' in tasks.json must be a list of texts"),
        (plan(story(acceptanceCriteria=[])), "must be a list of texts that is not empty"),
    ],
)
def test_what_is_wrong_with_the_plan_is_said(tasks, content, told):
    tasks.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    assert told in refused(tasks)


def test_a_missing_plan_names_the_command_that_makes_one(tasks):
    assert "ralph prd init" in refused(tasks)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/etc/passwd")])
def test_what_is_no_file_is_refused_and_never_waited_for(tasks, make):
    make(tasks)
    assert "tasks.json cannot be read" in refused(tasks)


def test_fields_that_are_not_known_stay(tasks):
    tasks.write_text(json.dumps(plan(story(owner="me"), team="shop")), encoding="utf-8")
    found = read_plan(tasks)
    assert (found["team"], found["userStories"][0]["owner"]) == ("shop", "me")


@pytest.mark.e2e
def test_a_hundred_thousand_stories_are_read_judged_and_counted(tasks):
    many = plan(*(story(f"US-{n}", dependsOn=[f"US-{n - 1}"] if n else []) for n in range(100_000)))
    tasks.write_text(json.dumps(many), encoding="utf-8")
    begun = BegunStory("implement", "US-0", "head", read_plan(tasks), "prompt")
    cheat = {**many, "userStories": [{**each, "passes": True, "notes": "n"} for each in many["userStories"]]}
    tasks.write_text(json.dumps(cheat), encoding="utf-8")
    legal = made_legal(tasks, begun, 5, skip_review=False, touched=[], folder="ralph")
    assert not any(each["passes"] for each in legal.plan["userStories"])
    assert legal.problems[-1] == "... and 199980 more."
    assert len(legal.problems) == 21
    found = summary_of(legal.plan)
    assert (found.open, found.next_story, found.iterations_left) == (100_000, "US-0", 200_000)


@pytest.mark.parametrize(
    "forged",
    [
        "",
        "{",
        "[]",
        json.dumps({"pid": 2**40, "mode": "direct"}),
        json.dumps({"pid": -1}),
        json.dumps({"pid": os.getppid(), "pidStarted": "another", "mode": "direct"}),
        json.dumps({"pid": os.getppid(), "project": "/somewhere/else", "mode": "direct"}),
    ],
)
def test_a_marker_that_is_stale_forged_or_of_another_project_holds_nobody_up(tmp_path, forged):
    (tmp_path / ".ralph-active").write_text(forged, encoding="utf-8")
    assert living_loop(tmp_path) is None
    refuse_living(tmp_path)


def test_the_marker_of_a_loop_that_lives_refuses_a_second_one(tmp_path):
    write_marker(tmp_path, "run", pid=os.getppid(), pidStarted=process_start(os.getppid()))
    with pytest.raises(ConfigError, match=f"a story loop runs here already \\(pid {os.getppid()}\\)"):
        refuse_living(tmp_path)
