"""Performing the actions of a review: ask a reviewer, look for quoted code, and keep the decision."""

import shutil
from pathlib import Path

import msgspec
from msgspec import Struct

from ralph.agents.answer_text import Unusable, read_answer
from ralph.agents.tools import agent_of_tool
from ralph.checks.review import TouchedLines, anchored
from ralph.git.changes import read_diff, read_file
from ralph.kernel.actions.checks import Answer
from ralph.kernel.actions.reviews import AnchorIssues, Anchors, FindReview, FoundReview, RecordReview, RunReviewer
from ralph.kernel.review_form import ReviewAnswer
from ralph.kernel.stage_text import TaskText
from ralph.loop.context import Attempt, RunContext
from ralph.loop.verifying import trees_of, verifier
from ralph.model.reviews import Review, ReviewBy, ReviewIssue
from ralph.store.evidence import check_digest, find_review, keep_review
from ralph.store.files import write_new
from ralph.store.runs import was_started_by_agent
from ralph.workbench.bench import Ended, shell_argv
from ralph.workbench.redact import Redactor

MOST_READ = 8_000_000
"""The most bytes of a file in which quoted code is searched."""
MOST_GIVEN = 50_000_000
"""The most bytes of a diff that a program gets."""
MOST_PRINTED = 2_000_000
"""The most bytes of a program's output that are read."""
SHOWN = 300


class GivenToProgram(Struct, frozen=True, rename="camel"):
    """What a review program reads on its standard input."""

    task: TaskText
    base: str
    head: str
    diff: str
    checks: tuple[str, ...]
    tier: str
    prior_findings: tuple[ReviewIssue, ...]


async def find_earlier_review(action: FindReview, attempt: Attempt) -> FoundReview:
    run = attempt.run
    base, tree = await trees_of(attempt.repository(run.project), action.base, action.commit)
    digest = _digest(action, attempt, base)
    return FoundReview(tree, find_review(run.store, run.project_id, tree, digest))


async def record_review(action: RecordReview, attempt: Attempt) -> Review:
    """Record a review. Only a decision is kept: a reviewer that could not be asked is asked again."""
    run, review = attempt.run, action.review
    if review.decision and not review.stands:
        [base] = await trees_of(attempt.repository(run.project), review.base)
        digest = _digest(action, attempt, base)
        keep_review(run.store, run.project_id, review.tree, digest, review)
    return review


async def anchor_issues(action: AnchorIssues, attempt: Attempt) -> Anchors:
    git = attempt.repository(attempt.run.project).git
    touched = TouchedLines()
    await read_diff(git, action.base, action.commit, touched.take, context=0)
    read: dict[tuple[str, str], bytes | None] = {}

    async def content(commit: str, path: str) -> bytes | None:
        if (commit, path) not in read:
            read[commit, path] = await read_file(git, commit, path, MOST_READ)
        return read[commit, path]

    return Anchors(await anchored(action.issues, touched.files, action.base, action.commit, content))


async def run_reviewer(action: RunReviewer, attempt: Attempt) -> Answer:
    """Run a review program like a check: in the worktree for checks, with the same environment."""
    run = attempt.run
    repository = attempt.repository(run.project)
    [tree] = await trees_of(repository, action.commit)
    diff = _Beginning(MOST_GIVEN)
    await read_diff(repository.git, action.base, action.commit, diff.take)
    if diff.is_cut:
        return Answer(reason=f"the change is larger than {MOST_GIVEN:,} bytes", was_asked=False)
    given = GivenToProgram(
        action.task,
        action.base,
        action.commit,
        attempt.run.mask(diff.data.decode(errors="replace")),
        action.checks,
        action.by.tier,
        action.earlier,
    )
    async with (await verifier(attempt, action.git)).at(tree) as folder:
        return await _program_answer(action, attempt, folder, msgspec.json.encode(given))


async def _program_answer(action: RunReviewer, attempt: Attempt, folder: Path, given: bytes) -> Answer:
    limit = attempt.run.settings.timeouts.guardrail or None
    printed, redactor = _Beginning(MOST_PRINTED), Redactor(attempt.bench.secrets)
    ended = await attempt.bench.at(folder).run(
        shell_argv(action.by.command),
        stdin=given,
        sink=lambda data: printed.take(redactor.feed(data)),
        limit=limit,
    )
    printed.take(redactor.rest())
    write_new(attempt.log(action.slug, "review", action.iteration), bytes(printed.data))
    if problem := _problem(ended, limit):
        return Answer(reason=problem, was_asked=False, duration=ended.duration)
    try:
        answer = read_answer(printed.data.decode(errors="replace"), ReviewAnswer)
    except Unusable as error:
        return Answer(reason=f"what it printed cannot be used: {error}", was_asked=False, duration=ended.duration)
    return Answer(value=msgspec.to_builtins(answer), duration=ended.duration)


def _problem(ended: Ended, limit: float | None) -> str:
    """Why a review program did not review; empty if it did."""
    if ended.timed_out:
        return f"it ran longer than timeouts.guardrail ({limit:g} s) and was ended"
    if ended.code == 0:
        return ""
    said = " ".join(ended.err.split())[-SHOWN:]
    if ended.code is None:
        return f"it could not be started: {said}"
    return f"exit code {ended.code}{f': {said}' if said else ''}"


def _digest(action: FindReview | RecordReview, attempt: Attempt, base: str) -> str:
    """The digest of everything besides the files that a review depends on. A review for an agent's run counts only
    there.
    """
    run = attempt.run
    alone = run.run_id if was_started_by_agent(run.store, run.run_id) else action.fresh
    who = action.by.command or _program(action.by, run)
    return check_digest(b"review", msgspec.json.encode((action.by, who, action.task, base, alone)))


def _program(by: ReviewBy, run: RunContext) -> list[str]:
    """The exact program that is asked, with its flags: one of the same name in another folder is a different one."""
    agent = agent_of_tool(run.settings, by.model, by.agent, run.worker)
    env = run.agent_env(agent)
    found = shutil.which(agent.command[0], path=env.get("PATH"))
    return [found or "", *agent.command, *agent.flags]


class _Beginning:
    def __init__(self, most: int) -> None:
        self.data = bytearray()
        self.is_cut = False
        self._most = most

    def take(self, data: bytes) -> None:
        self.data += data[: self._most - len(self.data)]
        self.is_cut = self.is_cut or len(self.data) >= self._most
