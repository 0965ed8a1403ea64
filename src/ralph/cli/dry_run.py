"""What would run: settings, command, prompt. Used by --dry-run and, in short, by --verbose."""

import json
import shlex
from collections.abc import Callable

import click
import msgspec

from ralph.agents.adapter import Call, Invocation
from ralph.app.plan import Plan
from ralph.app.prompt_run import first_prompt
from ralph.config.layers import Loaded
from ralph.config.redact import mask_text, redacted
from ralph.kernel.recipes.prompt import PromptRun

PROMPT = "$PROMPT"


def show_plan(plan: Plan, loaded: Loaded) -> None:
    loop = msgspec.convert(plan.options["loop"], PromptRun)
    prompt = first_prompt(loop)
    invocation = _invocation(plan, prompt)
    click.echo(json.dumps(redacted(loaded.merged), indent=2, ensure_ascii=False))
    click.echo(f"\nCommand: {mask_text(shlex.join(invocation.argv))}")
    click.echo(f"The prompt comes {'on standard input' if invocation.on_stdin else 'in the command'}.")
    for guardrail in loop.guardrails:
        click.echo(f"Guardrail ({guardrail.place}): {guardrail.command}")
    click.echo(f"\nFirst prompt:\n{prompt}")


def explain(plan: Plan, loaded: Loaded, say: Callable[[str], None]) -> None:
    for file in loaded.files:
        say(f"Loading settings from {_short(plan, file)}")
    say(f"Settings: {json.dumps(redacted(loaded.merged), ensure_ascii=False)}")
    say(f"Agent command: {mask_text(shlex.join(_invocation(plan, PROMPT).argv))}")


def _invocation(plan: Plan, prompt: str) -> Invocation:
    directory = ".ralph/runs/RUN/iteration-1"
    call = Call(prompt, f"{directory}/context.md", f"{directory}/output.md", plan.settings.stream_agent_output)
    assert plan.agent  # noqa: S101 - a prompt loop has one
    return plan.agent.adapter.invocation(plan.agent.command, plan.agent.flags, call)


def _short(plan: Plan, file: "object") -> str:
    return str(file).removeprefix(f"{plan.project}/")
