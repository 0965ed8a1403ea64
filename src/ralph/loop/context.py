"""What the actions of one run share, and one attempt at one of them."""

import os
from collections.abc import Awaitable, Callable
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from typing import Any

from msgspec.structs import replace

from ralph.agents.adapter import Adapter, Hooks
from ralph.agents.environment import for_agent, for_check
from ralph.agents.registry import Agent, choose_executor, find
from ralph.agents.run import STREAM, TimeLimits
from ralph.agents.tools import agent_of_tool
from ralph.config.known_secrets import known_secrets
from ralph.git.folders import task_folder
from ralph.git.repository import Repository
from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.base import Action
from ralph.kernel.actions.checks import AskModel
from ralph.kernel.actions.reviews import RunReviewer
from ralph.loop.confinement import UNCONFINED, Confinement, confinement_of, needs_nothing, with_hooks
from ralph.loop.plan import Plan
from ralph.loop.stop import Stop
from ralph.loop.streams import Streams
from ralph.loop.trust import Watched
from ralph.model.errors import StateError
from ralph.model.runs import parent_of
from ralph.store.attempt_folders import AttemptFolders, TaskFolders
from ralph.store.history import folders_of
from ralph.store.journal import Begun, Journal
from ralph.store.open import child_environment
from ralph.store.runs import iterations_before
from ralph.store.sql import Store
from ralph.store.state_dir import StateDir
from ralph.workbench.bench import Workbench
from ralph.workbench.redact import mask_text, needles

WITH_FOLDER = (RunAgent, AskModel, RunReviewer)
"""The actions that leave a folder behind."""
AGENT_HOME = "agent-home"
"""The name of a folder of the run: the home of an agent that keeps its hooks there, while the run is driven."""


class RunContext:
    def __init__(
        self, store: Store, journal: Journal, plan: Plan, project_id: str, project: Path, stop: Stop, streams: Streams
    ) -> None:
        self.store = store
        self.journal = journal
        self.plan = plan
        self.project_id = project_id
        self.project = project
        self.stop = stop
        self.streams = streams
        self.run_id = journal.run_id
        self.settings = plan.settings
        self.loop: Any = plan.loop
        self.state = StateDir(project)
        self.folders = self._folders()
        self._environ = {**os.environ, **child_environment(), **plan.kind.environment(self)}
        self.secrets = needles(known_secrets(self._environ, self.settings, self.project))
        self.mask = mask_text(self.secrets)
        """Masks secrets in a text that goes to a model, to the journal or to a screen."""
        self._own_env = {
            "RALPH_RUN_ID": self.run_id,
            "RALPH_PARENT_RUN_ID": parent_of(self.run_id) or "",
            "RUN_FOLDER": str(self.state.root / self.folders.home),
        }
        env, keep = (
            {**for_check(self._environ, plan.settings.env), **self._own_env},
            plan.settings.output_truncate_chars,
        )
        self.bench = Workbench(project, env, self.run_id, keep=keep, secrets=self.secrets)
        """The bench in the project, for commands and git: they see no key that costs money."""
        self._agents: dict[str, Agent] = {}
        self._visible: dict[type[Adapter], dict[str, str]] = {}
        """The environment that agents of a kind see, computed once a run because each variable is matched with many
        patterns."""
        self.kept: dict[str, Any] = {}
        """What performers keep from one action of this run to the next, such as an open bus."""
        self.at_end: list[Callable[[], Awaitable[None]]] = []
        """The functions that release it at the end of the drive."""

    @property
    def watched(self) -> Watched:
        """What the run trusts, to compare with the state at its end."""
        return Watched(self.store, self.project_id, self.project, self.run_id, self.plan.seals)

    async def close(self) -> None:
        """Release what was kept."""
        for let_go in self.at_end:
            await let_go()

    @cached_property
    def limits(self) -> TimeLimits:
        return self.plan.kind.limits(self.settings, self.loop)

    def agent_env(self, agent: Agent) -> dict[str, str]:
        seen = self._visible.get(type(agent.adapter))
        if seen is None:
            seen = self._visible[type(agent.adapter)] = for_agent(agent.adapter, self._environ, self.settings.env)
        return {**seen, **agent.env, **self._own_env}

    def confinement(self, agent: Agent, folder: Path) -> Confinement:
        """The protection of this agent if it is started in that folder now."""
        if self._is_unconfined:
            return UNCONFINED
        return confinement_of(self.settings, self.plan.kind, agent, self._agent_home, folder, self._environ)

    @cached_property
    def _is_unconfined(self) -> bool:
        return needs_nothing(self.settings, self.plan.kind)

    def equipped(self, agent: Agent, hooks: Hooks | None) -> Agent:
        """The agent with these hooks; their home is created if they need one."""
        if hooks is None:
            return agent
        if hooks.needs_home:
            self.folders.made(self._agent_home.parent)
            agent.adapter.make_home(self._agent_home, {**self._environ, **agent.env})
            if self._remove_home not in self.at_end:
                self.at_end.append(self._remove_home)
        return with_hooks(agent, hooks)

    @cached_property
    def _agent_home(self) -> Path:
        return self.state.run_dir(self.run_id) / AGENT_HOME

    async def _remove_home(self) -> None:
        rmtree(self._agent_home, ignore_errors=True)

    def agent(self, name: str = "") -> Agent:
        """The run's own agent, or the one of this name."""
        if name not in self._agents:
            agent = find(self.settings, name) if name else self.plan.agent
            if agent is None:
                raise StateError(f"the recipe {self.plan.recipe} has no agent of its own.")
            self._agents[name] = agent
        return self._agents[name]

    @property
    def worker(self) -> Agent:
        """The agent that does the work of this run; for a run that only starts others, their default agent."""
        return self.plan.agent or choose_executor(self.settings)

    def reader(self, action: AskModel) -> Agent:
        """The agent that reviews or plans. The fallback agent, while the quota is used up, has a model of its own."""
        model, by = ("", "") if action.agent else (action.model, action.by)
        return agent_of_tool(self.settings, model, by, self.agent(action.agent) if action.agent else self.worker)

    def stream_of(self, action: Action, attempt: int) -> dict[str, Any] | None:
        """Where the agent's stream of an action will be and how to read it, for later readers."""
        if not isinstance(action, WITH_FOLDER):
            return None
        # Only these have a folder: to ask for one takes the next number.
        folder = self.folders.of(action.key, attempt)
        if isinstance(action, AskModel) and action.role == "plan":
            stream = self._stream(folder, self.reader(action), streaming=True)
            return {"folder": self.state.relative(folder), "stream": stream}
        if not isinstance(action, RunAgent):
            return {"folder": self.state.relative(folder)}
        return {"stream": self._stream(folder, self.agent(action.agent), streaming=self.settings.stream_agent_output)}

    def _stream(self, folder: Path, agent: Agent, *, streaming: bool) -> dict[str, Any]:
        return {"path": f"{self.state.relative(folder)}/{STREAM}", "format": agent.adapter.name, "streaming": streaming}

    def _folders(self) -> AttemptFolders:
        kind = self.plan.kind
        home = kind.home(self.loop)
        if not home:
            return AttemptFolders(self.state, f"runs/{self.run_id}")
        known = folders_of(self.store, self.run_id) if self.journal.was_begun else ()
        earlier = iterations_before(self.store, self.run_id)
        return TaskFolders(self.state, home, self.run_id, kind.home_unit, earlier, known)


class Attempt:
    """One attempt at one action, with everything that its performer needs."""

    def __init__(self, run: RunContext, begun: Begun) -> None:
        self.run = run
        self.begun = begun
        self.number = begun.attempt

    @property
    def folder(self) -> Path:
        """The folder in which the action works."""
        place = self.begun.action.place
        match place.kind:
            case "project" | "verification":
                # The worktree for checks is selected by the tree that it must hold.
                return self.run.project
            case "task":
                return task_folder(self.run.project, place.name)
            case "scratch":
                empty = self.directory() / "empty"
                empty.mkdir(exist_ok=True)
                return empty

    @cached_property
    def bench(self) -> Workbench:
        """The bench for commands and git."""
        return replace(self.run.bench, folder=self.folder, tag=self._tag)

    @property
    def _tag(self) -> str:
        return f"{self.run.run_id}/{self.begun.key}.{self.number}"

    def bench_for(self, agent: Agent) -> Workbench:
        """The bench for an agent: it sees what it needs, and has its own folder for what it leaves behind."""
        env, log = self.run.agent_env(agent), self.directory()
        return replace(self.run.bench, folder=self.folder, tag=self._tag, env=env, log=log)

    def directory(self) -> Path:
        """The directory for what this attempt leaves behind."""
        return self.run.folders.made(self.run.folders.of(self.begun.key, self.number))

    def log(self, name: str, part: str = "", iteration: int = 0) -> Path:
        """A file for the output of a command, in a part of an iteration's folder. No attempt writes into another's."""
        again = "" if self.number == 1 else f".{self.number}"
        return self.run.folders.log(iteration, part) / f"{name}{again}.log"

    def repository(self, folder: Path | None = None) -> Repository:
        known: dict[Path, Path] = self.run.kept.setdefault("repositories", {})
        return Repository(self.bench.at(folder or self.folder), known)
