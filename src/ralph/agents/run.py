"""Runs an agent once: prompt in, stream recorded, report out."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial

from msgspec import Struct

from ralph.agents.adapter import Call
from ralph.agents.parser import Emit, LineReader, Parser, StderrLines
from ralph.agents.prices import cost_of
from ralph.agents.recorder import Grown, Recorder
from ralph.agents.registry import Agent
from ralph.model.events import Problem, Tokens
from ralph.model.evidence import AgentReport, AgentStatus
from ralph.model.words import last_lines
from ralph.proc.endings import Ending
from ralph.proc.file_watch import watch_for
from ralph.store.files import write_new
from ralph.workbench.bench import Workbench
from ralph.workbench.redact import Redactor

CONTEXT, STREAM, STDERR, OUTPUT = "context.md", "stream.ndjson", "stderr.log", "output.md"
TAIL_CHARACTERS = 2000
LONGEST_CAUSE = 300
LONGEST_FINAL = 256 * 1024
"""The most characters of a final message. Of a longer one the end is kept."""
LINGERING = 15.0
"""How many seconds an agent may stay after its closing line."""


class TimeLimits(Struct, frozen=True):
    run: float | None = None
    idle: float | None = None
    run_name: str = "timeouts.agent"
    """The setting that says how long it may run."""


class Supervision(Struct, frozen=True):
    """Who is told about an agent while it works, and what shows that it is done, besides its end."""

    emit: Emit | None = None
    """Called with every event as it comes."""
    has_room: Callable[[], bool] | None = None
    """Whether events could be shown now. If they could not, most are not even made."""
    grown: Grown | None = None
    """Called with the growth of the stream."""
    complained: Grown | None = None
    """Called with the growth of standard error."""
    done_file: str = ""
    """A file whose existence says that the agent may end; it has `done_grace` seconds to do so."""
    done_grace: float = 0.0
    look_every: float = 1.0
    """The seconds between looks for that file, if the system does not report changes."""
    spare: Callable[[int], bool] | None = None
    """Which of its processes may live on after it ended by itself."""


UNWATCHED = Supervision()


async def run_agent(
    bench: Workbench, agent: Agent, prompt: str, *, stream: bool, limits: TimeLimits, watch: Supervision = UNWATCHED
) -> AgentReport:
    """Run the agent. What it leaves behind is in the log of the bench, an existing folder."""
    directory = str(bench.log)
    context, output = f"{directory}/{CONTEXT}", f"{directory}/{OUTPUT}"
    invocation = agent.adapter.invocation(agent.command, agent.flags, Call(prompt, context, output, stream))
    words = prompt.encode(errors="surrogateescape")
    if any(context in word for word in invocation.argv):
        write_new(context, words)
    parser = agent.adapter.parser(stream=stream)
    record = _recorder(f"{directory}/{STREAM}", bench.secrets, watch, parser, watch.grown)
    complain = _Complaints(f"{directory}/{STDERR}", bench.secrets, watch)
    last_word = _LastWord(record, parser, output if invocation.answers_in_file else "")

    def hear(data: bytes) -> None:
        record(data)
        if parser.result is not None:
            process.expect_exit(LINGERING)

    began = time.monotonic()
    try:
        async with bench.start(
            invocation.argv,
            stdin=words if invocation.on_stdin else None,
            stdout=hear,
            stderr=complain,
            interrupt_first=agent.adapter.interrupt_first,
            spare=watch.spare,
            exited=last_word.take,
        ) as process:
            leave = partial(process.expect_exit, watch.done_grace)
            with watch_for(watch.done_file, leave, watch.look_every) if watch.done_file else nullcontext():
                ending = await process.wait(limit=limits.run, idle=limits.idle)
            exit_code = process.exit_code
    finally:
        # This comes last: an agent that is being ended may still write something.
        last_word.take()
        record.close()
        complain.close()
    status, reason = judge(ending, exit_code, parser, limits, complain.tail)
    was_ended = ending == "lingering" and bool(watch.done_file) and parser.result is None
    if was_ended:
        reason = f"DONE is there, and it was ended after {watch.done_grace:g} s"
    final = last_word.text
    return AgentReport(
        status=status,
        reason=reason,
        was_ended=was_ended,
        attempt_dir=directory,
        exit_code=exit_code,
        duration=time.monotonic() - began,
        silent=not record.size,
        plain=parser.plain and not invocation.answers_in_file,
        final=final[-LONGEST_FINAL:],
        problem=_problem(status, agent, parser),
        tail="" if status == "ok" else _tail(final, record, complain),
        complaint_tail="" if status == "ok" else complain.tail.decode(errors="replace")[-TAIL_CHARACTERS:],
        cost_usd=cost_of(agent, parser.result),
        tokens=parser.result.tokens if parser.result else Tokens(),
        tools=parser.tools,
        tool_errors=parser.tool_errors,
    )


def _recorder(
    path: str, secrets: Sequence[bytes], watch: Supervision, parser: LineReader, grown: Grown | None
) -> Recorder:
    redactor = Redactor(secrets, is_stream=True)
    return Recorder(path, redactor, parser=parser, emit=watch.emit, grown=grown, has_room=watch.has_room)


class _Complaints:
    """Standard error. Most agents write nothing there, so its recorder is made with the first bytes."""

    def __init__(self, path: str, secrets: Sequence[bytes], watch: Supervision) -> None:
        self._path = path
        self._secrets = secrets
        self._watch = watch
        self._record: Recorder | None = None

    def __call__(self, data: bytes) -> None:
        if self._record is None:
            self._record = _recorder(self._path, self._secrets, self._watch, StderrLines(), self._watch.complained)
        self._record(data)

    @property
    def tail(self) -> bytes:
        return self._record.tail if self._record else b""

    def close(self) -> None:
        if self._record:
            self._record.close()


class _LastWord:
    """The final message as it is when the agent's own process ends.

    What a process that it left behind writes later, into the same pipe or file, does not count.
    """

    def __init__(self, record: Recorder, parser: Parser, file: str) -> None:
        self.text = ""
        self._record: Recorder | None = record
        self._parser = parser
        self._file = file

    def take(self) -> None:
        if self._record:
            self._record.stop_parsing()
            self._record = None
            self.text = _answer(self._file) if self._file else self._parser.final


def judge(
    ending: Ending, exit_code: int | None, parser: Parser, limits: TimeLimits, stderr: bytes = b""
) -> tuple[AgentStatus, str]:
    """The status of the agent, and how it ended, in a few words; after a failure with its last complaint."""
    match ending:
        case "timeout":
            return "timeout", f"it ran longer than {limits.run_name} ({limits.run:g} s) and was ended"
        case "idle":
            return "idle", f"it wrote nothing for timeouts.idle ({limits.idle:g} s) and was ended"
        case "lingering" | "exited" if parser.result and parser.result.is_error:
            return "failed", _first_line(parser.result.text) or "it reported an error"
        case "lingering":
            return "ok", "it answered but did not exit, and was ended"
        case "exited":
            return ("failed", _exit_words(exit_code) + _cause(stderr, parser)) if exit_code else ("ok", _exit_words(0))


def _problem(status: AgentStatus, agent: Agent, parser: Parser) -> Problem | None:
    if status != "ok" and parser.result and parser.result.problem:
        return parser.result.problem
    if not parser.denied:
        return None
    from ralph.agents.permissions import flag_for

    denied = ", ".join(dict.fromkeys(f"{each.tool}({each.reason})" for each in parser.denied))
    first = parser.denied[0]
    return Problem(
        "permission", f"it was denied a permission: {denied}", allowed_by=flag_for(agent.adapter.name, first)
    )


def _cause(stderr: bytes, parser: Parser) -> str:
    """The last line of standard error, or else the last one on standard output that is not in the agent's format."""
    said = last_lines((stderr or parser.stray).decode(errors="replace"), 1)
    return f": {said[0].strip()[:LONGEST_CAUSE]}" if said else ""


def _exit_words(exit_code: int) -> str:
    if exit_code < 0:
        return f"it was killed by {_signal_name(-exit_code)}"
    return f"it exited with code {exit_code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _answer(path: str) -> str:
    """The end of a file that the agent was told to write. It may have put anything there."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        size = os.fstat(file).st_size
        return os.pread(file, LONGEST_FINAL, max(0, size - LONGEST_FINAL)).decode(errors="replace")
    except OSError:
        return ""
    finally:
        os.close(file)


def _tail(final: str, record: Recorder, complain: _Complaints) -> str:
    said = final or record.tail.decode(errors="replace")
    both = "\n".join(part.strip() for part in (complain.tail.decode(errors="replace"), said) if part.strip())
    return both[-TAIL_CHARACTERS:]


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:300]
