"""How a run ended. A verdict is typed, says why in one sentence, and has an exit code."""

import re
from typing import NamedTuple

from msgspec import Struct

from ralph.model.errors import Cancelled, RalphError
from ralph.model.proof import Proof
from ralph.model.words import count


class Outcome(NamedTuple):
    """What a verdict means: the exit code for a script, the colour, and the next step for a person."""

    exit_code: int
    colour: str
    next_step: str = ""
    """What to do now, with `{run}` for the run's id and `{unit}` for what was spent; empty if the reason says it."""


SETTINGS = "(it keeps its settings; for new ones, run again)"
# A new verdict is a class below and one line here.
OUTCOMES = {
    "verified": Outcome(0, "green"),
    "max_iterations": Outcome(1, "yellow", "Continue with a higher limit: ralph resume {run} -m N"),
    "rejected": Outcome(1, "yellow"),
    "revise": Outcome(1, "yellow", "Fix what the review found and commit the fix, then: ralph review"),
    "config_error": Outcome(2, "red"),
    "blocked": Outcome(3, "yellow"),
    "budget": Outcome(4, "yellow", "Continue with a larger budget: ralph resume {run} --budget-{unit} X"),
    "stalled": Outcome(5, "yellow", 'Continue: ralph resume {run}. Then guide it: ralph guide {run} "..."'),
    "tampered": Outcome(6, "red", "Look at what was changed: ralph show {run}. Then continue: ralph resume {run}"),
    "agent_error": Outcome(7, "red", f"When the agent can work again: ralph resume {{run}} {SETTINGS}"),
    "sandbox_error": Outcome(8, "red", "When the sandbox is available: ralph resume {run}"),
    "imported": Outcome(9, "yellow", "Run its task again, because nothing of it was checked here"),
    "failed": Outcome(9, "red", f"When that is fixed: ralph resume {{run}} {SETTINGS}"),
    "cancelled": Outcome(130, "yellow", "Start it again from the beginning: ralph retry {run}"),
}
OTHER = Outcome(9, "yellow")
"""The outcome of a verdict that this version of ralph does not know."""


OF_A_COMMIT = {
    "failed": "Fix it and commit the fix, then verify the new commit. To check this one again: ralph resume {run}",
    "tampered": "Look at what was changed: ralph show {run}",
}
"""The next steps of a run that only looks at a commit, which stays as it is."""


AT_LIMIT = "not done after "
"""The beginning of the reason of a run that used up its iterations. The reason of a spec contains it after the task."""
OF_A_LIMITED_SPEC = "Continue with a higher limit for the tasks that reached it: ralph resume {run} -m N"


def outcome(kind: str) -> Outcome:
    return OUTCOMES.get(kind, OTHER)


def next_step(kind: str, run_id: str, recipe: str, reason: str) -> str:
    """What a person can do after this verdict; empty if the reason says it."""
    step = OF_A_COMMIT.get(kind) if recipe == "verify" else None
    if recipe == "spec" and kind == "failed" and AT_LIMIT in reason:
        step = OF_A_LIMITED_SPEC
    unit = re.search(r" of \S+ (USD|tokens|seconds)\b", reason)
    return (step or outcome(kind).next_step).format(run=run_id, unit=unit[1].lower() if unit else "usd")


class Verdict(Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """The base of all verdicts; `reason` is one sentence, `kind` is the tag."""

    @property
    def kind(self) -> str:
        return str(self.__struct_config__.tag)

    @property
    def reason(self) -> str:
        return self.kind

    @property
    def is_told(self) -> bool:
        """Whether the verdict is the end of the run. A stop from outside says nothing about the run's work."""
        return True


# The words for each proof: they say exactly what was checked.
PROOF_WORDS: dict[Proof, str] = {
    "checked": "proven done{after}",
    "warned": "done{after}, with warnings",
    "judged": "judged met{after}; nothing was run",
    "word": "done by the agent's word{after}; nothing was checked",
}


class Verified(Verdict, frozen=True, tag="verified"):
    iterations: int
    proof: Proof = "word"
    what: str = ""
    """The words to use instead of those for the proof."""
    unit: str = "iteration"
    commit: str = ""
    """The commit that was verified, if there is one."""
    doubts: tuple[str, ...] = ()
    """The subjects of the warnings."""

    @property
    def reason(self) -> str:
        said = self.what or PROOF_WORDS[self.proof]
        if "{after}" not in said:
            said += "{after}"
        words = said.replace("{after}", f" after {count(self.iterations, self.unit)}")
        return f"{words}: {'; '.join(self.doubts[:3])}" if self.doubts else words


class MaxIterations(Verdict, frozen=True, tag="max_iterations"):
    limit: int
    last: str = ""
    """What was missing at the end of the last iteration."""
    unit: str = "iteration"

    @property
    def reason(self) -> str:
        why = f": {self.last}" if self.last else ""
        return f"{AT_LIMIT}{count(self.limit, self.unit)}{why}"


class BudgetSpent(Verdict, frozen=True, tag="budget"):
    what: str
    spent: float
    limit: float

    @property
    def reason(self) -> str:
        # A million tokens must not be shown as 1e+06.
        form = ".0f" if self.what == "tokens" else "g"
        return f"the budget is spent: {self.spent:{form}} of {self.limit:{form}} {self.what}"


class Stalled(Verdict, frozen=True, tag="stalled"):
    """Several iterations in a row left the same files, and the same checks failed in the same way."""

    iterations: int
    checks: tuple[str, ...]

    @property
    def reason(self) -> str:
        failed = ", ".join(f'"{each}"' for each in self.checks)
        row = count(self.iterations, "iteration")
        return f"no progress in {row} in a row: the same files, and {failed} failed with the same output"


class AgentFailed(Verdict, frozen=True, tag="agent_error"):
    why: str

    @property
    def reason(self) -> str:
        return self.why


class Failed(Verdict, frozen=True, tag="failed"):
    why: str

    @property
    def reason(self) -> str:
        return self.why


class TamperedWork(Verdict, frozen=True, tag="tampered"):
    """Several claims in a row were blocked because the work touches what judges it."""

    why: str

    @property
    def reason(self) -> str:
        return self.why


class SentBack(Verdict, frozen=True, tag="rejected"):
    """A stage found that an earlier stage must work again."""

    stage: str
    why: str
    iterations: int = 0

    @property
    def reason(self) -> str:
        return f"sent back to {self.stage}: {self.why}"


class MustRevise(Verdict, frozen=True, tag="revise"):
    """A review found problems that block the work."""

    why: str

    @property
    def reason(self) -> str:
        return self.why


class Borrowed(Verdict, frozen=True):
    """A verdict that takes its outcome from something else."""

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
    """A part of this run did not end well, and so this run cannot end well."""


class Stopped(Borrowed, frozen=True, tag="stopped"):
    """An error outside the recipe ended the run."""

    @property
    def is_told(self) -> bool:
        return self.by != Cancelled.verdict


class ImportedRun(Verdict, frozen=True, tag="imported"):
    """The run was imported from files, and nobody knows how it ended."""

    attempts: int

    @property
    def reason(self) -> str:
        return f"{count(self.attempts, 'attempt')} read from files; nothing of it was checked here"


class CancelledRun(Verdict, frozen=True, tag="cancelled"):
    """`ralph cancel` ended the run, and ralph does not continue it."""

    by: str = ""

    @property
    def reason(self) -> str:
        return f"cancelled by {self.by}" if self.by else "cancelled"


AnyVerdict = (
    Verified
    | MaxIterations
    | BudgetSpent
    | Stalled
    | AgentFailed
    | Failed
    | TamperedWork
    | SentBack
    | MustRevise
    | EndedBy
    | Stopped
    | ImportedRun
    | CancelledRun
)


def from_error(error: RalphError) -> Stopped:
    return Stopped(by=error.verdict, why=str(error), code=error.exit_code)


def exit_code(verdict: Verdict) -> int:
    return verdict.code if isinstance(verdict, Borrowed) else outcome(verdict.kind).exit_code
