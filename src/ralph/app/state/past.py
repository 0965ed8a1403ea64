"""History from files: each attempt becomes rows of a run that is marked as imported."""

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ralph.app.state.files import UNREADABLE, AttemptFound, read_text
from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.checks import Recorded, RecordEvidence
from ralph.kernel.actions.planning import KeepSummary, Summarised
from ralph.kernel.actions.reviews import RecordReview
from ralph.kernel.stage_text import TaskText
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.reviews import Review, ReviewBy
from ralph.model.tasks import OutputSummary, Task
from ralph.model.verdicts import ImportedRun
from ralph.store.history import folders_of, reviews_of_parts
from ralph.store.journal import Journal
from ralph.store.runs import NewRun, add_run, new_run_id, runs_of_spec, runs_of_task
from ralph.store.sql import Gathered, Sql, Store
from ralph.store.state_forms import MILLISECONDS, ReviewFile, VerificationResult
from ralph.store.state_tree import CONTEXT, OUTPUT, REVIEW, SUMMARY, VERIFICATION

IMPORTED = "imported"


class Restored(Struct):
    attempts: int = 0
    rounds: int = 0
    """The number of reviews of the whole branch."""
    problems: list[str] = []


class Past:
    """The histories of tasks as statements, so that they are written together with their tasks."""

    def __init__(self, store: Store, project: Path, name: str) -> None:
        self._store = store
        self._project = project
        self._name = name
        self._gathered = Gathered()

    @property
    def statements(self) -> list[Sql]:
        return self._gathered.statements

    def restore(self, task: Task, found: Iterable[AttemptFound], into: Restored) -> None:
        """Restore what the store does not have yet, as one run for the chunk and one for each role."""
        runs = runs_of_task(self._store, self._name, task.id)
        known = {folder for run in runs for _, folder in folders_of(self._store, run.id)}
        new = [each for each in found if each.path not in known]
        for role, attempts in itertools.groupby(new, lambda each: each.role):
            self._restore(task, role, list(attempts), into)

    def restore_rounds(self, spec: str, title: str, found: Iterable[AttemptFound], into: Restored) -> None:
        """Restore the reviews of the whole branch that the store does not have yet, as one run of the spec."""
        known = self._reviewed(spec)
        new = [each for each in found if self._reviewed_in(each, into) - known]
        if not new:
            return
        journal = self._journal("spec", {"spec": spec}, label=spec)
        for each in new:
            _Attempt(journal, self._project, TaskText(spec, title), each, into).restore_reviews()
        into.rounds += len(new)
        journal.close(ImportedRun(len(new)))

    def _reviewed(self, spec: str) -> set[str]:
        """The commits that were reviewed in runs of the whole spec."""
        runs = runs_of_spec(self._store, self._name, spec)
        rows = (row for run in runs for row in reviews_of_parts(self._store, run.id) if row.run_id == run.id)
        return {msgspec.json.decode(row.body, type=_Commit).commit for row in rows}

    def _reviewed_in(self, found: AttemptFound, into: Restored) -> set[str]:
        """The commits in the file of a round. A file that cannot be read is reported."""
        text = read_text(self._project, found, REVIEW)
        try:
            return {each.commit for each in msgspec.json.decode(text, type=_Reviews).reviews} if text else set()
        except UNREADABLE as error:
            into.problems.append(f"{found.path}/{REVIEW} cannot be read: {error}")
            return set()

    def _journal(self, recipe: str, loop: Any, *, label: str, task: str | None = None) -> Journal:
        run = NewRun(
            id=new_run_id(),
            recipe=recipe,
            project=self._name,
            options=msgspec.json.encode({"settings": {}, "loop": loop, IMPORTED: True}),
            task_id=task,
            label=label,
            agent=IMPORTED,
        )
        add_run(self._gathered, run)
        return Journal.of_new(self._gathered, run.id, run.recipe, run.options)

    def _restore(self, task: Task, role: str, found: Sequence[AttemptFound], into: Restored) -> None:
        loop = {"spec": task.spec_id, "task": {"id": task.id, "title": task.title}}
        recipe = "stage" if role else "chunk"
        journal = self._journal(recipe, loop, label=f"{task.id} {role}".rstrip(), task=task.id)
        for attempt in found:
            stream = {"stream": {"path": f"{attempt.path}/stream.ndjson", "format": "", "streaming": True}}
            journal.about = lambda action, _number, told=stream: told if isinstance(action, RunAgent) else None
            _Attempt(journal, self._project, TaskText(task.id, task.title), attempt, into).restore()
            into.attempts += 1
        journal.close(ImportedRun(len(found)))


def summary_in(project: Path, found: Sequence[AttemptFound]) -> OutputSummary | None:
    """The summary of the latest attempt that shipped, if there is one."""
    for attempt in reversed(found):
        if text := read_text(project, attempt, SUMMARY):
            try:
                return msgspec.json.decode(text, type=OutputSummary)
            except UNREADABLE:
                return None
    return None


class _Commit(Struct):
    commit: str = ""


class _Reviews(Struct):
    reviews: list[_Commit] = []


class _Attempt:
    """The rows of one attempt. A file that cannot be read is named, and the rest counts."""

    def __init__(self, journal: Journal, project: Path, task: TaskText, found: AttemptFound, into: Restored) -> None:
        self._journal = journal
        self._project = project
        self._task = task
        self._found = found
        self._into = into

    def restore(self) -> None:
        number, again = self._found.number, self._found.attempt - 1
        began = self._journal.begin(RunAgent(number, self._text(CONTEXT), again=again))
        final = self._text(OUTPUT)
        self._journal.end(began, AgentReport("ok", IMPORTED, self._found.path, silent=not final, final=final))
        if text := self._text(VERIFICATION):
            self._verification(text, again)
        self.restore_reviews()
        if text := self._text(SUMMARY):
            self._summary(text, again)

    def restore_reviews(self) -> None:
        if text := self._text(REVIEW):
            self._reviews(text, self._found.attempt - 1)

    def _verification(self, text: str, again: int) -> None:
        try:
            parts = tuple(map(_evidence, msgspec.json.decode(text, type=list[VerificationResult])))
        except UNREADABLE as error:
            self._complain(VERIFICATION, error)
            return
        passed = all(each.passed or not each.required for each in parts)
        seen = Evidence("verification", passed=passed, reason=f"{IMPORTED}, not checked here", parts=parts)
        action = RecordEvidence(self._found.number, seen, again)
        self._journal.end(self._journal.begin(action), Recorded(**msgspec.structs.asdict(seen)))

    def _reviews(self, text: str, again: int) -> None:
        try:
            file = msgspec.json.decode(text, type=ReviewFile)
        except UNREADABLE as error:
            self._complain(REVIEW, error)
            return
        for number, each in enumerate(file.reviews):
            by = ReviewBy(each.tier, f"{each.reviewer} ({IMPORTED})")
            blocking = tuple(issue for issue in each.issues if not issue.passed_over)
            recorded = tuple(issue for issue in each.issues if issue.passed_over)
            review = Review(
                by.tier,
                by.reviewer,
                each.decision or "",
                each.problem,
                blocking,
                recorded,
                answers=each.answers,
                note=each.note,
                unseen=each.unseen,
                commit=each.commit,
                tree=each.tree,
            )
            slug = "-".join(map(str, filter(None, (each.tier, number, again))))
            action = RecordReview(self._found.number, slug, by, self._task, review)
            self._journal.end(self._journal.begin(action), review)

    def _summary(self, text: str, again: int) -> None:
        try:
            summary = msgspec.json.decode(text, type=OutputSummary)
        except UNREADABLE as error:
            self._complain(SUMMARY, error)
            return
        made = Summarised(summary, IMPORTED)
        action = KeepSummary(self._found.number, self._task.id, made, again)
        self._journal.end(self._journal.begin(action), made)

    def _text(self, name: str) -> str:
        return read_text(self._project, self._found, name)

    def _complain(self, name: str, error: Exception) -> None:
        self._into.problems.append(f"{self._found.path}/{name} cannot be read: {error}")


def _evidence(told: VerificationResult) -> Evidence:
    return Evidence(
        told.step,
        passed=told.passed,
        reason=f"{IMPORTED}: {told.reason}".rstrip(": "),
        exit_code=told.exit_code,
        output=told.output,
        duration=told.duration / MILLISECONDS,
        required=told.required,
    )
