"""An agent wants to stop: whether there is something to check, and what the agent is told."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ralph.app.guard.call import HookCall
from ralph.app.guard.sessions import session_of
from ralph.app.guard.words import let_go, refusal, warning
from ralph.app.proof.policy import configured_checks
from ralph.app.proof.subjects import repository_at
from ralph.app.runs.proof_rules import proof_rules
from ralph.app.runs.starting import store_run
from ralph.checks.proof.surroundings import surroundings
from ralph.config.layers import load
from ralph.config.schema import apply_schema
from ralph.kernel.actions.tasks import Start
from ralph.kernel.recipes.verify import VerifyRun
from ralph.loop.kinds.guard import NAME
from ralph.loop.plan import Plan, make_plan
from ralph.loop.run import Driven
from ralph.model.errors import ConfigError, RalphError
from ralph.model.evidence import Evidence
from ralph.model.verdicts import Failed, TamperedWork, Verified
from ralph.model.verification import External
from ralph.store.evidence import check_digest, find_evidence, keep_evidence
from ralph.store.journal import rows_of
from ralph.store.projects import project_at
from ralph.store.sessions import Session, count_blocks, find_session
from ralph.store.sql import Store
from ralph.store.state_dir import StateDir

SHORT = 8


class Stopping(Struct, frozen=True):
    """Work that must be checked before its agent may stop."""

    session: Session
    project: Path
    project_id: str
    plan: Plan
    blocks: int
    """How many times in a row this agent was not allowed to stop."""
    unchanged: bool
    """Whether the files are as they were when the session began."""


class Answer(Struct, frozen=True):
    refused: str = ""
    """Why the agent may not stop, for the agent."""
    told: str = ""
    """What a person should know about it."""


async def plan_stop(store: Store, call: HookCall, environ: Mapping[str, str]) -> Stopping | None:
    """The work to check; None if these files were proven before. An error says why nothing can be checked here."""
    session, project = await session_of(store, call, environ)
    settings = apply_schema(session.settings)
    repository, start = repository_at(project), msgspec.json.decode(session.start, type=Start)
    at = await repository.require()
    base = await repository.merge_base(at.head, session.head) or session.head
    tree, [before] = await repository.snapshot(start.git), await repository.resolve(f"{base}^{{tree}}")
    loop = VerifyRun(
        commit="",
        checks=configured_checks(settings),
        base=base,
        label=f"session {session.id[:SHORT]}",
        rules=proof_rules(settings),
        start=start,
    )
    stopping = Stopping(
        session,
        project,
        project_at(store, project).id,
        make_plan(NAME, settings, session.settings, loop),
        session.blocks if call.stop_hook_active else 0,
        unchanged=tree == before,
    )
    if not _is_proven(store, stopping, tree):
        return stopping
    count_blocks(store, session.id, 0)
    return None


def store_stop(store: Store, stopping: Stopping) -> str:
    """Store the run that checks the work, and return its id. Several sessions may stop at once: they need no lock."""
    StateDir(stopping.project).create()
    return store_run(store, stopping.project, stopping.plan)


def answer(store: Store, stopping: Stopping, run_id: str, driven: Driven) -> Answer:
    """The answer from the run's result. The agent may not stop if it can fix the problem, unless it was refused too
    often in a row.
    """
    settings, verdict, blocks = stopping.plan.settings, driven.verdict, 0
    match verdict:
        case Verified():
            _keep_proven(store, stopping, _last(store, run_id, "take-snapshot")["tree"])
            told = Answer(told=warning(verdict, run_id))
        case Failed() | TamperedWork() if stopping.blocks < settings.guard.max_blocks:
            blocks = stopping.blocks + 1
            seen = msgspec.convert(_last(store, run_id, "verify"), Evidence)
            told = Answer(refusal(seen, settings, run_id, others=_are_changed(stopping)))
        case Failed() | TamperedWork():
            told = Answer(told=let_go(verdict.reason, stopping.blocks, run_id))
        case _:
            # The next step is only for people who drive a run themselves.
            told = Answer(told=let_go(driven.error.message if driven.error else verdict.reason, run_id=run_id))
    count_blocks(store, stopping.session.id, blocks)
    return told


def unchecked(store: Store, call: HookCall, error: RalphError) -> Answer:
    """The answer after an error. A person must know about it in a guarded session; elsewhere nobody relies on a
    proof.
    """
    if find_session(store, call.session_id) is None:
        raise error
    count_blocks(store, call.session_id, 0)
    return Answer(told=let_go(str(error)))


def _last(store: Store, run_id: str, kind: str) -> Any:
    """The result of the last action of this kind."""
    ends = [row for row in rows_of(store, run_id) if row.what == "ended" and row.name.kind == kind]
    return msgspec.json.decode(ends[-1].body)


def _is_proven(store: Store, stopping: Stopping, tree: str) -> bool:
    digest = _digest(stopping, "" if stopping.unchanged else stopping.plan.loop.base)
    return find_evidence(store, stopping.project_id, tree, digest) is not None


def _keep_proven(store: Store, stopping: Stopping, tree: str) -> None:
    """Remember the proof, for later stops with the same work, and for sessions that change nothing in these files."""
    evidence = Evidence("guard", passed=True, reason="the checks held")
    for base in (stopping.plan.loop.base, ""):
        keep_evidence(store, stopping.project_id, tree, _digest(stopping, base), evidence)


def _digest(stopping: Stopping, base: str) -> str:
    """The digest of everything that the proof depends on, besides the files."""
    loop, worktree = stopping.plan.loop, stopping.plan.settings.worktree
    commands = [each.check.command for each in loop.checks if isinstance(each.check, External)]
    proven = msgspec.json.encode([loop.checks, base, loop.rules, worktree.init, worktree.copy])
    return check_digest(b"guard", proven, surroundings(commands, os.environ))


def _are_changed(stopping: Stopping) -> bool:
    """Whether the settings differ from those at the beginning of the session."""
    try:
        return load(stopping.project).merged != stopping.session.settings
    except ConfigError:
        return True
