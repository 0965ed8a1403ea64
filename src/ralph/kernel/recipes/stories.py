"""The stories recipe: implement, review with a fresh context, fix, until every story of the plan is approved.

An agent moves the stories in the plan, and ralph checks each move against the rules of `story_rules`, whatever hooks
the agent has. So no story passes without a review in an iteration of its own.
"""

from collections.abc import Generator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ralph.kernel.actions.agent import FeedBack
from ralph.kernel.actions.base import Recipe, Step
from ralph.kernel.actions.checks import RecordEvidence
from ralph.kernel.actions.proof import ConfirmTip, TipSeen, WriteProof
from ralph.kernel.actions.stories import (
    BeginStory,
    BegunStory,
    EditedPlan,
    EditPlan,
    OpenedStories,
    OpenStories,
    SettledStory,
    SettleStory,
)
from ralph.kernel.agent_call import Turn
from ralph.kernel.feedback import GAP, NONE, Feedback, Note, agent_note, denial_notes
from ralph.kernel.going_on import Persistence, Rounds
from ralph.kernel.proof import Blocks, Claimed, ProofCheck, doubts, proved, with_findings
from ralph.kernel.slugs import unique_slugs
from ralph.kernel.stage_text import global_rules
from ralph.kernel.story_options import StoriesRun
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.places import verification_place
from ralph.model.proof import together
from ralph.model.verdicts import AgentFailed, TamperedWork, Verified
from ralph.model.verification import External
from ralph.plugin.hooks.scripts.story_rules import AUTO_APPROVED, CHANGES_REQUESTED, finished, is_complete

NAME = "stories"
PROMISE = "<promise>COMPLETE</promise>"
EMPTY_TRIES = 3
SHOWN = 10


class Work(Struct, frozen=True):
    """The plan and the commit that holds it."""

    plan: dict[str, Any]
    head: str


class Open(Struct, frozen=True):
    """An iteration after which stories are left."""

    missing: str
    notes: Feedback


class Call(Struct, frozen=True):
    """The result of one call of the agent."""

    begun: BegunStory
    said: AgentReport
    settled: SettledStory

    @property
    def is_empty(self) -> bool:
        said = self.said
        return said.ok and not said.final.strip() and not said.tools and not self.settled.changed


def stories_loop(run: StoriesRun) -> Recipe:
    persistence = Persistence()
    loop = _Loop(run, persistence, (yield OpenStories(0, run.branch, run.folder)))
    turn, rounds = Turn(persistence), Rounds(run.limit, persistence)
    notes: Feedback = NONE
    missing = ""
    if is_complete(loop.opened.plan, run.skip_review):
        seen = yield from loop.verified(0, Work(loop.opened.plan, loop.opened.head), 0)
        if seen.passed:
            return loop.done(0, loop.opened.plan, seen, "nothing was left to do: all stories are approved{after}")
        missing = seen.reason
        yield from loop.sent_back(0, loop.opened.plan, loop.last(loop.opened.plan), seen)
    while True:
        if over := (yield from turn.end_of_denials(rounds.now)) or (yield from rounds.begin(missing)):
            return over
        end = yield from loop.iteration(turn, notes, rounds.now, rounds.limit)
        if not isinstance(end, Open):
            return end
        missing, notes = end.missing, end.notes
        if notes:
            yield FeedBack(rounds.now, GAP.join(note.text for note in notes))


class _Loop:
    """The state that stays the same over all iterations."""

    def __init__(self, run: StoriesRun, persistence: Persistence, opened: OpenedStories) -> None:
        self.run = run
        self.opened = opened
        self._persistence = persistence
        self._blocks = Blocks(persistence)
        self._call = 0
        """How many times the agent was called in this iteration before."""
        self._known = finished(opened.plan, run.skip_review)
        """The stories that were done when this loop last looked."""
        self._by_hand: set[str] = set()
        """The stories that were finished outside the loop, while it was paused or interrupted."""

    def iteration(
        self, turn: Turn, notes: Feedback, i: int, limit: int
    ) -> Generator[Step, Any, Verified | TamperedWork | AgentFailed | Open]:
        """One iteration. A call of the agent that produces nothing at all is repeated.

        What a killed ralph left is settled and judged like the work of an agent that ended. Then the iteration is
        repeated, in the mode that the plan now asks for.
        """
        self._call, empty = 0, 0
        begun = yield from self._begun(i, limit)
        while True:
            call = yield from self._called(turn, begun, notes, i, limit)
            if isinstance(call, AgentFailed):
                return call
            empty += call.is_empty
            if call.is_empty and empty <= EMPTY_TRIES:
                self._call += 1
                continue
            if call.is_empty and (silent := (yield from self._silent(i))):
                return silent
            end = yield from self.judged(i, call)
            if not isinstance(end, str):
                return end
            notes = _notes(call, end, self.run)
            if not call.said.interrupted:
                return Open(end, notes)
            self._call += 1
            begun = yield from self._begun(i, limit)

    def _begun(self, i: int, limit: int) -> Generator[Step, Any, BegunStory]:
        run = self.run
        begun: BegunStory = yield BeginStory(
            i, run.folder, run.branch, limit, run.cap, run.skip_review, run.user_files, self._call
        )
        self._by_hand |= finished(begun.plan, run.skip_review) - self._known
        return begun

    def _called(
        self, turn: Turn, begun: BegunStory, notes: Feedback, i: int, limit: int
    ) -> Generator[Step, Any, Call | AgentFailed]:
        """The report of the agent's turn, and what the agent left."""
        left: list[SettledStory] = []

        def settle(again: int) -> Generator[Step, Any, None]:
            left.append((yield self._settle(i, begun, again)))
            self._saw(left[-1].plan)

        prompt = GAP.join(each for each in (begun.prompt, global_rules(self.run.project_rules)) if each)
        said = yield from turn.work(
            prompt, notes, iteration=i, limit=limit, empty=self._call, prepared=True, after=settle
        )
        return said if isinstance(said, AgentFailed) else Call(begun, said, left[-1])

    def _silent(self, i: int) -> Generator[Step, Any, AgentFailed | None]:
        silent = AgentFailed(f"the agent answered nothing and did nothing, {EMPTY_TRIES + 1} times in a row")
        return silent if (yield from self._persistence.give_up(i, silent)) is None else None

    def _settle(self, i: int, begun: BegunStory, again: int) -> SettleStory:
        run, opened = self.run, self.opened
        return SettleStory(
            i,
            begun,
            run.folder,
            run.branch,
            opened.base,
            run.cap,
            run.skip_review,
            again,
            self._call,
            run.user_files,
            opened.git,
        )

    def judged(self, i: int, call: Call) -> Generator[Step, Any, Verified | TamperedWork | str]:
        """The verdict; or what is missing, for the next iteration."""
        run, begun, said, settled = self.run, call.begun, call.said, call.settled
        work, seen = Work(settled.plan, settled.head), None
        newly = finished(settled.plan, run.skip_review) - finished(begun.plan, run.skip_review)
        capped = () if run.skip_review else _at_cap(settled.plan, run.cap)
        if newly or capped:
            seen = yield from self.verified(i, work, 0, settled)
            if not seen.passed:
                blocked = yield from self._blocks.end(i, seen)
                if blocked:
                    return blocked
                work = yield from self.sent_back(i, work.plan, (*sorted(newly), *capped), seen)
                return f"The verify commands fail, so {', '.join((*sorted(newly), *capped))} cannot pass: {seen.reason}"
            if capped:
                work, seen = (yield from self._edited(i, "approve-at-cap", capped, AUTO_APPROVED)), None
        if not said.ok and not said.interrupted:
            return said.reason
        if not is_complete(work.plan, run.skip_review):
            return _still_open(work.plan, run, said)
        if settled.dirty:
            return f"all stories are done, but not everything is committed: {', '.join(settled.dirty[:SHOWN])}"
        seen = seen or (yield from self.verified(i, work, 1, settled))
        return (yield from self._completed(i, work, seen))

    def _completed(self, i: int, work: Work, seen: Evidence) -> Generator[Step, Any, Verified | TamperedWork | str]:
        """The verdict when all stories are done: the verify commands must pass on the commit that the branch is at."""
        if not seen.passed:
            blocked = yield from self._blocks.end(i, seen)
            if blocked:
                return blocked
            yield from self.sent_back(i, work.plan, self.last(work.plan), seen)
            return f"all stories are approved, but the verify commands fail: {seen.reason}"
        tip: TipSeen = yield ConfirmTip(i, f"call-{self._call}" if self._call else "", work.head, self.run.branch)
        if tip.problem:
            return tip.problem
        verdict = self.done(i, work.plan, seen)
        if verdict.proof != "word":
            yield WriteProof(
                i, work.head, self.opened.base, verdict.proof, verdict.doubts, self._rules(work), git=self.opened.git
            )
        return replace(verdict, commit=work.head)

    def verified(
        self, i: int, work: Work, again: int, settled: SettledStory | None = None
    ) -> Generator[Step, Any, Evidence]:
        """The evidence of the plan's verify commands on a clean checkout of the commit, proven like any claim."""
        commands: list[str] = work.plan.get("verifyCommands") or []
        if not commands:
            return Evidence("verifyCommands", passed=True, reason="there are none", proof="word")
        claim = Claimed(
            i,
            self.opened.base,
            work.head,
            verification_place(NAME),
            self._rules(work),
            again=2 * self._call + again,
            programs=self.opened.programs,
            git=self.opened.git,
        )
        parts: list[Evidence] = []
        checks: list[External] = []
        for command, slug in zip(commands, unique_slugs(commands), strict=True):
            check = External(command, timeout=self.run.check_timeout)
            seen = yield from proved(ProofCheck(command, slug, check, before=tuple(checks)), claim)
            checks.append(check)
            parts.append(replace(seen, check=command))
            if not seen.passed:
                break
        whole = with_findings(_all_of(parts), settled.findings if settled else (), claim.rules)
        recorded: Evidence = yield RecordEvidence(i, whole, claim.again)
        return recorded

    def _rules(self, work: Work):  # noqa: ANN202 - a Rules
        rules = self.run.rules
        return replace(rules, may_change=(*rules.may_change, *(work.plan.get("mayChange") or ())))

    def sent_back(
        self, i: int, plan: dict[str, Any], stories: Sequence[str], seen: Evidence
    ) -> Generator[Step, Any, Work]:
        """The plan with these stories sent back because their work does not hold. At the cap, only a person can
        continue.
        """
        text = "\n".join(each for each in (f"The verify commands fail: {seen.reason}", _output(seen)) if each)
        exhausted = () if self.run.skip_review else _exhausted(plan, stories, self.run.cap)
        what = "block" if exhausted else "send-back"
        return (yield from self._edited(i, what, tuple(stories), text))

    def _edited(self, i: int, what: Any, stories: Sequence[str], text: str) -> Generator[Step, Any, Work]:
        run = self.run
        edited: EditedPlan = yield EditPlan(
            i, what, tuple(stories), text, run.folder, run.branch, run.skip_review, run.user_files, self._call
        )
        self._saw(edited.plan)
        return Work(edited.plan, edited.head)

    def _saw(self, plan: dict[str, Any]) -> None:
        self._known = finished(plan, self.run.skip_review)
        self._by_hand &= self._known

    def last(self, plan: dict[str, Any]) -> tuple[str, ...]:
        """The story that is sent back if none was approved just now: the one with the lowest rank."""
        return (max(plan["userStories"], key=lambda story: story["priority"])["id"],)

    def done(self, i: int, plan: dict[str, Any], seen: Evidence, what: str = "") -> Verified:
        capped = [story["id"] for story in plan["userStories"] if story["reviewFeedback"].startswith(AUTO_APPROVED)]
        found = doubts(seen)
        if capped:
            found = (f"approved at the review cap, so a person must look at them: {', '.join(capped)}", *found)
        if self._by_hand:
            names = ", ".join(sorted(self._by_hand))
            found = (f"approved in the plan and by no review of this loop: {names}", *found)
        if capped or self._by_hand:
            return Verified(i, "warned", what, doubts=found)
        proof = seen.proof or "word"
        if not what and proof == "word" and not self.run.skip_review:
            what = "reviewed{after}; nothing was run"
        return Verified(i, proof, what, doubts=found)


def _notes(call: Call, missing: str, run: StoriesRun) -> Feedback:
    said, settled = call.said, call.settled
    notes = (agent_note(said),) if not said.ok else denial_notes(said)
    if settled.problems:
        listed = "\n".join(f"- {each}" for each in settled.problems[:SHOWN])
        notes += (
            Note(
                "APPEND", f"ralph checked what the previous iteration left, and reverted what is not allowed:\n{listed}"
            ),
        )
    if settled.dirty and not is_complete(settled.plan, run.skip_review):
        listed = ", ".join(settled.dirty[:SHOWN])
        told = f"The previous iteration left changes that are not committed: {listed}. Commit all that belongs to it."
        notes += (Note("APPEND", told),)
    return notes + ((Note("APPEND", missing),) if missing and said.ok else ())


def _still_open(plan: dict[str, Any], run: StoriesRun, said: AgentReport) -> str:
    """What the next agent must be told. It sees in the plan that stories are open."""
    if PROMISE not in said.final:
        return ""
    done = finished(plan, run.skip_review)
    names = [story["id"] for story in plan["userStories"] if story["id"] not in done]
    return f"COMPLETE was promised, but not all stories are done: {', '.join(names[:SHOWN])}"


def _at_cap(plan: dict[str, Any], cap: int) -> tuple[str, ...]:
    return tuple(
        story["id"]
        for story in plan["userStories"]
        if story["reviewStatus"] == CHANGES_REQUESTED and story["reviewCount"] >= cap
    )


def _exhausted(plan: dict[str, Any], names: Sequence[str], cap: int) -> tuple[str, ...]:
    return tuple(story["id"] for story in plan["userStories"] if story["id"] in names and story["reviewCount"] >= cap)


def _output(seen: Evidence) -> str:
    failed = next((part for part in seen.parts if not part.passed), None)
    return f"{failed.check}:\n{failed.output}" if failed and failed.output else ""


def _all_of(parts: Sequence[Evidence]) -> Evidence:
    failed = next((each for each in parts if not each.passed), None)
    findings = tuple(dict.fromkeys(found for each in parts for found in each.findings))
    return Evidence(
        "verifyCommands",
        passed=failed is None,
        reason=f"{failed.check}: {failed.reason}" if failed else "; ".join(each.reason for each in parts),
        duration=sum(each.duration for each in parts),
        parts=tuple(parts),
        findings=findings,
        proof=None if failed else together(each.proof or "checked" for each in parts),
    )
