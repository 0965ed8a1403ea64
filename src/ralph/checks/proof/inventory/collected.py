"""The inventory of a trial: everything that its runners reported, combined."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from ralph.checks.proof.inventory.counts import count_of
from ralph.checks.proof.inventory.junit_files import junit_reports
from ralph.checks.proof.inventory.node import NODE
from ralph.checks.proof.inventory.output import Output, read_output
from ralph.checks.proof.inventory.reported import Reported, together
from ralph.checks.proof.inventory.runners import Places, reports_of
from ralph.model.proof import Inventory

READ_FROM_OUTPUT = frozenset({"go", "cargo"})


def collected(folder: Path, log: Path, worktree: Path, *, without: Collection[str] = ()) -> Inventory:
    """What was reported in the trial whose environment was prepared with `folder` and `without`."""
    places, output = Places(folder), read_output(log)
    reports = list(reports_of(places, output, worktree))
    reports += list(junit_reports(worktree, _began(places), reports))
    return Inventory(
        runners=tuple(sorted({report.runner for report in reports})),
        tests=together(reports),
        ended=all(report.ended for report in reports),
        count=None if reports else count_of(output),
        void=_void(reports, output, without),
    )


def _began(places: Places) -> int:
    """When the trial began. Without the stamp, which only the tested code can have removed, no report is new enough."""
    try:
        return os.lstat(places.stamp).st_mtime_ns
    except OSError:
        return 1 << 62


def _void(reports: Sequence[Reported], output: Output, without: Collection[str]) -> str:
    """Why the inventory is void: a runner could not be asked, or some of its reports are missing."""
    if not output.is_whole and any(report.runner in READ_FROM_OUTPUT for report in reports):
        return "the output is too long to find all tests in it"
    return "the command's own reporters leave no room for another in node" if NODE in without else ""
