"""One turn of the agent, the same for every recipe: with the feedback that fits, and with what a failure means."""

from collections.abc import Callable, Generator
from typing import Any

from msgspec.structs import replace

from ralph.kernel.actions.agent import Prompt, ReadPrompt, RunAgent, Said
from ralph.kernel.actions.base import Step
from ralph.kernel.actions.waiting import BackOff
from ralph.kernel.feedback import NONE, Base, Feedback, compose, guidance_note, shortened
from ralph.kernel.going_on import Persistence
from ralph.kernel.problems import SAME_DENIALS, SILENT_FAILURES, denied_for_good, hopeless, is_too_long
from ralph.model.evidence import AgentReport
from ralph.model.places import PROJECT, Place
from ralph.model.projects import Located
from ralph.model.verdicts import AgentFailed

QUICK = 1.0
"""A call that fails within this many seconds did no work."""
LONGEST_PAUSE = 30.0
After = Callable[[int], Generator[Step, Any, None]]
"""What is done after each call, whatever its result. The number distinguishes repeated calls of an iteration."""


class Turn:
    """The agent's calls of one run. They remember how many calls in a row failed without output."""

    def __init__(self, persistence: Persistence, place: Place = PROJECT) -> None:
        self._persistence = persistence
        self._place = place
        self._heard: int = 0
        self._silent = 0
        self._quick = 0
        """How many calls in a row failed almost at once."""
        self._pauses = 0
        self._denied: list[AgentReport] = []
        """The last reports in a row that name the same denied permission."""
        self.file_text = ""
        """The text of the prompt file when it was last read."""
        self._prompt = ""
        self._guided: Feedback = NONE
        """What people said for the current iteration."""

    def work(
        self,
        base: Base,
        feedback: Feedback,
        *,
        iteration: int,
        limit: int,
        count: bool = False,
        empty: int = 0,
        prepared: bool = False,
        file: Located | None = None,
        after: After | None = None,
    ) -> Generator[Step, Any, AgentReport | AgentFailed]:
        """The agent's report; or the verdict, if a retry cannot fix the problem and nobody says to continue.

        The text of a `file` counts instead of `base`.
        """
        yield from self._back_off(iteration)
        if not empty:
            yield from self._read(iteration, file)
        base = self.file_text if file else base
        feedback += self._guided
        call = RunAgent(iteration, "", empty=empty, prepared=prepared, place=self._place)
        again = 0
        while True:
            said = yield from self._call(replace(call, again=again), base, feedback, limit=limit, count=count)
            if after:
                yield from after(again)
            is_quick = not said.ok and not said.interrupted and said.duration < QUICK
            self._quick = self._quick + 1 if is_quick else 0
            verdict = self._end(said)
            if verdict is None:
                self._note_denial(said)
                return said
            if (yield from self._persistence.give_up(iteration, verdict)) is None:
                return verdict
            again = self._persistence.again

    def end_of_denials(self, iteration: int) -> Generator[Step, Any, AgentFailed | None]:
        """The verdict, if the same permission was denied several times in a row and the work is still not done."""
        if len(self._denied) < SAME_DENIALS:
            return None
        verdict = denied_for_good(self._denied[-1])
        self._denied = []
        return verdict if (yield from self._persistence.give_up(iteration, verdict)) is None else None

    def start(
        self, prompt: str, iteration: int, done_file: Located, file: Located | None = None
    ) -> Generator[Step, Any, AgentReport | AgentFailed]:
        """The report of a command or agent that is restarted however it ends, unless its account or model is
        refused.
        """
        if prompt or file:
            yield from self._read(iteration, file)
            prompt = compose(self.file_text if file else prompt, self._guided, iteration=iteration, limit=iteration)
        again = 0
        while True:
            said: AgentReport = yield RunAgent(iteration, prompt, again=again, done_file=done_file)
            verdict = hopeless(said)
            if verdict is None:
                return said
            if (yield from self._persistence.give_up(iteration, verdict)) is None:
                return verdict
            again = self._persistence.again

    def said(self, report: AgentReport) -> Said:
        """The agent's final message, with the prompt that it may repeat."""
        return Said(report.final, self._prompt)

    def _back_off(self, iteration: int) -> Generator[Step, Any, None]:
        """Wait, so that a program that cannot even start is not started as often as the machine can."""
        if self._quick:
            self._pauses += 1
            seconds = min(2.0 ** (self._quick - 1), LONGEST_PAUSE)
            yield BackOff(iteration, seconds, None, "the agent failed in less than a second", self._pauses)

    def _note_denial(self, report: AgentReport) -> None:
        if not self._denied or self._denied[-1].denial != report.denial:
            self._denied = []
        self._denied += [report] if report.denial else []

    def _read(self, iteration: int, file: Located | None) -> Generator[Step, Any, None]:
        """Read what the prompt is made of. What people said since the last one is in this prompt, and not in a later
        one.
        """
        read: Prompt = yield ReadPrompt(iteration, file, self._heard)
        self._heard = read.seen
        self.file_text = read.text
        self._guided = tuple(guidance_note(text) for text in read.guidance)

    def _call(
        self, call: RunAgent, base: Base, feedback: Feedback, *, limit: int, count: bool
    ) -> Generator[Step, Any, AgentReport]:
        """The report of the call. If the prompt is too long for the model, the oldest feedback is dropped, and the call
        is made once more.
        """
        self._prompt = compose(base, feedback, iteration=call.iteration, limit=limit, count=count)
        said: AgentReport = yield replace(call, prompt=self._prompt)
        if feedback and is_too_long(said):
            self._prompt = compose(base, shortened(feedback), iteration=call.iteration, limit=limit, count=count)
            said = yield replace(call, prompt=self._prompt, shortened=True)
        return said

    def _end(self, report: AgentReport) -> AgentFailed | None:
        if verdict := hopeless(report):
            return verdict
        self._silent = self._silent + 1 if not report.ok and report.silent else 0
        if self._silent < SILENT_FAILURES:
            return None
        times, self._silent = self._silent, 0
        return AgentFailed(f"the agent failed {times} times in a row without standard output: {report.reason}")
