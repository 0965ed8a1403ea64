"""A structured question to a model, through any agent.

`await ask(agent, "Is it done?", Verdict, around)` is `Answered(value=Verdict(...))`, or `Unanswered` with the reason.
The agent is told the JSON schema of the struct: by a flag where it has one, in words where it has none. What it says is
decoded into the struct; if that fails it is asked once more and told why. There is no third way: no exception for what
an agent did or said, and no answer that it did not give. Fields of the struct are best without defaults, as what the
model leaves out would be filled in with them; maps with free keys are not taken by every provider.
"""

from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ralph.agents.answer_schema import schema_of
from ralph.agents.answer_text import LONGEST, Unusable, read_answer
from ralph.agents.registry import Agent
from ralph.agents.run import OUTPUT, STREAM, Surroundings, run_agent
from ralph.model.errors import AgentUnusable, ConfigError
from ralph.model.events import Problem
from ralph.model.evidence import AgentReport
from ralph.store.files import write_new

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
    """Of every time that the agent was asked, the last one last."""


class Unanswered(Struct, frozen=True):
    reason: str
    """One sentence without a full stop."""
    reports: list[AgentReport]
    problem: Problem | None = None
    """Why the agent could not work, if it said so: a quota is worth waiting for."""


async def ask(
    agent: Agent, question: str, kind: type[T], around: Surroundings, *, times: int = 2
) -> Answered[T] | Unanswered:
    """The attempt's directory holds the first exchange, `again-2` in it the second."""
    reports: list[AgentReport] = []
    prompt = question
    reason = ""
    for number in range(1, times + 1):
        here = _place(around, number)
        try:
            told, full_prompt = _told(agent, prompt, kind, here.directory)
            report = await run_agent(told, full_prompt, here, stream=True)
        except (AgentUnusable, ConfigError) as error:
            return Unanswered(str(error).rstrip("."), reports)
        reports.append(report)
        if not report.ok:
            return Unanswered(report.reason, reports, report.problem)
        said = _said(here.directory, full_prompt, plain=report.plain)
        try:
            return Answered(read_answer(said, kind), reports)
        except Unusable as error:
            reason = f"the answer cannot be used: {error}"
            again = AGAIN.format(problem=error, answer=said[-SHOWN_OF_AN_ANSWER:].strip() or "(nothing)")
            prompt = f"{question}\n\n{again}"
    return Unanswered(reason, reports)


def _place(around: Surroundings, number: int) -> Surroundings:
    if number > 1:
        again = around.directory / f"again-{number}"
        around = replace(around, directory=again, attempt=f"{around.attempt}.{again.name}")
    around.directory.mkdir(parents=True, exist_ok=True)
    return around


def _told(agent: Agent, prompt: str, kind: type[Struct], directory: Path) -> tuple[Agent, str]:
    """The agent and the prompt, one of them with the schema."""
    schema = msgspec.json.format(msgspec.json.encode(schema_of(kind)), indent=1)
    file = directory / SCHEMA
    write_new(file, schema)
    flags = agent.adapter.schema_flags(agent.command, file)
    if flags is None:
        return agent, f"{prompt}\n\n{IN_WORDS.format(schema=schema.decode())}"
    return Agent(agent.adapter, agent.command, [*agent.flags, *flags], agent.env), prompt


def _said(directory: Path, prompt: str, *, plain: bool) -> str:
    """The final message; of an agent without a structured one all that it printed, but for an echo of the prompt."""
    file = directory / (STREAM if plain else OUTPUT)
    if not file.is_file():
        return ""
    with file.open("rb") as said:
        said.seek(max(0, file.stat().st_size - 4 * LONGEST))
        text = said.read().decode(errors="replace")
    return text.replace(prompt, "") if plain else text
