"""What would run: settings, command, prompt. `--dry-run` prints all of it, `--verbose` a part."""

import asyncio
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import click

from ralph.agents.adapter import Call, Invocation
from ralph.app.runs.prompt_run import first_prompt, left_out_of_commits
from ralph.cli.json_text import escaped
from ralph.cli.saying import say
from ralph.config.layers import Loaded
from ralph.config.redact import mask_text, redacted
from ralph.kernel.prompt_options import PromptRun, ProofWanted
from ralph.loop.plan import Plan
from ralph.workbench.masking import masking

PROMPT = "$PROMPT"
PROOF: dict[ProofWanted, str] = {
    "auto": "a claim is judged on clean checkouts where there is git",
    "always": "a claim is judged on clean checkouts",
    "never": "the guardrails in this directory decide",
}


def show_plan(project: Path, plan: Plan, loaded: Loaded) -> None:
    loop: PromptRun = plan.loop
    prompt = first_prompt(project, loop)
    invocation = _invocation(plan, prompt)
    mask = masking(plan.settings, project)
    click.echo(escaped(mask(json.dumps(redacted(loaded.merged), indent=2, ensure_ascii=False))))
    say(f"\nCommand: {mask_text(mask(shlex.join(invocation.argv)))}")
    click.echo(f"The prompt comes {'on standard input' if invocation.on_stdin else 'in the command'}.")
    for guardrail in loop.guardrails:
        say(f"Guardrail ({guardrail.place}): {mask_text(mask(guardrail.command))}")
    click.echo(f"Proof: {PROOF[loop.proof]}")
    for pattern in loop.rules.may_change:
        say(f"May change: {pattern}")
    if left_out := asyncio.run(left_out_of_commits(project, loop)):
        say(f"SCM tasks: {left_out}")
    say(f"\nFirst prompt:\n{mask(prompt)}")


def explain(project: Path, plan: Plan, loaded: Loaded, say: Callable[[str], None]) -> None:
    for file in loaded.files:
        say(f"Loading settings from {_short(project, file)}")
    mask = masking(plan.settings, project)
    say(f"Settings: {mask(json.dumps(redacted(loaded.merged), ensure_ascii=False))}")
    say(f"Agent command: {mask_text(mask(shlex.join(_invocation(plan, PROMPT).argv)))}")


def _invocation(plan: Plan, prompt: str) -> Invocation:
    directory = ".ralph/runs/RUN/iteration-1"
    call = Call(prompt, f"{directory}/context.md", f"{directory}/output.md", plan.settings.stream_agent_output)
    assert plan.agent  # noqa: S101 - a prompt loop has one
    return plan.agent.adapter.invocation(plan.agent.command, plan.agent.flags, call)


def _short(project: Path, file: Path) -> str:
    return str(file).removeprefix(f"{project}/")
