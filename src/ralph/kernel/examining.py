"""The examination of an attempt at a chunk: one check after another, the cheapest first."""

from collections.abc import Generator
from typing import Any

from ralph.kernel.actions.agent import Said
from ralph.kernel.actions.base import Step
from ralph.kernel.actions.checks import Question, Recalled, RecallEvidence, RecordEvidence
from ralph.kernel.approving import Approvals
from ralph.kernel.chunk_feedback import Refused, by_agent, by_evidence, by_no_change, by_person, by_review
from ralph.kernel.chunk_options import VERIFICATION, ChunkRun
from ralph.kernel.going_on import Persistence
from ralph.kernel.judging import semantic
from ralph.kernel.problems import judge_failed
from ralph.kernel.proof import Blocks, doubts
from ralph.kernel.review_question import Beside
from ralph.kernel.reviewing import ReviewMaterial, Reviews, reviewed
from ralph.kernel.task_work import TaskWork
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.proof import together
from ralph.model.reviews import ReviewBy
from ralph.model.verdicts import AgentFailed, TamperedWork, Verified
from ralph.model.verification import Semantic

CRITERIA = "criteria"
NOTHING_TO_RUN = Evidence(VERIFICATION, passed=True, reason="there is nothing to run", proof="word")

End = Refused | AgentFailed | TamperedWork | None
"""Why the attempt does not ship, or the verdict that ends the run; None if it is good so far."""
Look = Generator[Step, Any, End]


class Examination:
    """The examination of the attempts, one after another. Its result depends on the last attempt alone."""

    def __init__(self, run: ChunkRun, persistence: Persistence) -> None:
        self._run = run
        self._persistence = persistence
        self._blocks = Blocks(persistence)
        self._approvals = Approvals(run.task.id, run.people)
        self._history = Reviews()
        self._seen: list[Evidence] = []
        self._is_reviewed = False

    def begin(self, work: TaskWork) -> None:
        self._work = work

    def look_at(self, i: int, report: AgentReport, said: Said) -> Look:
        self._seen, self._is_reviewed = [], False
        if not report.ok:
            return by_agent(report)
        if self._work.changes_nothing and not (yield from self._work.was_delivered(i)):
            return by_no_change()
        for look in (self._verified, self._quick, self._criteria, self._deep, self._confirmed, self._approved):
            if end := (yield from look(i, said)):
                return end
        return None

    def verdict(self, iterations: int, commit: str) -> Verified:
        proof = together(each.proof for each in self._seen if each.proof)
        found = tuple(dict.fromkeys(doubt for each in self._seen for doubt in doubts(each)))
        words = (["reviewed"] if self._is_reviewed else []) + (["approved by a person"] if self._run.people else [])
        what = f"{' and '.join(words)}; nothing was run" if words and proof == "word" else ""
        return Verified(iterations, proof, what, commit=commit, doubts=found)

    def _verified(self, i: int, said: Said) -> Look:
        """The result of the commands on the commit, judged by the base's judges."""
        check, about = self._run.check, self._work.material(i, said)
        if check:
            seen = yield from self._work.verified(check, about, VERIFICATION)
        else:
            seen = self._work.with_findings(NOTHING_TO_RUN)
        if tampered := (yield from self._blocks.end(i, seen)):
            return tampered
        return self._noted(seen)

    def _quick(self, i: int, _said: Said) -> Look:
        return (yield from self._reviewed(self._run.quick, i))

    def _deep(self, i: int, _said: Said) -> Look:
        return (yield from self._reviewed(self._run.deep, i))

    def _reviewed(self, by: ReviewBy | None, i: int) -> Look:
        if by is None:
            return None
        work = self._work
        about = ReviewMaterial(i, self._run.task, work.base, work.commit, self._warnings(), work.worktree.git)
        review = yield from reviewed(by, about, self._history, self._persistence)
        if isinstance(review, AgentFailed):
            return review
        self._is_reviewed = True
        return None if review.ships else by_review(review, self._history)

    def _warnings(self) -> tuple[Beside, ...]:
        """The steps that failed without blocking."""
        failed = [part for each in self._seen for part in each.parts if not part.passed and not part.required]
        return tuple(Beside(f"{part.check} (optional, failed)", f"{part.reason}\n{part.output}") for part in failed)

    def _criteria(self, i: int, said: Said) -> Look:
        """The judgement of a model. It is asked once about the same files, and again only if it could not be asked."""
        check = self._run.judged
        again = 0
        while check:
            seen = yield from self._judged(check, i, said, again)
            failed = judge_failed(seen)
            if failed is None:
                return self._noted(seen)
            if (yield from self._persistence.give_up(i, failed)) is None:
                return failed
            again = self._persistence.again
        return None

    def _judged(self, check: Semantic, i: int, said: Said, again: int) -> Generator[Step, Any, Evidence]:
        question = Question(check, self._work.base, self._work.tree)
        name = f"{CRITERIA}-again-{again}" if again else CRITERIA
        recalled: Recalled = yield RecallEvidence(i, name, question)
        seen = recalled.evidence
        if seen is None:
            seen = yield from semantic(check, self._work.material(i, said, again), CRITERIA)
        recorded: Evidence = yield RecordEvidence(i, seen, again, slug=CRITERIA, question=question)
        return recorded

    def _confirmed(self, i: int, said: Said) -> Look:
        """Whether the branch still holds what was examined."""
        seen = yield from self._work.confirmed(self._seen[0], self._work.material(i, said))
        return None if seen.passed else by_evidence(seen, self._history)

    def _approved(self, i: int, _said: Said) -> Look:
        if not self._approvals.are_wanted:
            return None
        approval = yield from self._approvals.asked(i)
        return by_person(approval.rejected_by, approval.why) if approval.rejected_by else None

    def _noted(self, seen: Evidence) -> Refused | None:
        self._seen.append(seen)
        return None if seen.passed else by_evidence(seen, self._history)
