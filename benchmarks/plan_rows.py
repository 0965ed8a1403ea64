"""The rows of the speed table about what a chunk is told: the analysis of a codebase."""

import json
import subprocess
import sys
from pathlib import Path

from measure import median
from rows import Row
from workshop import Workshop

PROGRAM = Path(__file__).with_name("analysis.py")
FIRST, AGAIN, CHANGED = 2.0, 0.06, 0.12


def analysis(shop: Workshop) -> list[Row]:
    """Of 10,000 files: the first one beside their parser alone, and what comes later beside the first."""
    command = [sys.executable, str(PROGRAM), str(shop.root / "analysis")]
    samples = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    cpu = {name: [each["cpu"] for each in values] for name, values in samples.items()}
    clock = {name: median(each["clock"] for each in values) for name, values in samples.items()}
    rows = (
        ("codebase of 10,000 files, first", "first", "parse", "the parser alone", FIRST),
        ("the same, unchanged", "unchanged", "first", "the first time", AGAIN),
        ("the same, one file changed", "changed", "first", "the first time", CHANGED),
    )
    return [
        Row(
            what,
            f"{median(cpu[mine]):.2f} s, {clock[mine]:.1f} s on the clock",
            f"{beside} {median(cpu[other]):.2f} s",
            median(cpu[mine]) / median(cpu[other]),
            limit,
            "x",
            cpu if mine == "first" else {},
        )
        for what, mine, other, beside, limit in rows
    ]


PLAN = (analysis,)
