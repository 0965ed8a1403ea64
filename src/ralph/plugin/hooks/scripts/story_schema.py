"""The form of a story plan (`ralph/tasks.json`).

The plugin's Stop hook and ralph itself use this file, so it is pure and needs only Python 3.8. Agents write all text in
a plan, so nothing here trusts its types.
"""

# Decoded JSON of unknown form is what this file is about.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Story = dict[str, Any]

STATUSES = (None, "needs_review", "changes_requested", "approved")
TEXTS = ("project", "branchName", "description")
SHOWN = 20
"""How many problems are reported at most: a plan of 100,000 stories may have as many."""
QUOTED = 80


def schema_problems(plan: Any) -> list[str]:
    """Check 1, in sentences. An empty list means that the rules can be applied to this plan."""
    if not isinstance(plan, dict):
        return ["tasks.json must be a JSON object."]
    found, stories = _top_problems(plan), plan.get("userStories", [])
    if not isinstance(stories, list):
        return [*found, "'userStories' in tasks.json must be a list."]
    if "userStories" in plan and not stories:
        found.append("'userStories' in tasks.json is empty: there is nothing to do.")
    for place, story in enumerate(stories, start=1):
        found += _story_problems(story, place)
        if len(found) > SHOWN:
            return found
    return found or _id_problems(stories) or _dependency_problems(stories)


def _top_problems(plan: dict[str, Any]) -> list[str]:
    found = [f"tasks.json has no field '{key}'." for key in (*TEXTS, "userStories") if key not in plan]
    found += [f"'{key}' in tasks.json must be text." for key in TEXTS if key in plan and not _is_text(plan[key])]
    return found + [
        f"'{key}' in tasks.json must be a list of texts."
        for key in ("verifyCommands", "mayChange")
        if key in plan and not _are_texts(plan[key])
    ]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_criteria(value: Any) -> bool:
    return _are_texts(value) and bool(value)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    # Python reads NaN and Infinity in JSON, which cannot be ordered.
    return is_number and float("-inf") < value < float("inf")


def _is_status(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value in STATUSES)


FORMS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("id", _is_name, "a text that is not empty"),
    ("title", _is_text, "text"),
    ("passes", _is_bool, "true or false"),
    ("priority", _is_number, "a number"),
    ("acceptanceCriteria", _are_criteria, "a list of texts that is not empty"),
    ("reviewStatus", _is_status, 'null, "needs_review", "changes_requested" or "approved"'),
    ("reviewCount", _is_count, "a whole number of at least 0"),
    ("reviewFeedback", _is_text, "text"),
)
OPTIONAL_FORMS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("description", _is_text, "text"),
    ("notes", _is_text, "text"),
    ("dependsOn", _are_texts, "a list of the ids of other stories"),
    ("splitFrom", _is_text, "the id of the story that it was split from"),
)


def _story_problems(story: Any, place: int) -> list[str]:
    if not isinstance(story, dict):
        return [f"Story {place} in tasks.json must be an object."]
    given: Story = story
    name = f"Story {given['id'][:QUOTED]}" if _is_name(given.get("id")) else f"Story {place} in tasks.json"
    found = [f"{name} has no field '{key}'." for key, _, _ in FORMS if key not in given]
    found += [
        f"{name}: '{key}' must be {form}, not {_quoted(given[key])}."
        for key, fits, form in (*FORMS, *OPTIONAL_FORMS)
        if key in given and not fits(given[key])
    ]
    if given.get("passes") is True and not _is_name(given.get("notes")):
        found.append(f"{name} has passes=true with empty notes: say in 'notes' what was done.")
    return found


def _quoted(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    short = text if len(text) <= QUOTED else text[: QUOTED - 3] + "..."
    return f'"{short}"' if isinstance(value, str) else short


def _id_problems(stories: list[Story]) -> list[str]:
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for story in stories:
        if story["id"] in seen:
            twice[story["id"]] = None
        seen.add(story["id"])
    return [f"The id {each} is used by more than one story: ids must be unique." for each in list(twice)[:SHOWN]]


def _dependency_problems(stories: list[Story]) -> list[str]:
    needs: dict[str, list[str]] = {story["id"]: list(story.get("dependsOn") or ()) for story in stories}
    found = [
        f"Story {name} depends on {each}, which is not a story of tasks.json."
        for name, wanted in needs.items()
        for each in wanted
        if each not in needs
    ]
    if found:
        return found[:SHOWN]
    circle = _circle(needs)
    return [f"Stories depend on each other in a circle: {' > '.join(circle)}."] if circle else []


def _circle(needs: dict[str, list[str]]) -> list[str]:
    """The first cycle of dependencies, or an empty list. It uses no recursion: a plan may be a chain of 100,000
    stories.
    """
    done: set[str] = set()
    for start in needs:
        if start not in done:
            circle = _circle_from(start, needs, done)
            if circle:
                return circle
    return []


def _circle_from(start: str, needs: dict[str, list[str]], done: set[str]) -> list[str]:
    path, stack = {start: None}, [(start, iter(needs[start]))]
    while stack:
        name, left = stack[-1]
        each = next((each for each in left if each not in done), None)
        if each is None:
            stack.pop()
            del path[name]
            done.add(name)
        elif each in path:
            names = list(path)
            return [*names[names.index(each) :], each]
        else:
            stack.append((each, iter(needs[each])))
            path[each] = None
    return []
