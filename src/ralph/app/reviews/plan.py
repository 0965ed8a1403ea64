"""From a change that a user names to a run that reviews it."""

import secrets
from pathlib import Path
from typing import NamedTuple

from ralph.agents.registry import Agent, choose_executor
from ralph.agents.tools import reviewer_for
from ralph.app.proof.subjects import repository_at
from ralph.app.reviews.reviewers import require_reviewer
from ralph.app.usable import load_usable
from ralph.config.schema import Settings
from ralph.git.repository import Repository
from ralph.git.subjects import default_base, messages_between, named_commit
from ralph.kernel.recipes import review as recipe
from ralph.kernel.recipes.review import ReviewRun
from ralph.kernel.review_question import Beside
from ralph.kernel.stage_text import TaskText
from ralph.loop.plan import Plan, make_plan
from ralph.model.errors import ConfigError
from ralph.model.reviews import Tier
from ralph.model.words import count

MOST_SAID = 20_000
"""How many characters of the commit messages a reviewer is shown."""
SHORT = 12


class Planned(NamedTuple):
    plan: Plan
    warnings: list[str]


class _Change(NamedTuple):
    base: str
    commit: str


async def plan_review(
    project: Path, named: str | None, tier: Tier, *, agent: str | None = None, again: bool = False
) -> Planned:
    loaded = load_usable(project, flags={"defaults": {"executor": agent}} if agent else {})
    settings = loaded.settings
    repository = repository_at(project)
    at = await repository.require()
    change = await _change(repository, named)
    by = reviewer_for(settings, tier, _agent_that_works(settings))
    if by is None:
        raise ConfigError(
            f"defaults.{tier}Reviewer is none, so there is no {tier} review.", "Choose another tier with --tier."
        )
    loop = ReviewRun(
        by,
        change.base,
        change.commit,
        # It contains nothing that another commit of the same files would change: an earlier answer is valid for the
        # files.
        TaskText("review", "A change that is to be merged"),
        (Beside("the messages of its commits", (await messages_between(repository, *change))[:MOST_SAID]),),
        label=named or f"{change.base[:SHORT]}..{change.commit[:SHORT]}",
        fresh=secrets.token_hex(8) if again else "",
    )
    plan = make_plan(recipe.NAME, settings, loaded.merged, loop)
    require_reviewer(settings, by, plan.agent)
    changes = await repository.uncommitted(at)
    warnings = [f"{count(changes, 'uncommitted change')} not reviewed: a review is of commits."] if changes else []
    return Planned(plan, warnings)


def _agent_that_works(settings: Settings) -> Agent | None:
    """The agent that the settings choose for the work; None if they choose none. A reviewer may do without it."""
    try:
        return choose_executor(settings)
    except ConfigError:
        return None


async def _change(repository: Repository, named: str | None) -> _Change:
    """The change: `BASE..HEAD` and `BASE...HEAD` are the work on HEAD since it left BASE, `HEAD` alone since it left
    main.
    """
    base_name, dots, head_name = (named or "HEAD").partition("..")
    if not dots:
        base_name, head_name = "", base_name
    commit = await _commit(repository, head_name.lstrip(".") or "HEAD")
    if not base_name and not dots:
        base = await default_base(repository, commit)
        if not base:
            raise ConfigError("the commit has no parent to compare with.", "Name both: ralph review BASE..HEAD")
    else:
        other = await _commit(repository, base_name or "HEAD")
        base = await repository.merge_base(commit, other)
        if not base:
            raise ConfigError(f"{base_name} and {head_name} have no commit in common.", "Name a base of the work.")
    if await repository.resolve(f"{base}^{{tree}}") == await repository.resolve(f"{commit}^{{tree}}"):
        raise ConfigError(f"there is no change between {base[:SHORT]} and {commit[:SHORT]}.", "Name another base.")
    return _Change(base, commit)


async def _commit(repository: Repository, name: str) -> str:
    commit = await named_commit(repository, name)
    if not commit:
        raise ConfigError(f"git has no commit {name!r}.", "Name one that it has: git log")
    return commit
