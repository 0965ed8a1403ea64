"""A planning that is started, answered, stopped and gone on with: a real agent process, git and store."""

import asyncio
import json
import shutil
from contextlib import closing

import pytest

from plans import question, requirements, stories, story
from ralph.app.planning.talk import go_on_or_start, reply
from ralph.app.stories.files import prepare
from ralph.app.stories.plan import PlanGiven, find_unfinished, plan_to_plan, story_rules
from ralph.cli.planning.person import Nobody
from ralph.loop.people import Reply, WaitsForPerson
from ralph.loop.run import drive_run
from ralph.loop.stop import Stop
from ralph.loop.streams import Streams
from ralph.model.errors import AgentUnusable, ConfigError
from ralph.plugin.hooks.scripts.active_loop import MOST
from ralph.store.journal import rows_of
from ralph.store.runs import get_run
from ralph.store.sqlite import SqliteStore
from ralph.testing import ScriptedAgent, temp_repo
from ralph.testing.steps import fails


class Scene:
    def __init__(self, tmp_path, monkeypatch):
        self.repo = temp_repo(tmp_path, {"app.py": "print(1)\n", "Makefile": "test:\n\ttrue\n"})
        for name, value in self.repo.env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(self.repo.path)
        self.store = SqliteStore(self.repo.home / ".ralph")
        self._bin = tmp_path / "bin"
        self.planner = None
        self.run_id = ""
        prepare(self.repo.path, "greeting")

    def answers(self, *texts, name="claude", **options):
        steps = [{"final": each} if isinstance(each, str) else each for each in texts]
        self.planner = ScriptedAgent(*steps, directory=self._bin, name=name, after="error", **options)
        config = self.repo.home / ".ralph/config.yaml"
        config.write_text(json.dumps({"agent": {"command": self.planner.command}}))

    def plan(self, said="A greeting", agent=None):
        """Drive it as far as it goes: the verdict, and what it waits for."""
        return asyncio.run(self._plan(PlanGiven("ralph", said, agent)))

    async def _plan(self, given):
        to_plan = await plan_to_plan(self.repo.path, given)
        unfinished = find_unfinished(self.store, self.repo.path, to_plan.plan)
        going = go_on_or_start(self.store, self.repo.path, to_plan.plan, unfinished)
        self.run_id, self.going = going.run_id, going
        driven = await drive_run(self.store, going.run_id, Stop(), Streams(), plan=going.plan, go_on=going.has_ended)
        return driven.verdict, driven.error

    def planned(self, **how):
        """To the end, with nobody there."""
        while True:
            verdict, waits = self.plan(**how)
            if not isinstance(waits, WaitsForPerson):
                return verdict
            Nobody().answers(self.store, self.going, waits)

    def say(self, waits, *texts):
        for text in texts:
            reply(self.store, self.run_id, Reply(waits.wanted.key, text))

    @property
    def tasks(self):
        return json.loads(self.repo.read("ralph/tasks.json"))

    def write_tasks(self, tasks):
        self.repo.write("ralph/tasks.json", json.dumps(tasks))


@pytest.fixture
def scene(tmp_path, monkeypatch):
    made = Scene(tmp_path, monkeypatch)
    with closing(made.store):
        yield made


def test_an_idea_becomes_a_plan_that_the_loop_takes(scene):
    scene.answers(requirements(question()), requirements(), stories(story(), story(2, dependsOn=["US-001"])))
    verdict = scene.planned()
    assert verdict.kind == "verified"
    assert "## 1. Summary\nA greeting." in scene.repo.read("ralph/prd.md")
    assert [each["id"] for each in scene.tasks["userStories"]] == ["US-001", "US-002"]
    assert (scene.tasks["branchName"], scene.tasks["project"]) == ("ralph/greeting", "greeting")
    first, second, third = scene.planner.prompts
    assert "A greeting" in first
    assert "In a constant" in second
    assert story_rules() in third
    assert "ralph found: `make test`." in third
    assert scene.repo.git("status", "--short", "--", "app.py") == ""


@pytest.mark.e2e
def test_a_written_prd_stays_and_only_the_stories_are_derived(scene):
    scene.repo.write("ralph/prd.md", "# Greeting\nGreet people.\n")
    scene.answers(stories())
    assert scene.planned(said="").kind == "verified"
    assert scene.repo.read("ralph/prd.md") == "# Greeting\nGreet people.\n"
    assert "Greet people." in scene.planner.prompts[0]


def test_answers_are_kept_one_by_one_and_nothing_is_asked_or_paid_twice(scene):
    scene.answers(requirements(question(), question(question="Which one?")), requirements(), stories())
    _, waits = scene.plan()
    assert waits.answered == 0
    scene.say(waits, "In a file")
    first = scene.run_id
    _, again = scene.plan(said="")
    assert (scene.run_id, again.answered, len(scene.planner.starts)) == (first, 1, 1)
    assert "is empty" not in str(again)
    assert not scene.tasks["userStories"][0]["title"], "nothing is written before somebody has agreed"
    scene.say(again, "Both")
    _, draft = scene.plan(said="")
    assert draft.wanted.document == "prd.md"
    assert "Answer: Both" in scene.planner.prompts[1]
    scene.say(draft, "")
    assert scene.planned(said="").kind == "verified", "it goes on although prd.md is written now"
    assert scene.run_id == first


@pytest.mark.e2e
def test_another_agent_takes_over_what_was_answered(scene):
    scene.answers(requirements(question()), fails(1))
    _, waits = scene.plan()
    scene.say(waits, "In a file")
    verdict, _ = scene.plan()
    assert verdict.kind == "agent_error"
    first = scene.run_id
    other = ScriptedAgent(
        {"final": requirements()}, {"final": stories()}, directory=scene.repo.home / "other", after="error"
    )
    assert scene.planned(said="", agent=other.command).kind == "verified"
    assert scene.run_id != first
    assert "Answer: In a file" in other.prompts[0]
    assert "A greeting" in other.prompts[0]


@pytest.mark.e2e
def test_a_failed_planner_is_asked_again_by_the_same_command(scene):
    scene.answers("I would rather talk.", "And talk.", "And talk.", requirements(), stories())
    verdict = scene.planned()
    assert (verdict.kind, verdict.reason) == (
        "agent_error",
        "the planner gave no plan: the answer cannot be used: it contains no JSON object",
    )
    assert scene.planned().kind == "verified"


def test_what_the_planner_writes_is_thrown_away_and_said(scene):
    scene.repo.write("ralph/prd.md", "# Greeting\nGreet people.\n")
    scene.answers({"final": stories(), "write": {"app.py": "broken", "ralph/prd.md": "mine", "new.txt": "x"}})
    assert scene.planned(said="").kind == "verified"
    assert scene.repo.read("app.py") == "print(1)\n"
    assert scene.repo.read("ralph/prd.md") == "# Greeting\nGreet people.\n"
    assert not (scene.repo.path / "new.txt").exists()
    lines = "\n".join(row.line for row in rows_of(scene.store, scene.run_id))
    assert "it wrote into its checkout, which was discarded" in lines


@pytest.mark.e2e
def test_a_planner_that_leaves_its_checkout_is_found_out(scene):
    scene.repo.write("ralph/prd.md", "# Greeting\nGreet people.\n")
    scene.answers({"final": stories(), "run": f"echo evil > {scene.repo.path}/app.py"})
    assert scene.planned(said="").kind == "verified"
    lines = "\n".join(row.line for row in rows_of(scene.store, scene.run_id))
    assert "your files changed meanwhile: app.py. If you did not change them, see: git diff" in lines


@pytest.mark.e2e
def test_the_planner_sees_what_is_not_committed_yet(scene):
    scene.repo.write("notes.txt", "new")
    seen = scene.repo.home / "seen"
    scene.answers({"final": requirements(), "run": f"cat notes.txt > {seen}"}, stories())
    assert scene.planned().kind == "verified"
    assert seen.read_text(encoding="utf-8") == "new"


def test_stories_that_have_begun_are_never_lost(scene):
    scene.answers(stories())
    tasks = scene.tasks
    tasks["userStories"][0] |= {"title": "Mine", "reviewStatus": "needs_review"}
    scene.write_tasks(tasks)
    with pytest.raises(ConfigError, match=r"stories that have started: US-001.*ralph prd archive"):
        scene.plan()
    assert scene.planner.starts == []


@pytest.mark.e2e
def test_stories_that_began_while_it_planned_are_never_lost(scene):
    scene.repo.write("ralph/prd.md", "Greet people.\n")
    scene.answers(stories())
    _, draft = scene.plan(said="")
    tasks = scene.tasks
    tasks["userStories"][0] |= {"title": "Mine", "reviewStatus": "needs_review"}
    scene.write_tasks(tasks)
    reply(scene.store, scene.run_id, Reply(draft.wanted.key))
    tasks_before = scene.repo.read("ralph/tasks.json")
    with pytest.raises(ConfigError, match="stories that have started"):
        scene.plan(said="")
    error = asyncio.run(_driven(scene)).error
    assert "is left as it is: work on US-001 has started meanwhile" in str(error)
    assert scene.repo.read("ralph/tasks.json") == tasks_before


async def _driven(scene):
    return await drive_run(scene.store, scene.run_id, Stop(), Streams())


@pytest.mark.e2e
def test_a_prd_that_was_written_while_it_planned_is_left_alone(scene):
    scene.answers(requirements(), stories())
    _, draft = scene.plan()
    scene.repo.write("ralph/prd.md", "Mine.\n")
    reply(scene.store, scene.run_id, Reply(draft.wanted.key))
    error = asyncio.run(_driven(scene)).error
    assert "was written meanwhile" in str(error)
    assert scene.repo.read("ralph/prd.md") == "Mine.\n"


@pytest.mark.e2e
def test_stories_that_nobody_has_begun_are_kept_aside(scene):
    scene.repo.write("ralph/prd.md", "Greet people.\n")
    tasks = scene.tasks
    tasks["userStories"][0] |= {"title": "By hand", "acceptanceCriteria": ["x"]}
    scene.write_tasks(tasks)
    scene.answers(stories())
    scene.planned(said="")
    [kept] = (scene.repo.path / ".ralph/runs").glob("*/*/earlier-tasks.json")
    assert "By hand" in kept.read_text(encoding="utf-8")
    assert any(str(kept.name) in row.line for row in rows_of(scene.store, scene.run_id))


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "is not valid JSON"), ("[]", "must be a JSON object"), (None, "ralph prd init")],
)
def test_a_tasks_file_that_is_none_is_refused(scene, text, said):
    scene.answers(stories())
    path = scene.repo.path / "ralph/tasks.json"
    path.unlink() if text is None else path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=said):
        scene.plan()


def test_a_prd_that_is_no_file_is_never_taken_for_empty(scene):
    scene.answers(requirements(), stories())
    path = scene.repo.path / "ralph/prd.md"
    path.unlink()
    path.symlink_to("tasks.json")
    with pytest.raises(ConfigError, match="cannot be read"):
        scene.plan()
    path.unlink()
    with path.open("wb") as file:
        file.truncate(MOST + 1)
    with pytest.raises(ConfigError, match="too large"):
        scene.plan()


def test_a_folder_inside_a_repository_is_refused_as_the_loop_does(scene):
    scene.answers(requirements())
    shutil.copytree(scene.repo.path / "ralph", scene.repo.path / "sub/ralph")
    with pytest.raises(ConfigError, match="is a part of the repository"):
        asyncio.run(plan_to_plan(scene.repo.path / "sub", PlanGiven("ralph", "x")))


def test_a_name_says_what_is_to_be_built_only_as_long_as_nothing_was_archived(scene):
    scene.answers(requirements())

    def name():
        return asyncio.run(plan_to_plan(scene.repo.path, PlanGiven("ralph"))).name

    assert name() == "greeting"
    scene.write_tasks(scene.tasks | {"branchName": "ralph/feature-name"})
    assert name() == ""


def test_a_planner_that_is_not_installed_is_known_before_anything_begins(scene):
    with pytest.raises(AgentUnusable, match="which plans, is not on PATH"):
        scene.plan(agent="no-such-planner")


@pytest.mark.e2e
def test_a_cancelled_planning_is_not_gone_on_with(scene):
    from ralph.app.runs.cancel import cancel

    scene.answers(requirements(question()), requirements(question()))
    scene.plan()
    first = scene.run_id
    cancel(scene.store, first)
    scene.plan()
    assert scene.run_id != first
    assert get_run(scene.store, first).verdict == "cancelled"


@pytest.mark.e2e
def test_it_costs_what_its_calls_cost(scene):
    scene.repo.write("ralph/prd.md", "Greet people.\n")
    scene.answers({"final": stories(), "cost": 0.25})
    scene.planned(said="")
    run = get_run(scene.store, scene.run_id)
    assert (run.cost_usd, run.iterations, run.unit) == (0.25, 1, "call")
