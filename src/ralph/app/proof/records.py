"""Finds the record of a proof: in a note on the commit, in a file, or in the folder of a task or a run."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ralph.app.proof.subjects import Subject, find_task, named_subject, repository_at
from ralph.app.trusted import refuse_changed_remotes
from ralph.checks.proof.record import BadRecord, Record, read_record
from ralph.checks.proof.signing import Envelope, opened
from ralph.git.notes import PROOF, fetch_notes, read_note
from ralph.model.errors import ConfigError, RalphError
from ralph.model.runs import family
from ralph.model.tasks import Task
from ralph.store.proof_files import NAME, records_in
from ralph.store.runs import find_run
from ralph.store.sql import Store
from ralph.store.state_dir import StateDir


class DoesNotFit(RalphError):
    """A record does not match what is there."""

    exit_code = 6
    verdict = "tampered"


class Statements(NamedTuple):
    """The lines of a record, and the envelopes with which they are signed."""

    data: bytes
    payloads: list[bytes]
    envelopes: list[Envelope | None]

    @property
    def is_signed(self) -> bool:
        return all(self.envelopes)


class Found(NamedTuple):
    statements: Statements
    record: Record
    where: str


async def noted(store: Store, project: Path, subject: Subject) -> bytes:
    """The note on a commit, fetched from the remote if it is not here."""
    repository = repository_at(project)
    data = await read_note(repository, subject.commit)
    if data is None:
        refuse_changed_remotes(store, project)
        if await fetch_notes(repository):
            data = await read_note(repository, subject.commit)
    if data is None:
        raise ConfigError(
            f"{subject.commit[:12]} has no record of a proof: there is no note under {PROOF}, here or in a remote.",
            f"Push the notes from where it was proven: git push origin {PROOF}. Or give the file: --file {NAME}",
        )
    return data


async def shown_record(store: Store, project: Path, name: str | None, file: Path | None = None) -> Found:
    """The record of a task, a commit or a run. It is read, and not verified."""
    if file:
        return _found(read_file(file), str(file))
    if name and (kept := _kept(store, project, name)):
        return kept
    subject = await named_subject(store, project, name or "HEAD")
    return _found(await noted(store, project, subject), f"the note on {subject.commit[:12]}")


def read_file(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}.", "Name a file that contains a record.") from error


def statements_of(data: bytes) -> Statements:
    try:
        pairs = [opened(line) for line in data.splitlines() if line]
    except BadRecord as problem:
        raise DoesNotFit(f"the record is not valid: {problem}.", "Get it again from where it was made.") from None
    return Statements(data, [payload for payload, _ in pairs], [envelope for _, envelope in pairs])


def read_statements(statements: Statements) -> Record:
    try:
        return read_record(statements.payloads)
    except BadRecord as problem:
        raise DoesNotFit(f"the record is not valid: {problem}.", "Get it again from where it was made.") from None


def _found(data: bytes, where: str) -> Found:
    statements = statements_of(data)
    return Found(statements, read_statements(statements), where)


def _kept(store: Store, project: Path, name: str) -> Found | None:
    """The latest record of a task, or a run's own."""
    state = StateDir(project)
    task = find_task(store, project, name)
    if task:
        return next(_records(_folder(state, task)), None)
    try:
        run = find_run(store, name)
    except ConfigError:
        return None
    above = find_task(store, project, run.task_id) if run.task_id else None
    found = itertools.chain(_records(state.run_dir(run.id)), _records(_folder(state, above)) if above else ())
    return next((each for each in found if each.record.predicate.run in family(run.id)), None)


def _folder(state: StateDir, task: Task) -> Path:
    return state.root / "specs" / task.spec_id / "iterations" / task.id


def _records(folder: Path) -> Iterator[Found]:
    """The records, the latest first."""
    return (_found(read_file(each), str(each)) for each in reversed(records_in(folder)) if each.is_file())
