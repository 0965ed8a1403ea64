"""`ralph prd run`: the stories recipe."""

import click

from ralph.cli.here import plan_folder, project_in
from ralph.cli.runs.sandbox_option import sandbox_option
from ralph.cli.saying import say

COUNT = click.IntRange(min=1)


@click.command("run")
@click.option("-n", "--max-iterations", type=COUNT, help="The limit of iterations.  [default: prd.maxIterations, 15]")
@click.option(
    "--ralph-dir", default="ralph", help="The directory of the plan, relative to the project.  [default: ralph]"
)
@click.option("-d", "--project-dir", default=".", help="The project's directory.  [default: this one]")
@click.option("-m", "--model", help="The model of the agent, such as opus.")
@sandbox_option
@click.option("--skip-review", is_flag=True, default=None, help="Skip reviews: a story passes when it is implemented.")
@click.option("--review-cap", type=COUNT, help="Reviews of one story before it is approved as it is.  [default: 5]")
@click.option("--allow-dirty", is_flag=True, help="Ignore uncommitted changes instead of refusing to start.")
@click.option("--return", "returns", is_flag=True, help="Check out the current branch again at the end.")
@click.option("--agent", help="The agent: a command, or the id of a tools.executors entry.")
@click.option("--detach", is_flag=True, help="Run in the background, and return at once.")
@click.option("--dry-run", is_flag=True, help="Print what would happen, and the first prompt; run nothing.")
@click.option("-V", "--verbose", is_flag=True, help="Also print prompts, commands and timings.")
@click.option("-q", "--quiet", is_flag=True, help="Print only why it failed.")
@click.option("--timestamps", is_flag=True, help="Put the time before each line.")
def command(
    max_iterations: int | None,
    ralph_dir: str,
    project_dir: str,
    model: str | None,
    sandbox: bool | None,
    skip_review: bool | None,
    review_cap: int | None,
    allow_dirty: bool,
    returns: bool,
    agent: str | None,
    detach: bool,
    dry_run: bool,
    verbose: bool,
    quiet: bool,
    timestamps: bool,
) -> int:
    """Run the stories of ralph/tasks.json: implement, review with a fresh context, fix, until all are approved.

    Each story needs at least two iterations, and two more for each review that asks for changes. After each iteration
    ralph checks the agent's changes to the plan, and reverts what is not allowed: only a review can approve a story.
    ralph runs the verifyCommands on the commit; a story that fails them goes back to the agent.

    All work happens on the branch in the plan. For two features at the same time use two git worktrees, each with its
    own plan and branch: git worktree add --detach ../other, then ralph prd init --name other in that directory. Each
    loop has its own agent: two loops need twice the memory, CPU and tokens.

    \b
    ralph prd run -n 30
    ralph prd run --agent codex --review-cap 3
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.stories.ground import refuse_branch_of_spec, refuse_unsettled
    from ralph.app.stories.run import StoryOptions, first_prompt, plan_stories
    from ralph.cli.display.screen import make_screen
    from ralph.cli.runs.away import start_away
    from ralph.cli.runs.driving import start
    from ralph.cli.stores import opened_store
    from ralph.workbench.masking import masking

    project = project_in(project_dir)
    folder = plan_folder(project, ralph_dir)
    given = StoryOptions(folder, max_iterations, model, sandbox, skip_review, review_cap, allow_dirty, agent, returns)
    planned = asyncio.run(plan_stories(project, given))
    with opened_store() as store:
        refuse_unsettled(store, project)
        refuse_branch_of_spec(store, project, planned.plan.loop.branch)
        screen = make_screen(planned.plan.settings, verbose=verbose, quiet=quiet, timestamps=timestamps)
        for line in planned.told:
            screen.note(line)
        if dry_run:
            say(masking(planned.plan.settings, project)(first_prompt(project, planned.plan.loop)))
            return 0
        if detach:
            return start_away(store, project, planned.plan)
        return start(store, project, planned.plan, screen)
