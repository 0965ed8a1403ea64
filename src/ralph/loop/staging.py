"""The actions of the stage recipe: read the claim, keep the work, verify."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ralph.agents.ask import Answered, Unanswered, ask
from ralph.agents.models import judge_agent
from ralph.agents.registry import Agent
from ralph.agents.run import Limits, Surroundings
from ralph.checks.promise import read_claim
from ralph.checks.response import final_message
from ralph.checks.semantic import Judgement
from ralph.checks.verify import Verifier
from ralph.git.repository import Repository
from ralph.kernel.actions import Claim, ReadClaim, Saved, SaveWork, Verify
from ralph.loop.equipment import Equipment
from ralph.model.evidence import Evidence

DIFF_LOOKED_AT = 5_000_000
"""Characters in which negative patterns are looked for; a model is shown less."""


class Staging:
    def __init__(self, equipment: Equipment, agent: Agent, limits: Limits) -> None:
        self._with = equipment
        self._agent = agent
        self._limits = limits
        self._verifiers: dict[str, Verifier] = {}
        self.table: dict[type[Any], Callable[..., Any]] = {
            ReadClaim: self._read_claim,
            SaveWork: self._save,
            Verify: self._verify,
        }

    async def _read_claim(self, action: ReadClaim, _seq: int, _attempt: int) -> Claim:
        return read_claim(self._with.project / action.attempt_dir, plain=action.plain)

    async def _save(self, action: SaveWork, seq: int, attempt: int) -> Saved:
        commit = await self._repository(seq, attempt).commit_all(action.message, again=attempt > 1)
        return Saved(commit.commit, commit.tree, commit.changed)

    async def _verify(self, action: Verify, seq: int, attempt: int) -> Evidence:
        repository = self._repository(seq, attempt)
        if action.attempt_dir not in self._verifiers:
            # One for each iteration: a question that had to wait for its quota does not start the commands again.
            self._verifiers = {action.attempt_dir: self._verifier(action, repository, self._with.mark(seq, attempt))}
        evidence = await self._verifiers[action.attempt_dir].verify(action.check)
        # What is kept is what was verified: a check that writes files must not add to the work.
        await repository.restore()
        return self._with_relative_logs(evidence)

    def _verifier(self, action: Verify, repository: Repository, mark: str) -> Verifier:
        said_in = self._with.project / action.attempt_dir
        directory = _unused(said_in / "verify")

        async def judge(question: str, model: str) -> "Answered[Judgement] | Unanswered":
            asked = _unused(directory / "judge")
            return await self._ask(question, model, asked, f"{mark}.{asked.name}")

        async def diff() -> str:
            return await repository.diff(action.base, await repository.snapshot(), DIFF_LOOKED_AT)

        return Verifier(
            worktree=self._with.workdir,
            said=final_message(said_in, plain=action.plain),
            env=self._with.check_env,
            attempt=mark,
            logs=directory,
            keep=self._with.settings.output_truncate_chars,
            secrets=self._with.secrets,
            judge=judge,
            diff=diff,
            tree=repository.snapshot,
        )

    def _with_relative_logs(self, seen: Evidence) -> Evidence:
        log = self._with.state.relative(Path(seen.log)) if seen.log else ""
        return replace(seen, log=log, parts=tuple(map(self._with_relative_logs, seen.parts)))

    async def _ask(self, question: str, model: str, directory: Path, mark: str) -> "Answered[Judgement] | Unanswered":
        """In an empty folder: whoever judges sees what he is told, and can change nothing."""
        agent = judge_agent(self._with.settings, model, self._agent)
        empty = directory / "empty"
        empty.mkdir()
        around = Surroundings(
            project=self._with.project,
            workdir=empty,
            directory=directory,
            env=self._with.agent_env(agent),
            attempt=mark,
            limits=self._limits,
            secrets=self._with.secrets,
        )
        return await ask(agent, question, Judgement, around)

    def _repository(self, seq: int, attempt: int) -> Repository:
        return Repository(self._with.workdir, self._with.check_env, self._with.mark(seq, attempt))


def _unused(path: Path) -> Path:
    """A new directory of that name; the second gets `.2`. No attempt's files are ever overwritten."""
    number, chosen = 1, path
    while chosen.exists():
        number += 1
        chosen = path.with_name(f"{path.name}.{number}")
    chosen.mkdir(parents=True)
    return chosen
