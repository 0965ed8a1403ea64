"""The spec-plan recipe: questions in rounds, then the text of the spec, then its chunks, each agreed by a person."""

from collections.abc import Generator, Sequence
from typing import Any

from ralph.kernel.actions.base import Recipe, Step
from ralph.kernel.actions.people import ShowDraft
from ralph.kernel.actions.planning import BuildContext
from ralph.kernel.actions.proof import Snapshot, TakeSnapshot
from ralph.kernel.actions.spec_plan import WriteChunks, WriteSpecText
from ralph.kernel.chunk_draft import chunk_problems, chunks_json, files_named, missing_file_notes
from ralph.kernel.plan_forms import ChunksDraft, SpecDraft
from ralph.kernel.plan_options import Exchange, SpecPlanRun
from ralph.kernel.planner_talk import Part, Talk
from ralph.kernel.requirements import is_unwritten
from ralph.kernel.spec_question import chunks_question, text_question
from ralph.kernel.spec_text import (
    answer_line,
    answers_in,
    first_text,
    heading_of,
    said_twice,
    spec_text,
    without_answers,
)
from ralph.model.context import ChunkContext, CodebaseContext
from ralph.model.places import verification_place
from ralph.model.verdicts import AgentFailed, Verified

NAME = "spec-plan"
LONGEST = 200_000
"""The most characters of a spec."""
TEXT, CHUNKS = "spec.md", "chunk plan"
"""The names of the documents that are shown before they are written."""


def spec_plan_loop(run: SpecPlanRun) -> Recipe:
    start: Snapshot = yield TakeSnapshot(0)
    context: ChunkContext = yield BuildContext(0, run.spec, start.tree, run.prefix)
    talk = Talk(run, verification_place("plan", start.tree))
    text = run.text
    if run.aim in ("new", "refine"):
        written = yield from talk.agreed(_Text(run, context.codebase_context))
        if isinstance(written, AgentFailed):
            return written
        text = written
        expected = run.text or first_text(run.title, run.said)
        yield WriteSpecText(talk.round, run.spec, text, expected, is_kept=bool(run.text))
        if run.aim == "refine":
            return _planned(talk, "the text is written; its tasks are as they were, and nothing was run")
    chunks = yield from talk.agreed(_Chunks(run, text, context.codebase_context, start.tree))
    if isinstance(chunks, AgentFailed):
        return chunks
    yield WriteChunks(talk.round, run.spec, chunks, run.roles)
    return _planned(talk, "the tasks are written; nothing was run")


def _planned(talk: Talk, what: str) -> Verified:
    return Verified(talk.round, "word", what=f"planned{{after}}: {what}", unit="call")


class _Text(Part[SpecDraft]):
    document, form, kind = TEXT, "spec", SpecDraft

    def __init__(self, run: SpecPlanRun, codebase: CodebaseContext | None) -> None:
        self._run, self._codebase = run, codebase

    def question(self, heard: Sequence[Exchange], notes: str, *, may_ask: bool) -> str:
        return text_question(self._run, self._codebase, heard, notes, may_ask=may_ask)

    def problems(self, draft: SpecDraft) -> list[str]:
        if is_unwritten(without_answers(draft.text)):
            return ["`text` is empty: write the spec there."]
        if len(draft.text) > LONGEST:
            return [f"`text` has {len(draft.text):,} characters; {LONGEST:,} is the most."]
        return []

    def text(self, draft: SpecDraft, heard: Sequence[Exchange]) -> str:
        run = self._run
        known = [line for line in answers_in(run.text) if line not in _lines(heard)]
        contradicting = [f"- **Contradiction** {' '.join(each.split())}" for each in draft.contradictions]
        intent = run.said if run.aim == "new" else ""
        return spec_text(
            heading_of(run.text) or run.title, intent, draft.text, [*known, *_lines(heard), *contradicting]
        )

    def shown(self, number: int, draft: SpecDraft, heard: Sequence[Exchange]) -> Generator[Step, Any, ShowDraft]:
        yield from ()
        said = [*said_twice(heard), *(" ".join(each.split()) for each in draft.contradictions)]
        notes = tuple(f"This contradicts itself: {each}" for each in said)
        before = self._run.text if self._run.aim == "refine" else ""
        return ShowDraft(number, TEXT, self.text(draft, heard), before, notes)


class _Chunks(Part[ChunksDraft]):
    document, form, kind = CHUNKS, "chunks", ChunksDraft

    def __init__(self, run: SpecPlanRun, text: str, codebase: CodebaseContext | None, tree: str) -> None:
        self._run, self._text, self._codebase, self._tree = run, text, codebase, tree

    def question(self, heard: Sequence[Exchange], notes: str, *, may_ask: bool) -> str:
        return chunks_question(self._run, self._text, self._codebase, heard, notes, may_ask=may_ask)

    def problems(self, draft: ChunksDraft) -> list[str]:
        run = self._run
        return chunk_problems(run.spec, draft.chunks, run.roles, run.present)

    def text(self, draft: ChunksDraft, heard: Sequence[Exchange]) -> str:  # noqa: ARG002 - the planner's own words
        return chunks_json(draft.chunks)

    def shown(self, number: int, draft: ChunksDraft, heard: Sequence[Exchange]) -> Generator[Step, Any, ShowDraft]:
        run, files = self._run, files_named(draft.chunks)
        missing: tuple[str, ...] = ()
        if files:
            seen: ChunkContext = yield BuildContext(number, run.spec, self._tree, run.prefix, files)
            missing = seen.missing_files
        return ShowDraft(number, CHUNKS, self.text(draft, heard), notes=missing_file_notes(draft.chunks, missing))


def _lines(heard: Sequence[Exchange]) -> list[str]:
    return list(dict.fromkeys(map(answer_line, heard)))
