"""Checks performed: real commands, a real worktree, a model that is played by a scripted agent."""

import asyncio
import json
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from msgspec.structs import replace

from ralph.config.layers import load
from ralph.kernel.actions.agent import Said
from ralph.kernel.actions.checks import Material, Rules
from ralph.kernel.actions.tasks import SaveWork, Worktree
from ralph.kernel.quota import patient
from ralph.kernel.recipes.stage import StageRun
from ralph.kernel.stage_text import Stage, TaskText
from ralph.kernel.verification import AT_ONCE, verified
from ralph.loop.context import RunContext
from ralph.loop.drive import Driver
from ralph.loop.perform import performing
from ralph.loop.plan import make_plan, new_run
from ralph.loop.stop import Stop
from ralph.loop.streams import Streams
from ralph.model.places import task_place, verification_place
from ralph.model.verification import Semantic, StringMatch, read_verification
from ralph.store.journal import Journal, rows_of
from ralph.store.projects import project_at
from ralph.store.runs import add_run, get_run, new_run_id
from ralph.store.sqlite import SqliteStore
from ralph.testing import ScriptedAgent, temp_repo

CASSETTES = Path(__file__).parents[1] / "cassettes"
CRITERION = "it works"
SOON = 30.0
"""Seconds in which everything here is over, or something hangs."""
SECRET = "s3cret-value"
# What proves a check beyond its own end is made in one test only.
OFF = Rules(tamper="off")
ON_CLEAN = "(on a clean checkout of the work)"


def judges(*, met=True, reason="I looked", **more):
    verdicts = [{"criterion": CRITERION, "met": met, "reason": reason}]
    return {"final": json.dumps({"criteria": verdicts}), **more}


def external(name, command="true", **more):
    config = {"command": command} | more.pop("config", {})
    return {"name": name, "method": "external", "config": config} | more


def side_by_side(name, command="true", **more):
    return external(name, command, parallel=True, **more)


def semantic(name, **more):
    return {"name": name, "method": "semantic", "config": {"check_for": [CRITERION]}} | more


def meets(mine, other):
    """A command that passes only if another one runs beside it."""
    return f"touch {mine}; for i in $(seq 900); do test -e {other} && exit 0; sleep 0.02; done; exit 1"


class Scene:
    """A task with a worktree of its own, and runs of one of its stages that verify in it."""

    def __init__(self, tmp_path, monkeypatch, store=None):
        for name, value in (
            repo := temp_repo(tmp_path, {"a.py": "x = 1\n", ".gitignore": ".ralph\nbuilt\n"})
        ).env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("MY_TOKEN", SECRET)
        self.repo, self.project, self._bin = repo, repo.path, tmp_path / "bin"
        self.outside = tmp_path / "outside"
        self.outside.mkdir()
        self.store = store or SqliteStore(repo.home / ".ralph")
        self.base = repo.git("rev-parse", "HEAD").strip()
        self.worktree = self.project / ".ralph/worktrees/T-1"
        repo.git("worktree", "add", "-q", "-b", "ralph/s--T-1", str(self.worktree))
        self.judge, self.settings = None, {"agent": {"command": "nobody"}}
        self.said, self.prompt, self.run_id = "It is done.", "", ""

    def answers(self, *steps, **options):
        self.judge = ScriptedAgent(*steps, directory=self._bin, after="error", **options)
        self.asks(self.judge.command)

    def asks(self, command, **settings):
        self.settings = {"agent": {"command": str(command)}, **settings}

    def plays(self, cassette):
        """The judge prints a recorded stream."""
        self._bin.mkdir(exist_ok=True)
        program = self._bin / cassette.split("/")[0]
        program.write_text(f"#!/bin/sh\ncat > /dev/null\ncat {CASSETTES / cassette}\n")
        program.chmod(0o755)
        self.asks(program)

    def counting(self, name="count"):
        """A command that counts outside the worktree how often it ran."""
        return f"echo ran >> {self.outside / name}"

    def ran(self, name="count"):
        file = self.outside / name
        return len(file.read_text().splitlines()) if file.exists() else 0

    def verify(self, check, **options):
        return asyncio.run(self.verified(check, **options))

    async def verified(self, check, *, iteration=1, quota=None, rules=OFF):
        """Save what lies in the worktree and verify it, as a new run."""
        context = self._context(check)

        def recipe():
            saved = yield SaveWork(iteration, "Work.", place=task_place("T-1"))
            about = Material(
                iteration,
                Said(self.said, self.prompt),
                self.base,
                saved.commit,
                place=task_place("T-1"),
                checks=verification_place("T-1"),
                rules=rules,
            )
            return (yield from verified(check, about))

        drives = patient(quota, recipe()) if quota else recipe()
        driver = Driver(self.store, context.journal, performing(context), Stop())
        try:
            return await driver.drive(drives)
        finally:
            await context.close()
            context.journal.flush()

    def _context(self, check):
        loaded = load(self.project, flags=self.settings)
        stage = Stage("coder", "MADE", StringMatch(), 3)
        loop = StageRun("s", TaskText("T-1", "Make it"), stage, Worktree("w", "w", "b", self.base, "ralph/s"))
        plan = make_plan("stage", loaded.settings, loaded.merged, replace(loop, stage=replace(stage, check=check)))
        project = project_at(self.store, self.project).id
        self.run_id = new_run_id()
        add_run(self.store, new_run(plan, self.run_id, project))
        journal = Journal.take(self.store, self.run_id)
        return RunContext(self.store, journal, plan, project, self.project, Stop(), Streams())

    def stages(self, *stages, **config):
        return self.verify(read_verification("multi_stage", {"stages": list(stages)} | config))

    def command(self, command, **config):
        return self.verify(read_verification("external", {"command": command} | config))

    def judged(self, criteria=(CRITERION,), negative=(), **options):
        return self.verify(Semantic(tuple(criteria), tuple(negative)), **options)

    @property
    def logs(self):
        return self.project / ".ralph/specs/s/iterations/T-1/coder/iteration-1/verify"

    @property
    def run(self):
        return get_run(self.store, self.run_id)

    def lines(self):
        """What screens show of the ends of its trials."""
        rows = rows_of(self.store, self.run_id)
        return [row.line for row in rows if row.what == "ended" and row.key.startswith("try-check/")]

    def ended(self):
        return [row.key for row in rows_of(self.store, self.run_id) if row.what == "ended"]


@pytest.fixture
def scene(tmp_path, monkeypatch):
    made = Scene(tmp_path, monkeypatch)
    yield made
    made.store.close()


@pytest.fixture(params=["sqlite", "postgres"])
def on_any_store(request, tmp_path, monkeypatch):
    """The same scene on each database."""
    if request.param == "sqlite":
        scene = Scene(tmp_path, monkeypatch)
    else:
        from ralph.store.open import open_store

        store = open_store({"RALPH_DATABASE_URL": request.getfixturevalue("postgres"), "RALPH_HOME": str(tmp_path)})
        scene = Scene(tmp_path, monkeypatch, store)
    yield scene
    scene.store.close()


async def until(condition):
    async with asyncio.timeout(SOON):
        while not condition():  # noqa: ASYNC110 - the test looks from outside
            await asyncio.sleep(0.02)


def seen(evidence):
    return {part.check: part.passed for part in evidence.parts}


def test_every_method_passes_and_is_recorded(scene):
    scene.answers(judges())
    evidence = scene.stages(external("unit"), {"name": "promise"}, semantic("criteria"), external("lint"))
    assert (evidence.check, evidence.passed) == ("multi_stage", True)
    assert seen(evidence) == {"unit": True, "promise": True, "criteria": True, "lint": True}
    assert scene.ended() == [
        "save-work/1",
        "try-check/1/commit-unit",
        "read-change/1/criteria",
        "ask-model/1/judge-criteria",
        "try-check/1/commit-lint",
        "verify/1",
    ]


@pytest.mark.parametrize(
    ("method", "config", "reason"),
    [
        ("external", {"command": "exit 3"}, f"exit code 3, expected 0 {ON_CLEAN}"),
        ("semantic", {"check_for": [CRITERION]}, "not verified: it works (I looked)"),
        ("semantic", {"negative_patterns": ["todo"]}, 'found the negative pattern "todo" in a.py:2'),
        (
            "multi_stage",
            {"stages": [external("unit", "exit 3")]},
            f"1 verification stage failed: unit: exit code 3, expected 0 {ON_CLEAN}",
        ),
    ],
)
def test_every_method_that_looks_fails(scene, method, config, reason):
    (scene.worktree / "a.py").write_text("x = 1\nTODO = 2\n")
    scene.answers(judges(met=False))
    evidence = scene.verify(read_verification(method, config))
    assert (evidence.passed, evidence.reason) == (False, reason)


def test_a_command_sees_what_was_committed_and_leaves_nothing_behind(scene):
    (scene.worktree / "work.txt").write_text("good\n")
    assert scene.command("grep -q good work.txt && echo bad > work.txt && touch left && rm a.py").passed
    assert (scene.worktree / "work.txt").read_text() == "good\n"
    assert (scene.worktree / "a.py").exists()
    assert not (scene.worktree / "left").exists()
    assert scene.command("grep -q good work.txt && test -e a.py && test ! -e left").passed


def test_a_command_that_fails_leaves_nothing_behind_either(scene):
    evidence = scene.stages(external("unit", "touch left; echo red; exit 3"), external("late", "touch late"))
    assert (evidence.parts[0].output, evidence.output) == ("red\n", "")
    assert not (scene.worktree / "left").exists()
    assert not (scene.worktree / "late").exists()


def test_the_log_of_a_command_is_named_by_it_and_masked(scene):
    evidence = scene.command(f"echo hello {SECRET}")
    log = scene.project / evidence.log
    assert log.parent == scene.logs
    assert log.name.startswith("commit-echo_hello_")
    assert log.read_text() == "hello [redacted]\n"


def test_logs_are_named_by_their_stages(scene):
    evidence = scene.stages(external("unit tests", "echo 1"), external("unit-tests", f"echo 2 {SECRET}"))
    logs = [scene.logs / f"commit-unit_tests{end}.log" for end in ("", "_2")]
    assert [log.read_text() for log in logs] == ["1\n", "2 [redacted]\n"]
    assert [scene.project / part.log for part in evidence.parts] == logs


def test_how_long_it_took_is_told(scene):
    assert scene.command("sleep 0.2").duration >= 0.2


def test_stages_that_say_so_run_side_by_side(scene):
    assert scene.stages(side_by_side("a", meets("one", "two")), side_by_side("b", meets("two", "one"))).passed


def test_a_stage_that_fails_alone_is_tried_after_those_before_it_and_finds_what_they_built(scene):
    stages = external("build", "touch built"), external("test", "test -e built && echo found", depends_on=["build"])
    evidence = scene.stages(*stages)
    assert seen(evidence) == {"build": True, "test": True}
    assert scene.project / evidence.parts[1].log == scene.logs / "commit-test-after.log"
    assert (scene.logs / "commit-test-after.log").read_text() == "found\n"


@pytest.mark.parametrize("left", ["touch left", "echo changed > a.py", "git add -f built; touch left"])
def test_a_stage_never_finds_what_git_does_not_ignore_of_those_before_it(scene, left):
    needs = "test -e left || grep -q changed a.py"
    evidence = scene.stages(external("build", f"touch built; {left}"), external("test", needs))
    assert seen(evidence) == {"build": True, "test": False}
    assert (scene.logs / "commit-test-after.log").exists()


def test_a_stage_finds_nothing_that_only_the_change_tells_git_to_ignore(scene):
    (scene.worktree / ".gitignore").write_text(".ralph\nbuilt\nleft\n")
    evidence = scene.stages(external("build", "touch left"), external("test", "test -e left"))
    assert seen(evidence) == {"build": True, "test": False}
    assert not (scene.logs / "commit-test-after.log").exists()


def test_no_more_than_four_run_at_once(scene):
    running = "cd {1}; mkdir -p slots; touch slots/{0}; ls slots | wc -l >> seen; sleep 0.3; rm slots/{0}"
    many = [side_by_side(f"s{number}", running.format(number, scene.outside)) for number in range(9)]
    assert scene.stages(*many).passed
    most = max(map(int, (scene.outside / "seen").read_text().split()))
    assert 1 < most <= AT_ONCE


def test_a_command_that_leaves_something_running_harms_no_neighbour(scene):
    leaver = f"sleep 300 >/dev/null 2>&1 & echo $! > {scene.outside}/left"
    neighbour = "sleep 0.5; sh -c 'sleep 0.5; echo ok'"
    assert scene.stages(side_by_side("leaver", leaver), side_by_side("neighbour", neighbour)).passed
    assert not psutil.pid_exists(int((scene.outside / "left").read_text()))


def test_a_stage_outside_the_worktree_fails_alone(scene):
    out = side_by_side("out", config={"working_dir": "../.."})
    evidence = scene.stages(out, side_by_side("in"))
    assert seen(evidence) == {"out": False, "in": True}
    assert "working_dir '../..'" in evidence.reason


def test_a_cancelled_verification_leaves_nothing_running(scene):
    started = scene.outside / "pids"
    stages = [side_by_side(name, f"echo $$ >> {started}; exec sleep 30{name}") for name in "12"]

    async def cancelled():
        check = read_verification("multi_stage", {"stages": stages})
        task = asyncio.create_task(scene.verified(check))
        await until(lambda: started.exists() and len(started.read_text().split()) == 2)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        return task.cancelled(), [psutil.pid_exists(int(pid)) for pid in started.read_text().split()]

    assert asyncio.run(cancelled()) == (True, [False, False])


def test_the_same_tree_is_not_checked_twice(on_any_store):
    scene = on_any_store
    scene.command(f"{scene.counting()}; echo all is well")
    again = scene.command(f"{scene.counting()}; echo all is well")
    assert scene.ran() == 1
    assert (again.passed, again.reason, again.duration) == (True, "exit code 0, as expected", 0.0)
    (line,) = scene.lines()
    assert line.endswith("passes: exit code 0 (as before)")
    assert (scene.project / again.log).read_text() == "all is well\n"


def test_another_tree_is_checked_and_the_first_one_is_known_when_it_comes_back(on_any_store):
    scene = on_any_store
    for text in ("good\n", "better\n", "good\n"):
        (scene.worktree / "work.txt").write_text(text)
        assert scene.command(scene.counting()).passed
    assert scene.ran() == 2


def test_another_configuration_is_another_check(on_any_store):
    scene = on_any_store
    scene.command(scene.counting())
    scene.command(scene.counting(), timeout=5)
    scene.command(scene.counting(), output_not_contains="FAILED")
    assert scene.ran() == 3


def test_a_failure_is_looked_at_again(on_any_store):
    scene = on_any_store
    for _ in range(2):
        assert not scene.command(f"{scene.counting()}; exit 1").passed
    assert scene.ran() == 2


def test_a_stage_that_passed_is_not_tried_again_when_only_its_neighbour_is_another_one(on_any_store):
    scene = on_any_store
    build = side_by_side("build", scene.counting())
    assert not scene.stages(build, side_by_side("test", "exit 1")).passed
    assert scene.stages(build, side_by_side("test")).passed
    assert scene.ran() == 1


def test_another_project_with_the_same_files_is_checked(scene):
    scene.command(scene.counting())
    known, scene.project = scene.project, scene.outside / "clone"
    scene.repo.git("clone", "-q", str(known), str(scene.project))
    scene.worktree = scene.project / ".ralph/worktrees/T-1"
    scene.repo.git("-C", str(scene.project), "worktree", "add", "-q", "-b", "ralph/s--T-1", str(scene.worktree))
    assert scene.command(scene.counting()).passed
    assert len({row["tree"] for row in scene.store.read("SELECT tree FROM evidence")}) == 1
    assert scene.ran() == 2


def test_the_same_command_twice_in_one_verification_finds_the_same_files_and_is_run_once(scene):
    first = external("first", f"{scene.counting()}; grep -q 'x = 1' a.py && echo changed > a.py")
    assert seen(scene.stages(first, {**first, "name": "second"})) == {"first": True, "second": True}
    assert scene.ran() == 1


def test_what_a_stage_writes_over_the_work_is_not_there_for_the_next(scene):
    evidence = scene.stages(external("first", "echo changed > a.py"), external("second", "grep -q 'x = 1' a.py"))
    assert seen(evidence) == {"first": True, "second": True}


def test_a_check_that_passes_is_tried_on_the_base_too_and_judged_by_all_that_was_seen(scene):
    (scene.worktree / "work.txt").write_text("good\n")
    evidence = scene.verify(read_verification("external", {"command": "test -e work.txt"}), rules=Rules())
    assert (evidence.passed, evidence.findings) == (True, ())
    assert [(each.trial, each.passed) for each in evidence.trials] == [("commit", True), ("base", False)]
    assert scene.ended() == [
        "save-work/1",
        "try-check/1/commit-test_e_work_txt",
        "compose-trees/1/test_e_work_txt",
        "try-check/1/base-test_e_work_txt",
        "compose-canary/1/test_e_work_txt",
        "judge-trials/1/test_e_work_txt",
        "verify/1",
    ]
