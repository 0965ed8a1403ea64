"""The proof of a prompt loop's claim: the user's tree at the start and now, judged on clean checkouts of both."""

from collections.abc import Container, Generator, Sequence
from typing import Any

from msgspec.structs import replace

from ralph.kernel.actions.agent import Said
from ralph.kernel.actions.base import Step
from ralph.kernel.actions.checks import RecordEvidence
from ralph.kernel.actions.proof import RestoreProtected, Snapshot, TakeSnapshot, WriteProof
from ralph.kernel.going_on import Persistence
from ralph.kernel.prompt_options import Guardrail, PromptRun
from ralph.kernel.proof import Blocks, Claimed, ProofCheck, doubts, proved, seen_red, with_findings
from ralph.kernel.slugs import unique_slugs
from ralph.model.evidence import Evidence
from ralph.model.places import verification_place
from ralph.model.proof import Finding, together
from ralph.model.verdicts import TamperedWork, Verified
from ralph.model.verification import External

IN_YOUR_TREE = "it fails in your tree, and passes on a clean checkout of the same files"


class UserWork:
    """The user's files from the start of the run to the claim, and what proves the claim."""

    def __init__(self, run: PromptRun, persistence: Persistence) -> None:
        self._run = run
        self._blocks = Blocks(persistence)
        self._start = Snapshot()
        self._judged_tree = ""
        self._is_judged = run.proof != "never" and any(each.proof for each in run.guardrails)

    def begin(self) -> Generator[Step, Any, None]:
        """Record the state that the work is later compared with, before the agent first runs."""
        if self._is_judged or self._run.rules.protected:
            commands = tuple(each.command for each in self._run.guardrails)
            self._start = yield TakeSnapshot(0, commands=commands)
        if self._is_judged and self._start.tree:
            yield from seen_red(self._checks(), self._claim(0, self._start.tree))

    def may_excuse(self, failed: Sequence[Guardrail]) -> bool:
        """Whether a claim can hold although these failed. Only trials show whether they also failed at the start."""
        can_compare = self._is_judged and bool(self._start.tree)
        return all(can_compare and each.baseline == "relative" and each.proof for each in failed)

    def judged(
        self, i: int, said: Said, failed: Sequence[Guardrail] = ()
    ) -> Generator[Step, Any, Verified | TamperedWork | Evidence]:
        """The verdict; or the evidence that the claim does not hold, and the loop continues."""
        seen = yield from self._proved(i, said, {each.command for each in failed})
        if seen.passed:
            verdict = Verified(i, seen.proof or "word", doubts=doubts(seen))
            if self._judged_tree:
                yield self._record(i, verdict)
            return verdict
        return (yield from self._blocks.end(i, seen)) or seen

    def put_back(self, i: int) -> Generator[Step, Any, None]:
        if self._run.rules.protected and self._start.tree:
            yield RestoreProtected(i, self._start.tree, self._run.rules.protected, git=self._start.git)

    def _proved(self, i: int, said: Said, failed: Container[str]) -> Generator[Step, Any, Evidence]:
        """The evidence for the claim. All guardrails except `failed` passed in the user's tree; those may have failed
        before.
        """
        if not self._run.guardrails:
            return Evidence("claim", passed=True, reason="nothing was checked", proof="word")
        parts: list[Evidence] = []
        found: tuple[Finding, ...] = ()
        if self._is_judged and self._start.tree:
            scm = self._run.scm
            commits = scm is not None and scm.command == "git" and "commit" in scm.tasks
            now: Snapshot = yield TakeSnapshot(i, self._start.tree, git=self._start.git, commits=commits)
            found, self._judged_tree = now.findings, now.tree
            claim = self._claim(i, now.tree)
            for one in self._checks():
                in_place = one.check.command not in failed
                seen = yield from proved(one, replace(claim, in_place=in_place))
                parts.append(seen if in_place else _failed_in_place(seen))
                if not parts[-1].passed:
                    break
        seen = with_findings(_all_of(parts), found, self._run.rules)
        if not parts and not found:
            return seen
        recorded: Evidence = yield RecordEvidence(i, replace(seen, claim=said.digest), told=seen.passed)
        return recorded

    def _claim(self, i: int, tree: str) -> Claimed:
        start = self._start
        place, rules = verification_place("run"), self._run.rules
        return Claimed(i, start.tree, tree, place, rules, programs=start.programs, git=start.git)

    def _record(self, i: int, verdict: Verified) -> WriteProof:
        start, rules = self._start, self._run.rules
        return WriteProof(i, self._judged_tree, start.tree, verdict.proof, verdict.doubts, rules, git=start.git)

    def _checks(self) -> list[ProofCheck]:
        """The guardrails that may run on a clean checkout; each may need what those before it build."""
        guardrails = self._run.guardrails
        named = zip(guardrails, unique_slugs(each.command for each in guardrails), strict=True)
        checks: list[ProofCheck] = []
        for each, slug in named:
            if each.proof:
                before = tuple(one.check for one in checks)
                checks.append(ProofCheck(each.command, slug, self._external(each), before=before))
        return checks

    def _external(self, each: Guardrail) -> External:
        return External(
            each.command,
            timeout=self._run.check_timeout,
            baseline=each.baseline,
            red=each.red,
            canary=each.canary,
        )


def _failed_in_place(seen: Evidence) -> Evidence:
    """The evidence if a check fails only in the user's tree: the cause is something that only that tree holds."""
    is_elsewhere = seen.passed and not seen.exit_code
    return replace(seen, passed=False, proof=None, reason=IN_YOUR_TREE) if is_elsewhere else seen


def _all_of(parts: Sequence[Evidence]) -> Evidence:
    """One piece of evidence for all guardrails. The first that does not hold gives the reason."""
    failed = next((each for each in parts if not each.passed), None)
    if failed:
        return failed
    findings = tuple(dict.fromkeys(each for part in parts for each in part.findings))
    reasons = "; ".join(each.reason for each in parts if each.proof == "warned")
    proof = together(part.proof or "checked" for part in parts) if parts else "checked"
    return Evidence(
        "guardrails",
        passed=True,
        reason=reasons or "they pass",
        parts=tuple(parts),
        findings=findings,
        proof=proof,
    )
