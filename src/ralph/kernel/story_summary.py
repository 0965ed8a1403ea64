"""The state of a plan's stories, what the reviews achieved, and what they cost."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ralph.model.evidence import NOTHING, Spent
from ralph.model.words import count, spent
from ralph.plugin.hooks.scripts.story_rules import AUTO_APPROVED, finished, iteration_mode, next_story

PER_STATUS = {None: 2, "needs_review": 1, "changes_requested": 2}
"""The iterations that a story needs at least: an implementation, a fix, and a review of either."""
SHOWN = 10


class StoryLine(Struct, frozen=True, rename="camel"):
    id: str
    title: str
    status: str
    reviews: int
    is_done: bool
    cost_usd: float | None
    """The cost; None if nobody reported it."""
    tokens: int

    @property
    def spent(self) -> list[str]:
        return spent(self.cost_usd, self.tokens)


class PlanSummary(Struct, frozen=True, rename="camel"):
    project: str
    branch: str
    mode: str
    next_story: str
    """The next story; empty if there is none."""
    done: int
    open: int
    iterations_left: int
    reviews: int
    approved_at_first: int
    """How many stories the first review approved."""
    first_review_share: float | None
    """The share of approvals at the first review among the reviewed stories that are done; None if there are none."""
    at_cap: tuple[str, ...]
    """The stories that were approved because the cap was reached."""
    cost_usd: float | None
    tokens: int
    stories: tuple[StoryLine, ...]


def summary_of(
    plan: dict[str, Any], *, skip_review: bool = False, costs: Mapping[str, Spent] | None = None
) -> PlanSummary:
    stories: list[dict[str, Any]] = plan["userStories"]
    done = finished(plan, skip_review)
    mode = iteration_mode(plan, skip_review)
    following = next_story(plan, mode, skip_review)
    left = [each for each in stories if each["id"] not in done]
    needed = sum(1 if skip_review else PER_STATUS.get(each["reviewStatus"], 1) for each in left)
    capped = {each["id"] for each in stories if each["reviewFeedback"].startswith(AUTO_APPROVED)}
    reviewed = [each for each in stories if each["id"] in done and each["reviewCount"]]
    at_first = sum(each["reviewCount"] == 1 and each["id"] not in capped for each in reviewed)
    total = sum((costs or {}).values(), NOTHING)
    return PlanSummary(
        project=plan["project"],
        branch=plan["branchName"],
        mode=mode if left else "complete",
        next_story=following["id"] if following and left else "",
        done=len(done),
        open=len(left),
        iterations_left=needed,
        reviews=sum(each["reviewCount"] for each in stories),
        approved_at_first=at_first,
        first_review_share=round(at_first / len(reviewed), 3) if reviewed else None,
        at_cap=tuple(each["id"] for each in stories if each["id"] in capped),
        cost_usd=total.usd,
        tokens=total.tokens.total,
        stories=tuple(_line(each, done, (costs or {}).get(each["id"], NOTHING)) for each in stories),
    )


def _line(story: dict[str, Any], done: set[str], cost: Spent) -> StoryLine:
    return StoryLine(
        story["id"],
        story["title"],
        story["reviewStatus"] or "open",
        story["reviewCount"],
        story["id"] in done,
        cost.usd,
        cost.tokens.total,
    )


def summary_lines(found: PlanSummary) -> list[str]:
    """The lines of the summary, for the end of a loop and for the place below the list of stories."""
    lines: list[str] = []
    if found.open:
        following = f" {found.next_story}" if found.next_story else ""
        lines.append(f"Next: {found.mode}{following} · about {count(found.iterations_left, 'iteration')} left")
    if found.reviews:
        share = "" if found.first_review_share is None else f" ({found.first_review_share:.0%})"
        lines.append(
            f"Reviews: {found.reviews}, {found.approved_at_first} of {found.done} approved at the first{share}"
        )
        most = [each for each in found.stories if each.reviews > 1]
        if most:
            listed = ", ".join(f"{each.id} {each.reviews}" for each in most[:SHOWN])
            lines.append(f"Reviewed more than once: {listed}{_more(most)}")
    if found.at_cap:
        listed = ", ".join(found.at_cap[:SHOWN])
        lines.append(f"Approved at the review cap, look at them: {listed}{_more(found.at_cap)}")
    if priced := [each for each in found.stories if each.spent]:
        listed = ", ".join(f"{each.id} {' · '.join(each.spent)}" for each in priced[:SHOWN])
        lines.append(f"Cost: {listed}{_more(priced)}")
    return lines


def _more(listed: Any) -> str:
    return f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
