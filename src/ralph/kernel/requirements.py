"""The file prd.md: its ten sections, which of them a tier needs, and whether anybody has written into it."""

import re
from typing import NamedTuple

from ralph.kernel.plan_forms import RequirementsDraft

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
HEADING = re.compile(r"^\s{0,3}#{1,6}(\s.*)?$", re.MULTILINE)


class Section(NamedTuple):
    field: str
    heading: str
    needed: str
    """The tiers that need this section."""


# The headings of the template, in its order.
SECTIONS = (
    Section("summary", "1. Summary", "SML"),
    Section("problem", "2. Problem Statement", "SML"),
    Section("goals", "3. Goals", "ML"),
    Section("non_goals", "4. Non-Goals", "ML"),
    Section("background", "5. Background & Context", ""),
    Section("design", "6. Technical Design", "SML"),
    Section("constraints", "7. Constraints", ""),
    Section("edge_cases", "8. Edge Cases & Error Handling", ""),
    Section("risks", "9. Risks & Mitigations", ""),
    Section("open_questions", "10. Open Questions", ""),
)


def is_unwritten(text: str) -> bool:
    """Whether a prd.md holds nothing but headings and comments, like the template."""
    return not HEADING.sub("", COMMENT.sub("", text)).strip()


def requirements_text(project: str, draft: RequirementsDraft) -> str:
    """The document. A section without text is left out."""
    written = [(each.heading, _text(draft, each).strip()) for each in SECTIONS]
    parts = [f"## {heading}\n{text}\n" for heading, text in written if text]
    return "\n".join([f"# {project}\n", f"Tier: {draft.tier}\n", *parts])


def requirements_problems(draft: RequirementsDraft) -> list[str]:
    return [
        f'the section "{each.heading}" is empty, and tier {draft.tier} needs it'
        for each in SECTIONS
        if draft.tier in each.needed and not _text(draft, each).strip()
    ]


def _text(draft: RequirementsDraft, section: Section) -> str:
    return getattr(draft, section.field)
