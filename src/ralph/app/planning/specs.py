"""The planning of a spec: from an intent, from its text, or from any text to tasks with criteria per role."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

import ralph.plugin
from ralph.agents.registry import choose_executor
from ralph.agents.tools import agent_of_tool, planner_for
from ralph.app.planning.talk import LOOKED_THROUGH, is_over, short_enough, without_planner
from ralph.app.runs.starting import plan_of
from ralph.app.stories.ground import repository_of
from ralph.app.tasks.judges import require_agent
from ralph.app.tasks.listing import spec_file
from ralph.app.tasks.roles import role_defaults
from ralph.app.tasks.settings import load_for_spec
from ralph.app.tasks.specs import create_spec
from ralph.kernel.chunk_draft import PresentTask
from ralph.kernel.plan_options import Aim, SpecPlanRun
from ralph.kernel.recipes import spec_plan
from ralph.kernel.spec_text import answers_in, first_text, id_of, title_of, without_answers
from ralph.kernel.task_rules import in_order
from ralph.loop.plan import Plan, make_plan
from ralph.model.errors import ConfigError
from ralph.model.runs import Run
from ralph.model.tasks import BRANCHES, Spec, Task
from ralph.store.projects import find_project, known_project, project_at
from ralph.store.runs import list_runs
from ralph.store.spec_files import TEXT, read_spec_file
from ralph.store.sql import Store
from ralph.store.tasks import find_spec, get_spec, specs_of, tasks_of

SKILL = Path(ralph.plugin.__file__).parent / "skills/ralph-tasks/SKILL.md"
GUIDE = re.compile(r"^## Task Generation Requirements\n.*?(?=^## After that)", re.MULTILINE | re.DOTALL)
HINT = "Install it, or choose another one with --agent or defaults.planner"
LARGEST = 4_000_000


class ToPlan(NamedTuple):
    plan: Plan
    planner: str
    """The planner's name on screens."""
    unfinished: Run | None = None
    """An earlier planning run for the same spec and request that did not end."""


async def plan_new(store: Store, project: Path, said: str, title: str | None, agent: str | None) -> ToPlan:
    """Plan a new spec. It is created at once, so that every answer has a place. The same intent continues the same
    spec.
    """
    said = short_enough(said)
    if not said:
        raise ConfigError("there is no description of what to build.", 'Give one: ralph spec new "what to build"')
    name = project_at(store, project).id
    found = _unfinished(store, name, lambda then: then.aim == "new" and then.said == said)
    heading = title or title_of(said) or "Spec"
    begun = find_spec(store, name, _loop(plan_of(store, found)).spec) if found else None
    if spec := begun or _only_begun(store, project, name, first_text(heading, said)):
        return (await _planned(store, project, spec, "new", said, agent, _answered(project, spec.id)))._replace(
            unfinished=found if begun else None
        )
    # A planner that is not available is reported before anything is written.
    await _planned(store, project, Spec(id="", title=heading, created_at=0.0, updated_at=0.0), "new", said, agent)
    spec_id = await _free_id(store, project, id_of(heading))
    spec = create_spec(store, project, spec_id, heading, first_text(heading, said))
    return await _planned(store, project, spec, "new", said, agent)


async def plan_refinement(store: Store, project: Path, spec_id: str, said: str, agent: str | None) -> ToPlan:
    spec, text = _written(store, project, spec_id)
    return await _of_spec(store, project, spec, "refine", text, said, agent)


async def plan_chunks(store: Store, project: Path, spec_id: str, said: str, agent: str | None) -> ToPlan:
    spec, text = _written(store, project, spec_id)
    return await _of_spec(store, project, spec, "plan", text, said, agent)


async def plan_tasks(store: Store, project: Path, text: str, spec_id: str | None, agent: str | None) -> ToPlan:
    """Plan tasks with criteria per role, for a spec that is created from the text if it does not exist."""
    if not text.strip():
        raise ConfigError("the text is empty.", "Give a text that says what to build.")
    said = short_enough(text)
    name = project_at(store, project).id
    heading = title_of(said) or "Tasks"
    found = _unfinished(store, name, lambda then: then.aim == "tasks" and then.said == said)
    wanted = spec_id or (_loop(plan_of(store, found)).spec if found else "")
    spec = find_spec(store, name, wanted) if wanted else None
    if spec is None:
        now = Spec(id="", title=heading, created_at=0.0, updated_at=0.0)
        await _planned(store, project, now, "tasks", said, agent)
        own = wanted or await _free_id(store, project, id_of(heading))
        has_text = spec_file(project, own).exists()
        spec = create_spec(store, project, own, heading, None if has_text else f"{text.strip()}\n")
    own_text = _text(project, spec.id)
    return await _of_spec(store, project, spec, "tasks", "" if own_text.strip() == said else own_text, said, agent)


def generation_prompt(text: str) -> str:
    """The prompt that lets any agent make tasks from a text, in a form that `ralph task import` reads."""
    return f"{task_guide()}\n\n## The text\n{text.strip()}\n\n## Your answer\n{ANSWER}\n"


ANSWER = """\
Answer with YAML and nothing else: a list `tasks:` of entries as in the example. A person reads it in with:
ralph task import FILE --spec SPEC"""


def task_guide() -> str:
    """The guide from the skill `/ralph-tasks`, so that there is one text for both."""
    found = GUIDE.search(SKILL.read_text(encoding="utf-8"))
    assert found  # noqa: S101 - it is in the package
    return found[0].strip()


async def _of_spec(
    store: Store, project: Path, spec: Spec, aim: Aim, text: str, said: str, agent: str | None
) -> ToPlan:
    to_plan = await _planned(store, project, spec, aim, short_enough(said), agent, text)
    plan, now = to_plan.plan, _loop(to_plan.plan)

    def is_same(then: SpecPlanRun) -> bool:
        return (then.aim, then.spec) == (aim, spec.id) and now.said in ("", then.said) and _body(then) == _body(now)

    found = _unfinished(store, known_project(store, project), is_same)
    if found:
        plan = replace(plan, loop=replace(now, said=_loop(plan_of(store, found)).said))
    return to_plan._replace(plan=plan, unfinished=found)


def _loop(plan: Plan) -> SpecPlanRun:
    return plan.loop


def _only_begun(store: Store, project: Path, name: str, text: str) -> Spec | None:
    """A spec for the same intent that has only answers yet: its planning was cancelled, or never stored."""
    for spec in specs_of(store, name):
        if without_answers(_text(project, spec.id)).strip() == text.strip() and not tasks_of(store, name, spec.id):
            return spec
    return None


def _answered(project: Path, spec_id: str) -> str:
    """The text of a spec that was only begun, if it has answers."""
    text = _text(project, spec_id)
    return text if answers_in(text) else ""


def _text(project: Path, spec_id: str) -> str:
    return (read_spec_file(project, spec_id, TEXT, most=LARGEST) or b"").decode("utf-8-sig", errors="replace")


def _body(run: SpecPlanRun) -> str:
    return without_answers(run.text).strip()


async def _planned(
    store: Store, project: Path, spec: Spec, aim: Aim, said: str, agent: str | None, text: str = ""
) -> ToPlan:
    """The planning run to start. It raises an error with exit code 7 if the planner is not available."""
    loaded = load_for_spec(project, spec, agent)
    settings = loaded.settings
    own = choose_executor(settings)
    tool = planner_for(without_planner(settings) if agent else settings, own)
    planner = agent_of_tool(settings, tool.model, tool.agent, own)
    require_agent(planner, "which plans", HINT)
    at = await repository_of(project).require()
    steps = settings.verification.steps if settings.verification.enabled else []
    loop = SpecPlanRun(
        aim,
        spec.id,
        spec.title,
        said,
        text,
        guide=task_guide() if aim == "tasks" else "",
        rules=tuple(settings.rules),
        steps=tuple(each.command for each in steps),
        present=_present(tasks_of(store, known_project(store, project), spec.id)),
        roles=role_defaults(settings),
        prefix=at.prefix,
        model=tool.model,
        by=tool.agent,
    )
    called = tool.name or " ".join(filter(None, (planner.adapter.name, tool.model)))
    return ToPlan(make_plan(spec_plan.NAME, settings, loaded.merged, loop), called)


def _present(tasks: Sequence[Task]) -> tuple[PresentTask, ...]:
    return tuple(
        PresentTask(
            each.id,
            each.title,
            each.status,
            each.dependencies,
            each.completion_spec.outcome if each.completion_spec else "",
        )
        for each in in_order(tasks)
    )


def _written(store: Store, project: Path, spec_id: str) -> tuple[Spec, str]:
    """The spec and its text. It raises a ConfigError if there is no text."""
    spec = get_spec(store, known_project(store, project), spec_id)
    text = _text(project, spec_id)
    if not text.strip():
        raise ConfigError(f"the spec {spec_id} has no text to plan from.", f"Write it: ralph spec edit {spec_id}")
    return spec, text


def _unfinished(store: Store, project: str, is_same: Callable[[SpecPlanRun], bool]) -> Run | None:
    runs = list_runs(store, project=project, limit=LOOKED_THROUGH) if project else []
    for run in runs:
        if run.recipe == spec_plan.NAME and not run.is_alive and not is_over(run) and is_same(plan_of(store, run).loop):
            return run
    return None


async def _free_id(store: Store, project: Path, wanted: str) -> str:
    """An id that no spec has, and that no removed spec has left a text or a branch for."""
    known = find_project(store, project)
    taken = {spec.id for spec in specs_of(store, known.id)} if known else set[str]()
    repository, number, name = repository_of(project), 1, wanted
    while (
        name in taken or spec_file(project, name).exists() or await repository.commit_at(f"refs/heads/{BRANCHES}{name}")
    ):
        number += 1
        name = f"{wanted}-{number}"
    return name
