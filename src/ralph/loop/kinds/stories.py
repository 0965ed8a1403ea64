"""The stories recipe from the outside."""

from ralph.agents.permissions import flags_for, mode_among
from ralph.agents.registry import Agent, choose, split_flags
from ralph.config.schema import Settings
from ralph.kernel.actions.base import Recipe
from ralph.kernel.recipes import stories
from ralph.kernel.story_options import StoriesRun
from ralph.loop.kinds.base import Facts, Kind
from ralph.loop.story_marker import remove_marker
from ralph.model.errors import RalphError
from ralph.model.verdicts import AnyVerdict


class StoriesKind(Kind):
    options = StoriesRun
    has_hooks = True

    def generator(self, loop: StoriesRun) -> Recipe:
        return stories.stories_loop(loop)

    def agent(self, settings: Settings, _loop: StoriesRun, /) -> Agent:
        """The agent. Nobody sits beside it, and it must commit: it gets the flag for that, unless the user has chosen
        one.
        """
        agent = choose(settings)
        name = agent.adapter.name
        allowed = [] if mode_among(name, agent.flags) else split_flags(flags_for(name, "all", ()))
        return agent.with_flags([*agent.flags, *allowed])

    def label(self, loop: StoriesRun) -> str:
        return loop.branch

    def delivered_to(self, loop: StoriesRun) -> str:
        return f"the branch {loop.branch}"

    async def left(self, context: Facts) -> str:
        """What was put back, what the reviews achieved, what the stories cost, and what is checked out again."""
        from ralph.loop.story_branch import AT_END

        try:
            told: list[str] = await context.kept[AT_END]() if AT_END in context.kept else []
            # The plan may be on this branch only.
            return "\n".join([*told, *_worth(context), *await _returned(context)])
        except RalphError as error:
            return f"{context.loop.branch} stays checked out: {error}"

    def ended(self, context: Facts, _verdict: AnyVerdict) -> None:
        remove_marker(context.project)


def _worth(context: Facts) -> list[str]:
    from ralph.kernel.story_summary import summary_lines, summary_of
    from ralph.loop.story_plan import TASKS, Unusable, read_plan
    from ralph.store.story_costs import story_costs

    loop: StoriesRun = context.loop
    try:
        plan = read_plan(context.project / loop.folder / TASKS)
        costs = story_costs(context.store, context.project_id, loop.branch)
    except (Unusable, RalphError):
        # The reason for the end was said, and that is what matters.
        return []
    return summary_lines(summary_of(plan, skip_review=loop.skip_review, costs=costs))


async def _returned(context: Facts) -> list[str]:
    from ralph.git.repository import Repository
    from ralph.loop.story_branch import gone_back

    loop: StoriesRun = context.loop
    if not loop.return_to:
        return []
    return [await gone_back(Repository(context.bench), loop.branch, loop.return_to, loop.user_files)]
