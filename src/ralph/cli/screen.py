"""A run as it happens: agent output on standard output, ralph's own lines on standard error."""

import time
from collections.abc import Callable, Sequence

import msgspec

from ralph.app.plan import Plan, plan_again
from ralph.app.watch import Watcher
from ralph.cli import words
from ralph.cli.events import EventLines, Style
from ralph.cli.task_lines import busy_words, ended_lines
from ralph.cli.terminal import Terminal
from ralph.config.schema import Settings
from ralph.kernel.actions import (
    PostMessage,
    ReadCommitMessage,
    ReadResponse,
    Restart,
    RunAgent,
    RunCommand,
    RunScmTask,
    StageChanges,
    Staged,
    Wait,
)
from ralph.kernel.recipes.prompt import Guardrail
from ralph.kernel.slugs import unique_slugs
from ralph.model.events import AnyEvent
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.runs import Run
from ralph.model.verdicts import AnyVerdict
from ralph.store.journal import Begun, Ended, Record

PROMPT_SHOWN = 200


class Screen(Watcher):
    def __init__(
        self, terminal: Terminal, *, stream: bool, verbose: bool = False, style: Style | None = None, part: str = ""
    ) -> None:
        self.on_event: Callable[[AnyEvent], None] | None = self._show_event if stream and not terminal.quiet else None
        self._terminal = terminal
        self._stream = stream
        self._part = part
        """Its name, if this is a part of the run that a person started."""
        self._verbose = verbose
        self._limit = 0
        self._unit = "iteration"
        self._places: dict[str, str] = {}
        self._style = style
        self._events = EventLines(style)
        self._began = time.monotonic()
        self._replayed = 0
        self._fruit = ""

    def started(self, run: Run, *, resumed: bool) -> None:
        plan = plan_again(run)
        self._fruit = plan.kind.fruit(plan.loop)
        self._limit, self._unit = plan.kind.limit(plan.loop) or 0, plan.kind.unit
        guardrails: Sequence[Guardrail] = getattr(plan.loop, "guardrails", ())
        slugs = unique_slugs(guardrail.command for guardrail in guardrails)
        self._places = {slug: each.place for slug, each in zip(slugs, guardrails, strict=True)}
        limit = [f"up to {self._limit} {self._unit}s"] if self._limit else []
        facts = [*_who(plan), *(["resumed"] if resumed else limit)]
        head = f"▸ {run.recipe} {self._part} · {run.id}" if self._part else f"ralph run {run.id}"
        self._terminal.say(" · ".join([head, *facts]), "head")

    def record(self, record: Record) -> None:
        if self._terminal.quiet and not self._verbose:
            return
        if isinstance(record, Begun):
            self._begun(record)
        elif record.replayed:
            self._replayed += 1
        else:
            self._terminal.idle()
            self._ended(record)

    def signalled(self) -> None:
        self._terminal.insist("Received signal, shutting down...")

    def ended(self, run: Run, verdict: AnyVerdict) -> None:
        self._terminal.idle()
        facts = [words.duration(time.monotonic() - self._began), *words.spent(run.cost_usd, run.tokens.total)]
        good = verdict.kind == "verified"
        line = f"{verdict.kind}: {verdict.reason} · {' · '.join(facts)}"
        if self._part:
            self._terminal.say(f"{'✓' if good else '✗'} {run.recipe} {self._part} {line}", "good" if good else "bad")
            return
        if good:
            self._terminal.say(f"✓ {line}", "good")
            if self._fruit:
                self._terminal.say(f"  {self._fruit}")
        else:
            self._terminal.insist(f"✗ {line}")
        self._terminal.say(f"  Look closer: ralph show {run.id}", "quiet")
        self._terminal.drain()

    def below(self, name: str) -> "Screen":
        return Screen(self._terminal, stream=self._stream, verbose=self._verbose, style=self._style, part=name)

    def debug(self, line: str) -> None:
        if self._verbose:
            self._terminal.insist(f"[ralph] {line}")

    def _begun(self, record: Begun) -> None:
        if self._replayed:
            self._terminal.say(f"  {self._replayed} finished steps taken from the journal", "quiet")
            self._replayed = 0
        match record.action:
            case RunAgent(iteration=i, purpose="work", prompt=prompt):
                self._events = EventLines(self._style)
                again = f" (attempt {record.attempt})" if record.attempt > 1 else ""
                self._terminal.say(f"── {self._unit} {i}/{self._limit}{again} ──", "head")
                self.debug(f"Iteration {i}/{self._limit} starting")
                self.debug(f"Prompt: {prompt[:PROMPT_SHOWN]}")
                self._terminal.busy(f"{self._unit} {i}/{self._limit}: the agent works")
            case Wait(seconds=seconds, until=until, reason=reason):
                until = until or time.time() + seconds
                when = time.strftime("%H:%M:%S", time.localtime(until))
                self._terminal.say(f"  ⏳ {reason}: waiting until {when}, not counted as an iteration", "warn")
                self._terminal.count_down("waiting for the quota", until)
            case RunAgent():
                self._terminal.busy("asking for a commit message")
            case RunCommand(command=command):
                self.debug(f"Running guardrail: {command}")
                self._terminal.busy(f"guardrail {command}", announce=True)
            case RunScmTask(command=command, task=task):
                self._terminal.busy(f"{command} {task}")
            case Restart(message_type=type_, body=body) | PostMessage(message_type=type_, body=body):
                self._terminal.say(f"  · {body}", "quiet" if type_ in ("INFO", "FACT") else "warn")
            case _:
                if doing := busy_words(record.action):
                    self._terminal.busy(doing)

    def _ended(self, record: Ended) -> None:
        match record.action:
            case RunAgent(purpose="work"):
                self._agent_ended(record.result)
            case RunCommand():
                self._guardrail_ended(record.action, record.result)
            case RunAgent():
                self.debug(f"Commit message asked for: {record.result.reason} ({record.result.duration:.1f}s)")
                if not record.result.ok:
                    self._mark(good=False, line=f"no commit message: {record.result.reason}")
            case ReadCommitMessage() if record.result.problem:
                self._mark(good=False, line=f"no commit message: {record.result.problem}")
            case ReadResponse(expected=expected):
                self.debug(f"Completion: wanted {expected}; {record.result.reason}")
                self._mark(record.result.passed, record.result.reason)
            case StageChanges():
                self._staged(record.result)
            case RunScmTask(command=command, task=task):
                self.debug(f"Ran {command} {task} ({record.result.duration:.1f}s)")
                self._mark(record.result.passed, f"{record.result.check}: {record.result.reason}")
            case _:
                for line, style in ended_lines(record.action, record.result):
                    self._terminal.say(f"  {line}", style)

    def _agent_ended(self, report: AgentReport) -> None:
        facts = [words.duration(report.duration), *words.spent(report.cost_usd, report.tokens.total)]
        word = "the agent is through" if report.ok else f"the agent failed: {report.reason}"
        self._mark(report.ok, f"{word} · {' · '.join(facts)}")
        self.debug(f"Agent {report.reason} ({report.duration:.1f}s)")

    def _guardrail_ended(self, action: RunCommand, seen: Evidence) -> None:
        self.debug(f"Guardrail exited with code {seen.exit_code} ({seen.duration:.1f}s)")
        line = f"guardrail {action.command}: {seen.reason} ({words.duration(seen.duration)})"
        self._mark(seen.passed, line if seen.passed else f"{line} → {self._places[action.slug]}")
        if not seen.passed:
            self._terminal.say(f"    see {seen.log}", "quiet")

    def _staged(self, staged: Staged) -> None:
        if staged.problem:
            self._mark(good=False, line=staged.problem)
        elif not staged.pending:
            self._terminal.say("  · nothing to commit", "quiet")

    def _mark(self, good: bool, line: str) -> None:
        self._terminal.say(f"  {'✓' if good else '✗'} {line}", "good" if good else "bad")

    def _show_event(self, event: AnyEvent) -> None:
        if lines := self._events.lines(event):
            self._terminal.out([(f"  {line}", style) for line, style in lines])


def _who(plan: Plan) -> list[str]:
    """The agent as the settings call it; without one what the run works on."""
    label = plan.kind.label(plan.loop)
    if plan.agent is None or plan.recipe == "supervise":
        return [label] if label else []
    return [plan.settings.agent.command or plan.settings.defaults.executor or plan.agent.command[0]]


def make_screen(settings: Settings, *, verbose: bool = False, quiet: bool = False) -> Screen:
    """A screen as the settings want it."""
    display = settings.display
    style = msgspec.convert(display, Style, from_attributes=True)
    terminal = Terminal(quiet=quiet, color=display.color)
    return Screen(terminal, stream=settings.stream_agent_output, verbose=verbose, style=style)
