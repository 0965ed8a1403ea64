"""The environment of a trial: it makes each runner write which tests it ran, with an unchanged command."""

import json
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

from ralph.checks.proof.inventory.runners import Places, variables_of

INJECTED = Path(__file__).parent / "injected"
BEFORE = "RALPH_INVENTORY_BEFORE"
"""The original variables, for the processes that a test starts, and for a ralph that runs in another's trial."""
REPORTS = "RALPH_INVENTORY"
TREE = "RALPH_INVENTORY_TREE"
OWN = (REPORTS, TREE, BEFORE, "RALPH_INVENTORY_INSIDE")


def prepared(env: Mapping[str, str], folder: Path, *, worktree: Path, without: Collection[str] = ()) -> dict[str, str]:
    """The environment that makes runners report into `folder`, an empty directory outside of the worktree.

    `without` is what `breaks` returned for the try before. Call it when the worktree is as the trial will have it:
    reports in it count if they are newer. A sandbox for the trial must give it this folder to write to, under the same
    name; it needs nothing else of ralph.
    """
    places = Places(folder)
    shutil.copytree(INJECTED, places.programs, ignore=shutil.ignore_patterns("__pycache__"))
    places.reports.mkdir()
    places.stamp.touch()
    users = _without_ours(env)
    added = variables_of(users, places, without)
    before = {name: users.get(name) for name in added}
    ours = {REPORTS: str(places.reports), TREE: str(worktree), BEFORE: json.dumps(before)}
    return users | added | ours


def _without_ours(env: Mapping[str, str]) -> dict[str, str]:
    """The environment before the trial that this process runs in; what was set since then stays."""
    users = {name: value for name, value in env.items() if name not in OWN}
    outer = Places.of_reports(env.get(REPORTS, ""))
    try:
        before = msgspec.json.decode(env.get(BEFORE, "{}"), type=dict[str, str | None])
    except msgspec.MsgspecError:
        before = {}
    for name, value in before.items():
        if outer and str(outer.folder) in users.get(name, ""):
            users.pop(name)
            users |= {} if value is None else {name: value}
    return users
