"""Run an agent once: prompt in, stream recorded, report out."""

import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from msgspec import Struct

from ralph.agents.adapter import Call
from ralph.agents.parser import Emit, Parser
from ralph.agents.recorder import Recorder
from ralph.agents.redact import Redactor
from ralph.agents.registry import Agent
from ralph.model.events import Problem, Tokens
from ralph.model.evidence import AgentReport, AgentStatus
from ralph.proc import spawn
from ralph.proc.file_watch import watch_for
from ralph.proc.spawn import Ending
from ralph.store.files import write_new

CONTEXT, STREAM, STDERR, OUTPUT = "context.md", "stream.ndjson", "stderr.log", "output.md"
TAIL_CHARACTERS = 2000
LINGERING = 15.0
"""How long an agent may stay after its closing line."""


class Limits(Struct, frozen=True):
    run: float | None = None
    idle: float | None = None


class Surroundings(Struct, frozen=True):
    """Where an agent runs, and what of it is written where."""

    project: Path
    directory: Path
    """Below the project."""
    env: Mapping[str, str]
    attempt: str
    limits: Limits
    secrets: Sequence[bytes] = ()
    done_file: str = ""
    """A file whose coming says that the agent may go; it has `done_grace` seconds to do so."""
    done_grace: float = 0.0
    spare: Callable[[int], bool] | None = None
    """What of it may live on after it ended by itself."""
    workdir: Path | None = None
    """Where the agent works, if that is not the project itself."""
    emit: Emit | None = None
    mark: Callable[[int, int], None] | None = None


async def run_agent(agent: Agent, prompt: str, around: Surroundings, *, stream: bool) -> AgentReport:
    directory = around.directory
    context, output = f"{directory}/{CONTEXT}", f"{directory}/{OUTPUT}"
    write_new(context, prompt.encode(errors="surrogateescape"))
    call = Call(prompt, context, output, stream)
    invocation = agent.adapter.invocation(agent.command, agent.flags, call)
    parser = agent.adapter.parser(stream=stream)
    record = Recorder(
        f"{directory}/{STREAM}", Redactor(around.secrets), parser=parser, emit=around.emit, mark=around.mark
    )
    complain = Recorder(f"{directory}/{STDERR}", Redactor(around.secrets))

    def hear(data: bytes) -> None:
        record(data)
        if parser.result is not None:
            process.expect_exit(LINGERING)

    began = time.monotonic()
    try:
        async with spawn(
            invocation.argv,
            cwd=around.workdir or around.project,
            env=around.env,
            attempt=around.attempt,
            stdin=context if invocation.on_stdin else None,
            stdout=hear,
            stderr=complain,
            interrupt_first=agent.adapter.interrupt_first,
            spare=around.spare,
        ) as process:
            leave = partial(process.expect_exit, around.done_grace)
            with watch_for(around.done_file, leave) if around.done_file else nullcontext():
                ending = await process.wait(limit=around.limits.run, idle=around.limits.idle)
            exit_code = process.exit_code
    finally:
        # Not earlier: an agent that is being ended may still say something.
        record.close()
        complain.close()
    status, reason = judge(ending, exit_code, parser, around.limits)
    plain = parser.plain and not invocation.answers_in_file
    if not plain and not invocation.answers_in_file:
        write_new(output, _final_message(parser).encode(errors="replace"))
    return AgentReport(
        status=status,
        reason=reason,
        attempt_dir=str(directory).removeprefix(f"{around.project}/"),
        exit_code=exit_code,
        duration=time.monotonic() - began,
        silent=not record.size and not complain.size,
        plain=plain,
        problem=_problem(status, reason, parser),
        tail="" if status == "ok" else _tail(parser, record, complain),
        cost_usd=parser.result.cost_usd if parser.result else None,
        tokens=parser.result.tokens if parser.result else Tokens(),
        tools=parser.tools,
        tool_errors=parser.tool_errors,
    )


def judge(ending: Ending, exit_code: int | None, parser: Parser, limits: Limits) -> tuple[AgentStatus, str]:
    """Whether it ended well, and how, in a few words."""
    match ending:
        case "timeout":
            return "timeout", f"it ran longer than timeouts.agent ({limits.run:g} s) and was ended"
        case "idle":
            return "idle", f"it wrote nothing for timeouts.idle ({limits.idle:g} s) and was ended"
        case "lingering" | "exited" if parser.result and parser.result.is_error:
            return "failed", _first_line(parser.result.text) or "it reported an error"
        case "lingering" | "exited" if parser.denied:
            return "failed", f"it was denied a permission: {_denials(parser)}"
        case "lingering":
            return "ok", "it answered, stayed, and was ended"
        case "exited":
            return ("failed" if exit_code else "ok"), _exit_words(exit_code or 0)


def _problem(status: AgentStatus, reason: str, parser: Parser) -> Problem | None:
    if status == "ok":
        return None
    if parser.result and parser.result.problem:
        return parser.result.problem
    return Problem("permission", reason) if parser.denied else None


def _denials(parser: Parser) -> str:
    return ", ".join(dict.fromkeys(f"{denied.tool}({denied.reason})" for denied in parser.denied))


def _exit_words(exit_code: int) -> str:
    if exit_code < 0:
        return f"it was killed by {_signal_name(-exit_code)}"
    return f"it exited with code {exit_code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _final_message(parser: Parser) -> str:
    return parser.result.text if parser.result else parser.last_text


def _tail(parser: Parser, record: Recorder, complain: Recorder) -> str:
    said = _final_message(parser) or record.tail.decode(errors="replace")
    both = "\n".join(part.strip() for part in (complain.tail.decode(errors="replace"), said) if part.strip())
    return both[-TAIL_CHARACTERS:]


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:300]
