"""A run as text: one line for each thing that was done or seen."""

from collections.abc import Iterator
from pathlib import Path

from ralph.app.inspect import Attempt, Step, action_name, attempt_dir, loop_label, unit
from ralph.cli import words
from ralph.cli.task_lines import ended_lines
from ralph.kernel.actions import (
    ReadCommitMessage,
    ReadPrompt,
    ReadResponse,
    RunAgent,
    RunChild,
    RunCommand,
    RunScmTask,
    StageChanges,
    Wait,
)
from ralph.model.evidence import AgentReport
from ralph.model.runs import Run


def run_text(run: Run, attempts: list[Attempt], parts: list[tuple[Run, list[Attempt]]]) -> Iterator[str]:
    """The run, then the runs that are parts of it."""
    yield from _one_text(run, attempts)
    for part, made in parts:
        yield ""
        yield from _one_text(part, made)
    if run.status == "interrupted":
        yield ""
        yield f"Continue it: ralph resume {run.id}"


def _one_text(run: Run, attempts: list[Attempt]) -> Iterator[str]:
    state = f"{run.verdict}: {run.reason}" if run.verdict else run.status
    yield f"run {run.id} · {f'{run.recipe} {loop_label(run)}'.rstrip()} · {state}"
    took = [] if run.ended_at is None else [f"took {words.duration(run.ended_at - run.started_at)}"]
    facts = [f"started {words.ago(run.started_at)}", *took, *words.spent(run.cost_usd, run.tokens.total)]
    yield f"  {run.project} · {' · '.join(facts)}"
    for attempt in attempts:
        if not any(map(_step_text, attempt.steps)):
            continue
        if attempt.has_agent:
            yield ""
        yield from _attempt_text(run, attempt)


def _attempt_text(run: Run, attempt: Attempt) -> Iterator[str]:
    if not attempt.has_agent:
        yield from filter(None, map(_step_text, attempt.steps))
        return
    again = f", attempt {attempt.attempt}" if attempt.attempt > 1 else ""
    yield f"{unit(run)} {attempt.number}{again}"
    for step in attempt.steps:
        if line := _step_text(step):
            yield f"  {line}"
    place = attempt_dir(run, attempt)
    yield f"    files: {_short(place, run)}"


def _step_text(step: Step) -> str:
    if isinstance(step.action, ReadPrompt):
        return ""
    if step.entry.error:
        return f"✗ {action_name(step.action)}: {step.entry.error}"
    if step.entry.result is None:
        return f"✗ {action_name(step.action)}: {'killed before it ended' if step.killed else 'no result'}"
    return _result_text(step)


def _result_text(step: Step) -> str:
    match step.action:
        case RunAgent():
            return _agent_text(step.result, action_name(step.action))
        case ReadResponse():
            return f"{_mark(step.result.passed)} {step.result.reason}"
        case RunCommand() | RunScmTask():
            log = f", see {step.result.log}" if step.result.log and not step.result.passed else ""
            return f"{_mark(step.result.passed)} {action_name(step.action)}: {step.result.reason}{log}"
        case Wait(reason=reason):
            return f"· waited {words.duration(step.result.duration)}: {reason}"
        case RunChild(name=name, recipe=recipe):
            end = step.result
            return f"{_mark(end.verdict == 'verified')} {recipe} {name}: {end.verdict}: {end.reason} · {end.run_id}"
        case _:
            lines = [line for line, _ in ended_lines(step.action, step.result)]
            return "\n    ".join(lines) or _trouble(step)


def _trouble(step: Step) -> str:
    """What goes without saying unless it went wrong."""
    match step.action:
        case ReadCommitMessage() if step.result.problem:
            return f"✗ no commit message: {step.result.problem}"
        case StageChanges() if step.result.problem:
            return f"✗ {step.result.problem}"
        case StageChanges() if not step.result.pending:
            return "· nothing to commit"
        case _:
            return ""


def _agent_text(report: AgentReport, name: str) -> str:
    tools = [f"{report.tools} tools"] if report.tools else []
    facts = [words.duration(report.duration), *words.spent(report.cost_usd, report.tokens.total), *tools]
    return f"{_mark(report.ok)} {name}: {report.reason} · {' · '.join(facts)}"


def _mark(good: bool) -> str:
    return "✓" if good else "✗"


def _short(path: Path, run: Run) -> str:
    return str(path.relative_to(run.project))
