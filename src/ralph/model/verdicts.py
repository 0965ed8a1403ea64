"""How a run ended. A verdict is typed, says why in one sentence, and has an exit code."""

from typing import ClassVar

from msgspec import Struct

from ralph.model.errors import RalphError


class Verdict(Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """The base of all verdicts; `reason` is the one sentence, `kind` the tag."""

    exit_code: ClassVar[int] = 9

    @property
    def kind(self) -> str:
        return str(self.__struct_config__.tag)

    @property
    def reason(self) -> str:
        return self.kind


class Verified(Verdict, frozen=True, tag="verified"):
    iterations: int
    what: str = "proven done"
    unit: str = "iteration"
    exit_code: ClassVar[int] = 0

    @property
    def reason(self) -> str:
        return f"{self.what} after {count(self.iterations, self.unit)}"


class MaxIterations(Verdict, frozen=True, tag="max_iterations"):
    limit: int
    last: str = ""
    """What was missing at the end of the last iteration."""
    unit: str = "iteration"
    exit_code: ClassVar[int] = 1

    @property
    def reason(self) -> str:
        why = f": {self.last}" if self.last else ""
        return f"not done after {count(self.limit, self.unit)}{why}"


class BudgetSpent(Verdict, frozen=True, tag="budget"):
    what: str
    spent: float
    limit: float
    exit_code: ClassVar[int] = 4

    @property
    def reason(self) -> str:
        return f"the budget is spent: {self.spent:g} of {self.limit:g} {self.what}"


class AgentFailed(Verdict, frozen=True, tag="agent_error"):
    why: str
    exit_code: ClassVar[int] = 7

    @property
    def reason(self) -> str:
        return self.why


class Failed(Verdict, frozen=True, tag="failed"):
    why: str
    exit_code: ClassVar[int] = 9

    @property
    def reason(self) -> str:
        return self.why


class SentBack(Verdict, frozen=True, tag="rejected"):
    """A stage found that an earlier one must work again."""

    stage: str
    why: str
    iterations: int = 0
    exit_code: ClassVar[int] = 1

    @property
    def reason(self) -> str:
        return f"sent back to {self.stage}: {self.why}"


class Borrowed(Verdict, frozen=True):
    """The verdict of something else."""

    by: str
    why: str
    code: int

    @property
    def kind(self) -> str:
        return self.by

    @property
    def reason(self) -> str:
        return self.why


class EndedBy(Borrowed, frozen=True, tag="ended-by"):
    """A run that is a part of this one did not come to a good end, and so this one cannot."""


class Stopped(Borrowed, frozen=True, tag="stopped"):
    """An error ended the run from outside the recipe."""


AnyVerdict = Verified | MaxIterations | BudgetSpent | AgentFailed | Failed | SentBack | EndedBy | Stopped


def from_error(error: RalphError) -> Stopped:
    return Stopped(by=error.verdict, why=str(error), code=error.exit_code)


def exit_code(verdict: Verdict) -> int:
    return verdict.code if isinstance(verdict, Borrowed) else verdict.exit_code


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
