"""`make bench`: ralph beside a bash loop, as ratios in one interleaved run; not 0 where one is missed.

`python benchmarks/run.py NAME...` measures only these. `--times 5` measures all of it five times, one after the other,
and reports the median of each row.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from chunk_rows import CHUNKS
from hook_rows import HOOKS
from loop_rows import LOOPING
from orphan_rows import ORPHANS
from plan_rows import PLAN
from proof_rows import CHECKING_OUT, CLAIMING
from rows import HEAVY, QUICK, UNLIMITED, Row
from store_rows import STORE
from workshop import MEGABYTE, Workshop, fastest_place

Measure = Callable[[Workshop], list[Row]]
ROOM = 50 * MEGABYTE
LARGE = 3000 * MEGABYTE
"""What a million rows of a journal take, with room to write them."""
RESULTS = Path(__file__).with_name("results.json")
HEADINGS = ("what", "ralph", "beside it", "ratio", "must reach", "")


def main() -> int:
    began = time.monotonic()
    asked = _asked()
    rows = median_rows([list(_measured_once(asked.names)) for _ in range(asked.times)])
    print(_table(rows))
    often = f"the median of {asked.times} runs, " if asked.times > 1 else ""
    print(f"\n{often}{time.monotonic() - began:.0f} s, Python {platform.python_version()}, {_machine()}")
    RESULTS.write_text(json.dumps(_report(rows), indent=2) + "\n", encoding="utf-8")
    return 0 if all(row.ok for row in rows) else 1


def _asked() -> argparse.Namespace:
    places = _places()
    known = [measure.__name__ for measures in places for measure in measures]
    parser = argparse.ArgumentParser(description="Measure ralph beside a bash loop.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}; all without a name")
    parser.add_argument("--times", type=int, default=1, metavar="N", help="report the median of N runs")
    asked = parser.parse_args()
    if unknown := sorted(set(asked.names) - set(known)):
        parser.error(f"there is no row {unknown[0]}; the rows are {', '.join(known)}")
    if asked.times < 1:
        parser.error("--times must be 1 or more")
    return asked


def _places() -> dict[tuple[Measure, ...], str | None]:
    """Where each row is measured; None is on disk."""
    return {
        QUICK: fastest_place(ROOM),
        HOOKS + STORE + LOOPING + ORPHANS + PLAN + CHUNKS + CLAIMING: fastest_place(LARGE),
        HEAVY + CHECKING_OUT: None,
    }


def _measured_once(names: list[str]) -> Iterator[Row]:
    for measures, place in _places().items():
        chosen = tuple(each for each in measures if not names or each.__name__ in names)
        yield from _measured(chosen, place)


def median_rows(runs: list[list[Row]]) -> list[Row]:
    """The row of each kind that stands in the middle of all runs, as it was measured; of an even number, the worse."""
    return [sorted(same, key=lambda row: row.value)[len(same) // 2] for same in zip(*runs, strict=True)]


def _measured(measures: tuple[Measure, ...], place: str | None) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="ralph-bench-", dir=place) as folder:
        shop = Workshop(Path(folder))
        for measure in measures:
            print(f"measuring in {folder}: {measure.__name__} ...", file=sys.stderr)
            for row in measure(shop):
                print(" ", *filter(None, _cells(row)), sep="  ", file=sys.stderr)
                yield row


def _machine() -> str:
    return f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}"


def _table(rows: list[Row]) -> str:
    lines = [HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def _cells(row: Row) -> tuple[str, ...]:
    value, limit = (f"{number:.2f} {row.unit}" for number in (row.value, row.limit))
    if row.limit == UNLIMITED:
        return row.what, row.ralph, row.other, value, "", ""
    return row.what, row.ralph, row.other, value, f"<= {limit}", "ok" if row.ok else "MISSED"


def _report(rows: list[Row]) -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "at": time.time(),
        "rows": [{**row._asdict(), "ok": row.ok} for row in rows],
    }


if __name__ == "__main__":
    sys.exit(main())
