"""From flags and settings to a prompt loop that can be started."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ralph.app.runs.proof_rules import proof_rules
from ralph.app.usable import load_usable
from ralph.config.layers import Loaded
from ralph.config.redact import mask_text
from ralph.config.schema import GuardrailSettings, Settings
from ralph.kernel.feedback import NONE, compose, names_tag
from ralph.kernel.prompt_options import Guardrail, PromptRun, ProofWanted, ScmTasks
from ralph.kernel.recipes import prompt as recipe
from ralph.loop.plan import Plan, make_plan
from ralph.loop.prompt_file import read_prompt
from ralph.model.errors import ConfigError
from ralph.model.projects import Located
from ralph.model.words import first_words
from ralph.store.projects import located, resolved
from ralph.workbench.masking import masking

_TAG = re.compile(r"<response>(.*?)</response>", re.IGNORECASE | re.DOTALL)
TITLE = 40
"""How many characters of a prompt name its run in lists."""


def plan_run(
    project: Path,
    *,
    prompt: str | None,
    prompt_file: str | None,
    flags: dict[str, Any],
    proof: ProofWanted = "auto",
    environ: Mapping[str, str] | None = None,
) -> tuple[Plan, Loaded]:
    text, file = prompt_source(project, prompt, prompt_file, "ralph run --help")
    loaded = load_usable(project, flags=flags, environ=os.environ if environ is None else environ)
    whole = read_prompt(resolved(project, file)) if file else text
    title = first_words(mask_text(masking(loaded.settings, project)(whole)), TITLE)
    loop = _loop(loaded.settings, text, title, file, proof)
    return make_plan(recipe.NAME, loaded.settings, loaded.merged, loop), loaded


def first_prompt(project: Path, loop: PromptRun) -> str:
    return compose(_base(project, loop), NONE, iteration=1, limit=loop.limit, count=loop.count)


def tag_warning(project: Path, plan: Plan) -> str:
    """One line for a prompt that does not say how the agent ends the loop; empty for one that does."""
    loop: PromptRun = plan.loop
    base, tag = _base(project, loop), f"<response>{loop.completion}</response>"
    if names_tag(base):
        wanted = loop.completion.strip().lower()
        # Blanks or dots in the tag stand for a word that the prompt names elsewhere.
        others = [each for each in _TAG.findall(base) if any(map(str.isalnum, each))]
        if not others or any(each.strip().lower() == wanted for each in others):
            return ""
        other = first_words(masking(plan.settings, project)(others[0]), TITLE)
        return f"the prompt names <response>{other}</response>, but only {tag} ends the loop. Change one of them (-c)."
    return (
        f"the prompt does not name {tag}, which ends the loop. After an iteration without it, the next prompt names it."
    )


def _base(project: Path, loop: PromptRun) -> str:
    """The user's own words."""
    return loop.prompt if loop.file is None else read_prompt(resolved(project, loop.file))


async def left_out_of_commits(project: Path, loop: PromptRun) -> str:
    """What the commits of the run would leave out, in one sentence; empty if that is nothing."""
    import os

    from ralph.git.checkout import look_if_any
    from ralph.git.repository import Repository
    from ralph.git.scm import ScmCommand
    from ralph.git.user_changes import user_changes
    from ralph.kernel.actions.commands import left_out
    from ralph.workbench.bench import Workbench

    bench = Workbench(project, os.environ, "look")
    repository = Repository(bench)
    if loop.scm is None or not ScmCommand(loop.scm.command, bench).is_git or not await look_if_any(repository.git):
        return ""
    found = await user_changes(repository)
    return left_out(found) if found.count else ""


def prompt_source(project: Path, prompt: str | None, prompt_file: str | None, see: str) -> tuple[str, Located | None]:
    """The prompt's text, or its file; exactly one of them."""
    if bool(prompt) == bool(prompt_file):
        given = "both" if prompt else "neither"
        raise ConfigError(f"exactly one of --prompt and --prompt-file is needed, {given} given.", f"See: {see}")
    if prompt is not None and not _is_utf8(prompt):
        raise ConfigError("the prompt is not UTF-8.", "Put it into a UTF-8 file and use --prompt-file.")
    if prompt is not None and not prompt.strip():
        raise ConfigError("the prompt is empty.", "Say what the agent should do.")
    if not prompt_file:
        return prompt or "", None
    read_prompt(project / prompt_file, "Write it, or give another one with -f.")
    return "", located(project, Path(prompt_file))


def _loop(settings: Settings, prompt: str, title: str, file: Located | None, proof: ProofWanted) -> PromptRun:
    scm = settings.scm
    return PromptRun(
        limit=settings.maximum_iterations,
        completion=settings.completion_response,
        prompt=prompt,
        title=title,
        file=file,
        guardrails=tuple(map(_guardrail, settings.guardrails)),
        scm=ScmTasks(scm.command, tuple(scm.tasks), scm.hooks) if scm and scm.tasks else None,
        count=settings.include_iteration_count_in_prompt,
        proof=proof,
        rules=proof_rules(settings),
        check_timeout=settings.timeouts.guardrail or 0.0,
    )


def _guardrail(each: GuardrailSettings) -> Guardrail:
    return Guardrail(
        each.command, each.fail_action, each.hint, each.baseline, each.red, canary=each.canary, proof=each.proof
    )


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
