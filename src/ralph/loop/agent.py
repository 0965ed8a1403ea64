"""Actions around an agent: run it, and read what it said."""

from typing import Literal

from msgspec.structs import replace

from ralph.agents.run import Supervision, run_agent
from ralph.checks.promise import read_claim
from ralph.checks.response import check_response, read_commit_message
from ralph.kernel.actions.agent import (
    Claim,
    CommitMessage,
    FeedBack,
    Prompt,
    ReadClaim,
    ReadCommitMessage,
    ReadPrompt,
    ReadResponse,
    RunAgent,
)
from ralph.loop.context import Attempt
from ralph.loop.prompt_file import read_prompt as read_prompt_file
from ralph.model.evidence import AgentReport, Evidence
from ralph.proc.identity import is_ralph
from ralph.store.control import heard
from ralph.store.projects import resolved

PREPARED = "prepared"
"""The key in `kept` for the iteration that this process has prepared."""
ARRIVALS_AT_ONCE = 10
"""How many positions in a stream are noted together; about one per second is kept."""


async def read_prompt(action: ReadPrompt, attempt: Attempt) -> Prompt:
    text = read_prompt_file(resolved(attempt.run.project, action.file)) if action.file else ""
    words = heard(attempt.run.store, attempt.run.run_id, "guide", after=action.seen)
    return Prompt(text, tuple(word.text for word in words), words[-1].id if words else action.seen)


async def run(action: RunAgent, attempt: Attempt) -> AgentReport:
    run = attempt.run
    if action.prepared and run.kept.get(PREPARED) != action.iteration:
        left = run.state.relative(attempt.directory())
        return AgentReport("failed", "ralph was ended before this agent was", left, interrupted=True)
    named = run.agent(action.agent)
    confined = run.confinement(named, attempt.folder)
    agent = run.equipped(named, confined.hooks)
    done_file = str(resolved(run.project, action.done_file)) if action.done_file else ""
    arrivals, complaints = Arrivals(attempt, "arrived"), Arrivals(attempt, "complained")
    watch = Supervision(
        emit=run.streams.emitter(run.run_id, attempt.begun.n),
        has_room=run.streams.has_room,
        grown=arrivals.add,
        complained=complaints.add,
        done_file=done_file,
        done_grace=run.settings.supervise.done_grace,
        look_every=run.loop.poll_interval if done_file else 1.0,
        # A supervised agent may leave runs that go on while it is restarted. They end with the loop.
        spare=is_ralph if done_file else None,
    )
    bench, stream = attempt.bench_for(agent), run.settings.stream_agent_output
    try:
        report = await run_agent(bench, agent, action.prompt, stream=stream, limits=run.limits, watch=watch)
    finally:
        arrivals.note()
        complaints.note()
    return replace(report, agent=action.agent, attempt_dir=run.state.relative(bench.log), sandbox=confined.name)


async def read_response(action: ReadResponse, _attempt: Attempt) -> Evidence:
    return replace(check_response(action.said, action.expected), claim=action.said.digest)


async def read_message(action: ReadCommitMessage, _attempt: Attempt) -> CommitMessage:
    return read_commit_message(action.said)


async def read_claim_of(action: ReadClaim, _attempt: Attempt) -> Claim:
    return read_claim(action.said, action.expected, action.earlier)


async def feed_back(action: FeedBack, _attempt: Attempt) -> Prompt:
    return Prompt(action.text)


class Arrivals:
    """How much of a stream had arrived at which time, so that a later reader can say when an event came."""

    def __init__(self, attempt: Attempt, name: Literal["arrived", "complained"]) -> None:
        self._attempt = attempt
        self._name = name
        self._arrived: list[tuple[int, float]] = []

    def add(self, size: int, at: float) -> None:
        self._arrived.append((size, round(at, 1)))
        if len(self._arrived) >= ARRIVALS_AT_ONCE:
            self.note()
            self._attempt.run.journal.flush()

    def note(self) -> None:
        if self._arrived:
            self._attempt.run.journal.note(self._attempt.begun, {self._name: self._arrived})
            self._arrived = []
