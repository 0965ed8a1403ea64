"""Performing checks: commands on the committed files, and a look at the change."""

import secrets
from codecs import getincrementaldecoder

import msgspec
from msgspec.structs import replace

from ralph.agents.registry import AGENTS
from ralph.checks.change import FileDiffs, listed
from ralph.checks.patterns import Search
from ralph.git.changes import read_diff, read_file
from ralph.kernel.actions.checks import (
    Change,
    FileDiff,
    Files,
    Question,
    ReadChange,
    ReadFiles,
    Recalled,
    RecallEvidence,
    Recorded,
    RecordEvidence,
    RunCheck,
)
from ralph.kernel.judge_question import own_words
from ralph.loop.context import Attempt
from ralph.loop.shared_evidence import shared_by
from ralph.loop.verifying import trees_of, verifier
from ralph.model.errors import StateError
from ralph.model.evidence import Evidence
from ralph.model.verification import CHECKS, NamedCheck, config_of, performed_by
from ralph.store.evidence import check_digest, find_evidence, keep_evidence
from ralph.workbench.bench import Workbench

AS_BEFORE = "as before, the files are unchanged"


async def run_check(action: RunCheck, attempt: Attempt) -> Evidence:
    """Run a check of the table on a clean checkout."""
    run = attempt.run
    [tree] = await trees_of(attempt.repository(run.project), action.place.tree)
    digest = check_digest(msgspec.json.encode(action.check), shared_by(attempt, ()))
    before = find_evidence(run.store, run.project_id, tree, digest)
    if before:
        return replace(before, reason=f"{before.reason} ({AS_BEFORE})", duration=0.0)
    log = attempt.log(action.slug, "verify", action.iteration)
    async with (await verifier(attempt, action.git)).at(tree) as folder:
        seen = await perform_check(action.check, attempt.bench.at(folder).logging_to(log))
    seen = replace(seen, log=run.state.relative(log) if seen.log else "")
    if seen.passed:
        keep_evidence(run.store, run.project_id, tree, digest, seen)
    return seen


async def perform_check(check: NamedCheck, bench: Workbench) -> Evidence:
    if check.name not in CHECKS:
        raise StateError(f"this version of ralph has no check {check.name!r}.", "Use the version that started the run.")
    return await performed_by(check.name)(msgspec.convert(check.config, config_of(check.name)), bench)


async def read_change(action: ReadChange, attempt: Attempt) -> Change:
    """Read the change from the objects of the project's repository. The files in the agent's worktree do not count."""
    search, files = Search(action.patterns), FileDiffs(action.most)
    search.look_at_message(own_words(action.said))
    decoder = getincrementaldecoder("utf-8")("replace")

    def take(data: bytes) -> None:
        search.look_at_diff(decoder.decode(data))
        files.take(data)

    if not search.found:
        await read_diff(attempt.repository(attempt.run.project).git, action.base, action.commit, take)
        search.look_at_diff("\n")
    if search.found:
        return Change(search.found)
    named, more = listed(files.files())
    return Change(files=named, more=more, boundary=secrets.token_hex(8))


async def read_files(action: ReadFiles, attempt: Attempt) -> Files:
    git = attempt.repository(attempt.run.project).git
    diffs = FileDiffs(action.most, show_binaries=True)
    await read_diff(git, action.base, action.commit, diffs.take, paths=action.paths)
    changed = diffs.files()
    left = action.most - sum(len(each.text) for each in changed)
    unchanged: list[FileDiff] = []
    for path in action.paths:
        if all(path != each.path for each in changed) and left > 0:
            data = await read_file(git, action.commit, path, 4 * left)
            text = (data or b"").decode(errors="replace").replace("\0", "\u2400")[:left]
            unchanged += [FileDiff(path, text)] if text else []
            left -= len(text)
    return Files((*changed, *unchanged))


async def recall_evidence(action: RecallEvidence, attempt: Attempt) -> Recalled:
    run, question = attempt.run, action.question
    return Recalled(find_evidence(run.store, run.project_id, question.tree, _digest(question, attempt)))


async def record_evidence(action: RecordEvidence, attempt: Attempt) -> Recorded:
    run, question = attempt.run, action.question
    # A judge that could not be asked has answered nothing.
    if question and action.evidence.problem is None:
        keep_evidence(run.store, run.project_id, question.tree, _digest(question, attempt), action.evidence)
    return Recorded(**msgspec.structs.asdict(action.evidence))


def _digest(question: Question, attempt: Attempt) -> str:
    executors = [each.command or "" for each in attempt.run.settings.tools.executors]
    return check_digest(b"question", msgspec.json.encode(question), shared_by(attempt, (*AGENTS, *executors)))
