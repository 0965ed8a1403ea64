"""From an idea or a prd.md to the planning of stories: started, continued, and answered."""

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

import ralph.plugin
from ralph.agents.registry import choose
from ralph.agents.tools import agent_of_tool, planner_for
from ralph.app.planning.talk import last_planning, short_enough, without_planner
from ralph.app.runs.starting import plan_of
from ralph.app.setup.detect import guardrails
from ralph.app.stories.files import TEMPLATES
from ralph.app.stories.ground import refuse_living, refuse_unsettled, repository_of
from ralph.app.tasks.judges import require_agent
from ralph.app.usable import load_usable
from ralph.kernel.plan_options import StoryPlanRun
from ralph.kernel.recipes import story_plan
from ralph.kernel.requirements import is_unwritten
from ralph.loop.plan import Plan, make_plan
from ralph.loop.story_plan import PRD, TASKS, Unusable, text_of
from ralph.loop.story_planning import begun_stories, loose_plan
from ralph.model.errors import ConfigError
from ralph.model.runs import Run
from ralph.store.history import last_row
from ralph.store.projects import find_project
from ralph.store.sql import Store

SKILL = Path(ralph.plugin.__file__).parent / "skills/ralph-plan/SKILL.md"
RULES = re.compile(r"^## Rules for stories\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
PLACEHOLDER = "ralph/feature-name"
"""The branch in a template for which nobody has named a feature."""
HINT = "Install it, or choose another one: ralph prd plan --agent A"


class PlanGiven(NamedTuple):
    """What the user gave on the command line."""

    folder: str
    said: str = ""
    agent: str | None = None


class ToPlan(NamedTuple):
    plan: Plan
    name: str
    """The name of the feature; empty if the plan has only the folder's name, or that of an archived plan."""

    @property
    def must_be_told(self) -> bool:
        """Whether nothing says yet what to build."""
        return not self.plan.loop.prd and not self.plan.loop.said


async def plan_to_plan(project: Path, given: PlanGiven) -> ToPlan:
    """What to plan. It raises a ConfigError if nothing can be planned, or if a plan exists that must not be lost."""
    refuse_living(project)
    folder = project / given.folder
    tasks = _tasks(folder, given.folder)
    at = await repository_of(project).require()
    if at.prefix:
        raise ConfigError(
            f"{project} is a part of the repository {at.top}.", f"Plan it there: ralph prd plan -d {at.top}"
        )
    loaded = load_usable(project, flags={"agent": {"command": given.agent}} if given.agent else {})
    settings = loaded.settings
    own = choose(settings)
    tool = planner_for(without_planner(settings) if given.agent else settings, own)
    require_agent(agent_of_tool(settings, tool.model, tool.agent, own), "which plans", HINT)
    prd = _prd(folder / PRD)
    name = _text(tasks, "project") or project.name
    branch = _text(tasks, "branchName")
    loop = StoryPlanRun(
        said=short_enough(given.said),
        prd=prd,
        template=(TEMPLATES / PRD).read_text(encoding="utf-8"),
        rules=story_rules(),
        project=name,
        branch="" if branch == PLACEHOLDER else branch,
        commands=_texts(tasks, "verifyCommands"),
        may_change=_texts(tasks, "mayChange"),
        detected=tuple(guardrails(project)),
        folder=given.folder,
        model=tool.model,
        by=tool.agent,
    )
    plan = make_plan(story_plan.NAME, settings, loaded.merged, loop)
    return ToPlan(plan, name if loop.branch and name != project.name else "")


def told(to_plan: ToPlan, said: str) -> Plan:
    """The plan with what the user has said since."""
    return replace(to_plan.plan, loop=replace(to_plan.plan.loop, said=short_enough(said)))


def said_by_nobody(to_plan: ToPlan) -> str:
    """What to build, if nobody is there to say it. At least the feature must have a name; otherwise it is an error."""
    if not to_plan.name:
        raise ConfigError(
            f"{to_plan.plan.loop.folder}/{PRD} is empty, and there is no description of what to build.",
            'Give one: ralph prd plan --yes "what to build". Or write it into the file.',
        )
    return f'The user gave only the name of the feature: "{to_plan.name}". Find out from the project what it must mean.'


def find_unfinished(store: Store, project: Path, plan: Plan) -> Run | None:
    """The last planning run here, if it did not end and had the same folder, request and prd.md."""
    refuse_unsettled(store, project)
    known = find_project(store, project)
    last = last_planning(store, known.id, story_plan.NAME) if known else None
    if last is None:
        return None
    then, now = plan_of(store, last).loop, plan.loop
    is_same = then.folder == now.folder and now.said in ("", then.said)
    is_from_it = now.prd == then.prd or (bool(now.prd) and now.prd == _written(store, last))
    return last if is_same and is_from_it else None


def story_rules() -> str:
    """The rules from the planning skill, so that there is one text for both."""
    found = RULES.search(SKILL.read_text(encoding="utf-8"))
    assert found  # noqa: S101 - it is in the package
    return found[1].strip()


def _tasks(folder: Path, name: str) -> dict[str, Any]:
    path = folder / TASKS
    if not folder.parent.is_dir():
        raise ConfigError(f"there is no directory {folder.parent}.", "Name the project's directory.")
    if not path.exists():
        raise ConfigError(f"there is no {name}/{TASKS}.", "Start with: ralph prd init")
    try:
        begun = begun_stories(path)
        found = loose_plan(path)
    except Unusable as problem:
        raise ConfigError(f"{name}/{TASKS}: {problem}", "Fix it; or move it away, then run: ralph prd init") from None
    if begun:
        listed = ", ".join(begun[:5])
        raise ConfigError(
            f"{name}/{TASKS} has stories that have started: {listed}. A new plan would lose them.",
            "Continue them: ralph prd run. To archive them and start again: ralph prd archive",
        )
    return found


def _prd(path: Path) -> str:
    """The text of prd.md; empty if it does not exist, or is still the template."""
    text = text_of(path)
    if text is None and os.path.lexists(path):
        raise ConfigError(
            f"{path} cannot be read: it is not a file, or it is too large.", "Replace it with a text file."
        )
    return "" if text is None or is_unwritten(text) else text


def _text(tasks: dict[str, Any], name: str) -> str:
    value = tasks.get(name)
    return value.strip() if isinstance(value, str) else ""


def _texts(tasks: dict[str, Any], name: str) -> tuple[str, ...]:
    value: Any = tasks.get(name)
    listed = msgspec.convert(value, list[Any]) if isinstance(value, list) else []
    return tuple(each for each in listed if isinstance(each, str))


def _written(store: Store, run: Run) -> str:
    """The prd.md that a planning run has written."""
    row = last_row(store, run.id, "write-plan-file", "begun")
    body: dict[str, Any] = msgspec.json.decode(row.body) if row else {}
    return body["text"] if body.get("document") == PRD else ""
