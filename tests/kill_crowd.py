"""Those who are there while others are killed: they look, write, and follow the journals."""

import json
import subprocess
from itertools import count
from threading import Event, Thread

PAUSE = 1.0
"""Seconds, at most, between two commands: the machine is for those who are killed."""
OTHERS = "others"
LOOKS = (("runs", "--json"), ("status", "--json"), ("show", "--json"), ("task", "list", "--json"))
FOLLOW = """
import asyncio, os, sys
from ralph.store.follow import Follower, follow, watch
from ralph.store.open import open_store

def note(rows):
    # In one piece: a kill leaves all of it or nothing.
    os.write(file, b"".join(b"%d %s %d\\n" % (row.id, row.run_id.encode(), row.n) for row in rows))

async def listen(store):
    async for rows in follow(Follower(store, after)):
        note(rows)

file = os.open(sys.argv[2], os.O_CREAT | os.O_RDWR | os.O_APPEND)
seen = os.pread(file, 1 << 26, 0).splitlines()
after = int(seen[-1].split()[0]) if seen else 0
with open_store() as store:
    if sys.argv[1] == "follow":
        asyncio.run(listen(store))
    for rows in watch(store, after):
        note(rows)
"""


class Follower:
    """Another process, which writes down each row that it is given. Killed, it goes on behind the last one."""

    def __init__(self, scene, way):
        self._scene = scene
        self._way = way
        self._file = scene.root / f"seen-by-{way}"
        self._process = None

    @property
    def is_over(self):
        return self._process is None

    def start(self):
        self._process = self._scene.database.start(FOLLOW, self._way, self._file)

    def kill(self):
        """Whether there was one. None ends by itself."""
        if self._process is None:
            return False
        assert self._process.poll() is None, "a follower has ended by itself"
        self.end_now()
        return True

    def end_now(self):
        if self._process:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def seen(self):
        """Of each row its id, its run, and its number there."""
        lines = self._file.read_text().splitlines() if self._file.exists() else []
        return [(int(row), run, int(n)) for row, run, n in map(str.split, lines)]


class Crowd:
    """Runs one command after another in a thread, until the block is left."""

    def __init__(self, scene, chance):
        self.problems = []
        self.created = []
        """The tasks of which ralph said that they are written."""
        self.posted = []
        """The ids of the messages of which ralph said that they are posted."""
        self.bus = scene.root / "bus"
        self.bus.mkdir()
        self._scene = scene
        self._chance = chance
        self._over = Event()
        self._thread = Thread(target=self._work)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _work(self):
        for number in count(1):
            if self._over.wait(self._chance.uniform(0, PAUSE)):
                return
            try:
                self._once(number)
            except (ValueError, AssertionError, subprocess.SubprocessError) as error:
                self.problems.append(repr(error))

    def _once(self, number):
        what = self._chance.choice([*LOOKS, "create", "post"])
        if what == "create":
            self._run(*create(f"W-{number}"))
            self.created.append(f"W-{number}")
        elif what == "post":
            said = self._run("bus", "post", "--task-dir", str(self.bus), "--type", "FACT", f"Message {number}")
            self.posted.append(said.strip())
        else:
            json.loads(self._run(*what))

    def _run(self, *args):
        code, out, err = self._scene.ralph(*args)
        assert (code, err) == (0, ""), f"{args} ended with {code}: {err}"
        return out


def create(task):
    done = ("--outcome", "It is there.", "--acceptance", "It is there.", "--coder-verify", "semantic")
    return "task", "create", task, OTHERS, "Another task", *done
