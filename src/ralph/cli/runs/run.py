"""`ralph run`: the prompt recipe."""

from typing import TYPE_CHECKING, Any

import click

from ralph.cli.here import from_project, here
from ralph.cli.runs.sandbox_option import sandbox_option

if TYPE_CHECKING:
    from ralph.kernel.prompt_options import ProofWanted

WANTED: "dict[bool | None, ProofWanted]" = {None: "auto", True: "always", False: "never"}


@click.command("run")
@click.option("-p", "--prompt", help="The prompt.")
@click.option("-f", "--prompt-file", help="A file with the prompt; ralph reads it in each iteration.")
@click.option("-m", "--maximum-iterations", type=int, help="The limit of iterations (default 10).")
@click.option("-c", "--completion-response", help="The text in the <response> tag that means done (default DONE).")
@click.option("--stream-agent-output/--no-stream-agent-output", default=None, help="Show the agent's output (default).")
@click.option(
    "--may-change",
    metavar="GLOB",
    multiple=True,
    help="Tests and judges that the agent may change, such as 'tests/old/**'; repeatable.",
)
@click.option(
    "--proof/--no-proof",
    "is_proven",
    default=None,
    help="Prove a claim on clean checkouts, or trust the guardrails here (default: prove if there is git).",
)
@sandbox_option
@click.option("--agent", help="The agent: a command, or the id of a tools.executors entry.")
@click.option("--detach", is_flag=True, help="Run in the background, and return at once.")
@click.option("-V", "--verbose", is_flag=True, help="Also print settings, commands, prompts and timings.")
@click.option("-q", "--quiet", is_flag=True, help="Print only why it failed.")
@click.option("--timestamps", is_flag=True, help="Put the time before each line.")
@click.option(
    "--dry-run", is_flag=True, help="Print the settings, the exact command and the first prompt; run nothing."
)
def command(
    prompt: str | None,
    prompt_file: str | None,
    maximum_iterations: int | None,
    completion_response: str | None,
    stream_agent_output: bool | None,
    may_change: tuple[str, ...],
    is_proven: bool | None,
    sandbox: bool | None,
    agent: str | None,
    detach: bool,
    verbose: bool,
    quiet: bool,
    timestamps: bool,
    dry_run: bool,
) -> int:
    """Run an agent in a loop until the guardrails pass and its final message says that it is done.

    \b
    ralph run -p "Make the tests pass. When they do, end with <response>DONE</response>"
    ralph run -f PROMPT.md -m 20
    ralph run -f PROMPT.md --detach
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.measured import budget_warning
    from ralph.app.runs.prompt_run import plan_run, tag_warning
    from ralph.app.sandbox import sandbox_flags
    from ralph.cli.display.screen import make_screen

    flags = _flags(
        maximumIterations=maximum_iterations,
        completionResponse=completion_response,
        streamAgentOutput=stream_agent_output,
        mayChange=list(may_change) or None,
        agent=None if agent is None else {"command": agent},
        **sandbox_flags(wanted=sandbox),
    )
    project = here()
    if prompt_file is not None:
        prompt_file = from_project(project, prompt_file)
    plan, loaded = plan_run(project, prompt=prompt, prompt_file=prompt_file, flags=flags, proof=WANTED[is_proven])
    if dry_run:
        from ralph.cli.runs.dry_run import show_plan

        show_plan(project, plan, loaded)
        return 0
    screen = make_screen(plan.settings, verbose=verbose, quiet=quiet, timestamps=timestamps)
    if verbose:
        from ralph.cli.runs.dry_run import explain

        explain(project, plan, loaded, screen.debug)
    from ralph.cli.runs.away import start_away
    from ralph.cli.runs.driving import start
    from ralph.cli.runs.unsandboxed import say_unsandboxed
    from ralph.cli.stores import opened_store

    say_unsandboxed(plan, project, screen)
    for warning in (budget_warning(plan.settings, plan.agent), tag_warning(project, plan)):
        if warning:
            screen.note(warning)
    with opened_store() as store:
        if detach:
            return start_away(store, project, plan)
        return start(store, project, plan, screen)


def _flags(**given: Any) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}
