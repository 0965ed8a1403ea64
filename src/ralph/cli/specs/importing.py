"""`ralph spec import`: a foreign plan, or a spec that another ralph exported."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph.cli.here import from_project, here
from ralph.cli.saying import say
from ralph.model.words import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.app.exchange.importing import ImportedSpec


@click.command("import")
@click.argument("source", required=False)
@click.option("--from", "form", metavar="FORMAT", help="The format of SOURCE.  [default: detected]")
@click.option("--spec", metavar="ID", help="The id of the new spec.  [default: from the name of the plan]")
@click.option("--tag", metavar="TAG", help="Which plan, if SOURCE has several: the tag of a task-master file.")
@click.option("--all", "everything", is_flag=True, help="Import every plan that is found, each as a separate spec.")
@click.option("--replace", is_flag=True, help="Update a plan that was imported before: take its new and changed tasks.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def command(
    source: str | None,
    form: str | None,
    spec: str | None,
    tag: str | None,
    everything: bool,
    replace: bool,
    as_json: bool,
) -> int:
    """Create a spec from an existing plan. SOURCE is a file, a folder, an issue (#12), its address, or a file of ralph
    spec export; - is standard input. Without SOURCE ralph searches this project.

    FORMAT is spec-kit, openspec, task-master, beads, prd-json, ralphex, bmad, checklist, github, gitlab or ralph. Tasks
    that are done in SOURCE are skipped. ralph spec sync marks the verified tasks in SOURCE.

    \b
    ralph spec import specs/001-cart
    ralph spec import TODO.md --spec chores
    ralph spec import '#12' --from github
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.exchange.importing import Request, import_spec
    from ralph.cli.stores import opened_store

    project = here()
    request = Request(_from_project(project, source), form, spec, tag, everything, replace)
    with opened_store() as store:
        outcome = asyncio.run(import_spec(store, project, request))
    for problem in outcome.problems:
        say(f"ralph: {problem}", err=True)
    if as_json:
        from ralph.cli.json_out import print_json

        print_json(outcome.specs)
    for each in () if as_json else outcome.specs:
        for note in each.notes:
            say(f"ralph: {note}.", err=True)
        for line in _lines(each):
            say(line)
    return 2 if outcome.problems else 0


def _from_project(project: Path, source: str | None) -> str | None:
    """A path relative to the project; an issue, a URL and `-` unchanged."""
    if source is None or source == "-" or source.startswith("#") or "://" in source:
        return source
    return from_project(project, source)


def _lines(each: "ImportedSpec") -> "Iterator[str]":
    yield f"Imported {each.spec} ({each.title}) from {each.source}: {count(len(each.tasks), 'task')}."
    if each.overrides:
        yield f"It sets {', '.join(each.overrides)} for its tasks. See it: ralph spec config {each.spec}"
    if each.renamed:
        named = ", ".join(f"{old} is {new} here" for old, new in each.renamed.items())
        yield f"Other specs have the same ids: {named}."
    for reason in dict.fromkeys(each.closed.values()):
        ids = [task for task, why in each.closed.items() if why == reason]
        yield f"Skipped, {reason}, not verified by ralph: {', '.join(ids)}"
    if each.reopened:
        yield f"Open again, because their text changed after they were completed: {', '.join(each.reopened)}"
    if each.gone:
        yield f"No longer in the source, and kept: {', '.join(each.gone)}"
    if each.without_criteria:
        number = count(len(each.without_criteria), "task")
        yield f"{number} without criteria: verification steps and reviews alone will say when they are done."
    if len(each.closed) < len(each.tasks):
        yield f"Run it: ralph spec run {each.spec}"
