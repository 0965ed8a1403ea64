"""The prompt recipe from the outside."""

from ralph.git.checkout import look_if_any
from ralph.git.command import Git
from ralph.git.scm import ScmCommand, check_words
from ralph.kernel.actions.base import Recipe
from ralph.kernel.prompt_options import PromptRun
from ralph.kernel.recipes import prompt
from ralph.loop.kinds.base import Facts, Kind
from ralph.model.errors import ConfigError


class PromptKind(Kind):
    options = PromptRun
    sandbox = "none"

    def generator(self, loop: PromptRun) -> Recipe:
        return prompt.prompt_loop(loop)

    def has_checks(self, loop: PromptRun) -> bool:
        return bool(loop.guardrails)

    def label(self, loop: PromptRun) -> str:
        return loop.title

    async def require(self, context: Facts) -> None:
        loop: PromptRun = context.loop
        if loop.proof == "always":
            await _require_proof(loop, context)
        if loop.scm:
            check_words(loop.scm.command, loop.scm.tasks)
            await ScmCommand(loop.scm.command, context.bench).require_repository()


async def _require_proof(loop: PromptRun, context: Facts) -> None:
    """Refuse a requested proof that is not possible before the agent works, instead of leaving it out."""
    if not any(each.proof for each in loop.guardrails):
        raise ConfigError(
            "--proof has nothing to prove a claim with: no guardrail runs on clean checkouts.",
            'Set one under "guardrails" in .ralph/settings.json.',
        )
    if await look_if_any(Git(context.bench)) is None:
        raise ConfigError(
            f"--proof judges a claim on clean checkouts, but {context.project} is not a git repository.",
            "Run git init here, or leave --proof out.",
        )
