"""What the parts that perform a run's actions have in common: where they work, and what their processes may see."""

from collections.abc import Mapping
from pathlib import Path

from ralph.agents.environment import for_agent, for_check, secrets
from ralph.agents.redact import needles
from ralph.agents.registry import Agent
from ralph.config.schema import Settings
from ralph.git.command import ceiling
from ralph.model.runs import Run
from ralph.store.state_dir import StateDir


class Equipment:
    def __init__(self, run: Run, settings: Settings, environ: Mapping[str, str], workdir: Path | None = None) -> None:
        self.run = run
        self.settings = settings
        self.project = Path(run.project)
        self.workdir = workdir or self.project
        self.state = StateDir(self.project)
        self.secrets = needles(secrets(environ))
        self._environ = environ
        self._ours = {
            # In a worktree that an agent has damaged, its git must not take the user's own tree for it.
            **ceiling(self.workdir),
            "RALPH_RUN_ID": run.id,
            "RALPH_PARENT_RUN_ID": run.parent_id or "",
            "RUN_FOLDER": str(self.state.run_dir(run.id)),
        }
        self.check_env = {**for_check(environ), **self._ours}

    def agent_env(self, agent: Agent) -> dict[str, str]:
        return {**for_agent(agent.adapter, self._environ, self.settings.env), **agent.env, **self._ours}

    def mark(self, seq: int, attempt: int) -> str:
        """By this a process is known as one of this attempt."""
        return f"{self.run.id}.{seq}.{attempt}"
