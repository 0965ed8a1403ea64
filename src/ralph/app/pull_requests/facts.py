"""What a pull request says about a spec: its tasks, the evidence for each criterion, reviews and cost."""

from collections.abc import Callable, Iterable

from msgspec import Struct

from ralph.app.proof.records import DoesNotFit, read_statements, statements_of
from ralph.app.reviews.views import ReviewView, reviews_in, runs_under_spec
from ralph.app.runs.costs import Amount, added_up
from ralph.app.tasks.evidence import evidence_of
from ralph.git.delivered import ForeignCommit, delivered_tasks, foreign_commits
from ralph.git.notes import read_notes
from ralph.git.repository import Repository
from ralph.kernel.task_rules import in_order
from ralph.model.reviews import TIERS, Review, Tier
from ralph.model.tasks import CriterionKind, OutputSummary, Task
from ralph.store.costs import calls_of
from ralph.store.runs import runs_of_task, was_started_by_agent
from ralph.store.sql import Store
from ralph.store.tasks import get_spec, tasks_of

IMPORTED = "imported"
Mask = Callable[[str], str]


class CriterionFact(Struct, frozen=True, kw_only=True, rename="camel"):
    text: str
    kind: CriterionKind
    command: str
    passed: bool | None
    """Whether it passed; None if nobody has verified it."""
    reason: str


class TaskFact(Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    title: str
    status: str
    summary: OutputSummary | None
    criteria: list[CriterionFact]
    commit: str
    """The commit on the spec's branch; empty if nothing was delivered."""
    proof: str
    """The proof: `checked`, `warned`, `judged` or `word`; empty if nothing was delivered."""
    checks: list[str]
    """The commands that passed on the commit, according to its proof record."""
    record: str
    """The state of the proof record: `noted` on the commit, `missing`, or `unreadable`."""
    iterations: int


class ReviewCount(Struct, frozen=True, kw_only=True, rename="camel"):
    """How many times a tier has reviewed, and with what result."""

    tier: Tier
    reviews: int
    ship: int
    revise: int
    undecided: int
    high: int
    medium: int
    low: int


class SpecFacts(Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    title: str
    branch: str
    commit: str
    base: str
    tasks: list[TaskFact]
    reviews: list[ReviewCount]
    final_decision: str
    """The decision about the whole branch as it is now: `SHIP` or `REVISE`; empty if there is none."""
    final_reviewer: str
    final_findings: list[str]
    """What the final review asks for, if it does not ship."""
    cost: Amount
    by_people: list[str]
    """The commits of the branch that no task delivered."""


class Branch(Struct, frozen=True, kw_only=True):
    """A spec's branch, and the commit with which a pull request would compare it."""

    name: str
    commit: str
    tree: str
    base: str
    """The branch that it is merged into."""
    fork: str
    """The commit at which both part."""


async def gather(
    store: Store, project: str, repository: Repository, spec_id: str, branch: Branch, final: Review | None, mask: Mask
) -> SpecFacts:
    """The facts. What people wrote is masked before anything cuts it: half a secret has no recognisable form."""
    spec = get_spec(store, project, spec_id)
    tasks = [task for task in in_order(tasks_of(store, project)) if task.spec_id == spec.id]
    delivered = await delivered_tasks(repository, branch.name)
    notes = await read_notes(repository, delivered.values())
    strangers = await foreign_commits(repository, branch.fork, branch.commit)
    calls = [call for call in calls_of(store, project) if call.spec == spec.id]
    return SpecFacts(
        id=spec.id,
        title=mask(spec.title),
        branch=branch.name,
        commit=branch.commit,
        base=branch.base,
        tasks=[_task(store, project, task, delivered.get(task.id, ""), notes, mask) for task in tasks],
        reviews=counted(reviews_that_count(store, project, spec.id)),
        final_decision=final.decision if final else "",
        final_reviewer=final.reviewer if final else "",
        final_findings=[f"{each.where}: {each.description}" for each in final.blocking] if final else [],
        cost=added_up(calls).total,
        by_people=[_told(each) for each in strangers],
    )


def reviews_that_count(store: Store, project: str, spec: str) -> list[ReviewView]:
    """The reviews that ralph made here. A repeated answer for the same files is counted once; reviews from files, or
    for an agent's run, are not counted.
    """
    runs = [run for run in runs_under_spec(store, project, spec) if run.verdict != IMPORTED]
    made = reviews_in(store, [run for run in runs if not was_started_by_agent(store, run.id)])
    return [each for each in made if not each.stands]


def counted(reviews: Iterable[ReviewView]) -> list[ReviewCount]:
    """The counts of each tier that has reviewed, in the order of the tiers."""
    by_tier: dict[Tier, list[ReviewView]] = {tier: [] for tier in TIERS}
    for each in reviews:
        by_tier[each.tier].append(each)
    return [
        ReviewCount(
            tier=tier,
            reviews=len(own),
            ship=sum(each.decision == "SHIP" for each in own),
            revise=sum(each.decision == "REVISE" for each in own),
            undecided=sum(each.decision is None for each in own),
            high=sum(each.summary.high for each in own),
            medium=sum(each.summary.medium for each in own),
            low=sum(each.summary.low for each in own),
        )
        for tier, own in by_tier.items()
        if own
    ]


def _task(store: Store, project: str, task: Task, commit: str, notes: dict[str, bytes], mask: Mask) -> TaskFact:
    proof, checks, record = _proof(notes.get(commit)) if commit else ("", [], "missing")
    runs = runs_of_task(store, project, task.id)
    if commit and not proof:
        proof = next((run.proof for run in reversed(runs) if run.verdict == "verified" and run.proof), "word")
    return TaskFact(
        id=task.id,
        title=mask(task.title),
        status=task.status,
        summary=task.summary,
        criteria=_criteria(store, project, task, mask),
        commit=commit,
        proof=proof,
        checks=checks,
        record=record,
        iterations=sum(run.iterations for run in runs if run.recipe in ("chunk", "stage")),
    )


def _criteria(store: Store, project: str, task: Task, mask: Mask) -> list[CriterionFact]:
    if not task.completion_spec:
        return []
    seen = evidence_of(store, project, task, mask).criteria
    return [
        CriterionFact(
            text=mask(each.text),
            kind=each.kind,
            command=mask(each.command),
            passed=seen[each.asked].passed if each.asked in seen else None,
            reason=seen[each.asked].reason if each.asked in seen else "",
        )
        for each in task.completion_spec.acceptance_criteria
    ]


def _proof(note: bytes | None) -> tuple[str, list[str], str]:
    """The content of the record on the commit: its proof, the checks that passed, and whether it can be read."""
    if note is None:
        return "", [], "missing"
    try:
        predicate = read_statements(statements_of(note)).predicate
    except DoesNotFit:
        return "", [], "unreadable"
    return predicate.proof, [each.check.command for each in predicate.checks if each.passed], "noted"


def _told(commit: ForeignCommit) -> str:
    return f"{commit.commit[:12]} {commit.subject} ({commit.author})"
