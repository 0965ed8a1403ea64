"""Asking a model: which agent is asked, where it works, and what it answered."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec
from msgspec.structs import replace

from ralph.agents.ask import Answered, Unanswered, ask
from ralph.agents.models import judge_agent
from ralph.agents.registry import Agent
from ralph.agents.run import UNWATCHED, Supervision, TimeLimits, run_agent
from ralph.agents.tools import agent_of_tool, reviewer_for
from ralph.git.read_only import Lent, ReadOnlyCheckout
from ralph.git.trees import changed_paths
from ralph.git.verification import VerificationWorktree
from ralph.git.verification_place import InUse
from ralph.kernel.actions.checks import Answer, AskModel
from ralph.kernel.forms import FORMS
from ralph.loop.context import Attempt
from ralph.loop.kinds.stage import agent_of
from ralph.loop.verifying import MOST, trees_of
from ralph.model.errors import ConfigError, StateError
from ralph.model.events import Tokens
from ralph.model.evidence import AgentReport

READERS = ("review", "plan")
"""The roles that read a checkout of the project, and change nothing."""
ANSWERS = {"review": 2, "summary": 1}
MOST_ANSWERS = 3
"""How many times a model is asked for a readable answer, unless its role says otherwise."""
KEPT = "read-only-checkout"
NAME = "review-"


async def ask_model(action: AskModel, attempt: Attempt) -> Answer:
    limits = _limits(action, attempt)
    try:
        named = _agent(action, attempt)
    except ConfigError as error:
        if action.is_needed:
            raise
        return Answer(reason=str(error), was_asked=False)
    before = await _project(action, attempt)
    async with _place(action, attempt) as lent:
        confined = attempt.run.confinement(named, lent.folder)
        agent = attempt.run.equipped(named, confined.hooks)
        bench = attempt.bench_for(agent).at(lent.folder)
        prompt = attempt.run.mask(action.prompt)
        if not action.form:
            said = _text(await run_agent(bench, agent, prompt, stream=False, limits=limits))
            return replace(said, sandbox=confined.name)
        times = ANSWERS.get(action.role, MOST_ANSWERS)
        form, watch = FORMS[action.form], _watch(action, attempt)
        answer = _value(await ask(bench, agent, prompt, form, limits, times=times, watch=watch))
    after = await _project(action, attempt)
    changed = await changed_paths(attempt.repository(attempt.run.project), before, after) if before != after else ()
    return replace(answer, touched=tuple(lent.touched), changed=tuple(changed), sandbox=confined.name)


async def _project(action: AskModel, attempt: Attempt) -> str:
    """The state of the user's files during planning: a planner can leave its checkout, and must not change them."""
    return await attempt.repository(attempt.run.project).snapshot() if action.role == "plan" else ""


def _agent(action: AskModel, attempt: Attempt) -> Agent:
    run = attempt.run
    if action.role == "summary":
        return _summariser(attempt)
    if action.role in READERS:
        return run.reader(action)
    own = run.agent(action.agent)
    return judge_agent(run.settings, action.model, own) if action.role == "judge" else own


def _summariser(attempt: Attempt) -> Agent:
    """The tool of the quick review; if that is nobody or the user's own program, the agent that did the work."""
    settings, plan = attempt.run.settings, attempt.run.plan
    # The stages of a task have agents, and the first of them did the work.
    own = plan.agent or agent_of(settings, plan.loop.stages[0].role)
    by = reviewer_for(settings, "quick", own)
    return agent_of_tool(settings, by.model, by.agent, own) if by and not by.command else own


def _watch(action: AskModel, attempt: Attempt) -> Supervision:
    """The supervision of a planner: a person waits for it, and sees its events as they come."""
    run = attempt.run
    if action.role != "plan":
        return UNWATCHED
    return Supervision(emit=run.streams.emitter(run.run_id, attempt.begun.n), has_room=run.streams.has_room)


def _limits(action: AskModel, attempt: Attempt) -> TimeLimits:
    """The time limits. If agents have no limit, a review, a summary or a plan may take as long as a check."""
    limits = attempt.run.limits
    if action.role not in (*READERS, "summary") or limits.run:
        return limits
    return replace(limits, run=attempt.run.settings.timeouts.guardrail or None, run_name="timeouts.guardrail")


@asynccontextmanager
async def _place(action: AskModel, attempt: Attempt) -> AsyncGenerator[Lent]:
    """The folder of the action; if it names a tree, a read-only checkout of it."""
    if action.place.kind != "verification":
        yield Lent(attempt.folder)
        return
    [tree] = await trees_of(attempt.repository(attempt.run.project), action.place.tree)
    async with (await _checkout(attempt)).at(tree) as lent:
        yield lent


async def _checkout(attempt: Attempt) -> ReadOnlyCheckout:
    """The checkout of this run: the first one that nobody uses. Later runs use the same one."""
    kept, project = attempt.run.kept, attempt.run.project
    for number in range(1, MOST + 1):
        if KEPT in kept:
            return kept[KEPT]
        worktree = await VerificationWorktree.open(attempt.repository(project), project, f"{NAME}{number}")
        try:
            await worktree.take()
        except InUse:
            continue
        kept[KEPT] = made = ReadOnlyCheckout(worktree)
        attempt.run.at_end.append(made.close)
    if KEPT not in kept:
        raise StateError(f"{MOST} runs review in this project at once.", "Wait for some of them, then: ralph resume")
    return kept[KEPT]


def _text(report: AgentReport) -> Answer:
    return Answer(
        text=report.final,
        plain=report.plain,
        reason="" if report.ok else report.reason,
        problem=report.problem,
        duration=report.duration,
        cost_usd=report.cost_usd,
        tokens=report.tokens,
    )


def _value(answer: Answered[msgspec.Struct] | Unanswered) -> Answer:
    reports = answer.reports
    known = [each.cost_usd for each in reports if each.cost_usd is not None]
    told = Answer(
        duration=sum(each.duration for each in reports),
        cost_usd=sum(known) if known else None,
        tokens=sum((each.tokens for each in reports), Tokens()),
    )
    if isinstance(answer, Answered):
        return replace(told, value=msgspec.to_builtins(answer.value))
    was_asked = bool(reports) and reports[-1].ok
    return replace(told, reason=answer.reason, problem=answer.problem, was_asked=was_asked)
