"""`ralph task show`: a task's criteria as a checklist, and the progress of its roles."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ralph.cli.here import here
from ralph.cli.saying import say
from ralph.model.words import count, one_line

if TYPE_CHECKING:
    from ralph.app.tasks.view import CriterionView, OpenTask, RoleView, TaskView
    from ralph.model.verification import Verification


_KINDS = {"judge": "", "check": "check: ", "person": "a person approves: ", "time": "a person approves, in time: "}


@click.command("show")
@click.argument("task_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(task_id: str, as_json: bool) -> None:
    """Show the task ID: its criteria with the evidence for each, and the progress of its roles.

    \b
    ralph task show TASK-001
    ralph task show TASK-001 --json
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.view import open_task
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        found = open_task(store, here(), task_id)
    if as_json:
        from ralph.cli.json_out import print_json

        print_json(found.task)
        return
    # All of it at once: a key of several lines is recognised only as a whole.
    say("\n".join(_lines(found)))


def _lines(found: "OpenTask") -> Iterator[str]:

    task = found.task
    yield f"{task.id}  {task.title}"
    facts = [f"spec {task.spec_id}", task.status, f"priority {task.priority}"]
    facts += [f"assigned to {task.assignee}"] if task.assignee else []
    yield " · ".join(facts)
    if found.dependencies:
        yield "after " + ", ".join(f"{name} ({state})" for name, state in found.dependencies.items())
    if task.may_change:
        yield f"may change {', '.join(map(one_line, task.may_change))}"
    if task.relevant_files:
        yield f"files to check: {', '.join(map(one_line, task.relevant_files))}"
    if found.tries:
        yield f"a chunk: {task.iteration} of at most {count(found.tries, 'iteration')}"
    if task.error:
        yield f"failed: {one_line(task.error)}"
    if task.description.strip():
        yield ""
        yield from task.description.strip().splitlines()
    yield from _criteria(task)
    yield from _summary(task)
    if task.roles:
        yield ""
        yield "Roles"
        for role in task.roles:
            yield from _role(role, task)


def _criteria(task: "TaskView") -> Iterator[str]:
    yield ""
    if task.outcome is None:
        yield "No criteria: verification steps and reviews alone say when it is done."
        return
    yield f"Outcome: {one_line(task.outcome)}"
    yield ""
    yield "Acceptance criteria"
    for each in task.acceptance_criteria:
        yield f"  [{_box(each, task)}] {_KINDS[each.kind]}{one_line(each.criterion)}"
        if each.command and each.command != each.criterion:
            yield f"      {one_line(each.command)}"
        yield f"      {_evidence(each, task)}"


def _summary(task: "TaskView") -> Iterator[str]:
    left = task.summary
    if left is None:
        return
    yield ""
    yield "Result"
    yield f"  {one_line(left.summary) or 'no summary was written'}"
    lists = {
        "created": left.files_created,
        "modified": left.files_modified,
        "exports": left.exports_added,
        "tests": left.tests_added,
        "to verify": left.verification_steps,
    }
    yield from (f"  {name}: {', '.join(map(one_line, each))}" for name, each in lists.items() if each)


def _box(seen: "CriterionView", task: "TaskView") -> str:
    if seen.passed is None:
        return "-" if task.status == "completed" else " "
    return "x" if seen.passed else " "


def _evidence(seen: "CriterionView", task: "TaskView") -> str:
    from ralph.model.evidence import NOT_VERIFIED

    if seen.passed is None:
        if task.status != "completed":
            return "not verified yet"
        return "not verified" if NOT_VERIFIED in task.last_reason else "no check covers it"
    return f"{seen.role}, run {seen.run_id}: {one_line(seen.reason)}"


def _role(role: "RoleView", task: "TaskView") -> Iterator[str]:
    from ralph.cli.display import words
    from ralph.model.verification import read_verification

    facts = [f"promise {role.promise}", f"{role.iterations}/{role.max_iterations} iterations"]
    facts += [f"{words.state(role.status, role.verdict)}, run {role.run_id}"] if role.status else ["has not run"]
    yield f"  {role.role}: {' · '.join(facts)}"
    yield f"    {one_line(role.description)}"
    acceptance = tuple(each.criterion for each in task.acceptance_criteria if each.kind == "judge")
    check = read_verification(role.verification_method, role.verification_config, acceptance)
    yield from (f"    {line}" for line in checks(check))
    if role.reason:
        yield f"    last: {one_line(role.reason)}"


def checks(check: "Verification") -> Iterator[str]:
    """The method, and what it looks at."""
    from ralph.model.verification import External, MultiStage, NamedCheck, Semantic

    match check:
        case External():
            yield f"external: {check.label}"
        case NamedCheck():
            yield f"{check.name}: {one_line(check.label)}"
        case Semantic():
            yield "semantic: " + "; ".join(
                [
                    *map(one_line, check.check_for),
                    *(
                        f"no {one_line(each if isinstance(each, str) else each.text)!r}"
                        for each in check.negative_patterns
                    ),
                ]
            )
        case MultiStage():
            yield "multi_stage:"
            for part in check.stages:
                first, *rest = checks(part.check)
                yield f"  {part.name}{'' if part.required else ' (warning only)'}: {first}"
                yield from rest
        case _:
            yield "string_match: the promise alone"
