"""`ralph spec pr`: the branch of a spec as a pull request, with the evidence for each criterion."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph.cli.here import here

if TYPE_CHECKING:
    from ralph.app.pull_requests.prepare import Prepared, Wanted
    from ralph.app.pull_requests.publish import Published
    from ralph.loop.plan import Plan
    from ralph.model.reviews import Review
    from ralph.store.sql import Store


@click.command("pr")
@click.argument("spec")
@click.option("--draft", is_flag=True, help="Open a draft. Unless the final review says SHIP, it is always a draft.")
@click.option("--base", metavar="B", help="The branch to merge into.  [default: the one that the spec started from]")
@click.option("--remote", metavar="NAME", help="The remote to push to.  [default: that of the upstream, or origin]")
@click.option(
    "--into", metavar="NAME", help="The remote to open it in, if --remote is a fork of it.  [default: --remote]"
)
@click.option("--again", is_flag=True, help="Open a new one, although an earlier one was closed or merged.")
@click.option("--dry-run", is_flag=True, help="Print the branch and the description only.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing during the final review.")
def command(spec: str, dry_run: bool, as_json: bool, quiet: bool, **wanted: bool | str | None) -> int:
    """Push the branch of SPEC with its proof notes, and open or update a pull request with gh or glab.

    The description has a summary of each task, a table of all criteria with their evidence and proof, the reviews and
    the cost. ralph first runs the final review if the current branch has none. Without gh or glab it prints the branch
    and the description.

    \b
    ralph spec pr shop
    ralph spec pr shop --draft --base develop
    ralph spec pr shop --remote origin --into upstream
    """  # noqa: D301 - click reads the backspace characters
    from msgspec import convert

    from ralph.app.pull_requests.prepare import Wanted
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        asked = convert(wanted, Wanted)
        return open_pull_request(store, here(), spec, asked, dry_run=dry_run, as_json=as_json, quiet=quiet)


def open_pull_request(
    store: "Store",
    project: Path,
    spec: str,
    wanted: "Wanted",
    *,
    dry_run: bool = False,
    as_json: bool = False,
    quiet: bool = False,
    silent: bool = False,
) -> int:
    """Open the pull request, with a screen for the final review if one is made. `silent`: say nothing about success."""
    import asyncio

    from ralph.app.pull_requests.prepare import prepare
    from ralph.app.pull_requests.publish import publish, written
    from ralph.model.errors import ConfigError

    prepared = asyncio.run(prepare(store, project, spec, wanted))
    review, why_not = prepared.review, ""
    if prepared.needs_review and not dry_run:
        review, why_not = _reviewed(store, project, prepared, quiet=quiet or as_json)
    ready = asyncio.run(written(store, project, prepared, wanted, review, why_not))
    if dry_run or prepared.remote is None:
        click.echo(f"{prepared.branch.name} -> {prepared.branch.base}: {ready.title}\n\n{ready.body}", nl=False)
        if dry_run:
            return 0
        raise ConfigError("there is no remote to push to.", "Add one, then run it again: git remote add origin URL")
    published = asyncio.run(publish(store, project, prepared, ready, wanted))
    if as_json:
        from ralph.cli.json_out import print_json

        print_json(published)
    elif not silent:
        _tell(published, prepared)
    return 0


def open_after_run(store: "Store", project: Path, plan: "Plan", *, quiet: bool) -> int:
    """Open the pull request that a run was started for with `ralph spec run --pr`, after its good end."""
    from ralph.app.pull_requests.prepare import Wanted
    from ralph.kernel.recipes.spec import SpecRun

    if not isinstance(plan.loop, SpecRun) or not plan.loop.pull_request:
        return 0
    return open_pull_request(store, project, plan.loop.spec, Wanted(), quiet=quiet, silent=quiet)


def _reviewed(store: "Store", project: Path, prepared: "Prepared", *, quiet: bool) -> "tuple[Review | None, str]":
    """The final review, made now; without one, the reason. It raises a Cancelled if it was interrupted."""
    import os

    from ralph.app.pull_requests.final_review import plan_final_review, standing_review
    from ralph.app.runs.starting import stored
    from ralph.cli.display.screen import make_screen
    from ralph.cli.runs.driving import PARENT, drive
    from ralph.model.errors import Cancelled
    from ralph.store.projects import known_project

    plan, why_not = plan_final_review(store, project, prepared.spec, prepared.branch)
    if plan is None:
        return None, why_not
    with stored(store, project, plan, os.environ.get(PARENT)) as run_id:
        code = drive(store, run_id, plan, make_screen(plan.settings, quiet=quiet), is_locked=True)
    if code == Cancelled.exit_code:
        raise Cancelled(
            "nothing was pushed: the final review was stopped.", f"Run it again: ralph spec pr {prepared.spec}"
        )
    found = standing_review(store, known_project(store, project), prepared.spec, prepared.branch)
    return found, "" if found else "the final review came to no decision"


def _tell(published: "Published", prepared: "Prepared") -> None:
    remote = prepared.remote.shown if prepared.remote else ""
    notes = " with the proof notes" if published.notes_pushed else ""
    click.echo(f"Pushed {published.branch} ({published.commit[:12]}){notes} to {remote}.")
    if prepared.host and published.number is not None:
        word = "Opened" if published.action == "opened" else "Updated"
        what = f"the draft {prepared.host.called}" if published.is_draft else f"the {prepared.host.called}"
        why = f" It is a draft: {published.draft_reason}." if published.is_draft else ""
        click.echo(f"{word} {what} {prepared.host.sign}{published.number} into {published.base}: {published.url}{why}")
        return
    reason = f" Open it as a draft: {published.draft_reason}." if published.is_draft else ""
    click.echo(
        f"No pull request was opened: {published.why_not}. "
        f"Open one of {published.branch} into {published.base}.{reason}"
    )
    click.echo(f"\n{published.title}\n\n{published.description}", nl=False)
