"""The supervise recipe: any command, restarted until the file DONE says that it is enough.

Exit code 0 does not stop it. It stops on DONE before or after a run, on the restart limit, on a request to wait, or by
a person.
"""

from collections.abc import Generator
from typing import Any, Literal

from msgspec import Struct

from ralph.kernel.actions.agent import WAIT_EXIT_CODE
from ralph.kernel.actions.base import Recipe, Step
from ralph.kernel.actions.supervise import (
    AwaitGo,
    ChildrenLeft,
    LookForMarkers,
    Markers,
    PostMessage,
    Restart,
    WaitForChildren,
)
from ralph.kernel.agent_call import Turn
from ralph.kernel.going_on import Persistence, Rounds
from ralph.model.evidence import AgentReport
from ralph.model.projects import Located
from ralph.model.verdicts import AgentFailed, AnyVerdict, Failed, Verified
from ralph.model.words import count

NAME = "supervise"
QUICK = 1.0
"""A start that takes less than this many seconds did no work."""
CRASH_LOOP = 3
LONGEST_DELAY = 60.0


class SuperviseRun(Struct, frozen=True, omit_defaults=True):
    task_dir: Located
    command: tuple[str, ...] = ()
    title: str = ""
    """The command or the first words of the prompt, without secrets."""
    prompt: str = ""
    file: Located | None = None
    """The prompt file of an agent that runs instead of a command, read at each start. Without it `prompt` counts."""
    project_id: str = ""
    task_id: str = ""
    max_restarts: int = 100
    wait_timeout: float = 300.0
    poll_interval: float = 1.0
    restart_delay: float = 1.0
    timeout: float | None = None
    done_grace: float = 300.0
    backoff: Literal["fixed", "exponential"] = "fixed"


def supervise(run: SuperviseRun) -> Recipe:
    persistence = Persistence()
    rounds = Rounds(run.max_restarts, persistence, unit="start")
    turn, quick, last = Turn(persistence), 0, ""
    seen = Markers()
    is_time_to_look, is_announced = True, False
    while True:
        if is_time_to_look:
            # Look before the first start, and whenever there was time to leave a marker since the last look.
            seen, verdict = yield from _look(run, rounds.now, seen, persistence)
            if verdict:
                return verdict
        if rounds.are_over:
            yield PostMessage(rounds.now, run.task_dir, "ERROR", f"max restarts exceeded ({rounds.limit})")
        if over := (yield from rounds.begin(last)):
            return over

        said = yield from _start(run, rounds, turn, is_announced=is_announced)
        if isinstance(said, AgentFailed):
            return said
        # A command that only polls also exits quickly, with code 0.
        quick = quick + 1 if said.duration < QUICK and not said.ok else 0
        last = said.reason

        seen = yield LookForMarkers(rounds.now, run.task_dir, seen.bus_seen)
        if verdict := (yield from _end(run, rounds.now, seen, "after", persistence)):
            return verdict
        is_time_to_look, is_announced = True, False
        if waits_for := _wish_to_wait(said, seen):
            yield AwaitGo(rounds.now, run.task_dir, waits_for)
        elif not seen.problem and not rounds.are_over:
            restart = _restart(run, rounds, quick, said)
            yield restart
            is_time_to_look, is_announced = restart.seconds > 0, True


def _look(
    run: SuperviseRun, restarts: int, seen: Markers, persistence: Persistence
) -> Generator[Step, Any, tuple[Markers, AnyVerdict | None]]:
    """The markers before a start; the verdict, if they say that this is the end."""
    while True:
        when = f"before-{persistence.again}" if persistence.again else "before"
        seen = yield LookForMarkers(restarts, run.task_dir, seen.bus_seen, when)
        verdict = yield from _end(run, restarts, seen, when, persistence)
        if verdict or not seen.problem:
            break
    if not verdict and seen.waits_for:
        yield AwaitGo(restarts, run.task_dir, seen.waits_for, when)
    return seen, verdict


def _start(
    run: SuperviseRun, rounds: Rounds, turn: Turn, *, is_announced: bool
) -> Generator[Step, Any, AgentReport | AgentFailed]:
    """Start the command. The bus reports every start: here, or when the restart was announced."""
    number = rounds.now
    if not is_announced:
        body = f"starting, attempt {number} of {rounds.limit}"
        yield PostMessage(number, run.task_dir, "INFO", body, when="start")
    done_file = Located(f"{run.task_dir.path}/DONE", run.task_dir.host)
    return (yield from turn.start(run.prompt, number, done_file, run.file))


def _end(
    run: SuperviseRun, restarts: int, seen: Markers, when: str, persistence: Persistence
) -> Generator[Step, Any, AnyVerdict | None]:
    """The verdict, if the task directory says that this is the end."""
    if seen.problem:
        yield PostMessage(restarts, run.task_dir, "ERROR", seen.problem, when=when)
        failed = Failed(seen.problem)
        return None if (yield from persistence.give_up(restarts, failed)) else failed
    if not seen.done:
        return None
    left: ChildrenLeft = yield WaitForChildren(restarts, run.wait_timeout, run.poll_interval, when)
    state = "no active children"
    if left.running:
        state = f"{count(left.running, 'child run')} still active"
        warning = f"{state} after {run.wait_timeout:g} s: completing anyway"
        yield PostMessage(restarts, run.task_dir, "WARNING", warning)
    fact = f"task completed (DONE marker present, {state})"
    yield PostMessage(restarts, run.task_dir, "FACT", fact, to_project=True)
    # Only the command says so: this is not a proof.
    return Verified(restarts, what="DONE is there", unit="start")


def _wish_to_wait(said: AgentReport, seen: Markers) -> str:
    if seen.waits_for:
        return seen.waits_for
    return f"it exited with code {WAIT_EXIT_CODE}" if said.exit_code == WAIT_EXIT_CODE else ""


def _restart(run: SuperviseRun, rounds: Rounds, quick: int, said: AgentReport) -> Restart:
    restarts = rounds.now
    what = "restarting" if said.ok else f"agent failed on restart #{restarts - 1}: {said.reason}; restarting"
    delay = run.restart_delay
    if run.backoff == "exponential":
        delay = min(delay * 2 ** (restarts - 1), max(LONGEST_DELAY, run.restart_delay))
    if quick >= CRASH_LOOP:
        what += f" (crash loop: {quick} starts in a row lasted less than a second)"
        delay = max(delay, min(2.0 ** (quick - CRASH_LOOP), LONGEST_DELAY))
    type_ = "INFO" if said.ok and quick < CRASH_LOOP else "WARNING"
    body = f"{what}, attempt {restarts + 1} of {rounds.limit}, in {delay:g} s"
    return Restart(restarts, run.task_dir, type_, body, seconds=delay)
