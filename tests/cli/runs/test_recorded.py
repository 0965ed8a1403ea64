"""The last line of a run and its exit code say what the database holds, even if it is lost while the run ends."""

import json
import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from ralph.app.runs.prompt_run import plan_run
from ralph.app.runs.starting import store_run
from ralph.cli.display.screen import Screen
from ralph.cli.display.terminal import Terminal
from ralph.cli.runs.driving import driven, end
from ralph.model.errors import StateError
from ralph.model.verdicts import from_error
from ralph.store.sqlite import NAME, SqliteStore
from ralph.testing import ScriptedAgent, done, run_ralph, temp_repo


class Ending:
    """A run whose agent is done, driven up to its close; the last line is not said yet."""

    def __init__(self, tmp_path, screen, **settings):
        self._said = screen
        self.repo = temp_repo(tmp_path)
        self.home = self.repo.home / ".ralph"
        agent = ScriptedAgent(done(), directory=tmp_path / "bin")
        flags = {"agent": {"command": agent.command}, **settings}
        self.plan = plan_run(self.repo.path, prompt="Do it. <response>", prompt_file=None, flags=flags)[0]
        self.store = SqliteStore(self.home)
        self.run_id = store_run(self.store, self.repo.path, self.plan)
        self.screen = Screen(Terminal(), stream=False)
        # A backup as of before the run: SQLite makes it, so it has everything that was written.
        # Both are closed: an open connection would let the next command wait for it.
        source, target = self.home / NAME, self.home / "backup.db"
        with closing(sqlite3.connect(source)) as db, closing(sqlite3.connect(target)) as copy:
            db.backup(copy)

    def drive(self):
        self.done = driven(self.store, self.run_id, self.plan, self.screen)
        assert self.done.verdict.kind == "verified"

    def end(self):
        """The exit code, the last lines, and what the next command says about the run."""
        with self.store:
            code = end(self.store, self.run_id, self.plan, self.screen, self.done)
        listed = run_ralph(self.repo, "runs", "--all", "--json")
        runs = json.loads(listed.stdout) if listed.returncode == 0 else []
        return (
            code,
            self._said.readouterr().err,
            [(run["status"], run["verdict"]) for run in runs if run["id"] == self.run_id],
        )


@pytest.fixture
def ending(tmp_path, monkeypatch, capfd):
    def make(**settings):
        made = Ending(tmp_path, capfd, **settings)
        for name, value in made.repo.env.items():
            monkeypatch.setenv(name, value)
        return made

    return make


def remove(home):
    for file in home.glob(f"{NAME}*"):
        file.unlink()


def remove_log(home):
    (home / f"{NAME}-wal").unlink()


def replace_all(home):
    remove(home)
    shutil.copy(home / "backup.db", home / NAME)


def replace_database(home):
    (home / "backup.db").rename(home / NAME)


def move_and_copy(home):
    (home / NAME).rename(home / "gone.db")
    shutil.copy(home / "gone.db", home / NAME)


def overwrite_with_backup(home):
    (home / NAME).write_bytes((home / "backup.db").read_bytes())


def overwrite_with_zeros(home):
    with (home / NAME).open("r+b") as file:
        file.write(bytes(9 * 4096))


def truncate(home):
    os.truncate(home / NAME, 0)


LOSSES = (
    remove,
    remove_log,
    replace_all,
    replace_database,
    move_and_copy,
    overwrite_with_backup,
    overwrite_with_zeros,
    truncate,
)


@pytest.mark.parametrize("lose", LOSSES)
def test_the_last_line_says_what_the_next_command_finds(ending, lose):
    run = ending()
    run.drive()
    lose(run.home)
    code, said, listed = run.end()
    if listed == [("ended", "verified")]:
        assert (code, "verified: done" in said) == (0, True), said
    else:
        assert code == 9, said
        assert "✗ failed: " in said
        assert "verified" not in said


def test_an_untouched_database_says_verified(ending):
    run = ending()
    run.drive()
    code, said, listed = run.end()
    assert (code, listed) == (0, [("ended", "verified")])
    assert "✓ verified: done by the agent's word" in said


@pytest.mark.parametrize("lose", [remove, replace_all])
def test_a_lost_record_is_named_with_what_to_do(ending, lose):
    run = ending()
    run.drive()
    lose(run.home)
    code, said, listed = run.end()
    assert (code, listed in ([], [("queued", None)])) == (9, True)
    assert "Restore it, then: ralph resume" in said


def test_an_end_that_was_written_after_all_is_told(ending):
    """The files looked lost when the end was written, so the driver reports an error; the record is there."""
    run = ending()
    run.drive()
    lost = StateError("the database was taken away while it was in use.")
    run.done = run.done._replace(verdict=from_error(lost), error=lost)
    code, said, listed = run.end()
    assert (code, listed) == (0, [("ended", "verified")])
    assert "✓ verified" in said


def test_the_end_hook_learns_that_the_record_is_lost(ending):
    run = ending(onEnd='echo "$RALPH_END_VERDICT" > told; cat > shown')
    run.drive()
    remove(run.home)
    assert run.end()[0] == 9
    assert (run.repo.path / "told").read_text() == "failed\n"
    assert (run.repo.path / "shown").read_bytes() == b""
