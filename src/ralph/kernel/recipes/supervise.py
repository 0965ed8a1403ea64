"""The supervise recipe: any command, restarted until the file DONE says that it is enough.

Exit code 0 does not stop it. What stops it: DONE before or after a run, the restart limit, a wish to wait, a person.
"""

from collections.abc import Generator
from typing import Any, Literal

from msgspec import Struct

from ralph.kernel.actions import (
    AnyAction,
    AwaitGo,
    ChildrenLeft,
    LookForMarkers,
    Markers,
    PostMessage,
    ReadPrompt,
    Recipe,
    Restart,
    RunAgent,
    WaitForChildren,
)
from ralph.kernel.problems import hopeless
from ralph.model.evidence import AgentReport
from ralph.model.verdicts import AnyVerdict, Failed, MaxIterations, Verified, count

NAME = "supervise"
VERSION = 2
WAIT_EXIT_CODE = 42
QUICK = 1.0
"""A start that lasts less than this, in seconds, did no work."""
CRASH_LOOP = 3
LONGEST_DELAY = 60.0


class SuperviseRun(Struct, frozen=True, omit_defaults=True):
    task_dir: str
    command: tuple[str, ...] = ()
    prompt: str = ""
    file: str | None = None
    """With an agent instead of a command: its prompt, or the file that is read again at each start."""
    project_id: str = ""
    task_id: str = ""
    max_restarts: int = 100
    wait_timeout: float = 300.0
    poll_interval: float = 1.0
    restart_delay: float = 1.0
    timeout: float | None = None
    done_grace: float = 30.0
    backoff: Literal["fixed", "exponential"] = "fixed"


def supervise(run: SuperviseRun) -> Recipe:
    restarts, quick, last = 0, 0, ""
    seen = Markers()
    is_time_to_look = True
    while True:
        if is_time_to_look:
            # Before the first start, and whenever somebody had time to leave a marker since the last look.
            seen = yield LookForMarkers(restarts, run.task_dir, seen.bus_seen)
            if verdict := (yield from _end(run, restarts, seen)):
                return verdict
            if seen.waits_for:
                yield AwaitGo(restarts, run.task_dir, seen.waits_for)
        if restarts >= run.max_restarts:
            yield PostMessage(restarts, run.task_dir, "ERROR", f"max restarts exceeded ({run.max_restarts})")
            return MaxIterations(run.max_restarts, last, unit="restart")

        prompt: str = run.prompt if run.file is None else (yield ReadPrompt(restarts + 1, run.file))
        said: AgentReport = yield RunAgent(restarts + 1, prompt, done_file=f"{run.task_dir}/DONE")
        restarts += 1
        quick = quick + 1 if said.duration < QUICK else 0
        last = said.reason
        if given_up := hopeless(said):
            return given_up

        seen = yield LookForMarkers(restarts, run.task_dir, seen.bus_seen)
        if verdict := (yield from _end(run, restarts, seen)):
            return verdict
        if waits_for := _wish_to_wait(said, seen):
            yield AwaitGo(restarts, run.task_dir, waits_for)
            is_time_to_look = True
        else:
            restart = _restart(run, restarts, quick, said)
            yield restart
            is_time_to_look = restart.seconds > 0


def _end(run: SuperviseRun, restarts: int, seen: Markers) -> Generator[AnyAction, Any, AnyVerdict | None]:
    """The verdict if the task directory says that this is the end."""
    if seen.problem:
        yield PostMessage(restarts, run.task_dir, "ERROR", seen.problem)
        return Failed(seen.problem)
    if not seen.done:
        return None
    left: ChildrenLeft = yield WaitForChildren(restarts, run.wait_timeout, run.poll_interval)
    state = "no active children"
    if left.running:
        state = f"{count(left.running, 'child run')} still active"
        warning = f"{state} after {run.wait_timeout:g} s: completing all the same"
        yield PostMessage(restarts, run.task_dir, "WARNING", warning)
    fact = f"task completed (DONE marker present, {state})"
    yield PostMessage(restarts, run.task_dir, "FACT", fact, to_project=True)
    # Nobody but the command says so: this is no proof.
    return Verified(restarts, "DONE is there", unit="start")


def _wish_to_wait(said: AgentReport, seen: Markers) -> str:
    if seen.waits_for:
        return seen.waits_for
    return f"it exited with code {WAIT_EXIT_CODE}" if said.exit_code == WAIT_EXIT_CODE else ""


def _restart(run: SuperviseRun, restarts: int, quick: int, said: AgentReport) -> Restart:
    what = "restarting" if said.ok else f"agent failed on restart #{restarts - 1}: {said.reason}; restarting"
    delay = run.restart_delay
    if run.backoff == "exponential":
        delay = min(delay * 2 ** (restarts - 1), max(LONGEST_DELAY, run.restart_delay))
    if quick >= CRASH_LOOP:
        what += f" (crash loop: {quick} starts in a row lasted less than a second)"
        delay = max(delay, min(2.0 ** (quick - CRASH_LOOP), LONGEST_DELAY))
    type_ = "INFO" if said.ok and quick < CRASH_LOOP else "WARNING"
    body = f"{what}, attempt {restarts + 1} of {run.max_restarts}, in {delay:g} s"
    return Restart(restarts, run.task_dir, type_, body, seconds=delay)
