"""From a commit to a run that judges it."""

import secrets
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ralph.app.proof.policy import checks_of_task, configured_checks
from ralph.app.proof.subjects import Subject, named_subject, repository_at
from ralph.app.runs.proof_rules import proof_rules
from ralph.app.tasks.settings import load_for_task
from ralph.git.repository import Repository
from ralph.git.subjects import default_base, named_commit, parent_of
from ralph.kernel.recipes import verify as recipe
from ralph.kernel.recipes.verify import VerifyRun
from ralph.loop.plan import Plan, make_plan
from ralph.model.errors import ConfigError, StateError
from ralph.store.journal import rows_of
from ralph.store.runs import get_run
from ralph.store.sql import Store

EVIDENCE = "verify"
NO_CHECKS = 'Set one under "guardrails" in .ralph/settings.json, such as {"command": "make test"}, or run: ralph init'


class VerifyView(Struct, frozen=True, rename="camel"):
    """The result of a verification, for programs."""

    run: str
    commit: str
    base: str
    verdict: str
    reason: str
    exit_code: int
    proof: str
    doubts: tuple[str, ...]
    checks: list[Any]
    """The evidence of each check."""


async def plan_verify(store: Store, project: Path, name: str | None, base: str | None) -> Plan:
    subject = await named_subject(store, project, name or "HEAD")
    loaded = load_for_task(store, project, subject.task)
    settings, task = loaded.settings, subject.task
    checks = checks_of_task(settings, task) if task else configured_checks(settings)
    if not checks:
        raise ConfigError(_nothing(subject), NO_CHECKS)
    loop = VerifyRun(
        commit=subject.commit,
        checks=checks,
        base=await _base(repository_at(project), subject, base),
        label=subject.name,
        rules=proof_rules(settings, task.may_change if task else ()),
        fresh=secrets.token_hex(8),
    )
    return make_plan(recipe.NAME, settings, loaded.merged, loop)


def verify_view(store: Store, run_id: str, plan: Plan) -> VerifyView:
    run, loop = get_run(store, run_id), plan.loop
    if run is None:
        raise StateError(f"run {run_id} was removed while it was running.")
    rows = rows_of(store, run_id)
    seen = [msgspec.json.decode(row.body) for row in rows if row.what == "ended" and row.name.kind == EVIDENCE]
    ends = [msgspec.json.decode(row.body) for row in rows if row.what == "closed"]
    return VerifyView(
        run=run_id,
        commit=loop.commit,
        base=loop.base,
        verdict=run.verdict or run.status,
        reason=run.reason,
        exit_code=run.exit_code or 0,
        proof=run.proof,
        doubts=tuple(ends[-1].get("doubts", ())) if ends else (),
        checks=seen[-1]["parts"] if seen else [],
    )


def _nothing(subject: Subject) -> str:
    if subject.task:
        return f"no stage of task {subject.task.id} is verified by a command, so there is nothing to run."
    return "no check is configured, so there is nothing to run."


async def _base(repository: Repository, subject: Subject, given: str | None) -> str:
    if given is None:
        # The whole work of a task is one commit.
        found = parent_of if subject.task else default_base
        return await found(repository, subject.commit)
    base = await named_commit(repository, given)
    if not base:
        raise ConfigError(f"git has no commit {given!r}.", "Name one that it has: git log")
    if base == subject.commit:
        raise ConfigError("the base is the commit itself, so there is no work to judge.", "Name an earlier commit.")
    return base
