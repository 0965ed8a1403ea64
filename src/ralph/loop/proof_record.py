"""Writing the record of a proof: only from rows of the store, never from files that an agent can reach. It is published
as a note, so it has no secret in it: rows are masked already, and so is what people wrote.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from ralph import __version__
from ralph.checks.proof.record import (
    CriterionRecord,
    Environment,
    Judgement,
    Predicate,
    Record,
    Subject,
    lines_of,
)
from ralph.checks.proof.signing import CannotSign, named_file, signed
from ralph.checks.proof.versions import platform_name, versions_of
from ralph.git.notes import write_note
from ralph.git.repository import Repository
from ralph.git.subjects import commit_with_tree
from ralph.kernel.actions.proof import ProofWritten, WriteProof
from ralph.loop.context import Attempt
from ralph.loop.proof_rows import ProofRows
from ralph.loop.verifying import trees_of, verifier
from ralph.model.errors import RalphError
from ralph.store.files import write_new
from ralph.store.proof_files import new_record

NO_IMAGE = "none"
"""The value for checks that run on the machine itself."""


async def write_proof(action: WriteProof, attempt: Attempt) -> ProofWritten:
    """Write the record. A problem is reported and ends nothing: the work stays verified."""
    run, repository = attempt.run, attempt.repository(attempt.run.project)
    [tree] = await trees_of(repository, action.commit)
    rows = ProofRows.read(run.store, run.project_id, run.run_id, tree)
    checks = rows.checks()
    if not checks:
        return ProofWritten()
    named, base = await repository.resolve(f"{action.commit}^{{commit}}", f"{action.base}^{{commit}}")
    commit = named or await _head_with(repository, tree)
    predicate = Predicate(
        run=run.run_id,
        recipe=run.plan.recipe,
        proof=action.proof,
        base=base or await commit_with_tree(repository, action.base, commit) or action.base,
        checks=checks,
        environment=await _environment(action, attempt, [each.check.command for each in checks]),
        task=action.task,
        criteria=_criteria(tuple(map(run.mask, action.criteria)), rows),
        doubts=tuple(map(run.mask, action.doubts)),
        rules={
            "mayChange": list(action.rules.may_change),
            "protectedPaths": list(action.rules.protected),
            "tamper": action.rules.tamper,
        },
        agent_sandbox=rows.agent_sandboxes(),
    )
    record = Record(Subject(run.project_id, tree, commit), predicate, _now())
    lines, problem = await _signed(lines_of(record), attempt)
    data = b"".join(line + b"\n" for line in lines)
    folder = _folder(action, attempt)
    folder.mkdir(parents=True, exist_ok=True)
    file = new_record(folder)
    write_new(file, data)
    problem = problem or await _noted(repository, commit, data)
    is_signed = bool(run.settings.proof.signing_key) and not problem
    return ProofWritten(run.state.relative(file), "" if problem else commit, is_signed, problem)


async def _head_with(repository: Repository, tree: str) -> str:
    """HEAD, if it is a commit of the tree by now."""
    at = await repository.look()
    return at.head if at.tree == tree else ""


async def _environment(action: WriteProof, attempt: Attempt, commands: Iterable[str]) -> Environment:
    settings = attempt.run.settings.worktree
    setup = ""
    if settings.init or settings.copy:
        setup = (await verifier(attempt, action.git)).worktree.setup_digest
    programs = await versions_of(commands, attempt.bench)
    return Environment(__version__, platform_name(), programs, setup, NO_IMAGE)


def _criteria(texts: tuple[str, ...], rows: ProofRows) -> tuple[CriterionRecord, ...]:
    checks, judged = rows.checks(), rows.judgements(texts)
    return tuple(
        CriterionRecord(
            text,
            tuple(each.name for each in checks if number in each.check.covers),
            tuple(Judgement(role, seen.passed, seen.reason) for role, seen in judged.get(text, {}).items()),
        )
        for number, text in enumerate(texts, start=1)
    )


async def _signed(lines: list[bytes], attempt: Attempt) -> tuple[list[bytes], str]:
    """The lines to write, and why they are not signed although they should be."""
    given = attempt.run.settings.proof.signing_key
    if not given:
        return lines, ""
    key = named_file(attempt.run.project, given)
    try:
        return [await signed(line, key, attempt.bench) for line in lines], ""
    except CannotSign as problem:
        return lines, str(problem)


async def _noted(repository: Repository, commit: str, data: bytes) -> str:
    if not commit:
        return ""
    try:
        await write_note(repository, commit, data)
    except RalphError as error:
        return error.message.rstrip(".")
    return ""


def _folder(action: WriteProof, attempt: Attempt) -> Path:
    state = attempt.run.state
    if action.task:
        return state.root / "specs" / action.spec / "iterations" / action.task
    return state.make(state.run_dir(attempt.run.run_id))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
