"""A structured question to a model, through any agent.

`await ask(bench, agent, "Is it done?", Verdict, limits)` is `Answered(value=Verdict(...))`, or `Unanswered` with the
reason. The agent gets the JSON schema of the struct: by a flag if it has one, in the prompt otherwise. Its answer is
decoded into the struct; if that fails it is asked once more and told why. There is no third result: no exception for
what an agent did or said, and no answer that it did not give. The struct's fields should have no defaults, because they
would replace what the model leaves out; maps with free keys are not accepted by every provider.
"""

from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from ralph.agents.answer_schema import schema_of
from ralph.agents.answer_text import Unusable, read_answer
from ralph.agents.registry import Agent
from ralph.agents.run import UNWATCHED, Supervision, TimeLimits, run_agent
from ralph.model.errors import AgentUnusable, ConfigError
from ralph.model.events import Problem
from ralph.model.evidence import AgentReport
from ralph.store.files import write_new
from ralph.workbench.bench import Workbench

T = TypeVar("T", bound=Struct)

SCHEMA = "schema.json"
SHOWN_OF_AN_ANSWER = 4000
IN_WORDS = """\
Answer with one JSON object and nothing else: no words around it, no code fence. It must follow this JSON schema:
{schema}"""
AGAIN = """\
You were asked this before, and your answer could not be used: {problem}.
Your answer was:
{answer}"""


class Answered(Struct, Generic[T], frozen=True):
    value: T
    reports: list[AgentReport]
    """The reports of all calls of the agent, in order."""


class Unanswered(Struct, frozen=True):
    reason: str
    """The reason, one sentence without a full stop."""
    reports: list[AgentReport]
    problem: Problem | None = None
    """Why the agent could not work, if it said so: it is worth waiting for a quota."""


async def ask(
    bench: Workbench,
    agent: Agent,
    question: str,
    kind: type[T],
    limits: TimeLimits,
    *,
    times: int = 2,
    watch: Supervision = UNWATCHED,
) -> Answered[T] | Unanswered:
    """Ask the agent. The log of the bench is a folder with the first exchange; `again-2` in it has the second."""
    reports: list[AgentReport] = []
    prompt = question
    reason = ""
    for number in range(1, times + 1):
        here = _place(bench, number)
        try:
            told, full_prompt = _told(agent, prompt, kind, here.log)
            report = await run_agent(here, told, full_prompt, stream=True, limits=limits, watch=watch)
        except AgentUnusable as error:
            return Unanswered(error.message.rstrip("."), reports, Problem("missing", error.message))
        except ConfigError as error:
            return Unanswered(str(error).rstrip("."), reports)
        reports.append(report)
        if not report.ok:
            return Unanswered(report.reason, reports, report.problem)
        said = report.final.replace(full_prompt, "") if report.plain else report.final
        try:
            return Answered(read_answer(said, kind), reports)
        except Unusable as error:
            reason = f"the answer cannot be used: {error}"
            again = AGAIN.format(problem=error, answer=said[-SHOWN_OF_AN_ANSWER:].strip() or "(nothing)")
            prompt = f"{question}\n\n{again}"
    return Unanswered(reason, reports)


def _place(bench: Workbench, number: int) -> Workbench:
    here = bench if number == 1 else bench.logging_to(bench.log / f"again-{number}")
    here.log.mkdir(parents=True, exist_ok=True)
    return here


def _told(agent: Agent, prompt: str, kind: type[Struct], directory: Path) -> tuple[Agent, str]:
    """The agent and the prompt, one of them with the schema."""
    schema = msgspec.json.format(msgspec.json.encode(schema_of(kind)), indent=1)
    file = directory / SCHEMA
    write_new(file, schema)
    flags = agent.adapter.schema_flags(agent.command, file)
    if flags is None:
        return agent, f"{prompt}\n\n{IN_WORDS.format(schema=schema.decode())}"
    return agent.with_flags([*agent.flags, *flags]), prompt
