"""`ralph run`: the prompt recipe."""

from pathlib import Path
from typing import Any

import click


@click.command("run")
@click.option("-p", "--prompt", help="The prompt, as it is.")
@click.option("-f", "--prompt-file", help="A file with the prompt; read again in each iteration.")
@click.option("-m", "--maximum-iterations", type=int, help="Iterations before giving up (default 10).")
@click.option("-c", "--completion-response", help="What the agent's <response> tag says when done (default DONE).")
@click.option(
    "--stream-agent-output/--no-stream-agent-output", default=None, help="Show what the agent does (default)."
)
@click.option("--agent", help="The agent: a command, or the id of a tools.executors entry.")
@click.option("-V", "--verbose", is_flag=True, help="Say more: settings, commands, prompts, timings.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but why it ended badly.")
@click.option(
    "--dry-run", is_flag=True, help="Print the settings, the exact command and the first prompt; run nothing."
)
def command(
    prompt: str | None,
    prompt_file: str | None,
    maximum_iterations: int | None,
    completion_response: str | None,
    stream_agent_output: bool | None,
    agent: str | None,
    verbose: bool,
    quiet: bool,
    dry_run: bool,
) -> int:
    """Run an agent in a loop until guardrails pass and it says that it is done.

    \b
    ralph run -p "Make the tests pass. When they do, end with <response>DONE</response>"
    ralph run -f PROMPT.md -m 20
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.prompt_run import plan_run
    from ralph.cli.screen import make_screen
    from ralph.model.verdicts import exit_code

    flags = _flags(
        maximumIterations=maximum_iterations,
        completionResponse=completion_response,
        streamAgentOutput=stream_agent_output,
        agent=None if agent is None else {"command": agent},
    )
    plan, loaded = plan_run(Path.cwd(), prompt=prompt, prompt_file=prompt_file, flags=flags)
    if dry_run:
        from ralph.cli.dry_run import show_plan

        show_plan(plan, loaded)
        return 0
    screen = make_screen(plan.settings, verbose=verbose, quiet=quiet)
    if verbose:
        from ralph.cli.dry_run import explain

        explain(plan, loaded, screen.debug)
    from ralph.app.runs import start

    return exit_code(start(plan, screen))


def _flags(**given: Any) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}
