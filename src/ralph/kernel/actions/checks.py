"""Checks: each is an action that gives evidence, or the material for evidence. None of them decides."""

from typing import Any, ClassVar, Literal

from msgspec import Struct

from ralph.kernel.actions.agent import Said
from ralph.kernel.actions.base import Action, judged, output_end, verdict_mark
from ralph.model.events import Problem, Tokens
from ralph.model.evidence import NOTHING, Evidence, Result, Spent
from ralph.model.git_rules import GitRules
from ralph.model.places import PROJECT, Place
from ralph.model.rows import Line
from ralph.model.verification import NamedCheck, NegativePattern, Semantic
from ralph.model.words import duration, spent

Asked = Literal["judge", "review", "summary", "commit-message", "plan"]
ASKING: dict[Asked, str] = {
    "judge": "asking a model to judge",
    "review": "asking a model to review",
    "summary": "asking a model for a summary",
    "commit-message": "agent, commit message",
    "plan": "asking a model to plan",
}
ANSWERED: dict[Asked, str] = {
    "judge": "judgement",
    "review": "review",
    "commit-message": "commit message",
    "plan": "plan",
}
DONE: dict[Asked, str] = {
    "judge": "judged",
    "review": "reviewed",
    "summary": "summarised the work",
    "plan": "answered",
}


SHOWN = 5


class Rules(Struct, frozen=True, omit_defaults=True):
    """The user's rules about who may change what, and how much a proof may cost."""

    may_change: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    tamper: Literal["block", "warn", "off"] = "block"
    budget: float = 600.0


def numbered(name: str, again: int) -> str:
    """The name of an action that is asked again after the run was continued."""
    return f"{name}-again-{again}" if again else name


class RunCheck(Action, frozen=True, tag="run-check"):
    """Run a check of the table on the committed files. The place names the tree."""

    label: str
    slug: str
    check: NamedCheck
    required: bool = True
    git: GitRules | None = None
    """The git rules from before the agent first ran."""
    result: ClassVar[type[Result]] = Evidence

    @property
    def title(self) -> str:
        return f"check {self.label}"

    def begun(self) -> Line:
        return Line(self.title, "step")

    def ended(self, result: Any) -> Line:
        seen: Evidence = result
        took = f" ({duration(seen.duration)})"
        told = "\n".join(
            [f"{self.label}: {seen.reason}{took}", *([] if seen.passed else output_end(seen.output_end, seen.log))]
        )
        return judged(told, good=seen.passed) if seen.passed or self.required else Line(f"! {told}", "warn")


FileKind = Literal["text", "binary", "generated", "media"]


class FileDiff(Struct, frozen=True, omit_defaults=True):
    """The part of one file that a model is shown: what a change did to it, or its content if the change left it
    alone.
    """

    path: str
    text: str = ""
    size: int = 0
    """The length of the whole diff, in characters."""
    kind: FileKind = "text"

    @property
    def is_shown(self) -> bool:
        return len(self.text) >= self.size

    @property
    def must_be_seen(self) -> bool:
        return self.kind in ("text", "binary")


class Change(Result, frozen=True):
    """What an agent changed, as far as a check looks at it."""

    forbidden: str = ""
    """The negative pattern that was found and where, in one sentence."""
    files: tuple[FileDiff, ...] = ()
    more: int = 0
    """How many more files the change has."""
    boundary: str = ""
    """A word that nobody who wrote the change could know, so that no text in the change can pretend to end it."""

    @property
    def complaint(self) -> str:
        return self.forbidden


class ReadChange(Action, frozen=True, tag="read-change"):
    """Look for forbidden words in the change from one commit to another, and read the change for a model."""

    slug: str
    base: str
    commit: str
    patterns: tuple[str | NegativePattern, ...]
    said: Said
    most: int
    """How many characters of the diff a model is shown."""
    result: ClassVar[type[Result]] = Change
    effect: ClassVar[bool] = False

    def ended(self, result: Any) -> Line:
        return judged(result.forbidden, good=False) if result.forbidden else Line()


class Files(Result, frozen=True):
    files: tuple[FileDiff, ...] = ()
    """The files that were asked for and exist: their diffs, or their content if the change left them alone."""


class ReadFiles(Action, frozen=True, tag="read-files"):
    """Read the files that a judge asked to see in addition."""

    slug: str
    base: str
    commit: str
    paths: tuple[str, ...]
    most: int
    result: ClassVar[type[Result]] = Files
    effect: ClassVar[bool] = False


class Answer(Result, frozen=True):
    """The answer of a model: a value of the requested form, or plain text."""

    value: Any = None
    text: str = ""
    plain: bool = False
    """Whether the text may begin with an echo of the question."""
    reason: str = ""
    """Why there is no answer; empty if there is one."""
    was_asked: bool = True
    """Whether a model answered at all, even in a form that could not be used."""
    touched: tuple[str, ...] = ()
    """The files that the model changed in a checkout that it should only read."""
    changed: tuple[str, ...] = ()
    """The files of the project that changed while a planner worked, whether the planner or a person changed them."""
    problem: Problem | None = None
    duration: float = 0.0
    cost_usd: float | None = None
    tokens: Tokens = Tokens()
    sandbox: str = "none"
    """What protected against the agent that answered."""

    @property
    def spent(self) -> Spent:
        return Spent(self.cost_usd, self.tokens, self.duration)

    @property
    def complaint(self) -> str:
        return self.reason


class AskModel(Action, frozen=True, tag="ask-model"):
    """Ask a model through an agent: to judge, review, plan, summarise, or write a commit message.

    The place is an empty folder; for a review or a plan it is a read-only checkout of the tree that the place names.
    """

    role: Asked
    prompt: str
    form: str = ""
    """The name of the answer's form (`kernel/forms.py`); empty for plain text."""
    model: str = ""
    slug: str = ""
    retry: int = 0
    """How many earlier tries of this question were refused because of a used-up quota."""
    agent: str = ""
    """The agent that answers while the quota of the intended one is used up."""
    by: str = ""
    """The agent or executor that reviews; empty means the one of the model's vendor, and otherwise the run's agent."""
    result: ClassVar[type[Result]] = Answer

    @property
    def name(self) -> str:
        parts: list[str] = [self.role]
        parts += [self.slug] if self.slug else []
        parts += [f"retry-{self.retry}"] if self.retry else []
        return "-".join(parts)

    @property
    def title(self) -> str:
        return ASKING[self.role]

    @property
    def begins_iteration(self) -> bool:
        """Whether the question counts as an iteration. In a planning run, questions are all that a budget can stop."""
        return self.role == "plan"

    @property
    def is_needed(self) -> bool:
        """Whether the run must wait for a used-up quota to get this answer. A summary of finished work is not
        needed.
        """
        return self.role != "summary"

    def complaint(self, result: Any) -> str:
        """Why there is no answer. For a summary it is empty, because the recipe itself reports what is missing."""
        return result.complaint if self.is_needed else ""

    def ended(self, result: Any) -> Line:
        answer: Answer = result
        if answer.reason and not self.is_needed:
            return Line()
        if answer.reason:
            return judged(f"no {ANSWERED[self.role]}: {answer.reason}", good=False)
        if self.role == "commit-message":
            return Line()
        facts = [duration(answer.duration), *spent(answer.cost_usd, answer.tokens.total)]
        line = f"· a model has {DONE[self.role]} · {' · '.join(facts)}"
        warnings = [f"it wrote into its checkout, which was discarded: {answer.touched[0]}"] if answer.touched else []
        if answer.changed:
            listed = ", ".join(answer.changed[:SHOWN])
            warnings.append(f"your files changed meanwhile: {listed}. If you did not change them, see: git diff")
        return Line("\n  ! ".join([line, *warnings]), "warn" if warnings else "quiet")


class Recorded(Evidence, frozen=True):
    """Evidence that combines other evidence. Its parts hold what it cost."""

    @property
    def spent(self) -> Spent:
        return NOTHING


class Question(Struct, frozen=True):
    """A question to a model. The answer is valid as long as none of these fields changes."""

    check: Semantic
    base: str
    tree: str


class Recalled(Result, frozen=True):
    evidence: Evidence | None = None


class RecallEvidence(Action, frozen=True, tag="recall-evidence"):
    """Look for a model's earlier answer to the same question about the same files."""

    slug: str
    question: Question
    result: ClassVar[type[Result]] = Recalled
    effect: ClassVar[bool] = False


class RecordEvidence(Action, frozen=True, tag="verify"):
    """Record the result of a verification and all its parts as one piece of evidence."""

    evidence: Evidence
    again: int = 0
    told: bool = False
    """Whether it is a single check, whose own row already says the result."""
    slug: str = ""
    """What distinguishes it from the verification of the whole iteration."""
    question: Question | None = None
    """The question that the evidence answers, so that the answer can be found again."""
    result: ClassVar[type[Result]] = Recorded
    effect: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return numbered(self.slug, self.again).lstrip("-")

    def ended(self, result: Any) -> Line:
        seen: Evidence = result
        if self.told:
            return Line()
        lines = [f"{verdict_mark(good=seen.passed)} {seen.check}: {seen.reason} ({duration(seen.duration)})"]
        for part in seen.parts:
            mark = "✓" if part.passed else "✗" if part.required else "!"
            lines.append(f"  {mark} {part.check}: {part.reason}")
        return Line("\n".join(lines), "ok" if seen.passed else "bad")


class Material(Struct, frozen=True):
    """What a claim is judged by."""

    iteration: int
    said: Said
    base: str
    """The commit at which the work began."""
    commit: str
    """The commit that is judged."""
    place: Place = PROJECT
    """The place from which a model's questions are answered: the worktree of the task."""
    checks: Place = PROJECT
    """The place where commands run: the worktree that only ralph uses."""
    rules: Rules = Rules()
    programs: dict[str, str] = {}
    """The programs that the checks started before the agent first ran."""
    git: GitRules | None = None
    """The git rules from before the agent first ran."""
    again: int = 0
    trusts_promise: bool = False
    """Whether the promise is enough when no judge can be asked."""
