"""The forms in which a planner answers: questions while it has any, then a document or the parts of the work."""

from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

MOST_QUESTIONS = 5
"""How many questions one round may have."""
MOST_OPTIONS = 5
Tier = Literal["S", "M", "L"]
Impact = Literal["high", "medium", "low"]


class PlanQuestion(Struct, frozen=True):
    question: str
    why: str
    """Why the answer matters."""
    options: list[str]
    """The choices for the user; empty if any text is an answer."""
    default: str
    """The answer that the planner recommends."""
    impact: Impact = "medium"
    """How much of the work depends on the answer."""


class RequirementsDraft(Struct, frozen=True, rename="camel"):
    """The draft of prd.md. A section is Markdown without its heading; empty if the tier does not need it."""

    questions: list[PlanQuestion]
    tier: Tier
    summary: str
    problem: str
    goals: str
    non_goals: str
    background: str
    design: str
    constraints: str
    edge_cases: str
    risks: str
    open_questions: str


class StoryDraft(Struct, frozen=True, rename="camel"):
    id: str
    title: str
    description: str
    acceptance_criteria: list[str]
    priority: int
    depends_on: list[str]


class StoriesDraft(Struct, frozen=True, rename="camel"):
    questions: list[PlanQuestion]
    branch_name: str
    description: str
    verify_commands: list[str]
    may_change: list[str]
    user_stories: list[StoryDraft]


def ranked(questions: list[PlanQuestion]) -> list[PlanQuestion]:
    """The questions of a round: those with the most impact first, no more than fit, each with its recommended answer
    before the others.
    """
    order = get_args(Impact)
    first = sorted(questions, key=lambda each: order.index(each.impact))[:MOST_QUESTIONS]
    return [replace(each, options=_options(each)) for each in first]


def _options(question: PlanQuestion) -> list[str]:
    others = [each for each in question.options if each.strip() and each.strip() != question.default.strip()]
    if not others or not question.default.strip():
        return others[:MOST_OPTIONS] or question.options
    return [question.default, *others][:MOST_OPTIONS]


class SpecDraft(Struct, frozen=True, rename="camel"):
    questions: list[PlanQuestion] = []
    text: str = ""
    """The whole spec as Markdown, without its title."""
    contradictions: list[str] = []
    """Answers, or parts of the text, that contradict each other, and what was decided."""


CRITERION: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "description": "a requirement that a model judges"},
        *(
            {
                "type": "object",
                "properties": {kind: {"type": "string", "description": what}, "text": {"type": "string"}},
            }
            for kind, what in (
                ("check", "a shell command; exit code 0 shows that the requirement is met"),
                ("person", "a requirement that only a person can approve"),
                ("time", "a requirement about time, which a person approves later"),
            )
        ),
    ]
}
ROLE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "role": {"type": "string", "description": "coder, reviewer, tester, qa or another role of the project"},
        "promise": {"type": "string", "description": "the word with which it says that it is done"},
        "description": {"type": "string"},
        "command": {"type": "string", "description": "a shell command that verifies the promise; empty for none"},
        "checkFor": {"type": "array", "items": {"type": "string"}, "description": "what a model verifies in the work"},
    },
}


class ChunkDraft(Struct, frozen=True, rename="camel"):
    """The work of one session."""

    id: str = ""
    title: str = ""
    description: str = ""
    """The description, step by step."""
    outcome: str = ""
    relevant_files: list[str] = []
    depends_on: list[str] = []
    acceptance_criteria: list[Annotated[Any, Meta(extra_json_schema=CRITERION)]] = []
    """The criteria: a text for a judge, or `{check}`, `{judge}`, `{person}`, `{time}` with an optional `text`."""
    criteria: Annotated[Any, Meta(extra_json_schema={"type": "array", "items": ROLE})] = None
    """When each role is done: a list with `role`, or a mapping by role in the form of task files."""


class ChunksDraft(Struct, frozen=True, rename="camel"):
    questions: list[PlanQuestion] = []
    chunks: list[ChunkDraft] = []
