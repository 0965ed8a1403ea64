"""`ralph prd status`: how the stories stand."""

import click

from ralph.cli.here import plan_folder, project_in
from ralph.cli.saying import say


@click.command("status")
@click.option("-d", "--project-dir", default=".", help="The project's directory.  [default: this one]")
@click.option(
    "--ralph-dir", default="ralph", help="The directory of the plan, relative to the project.  [default: ralph]"
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(project_dir: str, ralph_dir: str, as_json: bool) -> None:
    """Show the stories, what the next iteration does, and figures about the reviews.

    \b
    ralph prd status
    ralph prd status --json
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.stories.ground import plan_at
    from ralph.app.stories.status import plan_summary
    from ralph.cli.json_text import json_text
    from ralph.cli.stores import opened_store
    from ralph.kernel.story_summary import summary_lines
    from ralph.model.words import count

    project = project_in(project_dir)
    plan = plan_at(project, plan_folder(project, ralph_dir))
    with opened_store() as store:
        found = plan_summary(store, project, plan)
    if as_json:
        click.echo(json_text(found))
        return
    say(f"{found.project or found.branch}: {found.done} of {found.done + found.open} stories done")
    for each in found.stories:
        mark = "✓" if each.is_done else "·"
        facts = [each.status, *([count(each.reviews, "review")] if each.reviews else []), *each.spent]
        say(f"  {mark} {each.id}  {each.title}  ({' · '.join(facts)})")
    for line in summary_lines(found):
        say(line)
