"""From an action to the part that does it."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ralph.agents.parser import Emit
from ralph.agents.registry import Agent, find
from ralph.agents.run import Limits, Surroundings, run_agent
from ralph.checks.command import run_command
from ralph.checks.response import check_response, read_commit_message
from ralph.git.scm import Scm
from ralph.kernel.actions import (
    AnyAction,
    CommitMessage,
    ReadCommitMessage,
    ReadPrompt,
    ReadResponse,
    RunAgent,
    RunCommand,
    RunScmTask,
    StageChanges,
    Staged,
    Wait,
    Waited,
)
from ralph.loop.equipment import Equipment
from ralph.loop.prompt_file import read_prompt
from ralph.loop.stop import Stop
from ralph.model.errors import StateError
from ralph.model.evidence import AgentReport, Evidence
from ralph.proc.identity import is_ralph
from ralph.store.journal import Journal
from ralph.store.state_dir import directory_name

RESET_SLACK = 1.0
"""A quota that is reset at a moment may not be there at that very moment."""


class Performer:
    """Everything that a run's actions need. Calling it performs one."""

    def __init__(
        self,
        equipment: Equipment,
        *,
        agent: Agent | None,
        limits: Limits,
        journal: Journal,
        stop: Stop,
        emit: Emit | None,
    ) -> None:
        self._with = equipment
        self._limits = limits
        self._journal = journal
        self._stop = stop
        self._emit = emit
        self._agents = {"": (agent, equipment.agent_env(agent))} if agent else {}
        self.table: dict[type[Any], Callable[..., Any]] = {
            ReadPrompt: self._read_prompt,
            RunAgent: self._run_agent,
            Wait: self._wait,
            RunCommand: self._run_guardrail,
            ReadResponse: self._read_response,
            ReadCommitMessage: self._read_commit_message,
            StageChanges: self._stage_changes,
            RunScmTask: self._run_scm_task,
        }

    async def __call__(self, action: AnyAction, seq: int, attempt: int) -> Any:
        try:
            return await self.table[type(action)](action, seq, attempt)
        except OSError as error:
            # What is not the user's or the agent's mistake: a full disk, a folder that was taken away.
            where = f" ({error.filename})" if error.filename else ""
            raise StateError(f"cannot write: {error.strerror}{where}.", "Mend that, then: ralph resume") from error

    async def _read_prompt(self, action: ReadPrompt, _seq: int, _attempt: int) -> str:
        return read_prompt(self._with.project / action.file)

    async def _run_agent(self, action: RunAgent, seq: int, attempt: int) -> AgentReport:
        work = action.purpose == "work"
        agent, env = self._called(action.agent)
        around = Surroundings(
            project=self._with.project,
            workdir=self._with.workdir,
            directory=self._with.state.attempt_dir(self._with.run.id, directory_name(action, attempt)),
            env=env,
            attempt=self._with.mark(seq, attempt),
            limits=self._limits,
            secrets=self._with.secrets,
            emit=self._emit if work else None,
            done_file=action.done_file,
            # A supervised agent may leave runs that go on while it is restarted. They end with the loop.
            spare=is_ralph if action.done_file else None,
            done_grace=self._with.settings.supervise.done_grace,
            mark=lambda size, events: self._journal.mark(seq, attempt, size=size, events=events),
        )
        # A commit message is asked for as plain text, whatever the work is streamed as.
        stream = work and self._with.settings.stream_agent_output
        return replace(await run_agent(agent, action.prompt, around, stream=stream), agent=action.agent)

    def _called(self, name: str) -> tuple[Agent, dict[str, str]]:
        """The run's own agent, or the one that takes its place, and what that one may see."""
        if name not in self._agents:
            agent = find(self._with.settings, name)
            self._agents[name] = agent, self._with.agent_env(agent)
        return self._agents[name]

    async def _wait(self, action: Wait, _seq: int, attempt: int) -> Waited:
        began = time.monotonic()
        # Measured from now on: the clock may be stepped while we wait.
        await self._stop.sleep(_seconds(action, resumed=attempt > 1))
        return Waited(time.monotonic() - began)

    async def _run_guardrail(self, action: RunCommand, seq: int, attempt: int) -> Evidence:
        directory = self._with.state.attempt_dir(self._with.run.id, f"iteration-{action.iteration}")
        kept = directory / f"guardrail_{action.slug}{'' if attempt == 1 else f'.{attempt}'}.log"
        evidence = await run_command(
            action.command,
            cwd=self._with.workdir,
            env=self._with.check_env,
            attempt=self._with.mark(seq, attempt),
            log=kept,
            limit=self._with.settings.timeouts.guardrail or None,
            keep=self._with.settings.output_truncate_chars,
            secrets=self._with.secrets,
        )
        shown = self._with.state.root / f"guardrail_{action.iteration}_{action.slug}.log"
        _put(kept, shown)
        return replace(evidence, log=self._with.state.relative(shown))

    async def _read_response(self, action: ReadResponse, _seq: int, _attempt: int) -> Evidence:
        return check_response(self._with.project / action.attempt_dir, action.expected, plain=action.plain)

    async def _read_commit_message(self, action: ReadCommitMessage, _seq: int, _attempt: int) -> CommitMessage:
        return read_commit_message(self._with.project / action.attempt_dir, plain=action.plain)

    async def _stage_changes(self, action: StageChanges, seq: int, attempt: int) -> Staged:
        # The agent may have taken away what keeps ralph's state out of the commit.
        self._with.state.create()
        return await (await self._scm(action.command, seq, attempt)).stage()

    async def _run_scm_task(self, action: RunScmTask, seq: int, attempt: int) -> Evidence:
        return await (await self._scm(action.command, seq, attempt)).run_task(action.task, action.message)

    async def _scm(self, command: str, seq: int, attempt: int) -> Scm:
        scm = Scm(command, self._with.workdir, self._with.check_env, self._with.mark(seq, attempt))
        if attempt > 1:
            await scm.drop_stale_lock()
        return scm


def _seconds(wait: Wait, *, resumed: bool) -> float:
    if wait.until is None:
        return wait.seconds
    ahead = wait.until - time.time()
    if ahead > 0:
        return ahead + RESET_SLACK
    # It came while ralph did not run; a moment that had passed from the beginning was not meant.
    return 0.0 if resumed else wait.seconds


def _put(log: Path, place: Path) -> None:
    """Show the log where the agent is told to look, too. An earlier run's log there makes room."""
    place.unlink(missing_ok=True)
    try:
        os.link(log, place)
    except OSError:
        shutil.copyfile(log, place)
