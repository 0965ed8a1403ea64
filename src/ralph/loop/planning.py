"""Actions around the context of a chunk: what its agent is told, and what it leaves for the tasks that depend on it."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from posixpath import normpath

import msgspec
from msgspec.structs import asdict, replace

from ralph.checks.proof.judge_files import is_test
from ralph.git.repository import Repository
from ralph.git.trees import read_tree
from ralph.kernel.actions.agent import Said
from ralph.kernel.actions.planning import BuildContext, KeepSummary, ReadWork, Summarised, WorkSeen
from ralph.kernel.judge_question import own_words
from ralph.kernel.summarising import with_words
from ralph.loop.context import Attempt
from ralph.model.context import ChunkContext, DependencyContext
from ralph.model.tasks import OutputSummary, Task
from ralph.plan.analysis import analyse
from ralph.plan.analysis_file import LARGEST, NAME, decode_analysis, encode_analysis
from ralph.plan.context import codebase_context
from ralph.plan.message import words_of
from ralph.plan.work import read_facts
from ralph.store.journal import rows_of
from ralph.store.spec_files import read_spec_file, write_spec_file
from ralph.store.sql import Store
from ralph.store.tasks import set_summary, tasks_of

GLOB = frozenset("*?[")


async def build_context(action: BuildContext, attempt: Attempt) -> ChunkContext:
    run = attempt.run
    repository = attempt.repository(run.project)
    known = decode_analysis(read_spec_file(run.project, action.spec, NAME, most=LARGEST))
    made = await analyse(repository, action.commit, known, is_test=is_test, prefix=action.prefix)
    if made.is_new:
        # It is kept only to make the next time faster.
        with suppress(OSError):
            write_spec_file(run.project, action.spec, NAME, encode_analysis(made.analysis))
    return ChunkContext(
        relevant_files=action.relevant_files,
        missing_files=await _missing(repository, action),
        dependency_context=_dependencies(run.store, run.project_id, action.dependencies),
        global_rules=action.rules,
        codebase_context=codebase_context(made.analysis, action.relevant_files),
        problem=made.problem,
    )


async def read_work(action: ReadWork, attempt: Attempt) -> WorkSeen:
    run = attempt.run
    repository = attempt.repository(run.project)
    facts = await read_facts(repository, action.base, action.commit, is_test=is_test, prefix=action.prefix)
    messages = [action.final] if action.final else [_last_words(run.store, each) for each in action.runs]
    words = [words_of(each) for each in messages]
    summary = next((each.summary for each in words if each.summary), "")
    steps = next((each.steps for each in words if each.steps), ())
    return WorkSeen(
        facts=_masked(with_words(facts.summary, summary, steps), run.mask),
        said="" if summary else "\n\n".join(filter(None, messages)),
        is_empty=facts.is_empty,
        problem=facts.problem,
    )


async def keep_summary(action: KeepSummary, attempt: Attempt) -> Summarised:
    run = attempt.run
    set_summary(run.store, run.project_id, action.task, action.summarised.summary)
    return action.summarised


def _masked(summary: OutputSummary, mask: Callable[[str], str]) -> OutputSummary:
    """The summary without secrets: a test may have a secret in its name. Messages are already masked."""
    lists = {name: tuple(map(mask, values)) for name, values in asdict(summary).items() if name != "summary"}
    return OutputSummary(mask(summary.summary), **lists)


async def _missing(repository: Repository, action: BuildContext) -> tuple[str, ...]:
    """The relevant files that the commit does not have. A folder counts as a file, and so does a pattern that matches
    one.
    """
    named = {path: normpath(f"{action.prefix}/{path}".lstrip("/")) for path in action.relevant_files}
    patterns = {path for path in named if GLOB & set(path)}
    there: list[str] = list((await read_tree(repository, action.commit)).entries) if patterns else []
    # Git stops at a name that leads out of the repository.
    inside = [path for path, name in named.items() if name.partition("/")[0] != ".."]
    found = await repository.resolve(*(f"{action.commit}:{named[path]}" for path in inside)) if inside else []
    known = {path for path, blob in zip(inside, found, strict=True) if blob}
    known |= {path for path in patterns if any(fnmatchcase(each, named[path]) for each in there)}
    return tuple(path for path in named if path not in known)


def _dependencies(store: Store, project: str, ids: Sequence[str]) -> tuple[DependencyContext, ...]:
    """The contexts of the dependencies, in order. One that was deleted meanwhile has nothing to tell."""
    by_id = {task.id: task for task in tasks_of(store, project)} if ids else {}
    return tuple(_dependency(by_id[each]) for each in ids if each in by_id)


def _dependency(task: Task) -> DependencyContext:
    known = DependencyContext(task.id, task.title, skipped=task.status == "skipped")
    if task.summary is None:
        return known
    return replace(
        known,
        output_summary=task.summary.summary,
        files_created=task.summary.files_created,
        files_modified=task.summary.files_modified,
        exports_added=task.summary.exports_added,
    )


def _last_words(store: Store, run_id: str) -> str:
    """The final message of the last agent that worked in a run, without an echo of its prompt."""
    prompts: dict[str, str] = {}
    said = Said("")
    for row in rows_of(store, run_id):
        if row.name.kind == "run-agent" and row.what in ("begun", "ended"):
            body = msgspec.json.decode(row.body)
            if row.what == "begun":
                prompts[row.key] = body.get("prompt", "")
            elif body.get("final"):
                said = Said(body["final"], prompts.get(row.key, ""))
    return own_words(said)
