"""The options of a run of the prompt recipe."""

from typing import Literal

from msgspec import Struct

from ralph.kernel.actions.checks import Rules
from ralph.kernel.feedback import Place
from ralph.model.projects import Located

ProofWanted = Literal["auto", "always", "never"]


class Guardrail(Struct, frozen=True, omit_defaults=True):
    command: str
    place: Place = "APPEND"
    hint: str = ""
    baseline: Literal["strict", "relative"] = "strict"
    red: bool = False
    canary: bool = True
    proof: bool = True
    """Whether the guardrail is also tried on clean checkouts. One with side effects runs only in the user's tree."""


class ScmTasks(Struct, frozen=True):
    command: str
    tasks: tuple[str, ...]
    hooks: bool = True
    """Whether git runs the user's hooks."""


class PromptRun(Struct, frozen=True, omit_defaults=True):
    limit: int
    completion: str
    prompt: str = ""
    title: str = ""
    """The first words of the prompt, for lists and screens."""
    file: Located | None = None
    """The prompt file, read again in each iteration; `prompt` counts only without it."""
    guardrails: tuple[Guardrail, ...] = ()
    scm: ScmTasks | None = None
    count: bool = False
    """Whether the prompt begins with `Iteration X of Y, Z remaining.`"""
    proof: ProofWanted = "auto"
    """Whether a claim is judged on clean checkouts; `auto` does so if there is git."""
    rules: Rules = Rules()
    check_timeout: float = 0.0
    """How many seconds a guardrail may take on a clean checkout; 0 means no limit."""
