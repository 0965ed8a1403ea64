"""`ralph task show`: a task's criteria as a checklist, and how far its roles have come."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ralph.app.task_evidence import Seen
    from ralph.app.task_view import RoleView, TaskView
    from ralph.model.verification import Verification


@click.command("show")
@click.argument("task_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="JSON.")
def command(task_id: str, as_json: bool) -> None:
    """Show the task ID: its criteria with the evidence for each, and how far its roles have come."""
    from ralph.app.task_view import open_task, view_json

    view = open_task(Path.cwd(), task_id)
    if as_json:
        import json

        click.echo(json.dumps(view_json(view), indent=2))
        return
    for line in _lines(view):
        click.echo(line)


def _lines(view: "TaskView") -> Iterator[str]:
    task = view.task
    yield f"{task.id}  {task.title}"
    facts = [f"spec {task.spec_id}", view.state, f"priority {task.priority}"]
    facts += [f"assigned to {task.assignee}"] if task.assignee else []
    yield " · ".join(facts)
    if view.dependencies:
        yield "after " + ", ".join(f"{name} ({state})" for name, state in view.dependencies.items())
    if task.description.strip():
        yield ""
        yield from task.description.strip().splitlines()
    yield from _criteria(view)
    if view.roles:
        yield ""
        yield "Roles"
        for role in view.roles:
            yield from _role(role, view)


def _criteria(view: "TaskView") -> Iterator[str]:
    done = view.task.completion_spec
    yield ""
    if done is None:
        yield "No criteria: only the word of its agents says when it is done."
        return
    yield f"Outcome: {_one_line(done.outcome)}"
    yield ""
    yield "Acceptance criteria"
    for text in done.acceptance_criteria:
        seen = view.evidence.criteria.get(text)
        yield f"  [{'x' if seen and seen.passed else ' '}] {_one_line(text)}"
        yield f"      {_evidence(seen)}"


def _evidence(seen: "Seen | None") -> str:
    if seen is None:
        return "not verified yet"
    return f"{seen.role}, run {seen.run_id}: {_one_line(seen.reason)}"


def _role(role: "RoleView", view: "TaskView") -> Iterator[str]:
    from ralph.kernel.completion import verification_of

    done = view.task.completion_spec
    stage = role.stage
    facts = [f"promise {role.criteria.promise}"]
    facts += [f"{stage.iterations if stage else 0}/{role.limit} iterations"]
    facts += [f"{_state(role)}, run {stage.run_id}"] if stage else ["has not run"]
    yield f"  {role.name}: {' · '.join(facts)}"
    yield f"    {_one_line(role.criteria.description)}"
    yield from (
        f"    {line}" for line in checks(verification_of(role.criteria, done.acceptance_criteria if done else ()))
    )
    if stage and stage.reason:
        yield f"    last: {_one_line(stage.reason)}"


def _state(role: "RoleView") -> str:
    from ralph.cli import words

    return words.state(role.stage.status, role.stage.verdict) if role.stage else ""


def checks(check: "Verification") -> Iterator[str]:
    """The method, and what it looks at."""
    from ralph.model.verification import External, MultiStage, Semantic

    match check:
        case External():
            yield f"external: {_one_line(check.command)}"
        case Semantic():
            yield "semantic: " + "; ".join(
                [*map(_one_line, check.check_for), *(f"no {_one_line(text)!r}" for text in check.negative_patterns)]
            )
        case MultiStage():
            yield "multi_stage:"
            for part in check.stages:
                first, *rest = checks(part.check)
                yield f"  {part.name}{'' if part.required else ' (warning only)'}: {first}"
                yield from rest
        case _:
            yield "string_match: the promise alone"


def _one_line(text: str) -> str:
    return " ".join(text.split())
