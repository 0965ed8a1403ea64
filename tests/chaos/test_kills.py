"""Any process may be killed at any moment, among others that read, write and follow: nothing is lost or doubled."""

import os
import random
import time
from collections import Counter

import pytest

from kill_checks import (
    agents_were_started_only_after_it_was_written_down,
    chains_are_whole,
    each_follower_saw_each_row_once_and_in_order,
    each_spec_ended_as_the_one_that_was_left_in_peace,
    each_task_was_delivered_once,
    money_is_exact,
    no_process_is_left,
    nobody_lost_a_run_that_it_had,
    replays_perform_nothing,
    the_database_is_sound,
    what_others_wrote_is_there,
)
from kill_crowd import OTHERS, Crowd, Follower, create
from kill_scene import Scene
from loops import wait_until
from stores import Database
from task_crew import TaskCrew

KILLS = int(os.environ.get("KILLS") or 200)
LIFE = 0.9
"""Seconds within which a kill comes: as long as starting ralph and working on one task take."""
SHORT_LIFE = 0.35
OFTEN = 0.4
PER_SPEC = 12
"""Kills: then it is left in peace to its end, and another one begins."""
PATIENCE = 180.0
DRIVERS = (("resume", "--quiet"), ("resume", "--quiet"), ("drive", "--quiet"))
FOLLOWERS = ("watch", "follow")
VICTIMS = {"driver": 8, "rival": 4, "logs": 1, "status": 1, "watch": 1, "follow": 1, "writer": 1}
REFUSED = (
    "is driven by another process",
    "was taken by another process",
    "has ended",
    "another ralph loop runs in this directory",
    "is running (pid",
    "another process changed it first",
    "has ended: proven done",
)
"""Why one of two drivers of the same run may end."""


class Killing:
    """Drives specs to their end, however often it kills who drives them."""

    def __init__(self, scene, chance):
        self.counts = Counter()
        self.refused = set()
        """The processes that ended because another one has the run."""
        self._scene = scene
        self._chance = chance
        self._alive = {}
        self.followers = {way: Follower(scene, way) for way in FOLLOWERS}

    @property
    def left(self):
        return KILLS - self.counts.total()

    def finish(self, spec, kills):
        until = time.monotonic() + PATIENCE
        enough = self.counts.total() + kills
        while self._scene.run_of(spec)[1] != "ended":
            assert time.monotonic() < until, f"{spec} does not come to its end"
            self._begin(spec)
            time.sleep(self._chance.uniform(0, LIFE))
            if self.counts.total() < enough:
                self._kill_one()
            self._collect()
        wait_until(lambda: self._collect() or not self._alive, f"still there: {list(self._alive)}")

    def forget(self):
        """Rows that are the last ones go: their numbers must not come again."""
        self._scene.pass_by()
        gc = ("runs", "gc", "--keep", "0")
        self._kill_soon("gc", *gc, cwd=self._scene.aside)
        code, _, err = self._scene.ralph(*gc, cwd=self._scene.aside)
        assert (code, err) == (0, ""), f"{code}: {err}"

    def let_followers_come_to(self, last):
        for follower in self.followers.values():
            if follower.is_over:
                follower.start()
        for follower in self.followers.values():
            wait_until(lambda: _last(follower.seen()) >= last, "a follower does not come to the last row")  # noqa: B023 - called at once

    def end(self):
        for each in [*self._alive.values(), *self.followers.values()]:
            each.end_now()

    def _begin(self, spec):
        """Somebody drives it, perhaps another one a part of it, and some look on."""
        run_id, _ = self._scene.run_of(spec)
        if "driver" not in self._alive:
            how = (*self._chance.choice(DRIVERS), run_id) if run_id else ("spec", "run", spec, "--quiet")
            self._alive["driver"] = self._scene.start(*how)
        if not run_id:
            return
        parts = [*self._scene.open_parts(run_id), run_id]
        others = {"rival": ("drive", "--quiet", self._chance.choice(parts)), "logs": ("logs", "-f", run_id)}
        others["status"] = ("status", "--watch", run_id)
        for name, how in others.items():
            if name not in self._alive and self._chance.random() < OFTEN:
                self._alive[name] = self._scene.start(*how)
        for follower in self.followers.values():
            if follower.is_over and self._chance.random() < OFTEN:
                follower.start()

    def _kill_one(self):
        there = {**self._alive, **self.followers}
        victims = {name: weight for name, weight in VICTIMS.items() if name in (*there, "writer")}
        [name] = self._chance.choices([*victims], [*victims.values()])
        if name == "writer":
            self._kill_soon(name, *create(f"K-{self.counts.total()}"))
        elif there[name].kill():
            self.counts[name] += 1
            self._alive.pop(name, None)
        self._scene.look()

    def _kill_soon(self, name, *args, cwd=None):
        process = self._scene.start(*args, cwd=cwd)
        time.sleep(self._chance.uniform(0, SHORT_LIFE))
        if process.kill():
            self.counts[name] += 1
        else:
            process.end()

    def _collect(self):
        """Those that ended by themselves must have ended well, or for another who has the run."""
        for name in [name for name, each in self._alive.items() if each.is_over]:
            ended = self._alive.pop(name)
            code, _, err = ended.end()
            if name in ("driver", "rival") and any(each in err for each in REFUSED):
                self.refused.add(ended.pid)
            else:
                assert code == 0, f"{name} {ended.args} ended with {code}: {err}"


def _last(seen):
    return seen[-1][0] if seen else 0


@pytest.fixture
def seed():
    chosen = int(os.environ.get("RALPH_CHAOS_SEED") or random.SystemRandom().randrange(10**9))
    print(f"To repeat it: RALPH_CHAOS_SEED={chosen}")  # noqa: T201 - shown if the test fails
    return chosen


@pytest.fixture(params=["sqlite", "postgres"])
def scene(request, tmp_path):
    crew = TaskCrew(tmp_path)
    environ = {"RALPH_HOME": crew.repo.env["RALPH_HOME"]}
    if request.param == "postgres":
        environ["RALPH_DATABASE_URL"] = request.getfixturevalue("postgres")
    return Scene(tmp_path, crew, Database(environ))


@pytest.mark.e2e
@pytest.mark.timeout(300 + 10 * KILLS)
def test_processes_killed_at_random_moments_lose_nothing_and_double_nothing(scene, seed):
    began = time.monotonic()
    assert scene.ralph("spec", "create", OTHERS, "--title", "Others")[0] == 0
    killing = Killing(scene, random.Random(seed))  # noqa: S311 - to be repeated, not to be secret
    try:
        killing.finish(scene.add_spec(), kills=0)
        with Crowd(scene, random.Random(seed + 1)) as crowd:  # noqa: S311 - as above
            while killing.left > 0:
                killing.forget()
                killing.finish(scene.add_spec(), min(PER_SPEC, killing.left))
        last = scene.rows()[-1]["id"]
        killing.let_followers_come_to(last)
    finally:
        killing.end()
    print(f"{dict(killing.counts)}, {len(scene.specs)} specs, {last} rows, {time.monotonic() - began:.0f} s")  # noqa: T201
    scene.look()
    what_others_wrote_is_there(scene, crowd)
    each_follower_saw_each_row_once_and_in_order(scene, killing.followers.values())
    each_task_was_delivered_once(scene)
    each_spec_ended_as_the_one_that_was_left_in_peace(scene)
    agents_were_started_only_after_it_was_written_down(scene)
    nobody_lost_a_run_that_it_had(scene, killing.refused)
    no_process_is_left(scene)
    with scene.database.open() as store:
        money_is_exact(scene, store)
        chains_are_whole(scene, store)
        if not scene.database.is_postgres:
            the_database_is_sound(store)
        replays_perform_nothing(store)
