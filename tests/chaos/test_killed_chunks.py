"""Specs of three chunks, killed at random moments: each chunk ends as one commit, and nothing is lost."""

import os
import random
import signal
import time
from collections import Counter

import pytest

from chunk_crew import SHIP, ChunkCrew
from loops import PATIENCE

KILLS = int(os.environ.get("KILLS") or 50)
NAMES = ("A", "B", "C")
LIFE = 1.2
"""Seconds within which a kill comes: as long as starting ralph and one attempt at a chunk take."""
ATTEMPTS = 40
STEP = {"name": "Good", "command": "! grep -l bad -r --include=*.txt ."}


def makes(name, marks):
    """Bad work at first, good from then on. What it did before it finds beside the project, as in an agent's memory."""
    mark = marks / name
    # The mark last: a kill between the two must not leave one that tells of work which was never written.
    work = f"if [ -e {mark} ]; then echo good > {name}.txt; else echo bad > {name}.txt; touch {mark}; fi"
    return {"when": {"prompt_contains": f"# Task: Make {name}"}, "run": work, "sleep": 0.1, "final": f"I made {name}."}


@pytest.fixture
def seed():
    chosen = int(os.environ.get("RALPH_CHAOS_SEED") or random.SystemRandom().randrange(10**9))
    print(f"To repeat it: RALPH_CHAOS_SEED={chosen}")  # noqa: T201 - shown if the test fails
    return chosen


class Spec:
    """Specs of three chunks, one after another, until there were enough kills."""

    def __init__(self, root, chance):
        self.crew = ChunkCrew(root)
        self.kills = 0
        self._marks = root / "marks"
        self._marks.mkdir()
        self._chance = chance
        self._number = 0

    def add(self):
        self._number += 1
        names = [f"{name}{self._number}" for name in NAMES]
        for place, name in enumerate(names):
            self.crew.task(name, spec=self.id, dependencies=names[:place][-1:], max_iterations=ATTEMPTS)
        self.crew.hire([makes(name, self._marks) for name in names], quick=[SHIP], final=[SHIP], steps=[STEP])
        return names

    @property
    def id(self):
        return f"s{self._number}"

    def finish(self):
        until = time.monotonic() + 20 * PATIENCE
        code = None
        while code != 0:
            assert time.monotonic() < until, f"{self.id} does not come to its end"
            code = self._live()
        ended = self.crew.ralph("spec", "run", self.id, "--quiet")
        assert ended.code == 0, ended.err

    def _live(self):
        """The exit code of a process that came to its end; nothing of one that was killed."""
        with self.crew.start("spec", "run", self.id, "--quiet") as running:
            if self.kills < KILLS:
                time.sleep(self._chance.uniform(0, LIFE))
            if self.kills >= KILLS or running.is_over:
                ended = running.end()
                assert ended.code == 0, ended.err
                return ended.code
            running.send(signal.SIGKILL)
            self.kills += 1
            running.end()
        return None


@pytest.mark.e2e
@pytest.mark.timeout(300 + 20 * KILLS)
def test_chunks_killed_at_random_moments_end_as_one_commit_each(tmp_path, seed):
    spec = Spec(tmp_path, random.Random(seed))  # noqa: S311 - to be repeated, not to be secret
    crew = spec.crew
    crew.repo.write("draft.txt", "the user's own\n")
    while spec.kills < KILLS:
        names = spec.add()
        spec.finish()
        branch = f"ralph/{spec.id}"
        assert crew.subjects(branch) == [f"Make {name}" for name in names]
        for name in names:
            assert crew.on_branch(f"{name}.txt", branch) == "good\n"
            assert crew.status_of(name) == "completed"
            assert _taken_back(crew, name), f"the bad attempt at {name} is not reachable"
            _numbers_are_used_once(crew, spec.id, name)
    assert crew.repo.path.joinpath("draft.txt").read_text() == "the user's own\n"
    assert crew.git("branch", "--show-current").strip() == "main"


def _taken_back(crew, name):
    refs = [each for each in crew.discarded() if f"/{name}/" in each]
    return any(crew.on_branch(f"{name}.txt", each) == "bad\n" for each in refs)


def _numbers_are_used_once(crew, spec, name):
    """No two attempts that came to an end share a folder."""
    ended = [each for each in crew.json("show", name)["iterations"] if each["commitHash"]]
    folders = Counter(str(each["iteration"]) for each in ended)
    assert folders.most_common(1)[0][1] == 1, folders
    there = crew.repo.path / ".ralph/specs" / spec / "iterations" / name
    assert {f"iteration-{number}" for number in folders} <= {path.name.partition(".")[0] for path in there.iterdir()}
