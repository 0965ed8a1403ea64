"""Many writers at once, one of them killed: nobody's message is lost."""

import os
import random
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from loops import wait_until
from ralph.store.bus import Bus, Message, task_bus

WRITERS = 16
WRITER = """
import os, sys
from pathlib import Path
from ralph.store.bus import Bus

path, acknowledged, writers, count = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
for writer in range(writers):
    pid = os.fork()
    if pid == 0:
        bus = Bus(path)
        with (acknowledged / str(writer)).open("w") as ids:
            for number in range(count):
                print(bus.post("INFO", f"{writer} {number} " + "x" * (writer * 1000)).id, file=ids, flush=True)
        os._exit(0)
    print(pid, flush=True)
for _ in range(writers):
    os.wait()
"""
"""Started once and forked, so that loading ralph is paid for once. The later writers have the longer messages."""


def post_from_many(bus, acknowledged, count, victim):
    """The victim is killed somewhere on its way; the others post all that they have."""
    acknowledged.mkdir()
    argv = [sys.executable, "-c", WRITER, bus.path, acknowledged, str(WRITERS), str(count)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        pids = [int(process.stdout.readline()) for _ in range(WRITERS)]
        mine, enough = acknowledged / str(victim), random.randint(1, count // 2)  # noqa: S311 - any moment will do
        wait_until(lambda: mine.exists() and len(ids_in(mine)) >= enough, "the victim does not post", patience=600)
        os.kill(pids[victim], signal.SIGKILL)
        assert process.wait(1200) == 0


def ids_in(file: Path):
    return file.read_text().splitlines()


def check_nothing_is_lost(tmp_path, monkeypatch, count):
    monkeypatch.setenv("RALPH_HOME", str(tmp_path / "home"))
    victim = random.randrange(WRITERS // 2, WRITERS)  # noqa: S311 - any of those with long messages will do
    bus, acknowledged = task_bus(tmp_path), tmp_path / "acknowledged"
    post_from_many(bus, acknowledged, count, victim)

    gaps = []
    messages: list[Message] = Bus(bus.path, gaps.append).read()
    ids = [message.id for message in messages]
    assert ids == sorted(set(ids))
    numbers = defaultdict(list)
    by_writer = defaultdict(list)
    for message in messages:
        writer, number, filling = message.body.split(" ")
        assert filling == "x" * (int(writer) * 1000)
        numbers[int(writer)].append(int(number))
        by_writer[int(writer)].append(message.id)
    for writer in range(WRITERS):
        told = ids_in(acknowledged / str(writer))
        assert numbers[writer] == list(range(len(by_writer[writer])))
        assert by_writer[writer][: len(told)] == told
        assert len(by_writer[writer]) == count if writer != victim else len(told) <= len(by_writer[writer]) < count
    assert len(by_writer[victim]) - len(ids_in(acknowledged / str(victim))) <= 1
    assert len(gaps) <= 1


def test_sixteen_writers_lose_nothing_when_one_is_killed(tmp_path, monkeypatch):
    check_nothing_is_lost(tmp_path, monkeypatch, 100)


@pytest.mark.e2e
@pytest.mark.timeout(1800)
def test_sixteen_writers_of_a_thousand_messages_lose_nothing_when_one_is_killed(tmp_path, monkeypatch):
    check_nothing_is_lost(tmp_path, monkeypatch, 1000)
