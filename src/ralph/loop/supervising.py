"""Actions of the supervise recipe: markers in the task directory, messages on the bus, children in the run tree."""

import os
import stat
import time
from contextlib import suppress
from pathlib import Path

from ralph.kernel.actions.supervise import (
    AwaitGo,
    ChildrenLeft,
    LookForMarkers,
    Markers,
    PostMessage,
    Restart,
    WaitForChildren,
)
from ralph.kernel.actions.waiting import Waited
from ralph.loop.context import Attempt
from ralph.model.errors import Blocked, RalphError
from ralph.model.evidence import Done
from ralph.proc.identity import is_ralph
from ralph.proc.reaper import adopted
from ralph.store.bus import Bus, project_bus, task_bus
from ralph.store.projects import resolved
from ralph.store.runs import get_run, live_children

DONE = "DONE"
WAIT = "WAIT_WITHOUT_RESTART"
WAIT_MESSAGE = "wait_without_restart"
SHOWN = 300


async def look(action: LookForMarkers, attempt: Attempt) -> Markers:
    return _markers(_folder(attempt), _bus(attempt), action.bus_seen, _began(attempt))


async def await_go(action: AwaitGo, attempt: Attempt) -> Done:
    still = _wish_in_file(f"{_folder(attempt)}/{WAIT}")
    if attempt.number == 1 or still:
        waits_for = still or action.waits_for
        first = f"Remove the file {WAIT}, then: " if still else "Continue: "
        raise Blocked(f"it is not restarted: {waits_for}.", f"{first}ralph resume {attempt.run.run_id}")
    return Done()


async def restart(action: Restart, attempt: Attempt) -> Waited:
    began = time.monotonic()
    _say(attempt, action.message_type, action.body)
    if action.seconds > 0:
        await attempt.run.stop.sleep(action.seconds)
    return Waited(time.monotonic() - began)


async def post(action: PostMessage, attempt: Attempt) -> Done:
    if action.to_project:
        _announce(action, attempt)
    else:
        _say(attempt, action.message_type, action.body)
    return Done()


def _announce(action: PostMessage, attempt: Attempt) -> None:
    """Tell the task and its project that the task is completed, each once for the same DONE."""
    loop, folder = attempt.run.loop, Path(_folder(attempt))
    for_all = project_bus(folder, project=loop.project_id, task=loop.task_id)
    named = f"{for_all.project}/{for_all.task}: {action.body}"
    for bus, body in ((_bus(attempt), action.body), (for_all, named)):
        with suppress(RalphError, OSError):
            since = (folder / DONE).stat().st_mtime
            told = bus.read(type=action.message_type)
            if not any(each.body == body and each.ts >= since for each in told):
                bus.post(action.message_type, body, run=attempt.run.run_id)


async def wait_for_children(action: WaitForChildren, attempt: Attempt) -> ChildrenLeft:
    began = time.monotonic()
    while (running := _children(attempt)) and time.monotonic() - began < action.seconds:
        await attempt.run.stop.sleep(min(action.poll_interval, action.seconds))
    return ChildrenLeft(running, time.monotonic() - began)


def _folder(attempt: Attempt) -> str:
    if "folder" not in attempt.run.kept:
        attempt.run.kept["folder"] = str(resolved(attempt.run.project, attempt.run.loop.task_dir))
    return attempt.run.kept["folder"]


def _began(attempt: Attempt) -> float:
    if "began" not in attempt.run.kept:
        run = get_run(attempt.run.store, attempt.run.run_id)
        attempt.run.kept["began"] = run.started_at if run else 0.0
    return attempt.run.kept["began"]


def _bus(attempt: Attempt) -> Bus:
    """The bus, kept from one look to the next: it reads only what is new."""
    loop = attempt.run.loop
    if "bus" not in attempt.run.kept:
        attempt.run.kept["bus"] = task_bus(Path(_folder(attempt)), project=loop.project_id, task=loop.task_id)
    return attempt.run.kept["bus"]


def _children(attempt: Attempt) -> int:
    """The number of runs below this one that are active, or were started just now."""
    starting = sum(map(is_ralph, adopted() or []))
    return max(starting, live_children(attempt.run.store, attempt.run.run_id))


def _say(attempt: Attempt, message_type: str, body: str) -> None:
    # The bus is for others to read. If it cannot be written (the directory is gone), the loop must not stop.
    with suppress(RalphError, OSError):
        _bus(attempt).post(message_type, body, run=attempt.run.run_id)


def _markers(directory: str, bus: Bus, bus_seen: str, began: float) -> Markers:
    """The markers. Paths are text: this runs at each restart, and a Path costs more than the look."""
    mode, problem = _mode(directory)
    if problem or not stat.S_ISDIR(mode):
        return Markers(problem=problem or f"the task directory {directory} is gone")
    done, problem = _mode(f"{directory}/{DONE}")
    if problem or stat.S_ISDIR(done):
        return Markers(problem=problem or "DONE is a directory")
    seen, wish = _wish_on_bus(bus, bus_seen, began)
    return Markers(done=bool(done), waits_for=_wish_in_file(f"{directory}/{WAIT}") or wish, bus_seen=seen)


def _wish_on_bus(bus: Bus, since: str, began: float) -> tuple[str, str]:
    """The last message's id, and what a new message asks to wait for. Messages from before this run do not count."""
    new = [message for message in bus.news() if message.id > since]
    wishes = [message.body.strip() for message in new if message.type == WAIT_MESSAGE and message.ts >= began]
    return (new[-1].id if new else since), (wishes[-1][:SHOWN] if wishes else "")


def _mode(path: str) -> tuple[int, str]:
    """The mode of what is there, 0 if there is nothing; or why that is unknown."""
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
