"""A plan of stories as people read it."""

from typing import Any

from ralph.cli.planning.wrapping import wrapped
from ralph.cli.saying import safe_text


def plan_lines(plan: dict[str, Any]) -> list[str]:
    """The stories with their criteria, the commands that verify them, and where the work is done."""
    lines = [*wrapped(plan["description"]), f"Branch: {plan['branchName']}"]
    for story in plan["userStories"]:
        after = f" (after {', '.join(story['dependsOn'])})" if story["dependsOn"] else ""
        lines += ["", *wrapped(f"{story['id']}  {story['title']}{after}", "  ", hanging="  ")]
        lines += wrapped(story["description"], "    ")
        lines += [line for each in story["acceptanceCriteria"] for line in wrapped(f"- {each}", "    ", hanging="  ")]
    commands = plan["verifyCommands"]
    lines += [
        "",
        "ralph verifies each story with:" if commands else "No command verifies the stories: only reviews do.",
    ]
    lines += [f"  {safe_text(each)}" for each in commands]
    if may_change := plan.get("mayChange"):
        lines += [
            "Agents may change these files, though they judge the work:",
            *(f"  {safe_text(each)}" for each in may_change),
        ]
    return lines
