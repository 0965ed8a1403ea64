"""`ralph prd init`: the files of a story loop."""

import click

from ralph.cli.here import project_in

NEXT = """
Next steps:
  1. ralph prd plan{where}
     An agent asks what to build, and writes prd.md and the stories.
     With --yes it answers its own questions. You may also write prd.md
     yourself, and let it derive the stories; or write tasks.json, too.
  2. ralph prd run{where}
     Works on the branch {branch}, until all stories are approved."""


@click.command("init")
@click.option("--project-dir", "-d", default=".", help="The project's directory.  [default: this one]")
@click.option("--name", help="The feature's name; its branch is ralph/NAME.  [default: the directory's name]")
def command(project_dir: str, name: str | None) -> None:
    """Create ralph/prd.md, tasks.json, progress.txt and prompt.md. Existing files stay as they are.

    \b
    ralph prd init
    ralph prd init --name login
    """  # noqa: D301 - click reads the backspace characters
    import shlex

    from ralph.app.stories.files import prepare

    done = prepare(project_in(project_dir), name)
    for each in done.made:
        click.echo(f"  wrote {each}")
    for each in done.kept:
        click.echo(f"  left alone {each}")
    where = "" if project_dir == "." else f" -d {shlex.quote(project_dir)}"
    click.echo(NEXT.format(where=where, branch=done.branch))
