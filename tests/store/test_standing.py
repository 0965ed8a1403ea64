"""A database that is taken away or damaged while a run goes on: said within an iteration, never verified."""

import pytest

from ralph.model.errors import StateError
from ralph.store.sqlite import NAME, SqliteStore
from ralph.testing import done, says


def loses(loop, command):
    """A run whose guardrail does this to the database in its first iteration, and which then claims to be done."""
    home = loop.repo.home / ".ralph"
    rail = {"command": f"test -e once || {{ touch once; cd {home} && {command}; }}"}
    return loop(says("one"), done(), done(), args=("-p", "Do it. <response>"), guardrails=[rail])


@pytest.mark.parametrize(
    ("command", "how"),
    [
        ("rm -f ralph.db ralph.db-wal ralph.db-shm", "removed or replaced"),
        ("rm -f ralph.db-wal", "removed or replaced"),
        ("mv ralph.db gone.db; cp gone.db ralph.db", "removed or replaced"),
        ("dd if=/dev/zero of=ralph.db bs=4096 count=9 conv=notrunc 2> /dev/null", "damaged"),
    ],
)
def test_the_run_says_so_within_an_iteration_and_is_never_verified(loop, command, how):
    ended = loses(loop, command)
    assert ended.code == 9, ended.err
    assert len(ended.prompts) <= 2
    assert f"ralph.db was {how} while it was in use, so nothing is recorded" in ended.err
    assert "verified" not in ended.err


def test_a_run_goes_on_when_its_database_is_back(loop):
    ended = loses(loop, "mkdir aside && mv ralph.db* aside")
    assert ended.code == 9, ended.err
    aside = loop.repo.home / ".ralph/aside"
    for file in (loop.repo.home / ".ralph").glob("ralph.db*"):
        file.unlink()
    for file in aside.iterdir():
        file.rename(aside.parent / file.name)
    resumed = loop.ralph("resume")
    assert resumed.code == 0, resumed.err
    assert "verified" in resumed.err


def test_only_writes_that_are_synced_look(tmp_path):
    with SqliteStore(tmp_path) as store:
        store.write(sync=True)
        (tmp_path / NAME).rename(tmp_path / "moved")
        store.write()
        with pytest.raises(StateError, match="was removed or replaced while it was in use"):
            store.write(sync=True)


def test_a_database_that_is_gone_is_not_made_anew_when_it_is_opened_again(tmp_path):
    with SqliteStore(tmp_path) as store:
        store.write(sync=True)
        (tmp_path / NAME).rename(tmp_path / "moved")
        with pytest.raises(StateError, match="was removed while it was in use"):
            store.reopen()
    assert not (tmp_path / NAME).exists()
