"""Archives a finished loop: its plan and log go into their own folder, and clean templates replace them."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ralph.app.stories.files import filled
from ralph.app.stories.ground import plan_at, refuse_links, refuse_living, repository_of
from ralph.git.own_commits import commit_files
from ralph.kernel.story_options import FOLDER
from ralph.kernel.story_summary import summary_of
from ralph.loop.story_plan import PRD, PROGRESS, TASKS, text_of
from ralph.model.errors import ConfigError

ARCHIVE = "ralph-archive"


async def archive(project: Path, label: str | None = None) -> str:
    """Archive the loop in one commit, and return the folder of the archive. prompt.md stays as it is."""
    refuse_living(project)
    refuse_links(project, FOLDER)
    plan = plan_at(project, FOLDER)
    repository = repository_of(project)
    at = await repository.require()
    if not at.branch:
        raise ConfigError(
            "HEAD is detached, so no branch would contain the archive.",
            f"Check out a branch first: git switch {plan['branchName']}",
        )
    folder = _free(project, _name(label or plan["branchName"]))
    old = {name: text_of(project / FOLDER / name) or "" for name in (PRD, TASKS, PROGRESS)}
    files = {f"{folder}/{name}": text for name, text in old.items()}
    files[f"{folder}/summary.md"] = _summary(plan, old[PROGRESS])
    name = plan["project"] or at.top.name
    files |= {f"{FOLDER}/{each}": filled(each, name, "ralph/feature-name") for each in old}
    made = {path: text.encode(errors="replace") for path, text in files.items()}
    await commit_files(repository, made, f"ralph: archive {name}\n", at.branch)
    return folder


def _summary(plan: dict[str, Any], progress: str) -> str:
    found = summary_of(plan)
    started = next((line[9:].strip() for line in progress.splitlines() if line.startswith("Started: ")), "")
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    lines = [
        f"# {found.project or found.branch}",
        "",
        f"- Stories: {found.done} of {found.done + found.open} done",
        f"- Dates: {started or 'unknown'} to {today}",
        f"- Branch: {found.branch}",
        f"- Reviews: {found.reviews}, {found.approved_at_first} approved at the first",
        *([f"- Approved at the review cap: {', '.join(found.at_cap)}"] if found.at_cap else []),
        "",
        "| Story | Title | Status | Reviews |",
        "|---|---|---|---|",
        *(f"| {each.id} | {each.title} | {each.status} | {each.reviews} |" for each in found.stories),
    ]
    return "\n".join(lines) + "\n"


def _name(label: str) -> str:
    made = re.sub(r"[^A-Za-z0-9._-]+", "-", label).strip(".-")[:60] or "loop"
    return f"{datetime.now(UTC).strftime('%Y-%m-%d')}-{made}"


def _free(project: Path, name: str) -> str:
    number = 1
    while (project / ARCHIVE / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return f"{ARCHIVE}/{name}" if number == 1 else f"{ARCHIVE}/{name}-{number}"
