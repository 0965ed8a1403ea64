"""The story-plan recipe: questions in rounds, then prd.md, then the stories of tasks.json."""

from collections.abc import Sequence

from ralph.kernel.actions.base import Recipe
from ralph.kernel.actions.proof import Snapshot, TakeSnapshot
from ralph.kernel.actions.story_plan import WritePlanFile
from ralph.kernel.plan_forms import RequirementsDraft, StoriesDraft
from ralph.kernel.plan_options import Exchange, StoryPlanRun
from ralph.kernel.plan_question import requirements_question, stories_question
from ralph.kernel.planner_talk import Part, Talk
from ralph.kernel.requirements import requirements_problems, requirements_text
from ralph.kernel.story_draft import plan_json, story_plan, story_problems
from ralph.model.places import verification_place
from ralph.model.verdicts import AgentFailed, Verified

NAME = "story-plan"


def story_plan_loop(run: StoryPlanRun) -> Recipe:
    start: Snapshot = yield TakeSnapshot(0)
    talk = Talk(run, verification_place("plan", start.tree))
    prd = run.prd
    if not prd:
        written = yield from talk.agreed(_Requirements(run))
        if isinstance(written, AgentFailed):
            return written
        prd = written
        yield WritePlanFile(talk.round, run.folder, "prd.md", prd)
    written = yield from talk.agreed(_Stories(run, prd))
    if isinstance(written, AgentFailed):
        return written
    yield WritePlanFile(talk.round, run.folder, "tasks.json", written)
    what = "planned{after}: the stories have the form that the loop takes; nothing was run"
    return Verified(talk.round, "word", what=what, unit="call")


class _Requirements(Part[RequirementsDraft]):
    document, form, kind = "prd.md", "requirements", RequirementsDraft

    def __init__(self, run: StoryPlanRun) -> None:
        self._run = run

    def question(self, heard: Sequence[Exchange], notes: str, *, may_ask: bool) -> str:
        return requirements_question(self._run, heard, notes, may_ask=may_ask)

    def problems(self, draft: RequirementsDraft) -> list[str]:
        return requirements_problems(draft)

    def text(self, draft: RequirementsDraft, heard: Sequence[Exchange]) -> str:  # noqa: ARG002 - the planner's own words
        return requirements_text(self._run.project, draft)


class _Stories(Part[StoriesDraft]):
    document, form, kind = "tasks.json", "stories", StoriesDraft

    def __init__(self, run: StoryPlanRun, prd: str) -> None:
        self._run, self._prd = run, prd

    def question(self, heard: Sequence[Exchange], notes: str, *, may_ask: bool) -> str:
        return stories_question(self._run, self._prd, heard, notes, may_ask=may_ask)

    def problems(self, draft: StoriesDraft) -> list[str]:
        return story_problems(self._run, draft)

    def text(self, draft: StoriesDraft, heard: Sequence[Exchange]) -> str:  # noqa: ARG002 - the planner's own words
        return plan_json(story_plan(self._run, draft))
