"""The prompt, answer and judgement of an iteration as files beside its stream, written by following the journal."""

from pathlib import Path

import msgspec
from msgspec import Struct

from ralph.model.evidence import Evidence
from ralph.model.reviews import Review
from ralph.model.rows import Row
from ralph.model.tasks import OutputSummary
from ralph.store.files import replace_file, write_new
from ralph.store.journal import rows_of
from ralph.store.sql import Store
from ralph.store.state_dir import StateDir
from ralph.store.state_forms import commands_in, form, review_file, verification_results
from ralph.store.streams import About, FileStream

CONTEXT, OUTPUT, VERIFICATION, REVIEW, SUMMARY = (
    *("context.md", "output.md", "verification.json", "review.json", "summary.json"),
)
AGENT, VERIFY, REVIEWED, SUMMARISED, ASKED = "run-agent", "verify", "review", "keep-summary", "ask-model"
PROGRAM = "run-reviewer"
FOLLOWED = (AGENT, VERIFY, REVIEWED, SUMMARISED, ASKED, PROGRAM)
MOST_SHOWN = 20_000
"""How many bytes of a step's output are shown."""


class _Begun(Struct):
    prompt: str = ""
    stream: About | None = None
    folder: str = ""


class _Said(Struct):
    final: str = ""


class _Kept(Struct):
    summary: OutputSummary


class StateTree:
    """Follows one run. Nothing is overwritten: after a kill it writes what is missing.

    A missing folder belongs to a run of another machine, or somebody removed it: it is created again only with `make`.
    """

    def __init__(self, store: Store, run_id: str, project: Path, *, make: bool = False) -> None:
        self._store = store
        self._run_id = run_id
        self._project = project
        self._make = make
        self._seen = 0
        self._commands: dict[str, str] = {}
        self._folders: dict[int, Path] = {}
        """The folder of the latest attempt, by iteration."""
        self._reviews: dict[int, list[Review]] = {}
        self.written = 0
        """How many files were written."""

    def look(self) -> None:
        for row in rows_of(self._store, self._run_id, after=self._seen):
            self._seen = row.n
            if row.what == "opened":
                self._commands = commands_in(row.body)
            elif row.what in ("begun", "ended") and row.name.kind in FOLLOWED:
                self._write(row)
        for iteration, reviews in self._reviews.items() if self._make else ():
            self._keep(iteration, REVIEW, form(review_file(reviews)))

    def _write(self, row: Row) -> None:
        kind, iteration, name = row.name
        if row.what == "begun":
            self._begin(kind, iteration, msgspec.json.decode(row.body, type=_Begun))
        elif kind == AGENT:
            said = msgspec.json.decode(row.body, type=_Said).final
            self._keep(iteration, OUTPUT, said.encode(errors="replace") if said else b"")
        elif kind == VERIFY:
            self._keep(iteration, f"{name or 'verification'}.json", self._verification(row))
        elif kind == REVIEWED:
            self._add_review(iteration, msgspec.json.decode(row.body, type=Review))
        elif kind == SUMMARISED:
            self._keep(iteration, SUMMARY, form(msgspec.json.decode(row.body, type=_Kept).summary))

    def _begin(self, kind: str, iteration: int, about: _Begun) -> None:
        if kind == AGENT and about.stream:
            self._folders[iteration] = (self._project / about.stream.path).parent
            self._keep(iteration, CONTEXT, about.prompt.encode(errors="surrogateescape"))
        elif about.folder:
            self._folders.setdefault(iteration, (self._project / about.folder).parent)

    def _verification(self, row: Row) -> bytes:
        seen = msgspec.json.decode(row.body, type=Evidence)
        logs = {each.log for each in (seen, *seen.parts) if each.log and not each.output}
        outputs = {log: FileStream(self._project / log).read(0, MOST_SHOWN).decode(errors="replace") for log in logs}
        return form(verification_results(seen, self._commands, outputs))

    def _add_review(self, iteration: int, review: Review) -> None:
        """Add a review to the file of its iteration. Only this file is rewritten while the run goes on."""
        reviews = self._reviews.setdefault(iteration, [])
        reviews.append(review)
        folder = None if self._make else self._folder(iteration)
        if folder:
            replace_file(folder / REVIEW, form(review_file(reviews)))

    def _keep(self, iteration: int, name: str, data: bytes) -> None:
        folder = self._folder(iteration)
        if folder and data and not (folder / name).exists():
            write_new(folder / name, data)
            self.written += 1

    def _folder(self, iteration: int) -> Path | None:
        folder = self._folders.get(iteration)
        if folder is None or (not self._make and not folder.is_dir()):
            return None
        return StateDir(self._project).make(folder)
