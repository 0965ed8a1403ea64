"""What a reviewer looks for: the kinds of each tier, with their order and wording."""

import re

from ralph.model.reviews import ReviewBy, Tier

OF_TIER: dict[Tier, tuple[str, ...]] = {
    "quick": ("syntax", "types", "obvious_bugs"),
    "deep": ("security", "race_conditions", "memory_leaks", "error_handling", "logic_bugs"),
    "final": ("security", "race_conditions", "memory_leaks", "error_handling", "logic_bugs"),
}
ALWAYS_FINAL = ("accessibility", "architecture")
WORDS = {
    "syntax": "**Syntax**",
    "types": "**Types**",
    "obvious_bugs": "**Obvious bugs**",
    "security": "**Security**: SQL injection, XSS, auth bypass, secrets exposure",
    "race_conditions": "**Race Conditions**: Async state, concurrent access, stale checks",
    "memory_leaks": "**Memory Leaks**: Uncleaned intervals, unsubscribed listeners, unclosed streams",
    "error_handling": "**Error Handling**: Silent failures, unhandled promises, lost errors",
    "logic_bugs": "**Logic Bugs**: Off-by-one, wrong counts, edge cases",
    "accessibility": "**Accessibility**: ARIA attributes, keyboard navigation, screen readers",
    "architecture": "**Architecture**: Follows existing patterns, no unnecessary abstractions",
}


def checks_of(by: ReviewBy) -> tuple[str, ...]:
    """The names of what the reviewer looks for: its own or its tier's; a final review always has the last two as
    well.
    """
    own = by.checks or OF_TIER[by.tier]
    if by.tier != "final":
        return own
    known = [_known(each) for each in own]
    return own + tuple(each for each in ALWAYS_FINAL if each not in known)


def check_lines(by: ReviewBy) -> list[str]:
    return [f"{number}. {WORDS.get(_known(each), each)}" for number, each in enumerate(checks_of(by), start=1)]


def _known(name: str) -> str:
    """The name in the table that is meant, in singular or plural; the name itself if it is not in the table."""
    word = re.sub(r"[\s-]+", "_", name.strip().casefold())
    return next((each for each in WORDS if each.removesuffix("s") == word.removesuffix("s")), name)
