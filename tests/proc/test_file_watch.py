import asyncio
import shutil
from pathlib import Path

import pytest

from ralph.proc.file_watch import watch_for

LONG_ENOUGH = 20
"""Seconds after which what has not been noticed never will be."""
OPEN_FILES = Path("/proc/self/fd")


@pytest.fixture
def directory(tmp_path):
    path = tmp_path / "task"
    path.mkdir()
    return path


async def notices(path, happen, every=1.0):
    """Wait for a file that comes while it is watched for; how often it was told."""
    told = []
    came = asyncio.Event()

    def tell():
        told.append(path.exists())
        came.set()

    with watch_for(path, tell, every):
        await asyncio.sleep(0)
        assert told == []
        happen()
        async with asyncio.timeout(LONG_ENOUGH):
            await came.wait()
        path.touch()
        await asyncio.sleep(0.01)
    return told


def open_watches():
    return sum("inotify" in str(link.readlink()) for link in OPEN_FILES.iterdir() if link.is_symlink())


def test_file_that_comes_is_told_once(directory):
    done = directory / "DONE"
    assert asyncio.run(notices(done, done.touch)) == [True]


def test_file_that_is_moved_there_is_told(directory, tmp_path):
    (tmp_path / "elsewhere").touch()
    done = directory / "DONE"
    assert asyncio.run(notices(done, lambda: (tmp_path / "elsewhere").rename(done))) == [True]


def test_file_that_is_there_already_is_told_at_once(directory):
    async def watch():
        told = []
        (directory / "DONE").touch()
        with watch_for(directory / "DONE", lambda: told.append("there")):
            assert told == ["there"]
        return told

    assert asyncio.run(watch()) == ["there"]


def test_other_files_and_what_came_while_nobody_watched_are_not_told(directory):
    async def watch():
        told = []
        for number in range(3):
            (directory / f"between-{number}").touch()
            with watch_for(directory / "DONE", lambda: told.append("there")):
                (directory / f"meanwhile-{number}").touch()
                await asyncio.sleep(0.01)
        return told

    assert asyncio.run(watch()) == []


def test_watch_after_watch_notices(directory):
    done = directory / "DONE"
    for _ in range(3):
        assert asyncio.run(notices(done, done.touch)) == [True]
        done.unlink()


def test_directory_that_was_made_anew_is_watched(directory):
    done = directory / "DONE"
    asyncio.run(notices(done, done.touch))
    shutil.rmtree(directory)
    directory.mkdir()
    assert asyncio.run(notices(done, done.touch)) == [True]


def test_two_watches_at_once_both_notice(directory, tmp_path):
    async def both():
        other = tmp_path / "DONE"
        done = directory / "DONE"
        return await asyncio.gather(notices(done, done.touch), notices(other, other.touch))

    assert asyncio.run(both()) == [[True], [True]]


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="there is no /proc here to see what is open")
def test_many_watches_one_after_the_other_keep_one_descriptor(directory):
    async def watch():
        with watch_for(directory / "DONE", lambda: None):
            await asyncio.sleep(0)
            return open_watches()

    assert asyncio.run(watch()) == asyncio.run(watch()) == asyncio.run(watch())


def test_directory_that_cannot_be_watched_is_looked_at_as_often_as_the_poll_interval_says(tmp_path):
    done = tmp_path / "not there yet" / "DONE"

    def come():
        done.parent.mkdir()
        done.touch()

    assert asyncio.run(notices(done, come, every=0.01)) == [True]
