"""Actions around an agent: its prompt, its work, and what it said."""

from hashlib import sha256
from typing import Any, ClassVar

from msgspec import Struct

from ralph.kernel.actions.base import Action, judged, output_end
from ralph.model.evidence import AgentReport, Evidence, Result
from ralph.model.projects import Located
from ralph.model.rows import Line
from ralph.model.words import count, duration, spent

STDERR = "stderr.log"
WAIT_EXIT_CODE = 42
"""With this exit code a supervised command asks to be left alone until somebody resumes the run."""


class Prompt(Result, frozen=True, omit_defaults=True):
    """What a prompt is made of."""

    text: str = ""
    """The text of its file; empty if it has none."""
    guidance: tuple[str, ...] = ()
    """What people said to the run since it last asked."""
    seen: int = 0
    """The last control word that was read."""


class ReadPrompt(Action, frozen=True, tag="read-prompt"):
    """Read the prompt file, if there is one, and what people said. It is asked before each prompt, so that each part of
    a run gets each word once.
    """

    file: Located | None = None
    seen: int = 0
    result: ClassVar[type[Result]] = Prompt
    effect: ClassVar[bool] = False

    def ended(self, result: Any) -> Line:
        said = "\n".join(f"· guided: {text}" for text in result.guidance)
        return Line(said, "warn") if said else Line()


class RunAgent(Action, frozen=True, tag="run-agent"):
    prompt: str
    agent: str = ""
    """The agent that runs instead of the run's own agent while that one waits for its quota."""
    retry: int = 0
    """How many earlier tries of this call were refused because of a used-up quota."""
    shortened: bool = False
    """Whether the call is repeated with less feedback because the prompt was too long."""
    again: int = 0
    """How many times the run was continued after this call had ended it."""
    empty: int = 0
    """How many earlier tries of this call produced nothing at all or were interrupted."""
    prepared: bool = False
    """Whether only the process that prepared this iteration may make the call. Another process reports it as
    interrupted, so that the recipe can look at what was left and prepare the iteration again."""
    done_file: Located | None = None
    """A file whose existence says, while the agent still runs, that the agent may end."""
    result: ClassVar[type[Result]] = AgentReport

    @property
    def name(self) -> str:
        parts = [f"retry-{self.retry}"] if self.retry else []
        parts += ["shortened"] if self.shortened else []
        parts += [f"empty-{self.empty}"] if self.empty else []
        parts += [f"again-{self.again}"] if self.again else []
        return "-".join(parts)

    @property
    def begins_iteration(self) -> bool:
        return True

    @property
    def title(self) -> str:
        return "agent"

    def begun(self) -> Line:
        return Line(self.title, "head")

    def ended(self, result: Any) -> Line:
        report: AgentReport = result
        tools = [count(report.tools, "tool")] if report.tools else []
        facts = [duration(report.duration), *spent(report.cost_usd, report.tokens.total), *tools]
        if self.done_file and report.exit_code == WAIT_EXIT_CODE:
            return Line(f"· it asks to wait: exit code {WAIT_EXIT_CODE} · {' · '.join(facts)}", "warn")
        ok = f"the agent did not finish: {report.reason}" if report.was_ended else "the agent has finished"
        words = ok if report.ok else f"the agent failed: {report.reason}"
        told = f"{words} · {' · '.join(facts)}"
        if report.denial:
            return Line(f"! {told} · {report.denial}", "warn")
        see = f"{report.attempt_dir}/{STDERR}" if report.complaint_tail else ""
        return judged("\n".join([told, *output_end(report.complaint_tail, see)]), good=report.ok)


class Said(Struct, frozen=True, omit_defaults=True):
    """An agent's final message."""

    text: str
    prompt: str = ""
    """The prompt. The text may repeat it, and what it repeats is not the agent's own claim."""

    @property
    def digest(self) -> str:
        """The digest of the text, by which evidence names the message that it is about."""
        return sha256(self.text.encode(errors="surrogatepass")).hexdigest() if self.text else ""


class ReadResponse(Action, frozen=True, tag="read-response"):
    """See whether the agent's final message says `expected` in the first response tag that counts."""

    said: Said
    expected: str
    result: ClassVar[type[Result]] = Evidence
    effect: ClassVar[bool] = False

    def complaint(self, result: Any) -> str:
        return "" if result.passed else result.reason

    def ended(self, result: Any) -> Line:
        return judged(result.reason, good=result.passed)


class CommitMessage(Result, frozen=True):
    text: str
    problem: str = ""

    @property
    def complaint(self) -> str:
        return f"no commit message: {self.problem}" if self.problem else ""


class ReadCommitMessage(Action, frozen=True, tag="read-commit-message"):
    said: Said
    slug: str = ""
    result: ClassVar[type[Result]] = CommitMessage
    effect: ClassVar[bool] = False

    def ended(self, result: Any) -> Line:
        return judged(result.complaint, good=False) if result.problem else Line()


class Claim(Result, frozen=True):
    """What the final message says about the stage: a promise, or that an earlier stage must work again."""

    promise: str | None = None
    reject_stage: str = ""
    reject_why: str = ""
    problem: str = ""
    """Why there is nothing to verify."""

    @property
    def complaint(self) -> str:
        return self.problem


class ReadClaim(Action, frozen=True, tag="read-claim"):
    said: Said
    expected: str
    earlier: tuple[str, ...] = ()
    """The stages that the task may be sent back to."""
    result: ClassVar[type[Result]] = Claim
    effect: ClassVar[bool] = False

    def ended(self, result: Any) -> Line:
        claim: Claim = result
        if claim.problem:
            return judged(claim.problem, good=False)
        back = f"sent back to {claim.reject_stage}: {claim.reject_why}"
        return judged(back, good=False) if claim.reject_stage else Line()


class FeedBack(Action, frozen=True, tag="feedback"):
    """Keep what the next iteration is told about this one."""

    text: str
    result: ClassVar[type[Result]] = Prompt
    effect: ClassVar[bool] = False
