"""A run as text: one line for each thing that was done or seen, in the words of that time."""

from collections.abc import Mapping

from ralph.app.runs.history import ANNOUNCED, IterationAttempt, Past, Step
from ralph.cli.display import words
from ralph.cli.runs.naming import Titles, named
from ralph.model.words import duration, spent

CONTINUED = ("interrupted", "stopped")


def run_text(past: Past, projects: Mapping[str, str], titles: Titles) -> list[str]:
    """The run, then its parts. `projects` are the names of the projects by their ids."""
    lines = _one_text(past, projects, titles)
    for part in past.parts:
        lines.append("")
        lines += _one_text(part, projects, titles)
    if past.run.status in CONTINUED and not past.run.verdict:
        lines += ["", f"Continue it: ralph resume {past.run.id}"]
    return lines


def _one_text(past: Past, projects: Mapping[str, str], titles: Titles) -> list[str]:
    run = past.run
    state = f"{run.verdict}: {run.reason}" if run.verdict else run.status
    took = [] if run.ended_at is None else [f"took {duration(run.ended_at - run.started_at)}"]
    facts = [f"started {words.ago(run.started_at)}", *took, *spent(run.cost_usd, run.tokens.total)]
    lines = [
        f"run {run.id} · {named(run, titles)} · {state}",
        f"  {projects.get(run.project, run.project)} · {' · '.join(facts)}",
        *[f"  ! {each}" for each in past.doubts],
    ]
    for attempt in past.attempts:
        lines += _attempt_text(past, attempt)
    return lines


def _attempt_text(past: Past, attempt: IterationAttempt) -> list[str]:
    lines: list[str] = []
    for step in attempt.steps:
        lines += (step.line if step.end else _unended(past, step)).splitlines()
    if not attempt.work:
        return lines
    again = f", attempt {attempt.attempt}" if attempt.attempt > 1 else ""
    files = [f"    files: {folder}"] if (folder := attempt.files) else []
    return ["", f"{past.run.unit} {attempt.number}{again}", *[f"  {line}" for line in lines], *files]


def _unended(past: Past, step: Step) -> str:
    what = step.first.line.partition("\n")[0] or step.first.key
    if past.is_under_way(step):
        return f"… {what}"
    return f"{'✗ ' if step.first.mark in ANNOUNCED else ''}{what}: killed before it ended"
