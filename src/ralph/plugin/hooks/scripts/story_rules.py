"""The rules of a story plan (`ralph/tasks.json`): the order of its stories, and what an iteration may change in it.

The plugin's Stop hook and ralph itself use this file, so it is pure and needs only Python 3.8: it takes decoded JSON in
which `schema_problems` found nothing wrong, and returns sentences.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NamedTuple

    Plan = dict[str, Any]
    Story = dict[str, Any]

    class Problem(NamedTuple):
        """One problem of a plan."""

        story: str
        """The id of the story; empty if the whole plan is meant."""
        rule: str
        """The part that `restored` puts back: review, criteria, order, all, users, or empty for none."""
        message: str
else:
    # typing takes longer to import than the rest of a hook.
    Problem = namedtuple("Problem", "story rule message")  # noqa: PYI024

IMPLEMENT, REVIEW, REVIEW_FIX = "implement", "review", "review-fix"
NEEDS_REVIEW, CHANGES_REQUESTED, APPROVED = "needs_review", "changes_requested", "approved"
AUTO_APPROVED = "[AUTO-APPROVED AT CAP]"
DEFAULT_CAP = 5
SHOWN = 20
"""How many ids are listed at most."""
REVIEW_FIELDS = ("passes", "reviewStatus", "reviewCount")
USERS_FIELDS = ("project", "branchName", "description", "mayChange")
"""The top-level fields that no agent may change. `verifyCommands` may grow."""
INITIAL = {"passes": False, "reviewStatus": None, "reviewCount": 0}


def iteration_mode(plan: Plan, skip_review: bool = False) -> str:
    """What the next iteration does: fixes come before reviews, and reviews before new work."""
    if skip_review:
        return IMPLEMENT
    statuses = {story["reviewStatus"] for story in plan["userStories"]}
    if CHANGES_REQUESTED in statuses:
        return REVIEW_FIX
    return REVIEW if NEEDS_REVIEW in statuses else IMPLEMENT


def next_story(plan: Plan, mode: str, skip_review: bool = False) -> Story | None:
    """The story of an iteration in this mode: the lowest priority number, then the order in the file."""
    wanted = {REVIEW_FIX: CHANGES_REQUESTED, REVIEW: NEEDS_REVIEW}.get(mode)
    done = finished(plan, skip_review)
    ready: list[Story] = [
        story
        for story in plan["userStories"]
        if (wanted and story["reviewStatus"] == wanted)
        or (not wanted and story["id"] not in done and _is_ready(story, done, skip_review))
    ]
    return min(ready, key=_priority) if ready else None


def _priority(story: Story) -> float:
    return story["priority"]


def _is_ready(story: Story, done: set[str], skip_review: bool) -> bool:
    return (skip_review or story["reviewStatus"] is None) and done.issuperset(story.get("dependsOn") or ())


def finished(plan: Plan, skip_review: bool = False) -> set[str]:
    """The ids of the stories that are done."""
    return {
        story["id"]
        for story in plan["userStories"]
        if story["passes"] is True and (skip_review or story["reviewStatus"] == APPROVED)
    }


def is_complete(plan: Plan, skip_review: bool = False) -> bool:
    """Whether there are stories, and all of them are done."""
    return bool(plan["userStories"]) and len(finished(plan, skip_review)) == len(plan["userStories"])


def snapshot(plan: Plan) -> dict[str, Any]:
    """The state that is compared after an iteration, by the id of each story."""
    return {story["id"]: {key: value for key, value in story.items() if key != "id"} for story in plan["userStories"]}


def users_part(plan: Plan) -> dict[str, Any]:
    """The part of a plan that only the user may change."""
    return {key: plan[key] for key in (*USERS_FIELDS, "verifyCommands") if key in plan}


def invariant_problems(plan: Plan, cap: int = DEFAULT_CAP) -> list[Problem]:
    """Check 2: the rules for every plan between two iterations, whatever the iteration did."""
    return [problem for story in plan["userStories"] for problem in _invariants(story, cap)]


def transition_problems(plan: Plan, before: dict[str, Any], mode: str) -> list[Problem]:
    """Check 2.5: what an iteration of this mode must not change. `before` is the `snapshot` taken ahead of it."""
    stories: dict[str, Story] = {story["id"]: story for story in plan["userStories"]}
    changed: list[Story] = []
    found: list[Problem] = []
    for name, story in stories.items():
        old = before.get(name)
        if old is None:
            found += _new_story(story)
            continue
        found += _kept_fields(story, old, mode)
        if any(story[key] != old.get(key) for key in REVIEW_FIELDS):
            changed.append(story)
    judge = {REVIEW: _review, REVIEW_FIX: _review_fix}.get(mode, _implement)
    return [*structure_problems(plan, before, mode), *found, *judge(changed, before)]


def iteration_problems(
    plan: Plan, before: dict[str, Any], users: dict[str, Any], mode: str, cap: int, skip_review: bool = False
) -> list[Problem]:
    """The problems of checks 2 and 2.5. Without reviews they cover only the structure of the plan and the user's
    part.
    """
    found = (
        structure_problems(plan, before, mode)
        if skip_review
        else [*invariant_problems(plan, cap), *transition_problems(plan, before, mode)]
    )
    return [*found, *users_problems(plan, users)]


def structure_problems(plan: Plan, before: dict[str, Any], mode: str) -> list[Problem]:
    """The problems with and without reviews: no story may vanish or lose a criterion, unless it is split."""
    stories: dict[str, Story] = {story["id"]: story for story in plan["userStories"]}
    split = _carried_by_new_stories(stories, before) if mode == IMPLEMENT else {}
    found: list[Problem] = []
    for name, old in before.items():
        # A snapshot of an older loop has only the fields of the review.
        if "acceptanceCriteria" in old:
            found += _structure(name, stories.get(name), old, split.get(name))
    return found


def _carried_by_new_stories(stories: dict[str, Story], before: dict[str, Any]) -> dict[str, set[str]]:
    """The criteria of the stories that were split from another one, by the id of that one."""
    carried: dict[str, set[str]] = {}
    for name, story in stories.items():
        if name not in before and story.get("splitFrom"):
            carried.setdefault(story["splitFrom"], set()).update(story["acceptanceCriteria"])
    return carried


def _structure(name: str, story: Story | None, old: dict[str, Any], carried: set[str] | None) -> list[Problem]:
    if story is None and (carried is None or old.get("reviewStatus") is not None):
        text = f'Story {name} is gone from tasks.json. Put it back; to split it, add stories with splitFrom: "{name}".'
        return [Problem(name, "all", text)]
    kept = {*(story["acceptanceCriteria"] if story else ()), *(carried or ())}
    lost = [each for each in old["acceptanceCriteria"] if each not in kept]
    if not lost:
        return []
    if story is None:
        text = f'Story {name} was split, but its stories lack the acceptance criterion "{lost[0][:80]}".'
        return [Problem(name, "all", text)]
    text = f'Story {name} lost or changed the acceptance criterion "{lost[0][:80]}".'
    # Decisions about other criteria do not apply to this story.
    return [Problem(name, "criteria", text), Problem(name, "review", text)]


def users_problems(plan: Plan, users: dict[str, Any]) -> list[Problem]:
    """The changes of the user's part. Commands may be added after the existing ones."""
    found = [
        Problem("", "users", f"'{key}' in tasks.json is the user's: it must stay as it was.")
        for key in USERS_FIELDS
        if plan.get(key) != users.get(key)
    ]
    commands: list[str] = users.get("verifyCommands") or []
    now: list[str] = plan.get("verifyCommands") or []
    if now[: len(commands)] != commands:
        text = "'verifyCommands' in tasks.json are the user's: you may only add commands at the end."
        found.append(Problem("", "users", text))
    return found


def restored(plan: Plan, before: dict[str, Any], problems: Iterable[Problem], users: dict[str, Any]) -> Plan:
    """The plan with everything that the problems name restored; the rest of the agent's work stays."""
    by_story: dict[str, set[str]] = {}
    for problem in problems:
        by_story.setdefault(problem.story, set()).add(problem.rule)
    stories = [_restored_story(story, before.get(story["id"]), by_story) for story in plan["userStories"]]
    known = {story["id"] for story in stories}
    missing = [{"id": name, **old} for name, old in before.items() if name in by_story and name not in known]
    made = {**plan, "userStories": [*stories, *missing]}
    if "users" in by_story.get("", ()):
        _put_users_back(made, users)
    return made


def _put_users_back(plan: Plan, users: dict[str, Any]) -> None:
    for key in USERS_FIELDS:
        if key in users:
            plan[key] = users[key]
        else:
            plan.pop(key, None)
    commands: list[str] = users.get("verifyCommands") or []
    now: list[str] = plan.get("verifyCommands") or []
    if now[: len(commands)] != commands:
        plan["verifyCommands"] = [*commands, *(each for each in now if each not in commands)]


def _restored_story(story: Story, old: dict[str, Any] | None, by_story: dict[str, set[str]]) -> Story:
    rules = by_story.get(story["id"])
    if not rules:
        return story
    if old is None:
        return {**story, **INITIAL, "reviewFeedback": ""}
    if "all" in rules:
        return {"id": story["id"], **old}
    put_back: dict[str, Any] = {}
    if "review" in rules:
        put_back.update({key: old[key] for key in (*REVIEW_FIELDS, "reviewFeedback") if key in old})
    if "criteria" in rules:
        put_back["acceptanceCriteria"] = old["acceptanceCriteria"]
    if "order" in rules:
        put_back["priority"] = old["priority"]
    return {**story, **put_back}


def _invariants(story: Story, cap: int) -> list[Problem]:
    name, status = story["id"], story["reviewStatus"]
    found: list[str] = []
    if story["passes"] and status != APPROVED:
        found.append(
            f"Story {name} has passes=true but reviewStatus is '{_word(status)}', not 'approved'. Only review"
            " iterations may approve stories. Set passes back to false or complete the review cycle."
        )
    if status == APPROVED and not story["passes"]:
        found.append(
            f"Story {name} has reviewStatus 'approved' but passes=false: the two are out of sync. An approved story"
            " passes."
        )
    if status == CHANGES_REQUESTED and not story["reviewFeedback"].strip():
        found.append(
            f"Story {name} has reviewStatus 'changes_requested' but its reviewFeedback is empty: feedback is required,"
            " so say what must be fixed."
        )
    if story["reviewCount"] > cap + 1:
        found.append(f"Story {name} has reviewCount {story['reviewCount']}, more than the review cap of {cap} allows.")
    return [Problem(name, "review", text) for text in found]


def _new_story(story: Story) -> list[Problem]:
    return [
        Problem(
            story["id"],
            "review",
            f"New story {story['id']} must start incomplete: {key} must be {_word(value)}, not {_word(story[key])}.",
        )
        for key, value in INITIAL.items()
        if story[key] != value
    ]


def _kept_fields(story: Story, old: dict[str, Any], mode: str) -> list[Problem]:
    """The problems with fields that stay in every mode: approved stories, open feedback, and the order outside of
    implement.
    """
    name = story["id"]
    found: list[Problem] = []
    if "acceptanceCriteria" not in old:
        return []
    if old.get("reviewStatus") == APPROVED:
        same = {key: value for key, value in story.items() if key != "id"} == old
        return [] if same else [Problem(name, "all", f"Story {name} is approved: it may not be changed any more.")]
    is_undecided = all(story[key] == old.get(key) for key in REVIEW_FIELDS)
    if is_undecided and old.get("reviewStatus") and story["reviewFeedback"] != old.get("reviewFeedback"):
        text = f"Story {name}: reviewFeedback was changed without a decision. It stays as the review wrote it."
        found.append(Problem(name, "review", text))
    if mode != IMPLEMENT and story["priority"] != old["priority"]:
        text = f"Story {name} was reordered: only implement iterations may change priorities."
        found.append(Problem(name, "order", text))
    return found


def _steps(story: Story, old: dict[str, Any]) -> str:
    """Each field of the review that changed, as `field old -> new`."""
    changes = [key for key in REVIEW_FIELDS if story[key] != old.get(key)]
    return ", ".join(f"{key} {_word(old.get(key))} → {_word(story[key])}" for key in changes)


def _is_submission(story: Story, old: dict[str, Any], status: str | None) -> bool:
    """Whether the story goes from this status to a review, with nothing decided."""
    moves = old.get("reviewStatus") == status and story["reviewStatus"] == NEEDS_REVIEW
    return moves and story["passes"] == old.get("passes") and story["reviewCount"] == old.get("reviewCount")


def _implement(changed: list[Story], before: dict[str, Any]) -> list[Problem]:
    submitted = [story for story in changed if _is_submission(story, before[story["id"]], None)]
    found = [
        Problem(
            story["id"],
            "review",
            "Implement iterations cannot set passes=true or approve stories. Only review iterations may approve."
            f" Story {story['id']} had illegal transition: {_steps(story, before[story['id']])}.",
        )
        for story in changed
        if story not in submitted
    ]
    done = {name for name, old in before.items() if old.get("reviewStatus") == APPROVED}
    for story in submitted:
        # Its earlier dependencies count, too: one that was just deleted is not fulfilled.
        needed = [*(story.get("dependsOn") or ()), *(before[story["id"]].get("dependsOn") or ())]
        waiting = ", ".join(dict.fromkeys(each for each in needed if each not in done))
        if waiting:
            text = f"Story {story['id']} cannot be submitted for review: it depends on {waiting}, not approved yet."
            found.append(Problem(story["id"], "review", text))
    return found + _only_one(submitted, "Implement iterations submit one story")


def _review(changed: list[Story], before: dict[str, Any]) -> list[Problem]:
    if not changed:
        text = "Review iteration made no decision: review must increment reviewCount of exactly one story."
        return [Problem("", "", text)]
    found: list[Problem] = []
    for story in changed:
        wrong = _wrong_decision(story, before[story["id"]])
        if wrong:
            text = f"Review iteration made illegal transition on story {story['id']}: {wrong}."
            found.append(Problem(story["id"], "review", text))
    return found or _only_one(changed, "Review iterations may only modify one story")


def _wrong_decision(story: Story, old: dict[str, Any]) -> str:
    """What is wrong with the decision of a review; empty if it is allowed."""
    if old.get("reviewStatus") != NEEDS_REVIEW:
        return f"it was not waiting for a review ({_steps(story, old)})"
    before, now = old.get("reviewCount", 0), story["reviewCount"]
    if now != before + 1:
        return f"review must increment reviewCount by 1, and it changed {before} → {now}"
    if story["reviewStatus"] == APPROVED and story["passes"]:
        return ""
    if story["reviewStatus"] == CHANGES_REQUESTED and not story["passes"]:
        return "" if story["reviewFeedback"].strip() else "changes were requested without reviewFeedback"
    return _steps(story, old)


def _review_fix(changed: list[Story], before: dict[str, Any]) -> list[Problem]:
    found: list[Problem] = []
    for story in changed:
        old, name = before[story["id"]], story["id"]
        if not _is_submission(story, old, CHANGES_REQUESTED):
            text = (
                f"Review-fix iterations cannot approve stories. Story {name} must go back to needs_review for"
                f" re-review. Illegal transition: {_steps(story, old)}."
            )
            found.append(Problem(name, "review", text))
        elif story["reviewFeedback"].strip():
            found.append(Problem(name, "review", f"Story {name} goes back to review: clear its reviewFeedback."))
    return found or _only_one(changed, "Review-fix iterations work on one story")


def _only_one(stories: list[Story], rule: str) -> list[Problem]:
    """The problems if several stories changed: none counts, because nobody knows which was meant."""
    if len(stories) <= 1:
        return []
    names = ", ".join(story["id"] for story in stories[:SHOWN])
    return [Problem(story["id"], "review", f"{rule}, and {len(stories)} were changed: {names}.") for story in stories]


def _word(value: Any) -> str:
    """A value as in JSON."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
