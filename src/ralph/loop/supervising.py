"""The actions of the supervise recipe: markers in the task directory, messages on the bus, children in the run tree."""

import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from ralph.kernel.actions import (
    AwaitGo,
    ChildrenLeft,
    LookForMarkers,
    Markers,
    PostMessage,
    Restart,
    Waited,
    WaitForChildren,
)
from ralph.kernel.recipes.supervise import SuperviseRun
from ralph.loop.stop import Stop
from ralph.model.errors import Blocked, RalphError
from ralph.model.runs import Run
from ralph.proc.identity import is_ralph
from ralph.proc.reaper import adopted
from ralph.store.bus import Bus, project_bus, task_bus
from ralph.store.bus_mirror import Mirror
from ralph.store.journal import Journal
from ralph.store.runs import live_children

DONE = "DONE"
WAIT = "WAIT_WITHOUT_RESTART"
WAIT_MESSAGE = "wait_without_restart"
SHOWN = 300


class Supervising:
    def __init__(self, run: Run, loop: SuperviseRun, connection: Connection, journal: Journal, stop: Stop) -> None:
        self._run = run
        self._loop = loop
        self._connection = connection
        self._stop = stop
        self._mirror = Mirror(connection, journal)
        self._bus = task_bus(Path(loop.task_dir), mirror=self._mirror)
        self.table: dict[type[Any], Callable[..., Any]] = {
            LookForMarkers: self._look,
            AwaitGo: self._await_go,
            Restart: self._restart,
            PostMessage: self._post,
            WaitForChildren: self._wait_for_children,
        }

    async def _look(self, action: LookForMarkers, _seq: int, _attempt: int) -> Markers:
        return _markers(action.task_dir, self._bus, action.bus_seen)

    async def _await_go(self, action: AwaitGo, _seq: int, attempt: int) -> None:
        still = _wish_in_file(f"{action.task_dir}/{WAIT}")
        if attempt == 1 or still:
            waits_for = still or action.waits_for
            raise Blocked(f"it waits, and is not restarted: {waits_for}.", f"Then: ralph resume {self._run.id}")

    async def _restart(self, action: Restart, _seq: int, _attempt: int) -> Waited:
        began = time.monotonic()
        self._say(action.message_type, action.body)
        if action.seconds > 0:
            await self._stop.sleep(action.seconds)
        return Waited(time.monotonic() - began)

    async def _post(self, action: PostMessage, _seq: int, _attempt: int) -> None:
        self._say(action.message_type, action.body)
        if action.to_project:
            name = "/".join(part for part in (self._loop.project_id, self._loop.task_id) if part)
            body = f"{name}: {action.body}" if name else action.body
            with suppress(RalphError, OSError):
                bus = project_bus(Path(action.task_dir), mirror=self._mirror)
                bus.post(action.message_type, body, run=self._run.id)

    async def _wait_for_children(self, action: WaitForChildren, _seq: int, _attempt: int) -> ChildrenLeft:
        began = time.monotonic()
        while (running := self._children()) and time.monotonic() - began < action.seconds:
            await self._stop.sleep(min(action.poll_interval, action.seconds))
        return ChildrenLeft(running, time.monotonic() - began)

    def _children(self) -> int:
        """Runs below this one that are under way, and such that have only just been started."""
        starting = sum(map(is_ralph, adopted() or []))
        return max(starting, live_children(self._connection, self._run.id))

    def _say(self, message_type: str, body: str) -> None:
        # The bus is for others to read. That it cannot be written (the directory is gone) must not stop the loop.
        with suppress(RalphError, OSError):
            self._bus.post(message_type, body, run=self._run.id)


def _markers(directory: str, bus: Bus, bus_seen: str) -> Markers:
    """Names as text: this is done at each restart, and a Path costs more than to look."""
    mode, problem = _mode(directory)
    if problem or not stat.S_ISDIR(mode):
        return Markers(problem=problem or f"the task directory {directory} is gone")
    done, problem = _mode(f"{directory}/{DONE}")
    if problem or stat.S_ISDIR(done):
        return Markers(problem=problem or "DONE is a directory")
    seen, wish = _wish_on_bus(bus, bus_seen)
    return Markers(done=bool(done), waits_for=_wish_in_file(f"{directory}/{WAIT}") or wish, bus_seen=seen)


def _wish_on_bus(bus: Bus, since: str) -> tuple[str, str]:
    """The last message's id, and what a new message asks to wait for."""
    new = [message for message in bus.news() if message.id > since]
    wishes = [message.body.strip() for message in new if message.type == WAIT_MESSAGE]
    return (new[-1].id if new else since), (wishes[-1][:SHOWN] if wishes else "")


def _mode(path: str) -> tuple[int, str]:
    """What is there, 0 if nothing is; or why that cannot be known."""
    try:
        return os.stat(path).st_mode, ""  # noqa: PTH116 - see above
    except (FileNotFoundError, NotADirectoryError):
        return 0, ""
    except OSError as error:
        return 0, f"{path} cannot be looked at: {error.strerror}"


def _wish_in_file(path: str) -> str:
    if not os.path.exists(path):  # noqa: PTH110 - see above
        return ""
    try:
        with Path(path).open("rb") as file:
            said = " ".join(file.read(4 * SHOWN).decode(errors="replace").split())[:SHOWN]
    except OSError:
        said = ""
    return said or f"the file {WAIT} is there"
