"""Verification of a proof's record: it is consistent, and what it says is observed again."""

import secrets
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from ralph.app.proof.fitting import Fitting, differences, fitting
from ralph.app.proof.records import noted, read_file, statements_of
from ralph.app.proof.subjects import named_subject
from ralph.app.tasks.settings import load_for_task
from ralph.kernel.recipes import verify as recipe
from ralph.kernel.recipes.verify import VerifyRun
from ralph.loop.plan import Plan, make_plan
from ralph.loop.proof_rows import ProofRows
from ralph.store.projects import project_at
from ralph.store.sql import Store


class Claimed(NamedTuple):
    """A consistent record, and the run that shows whether it is true."""

    plan: Plan
    fitting: Fitting


class ProofView(Struct, frozen=True, rename="camel"):
    """The result of verifying a record, for programs."""

    commit: str
    tree: str
    base: str
    task: str
    proof: str
    signers: tuple[str, ...]
    run: str
    verdict: str
    exit_code: int
    differences: list[str]


async def plan_check(store: Store, project: Path, name: str | None, file: Path | None) -> Claimed:
    """The record to check. An error says what is inconsistent; nothing of the record has run yet."""
    subject = await named_subject(store, project, name or "HEAD")
    loaded = load_for_task(store, project, subject.task)
    data = read_file(file) if file else await noted(store, project, subject)
    found = await fitting(loaded.settings, project, subject, statements_of(data))
    loop = VerifyRun(
        commit=subject.commit,
        checks=found.checks,
        base=found.base,
        label=f"the proof of {subject.name}",
        rules=found.rules,
        fresh=secrets.token_hex(8),
    )
    return Claimed(make_plan(recipe.NAME, loaded.settings, loaded.merged, loop), found)


def compared(store: Store, project: Path, run_id: str, found: Fitting) -> list[str]:
    """The differences between what the run saw and the record."""
    name, tree = project_at(store, project).id, found.record.subject.tree
    return differences(found.record, ProofRows.read(store, name, run_id, tree).checks())


def proof_view(run_id: str, claimed: Claimed, code: int, verdict: str, found: list[str]) -> ProofView:
    loop, record = claimed.plan.loop, claimed.fitting.record
    return ProofView(
        commit=loop.commit,
        tree=record.subject.tree,
        base=loop.base,
        task=record.predicate.task,
        proof=record.predicate.proof,
        signers=claimed.fitting.signers,
        run=run_id,
        verdict=verdict,
        exit_code=code,
        differences=found,
    )
