"""`ralph prd archive`: archive a finished loop."""

import click

from ralph.cli.here import project_in


@click.command("archive")
@click.option("-d", "--project-dir", default=".", help="The project's directory.  [default: this one]")
@click.option("--label", help="The name of the archive's folder, after the date.  [default: the branch]")
def command(project_dir: str, label: str | None) -> None:
    """Move the plan and its log to ralph-archive/, with a summary, and restore clean templates, in one commit.

    \b
    ralph prd archive
    ralph prd archive --label login
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.stories.archive import archive

    folder = asyncio.run(archive(project_in(project_dir), label))
    click.echo(f"Archived in {folder}. ralph/ has clean templates; prompt.md was kept.")
