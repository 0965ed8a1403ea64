"""The screen of a run: what it cannot show is no reason to stop the run."""

import asyncio

from ralph.app.runs.prompt_run import plan_run
from ralph.app.runs.starting import store_run
from ralph.cli.display.screen import Screen
from ralph.cli.display.terminal import Terminal
from ralph.loop.run import drive_run
from ralph.loop.stop import Stop
from ralph.loop.streams import Streams
from ralph.store.sqlite import SqliteStore
from ralph.testing import ScriptedAgent, done, temp_repo


class BrokenScreen(Screen):
    def _show(self, row):
        raise KeyError(row.name.kind)


def test_a_mistake_of_the_screen_does_not_stop_the_run(tmp_path, monkeypatch, capfd):
    repo = temp_repo(tmp_path)
    monkeypatch.setenv("RALPH_HOME", str(repo.home / ".ralph"))
    agent = ScriptedAgent(done(), directory=tmp_path / "bin")
    flags = {"agent": {"command": agent.command}}
    plan = plan_run(repo.path, prompt="Do it.", prompt_file=None, flags=flags)[0]

    async def drive(store, run):
        streams, terminal = Streams(), Terminal(quiet=False)
        async with BrokenScreen(terminal, stream=True).following(store, run, streams):
            driven = await drive_run(store, run, Stop(), streams, plan=plan, is_locked=True)
        terminal.drain()
        return driven

    with SqliteStore(repo.home / ".ralph") as store:
        driven = asyncio.run(drive(store, store_run(store, repo.path, plan)))
    assert driven.verdict.kind == "verified"
    assert "this screen failed (KeyError(" in capfd.readouterr().err
