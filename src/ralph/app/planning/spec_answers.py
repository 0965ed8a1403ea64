"""Answers to the planner of a spec, written into the text of the spec as soon as they are given."""

import msgspec

from ralph.app.tasks.listing import spec_file
from ralph.kernel.plan_options import Exchange, SpecPlanRun
from ralph.kernel.recipes.spec_plan import NAME
from ralph.kernel.spec_text import answer_line, with_answer
from ralph.store.files import cannot_write
from ralph.store.projects import folder_of
from ralph.store.runs import get_run, options_of
from ralph.store.spec_files import TEXT, read_spec_file, write_spec_file
from ralph.store.sql import Store

LARGEST = 4_000_000


def keep_answer(store: Store, run_id: str, said: Exchange) -> None:
    """Write the answer into the spec's text, if the run plans a spec that has one. The store has the answer in any
    case.
    """
    run = get_run(store, run_id)
    if run is None or run.recipe != NAME:
        return
    spec = msgspec.convert(options_of(store, run_id)["loop"], SpecPlanRun).spec
    project = folder_of(store, run.project)
    there = read_spec_file(project, spec, TEXT, most=LARGEST)
    if there is None:
        return
    text = there.decode(errors="replace")
    added = with_answer(text, answer_line(said))
    if added == text:
        return
    try:
        write_spec_file(project, spec, TEXT, added.encode(errors="replace"))
    except OSError as error:
        raise cannot_write(
            spec_file(project, spec), error, f"Your answer is kept. Then: ralph resume {run_id}"
        ) from None
