"""`make bench`: ralph beside a bash loop, as ratios in one interleaved run; not 0 where one is missed.

`python benchmarks/run.py NAME...` measures only these.
"""

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
    places = {
        QUICK: fastest_place(ROOM),
        HOOKS + STORE + LOOPING + PLAN + CHUNKS + CLAIMING: fastest_place(LARGE),
        HEAVY + CHECKING_OUT: None,
    }
    rows = [row for measures, place in places.items() for row in _measured(_chosen(measures), place)]
    print(_table(rows))
    print(f"\n{time.monotonic() - began:.0f} s, Python {platform.python_version()}, {_machine()}")
    RESULTS.write_text(json.dumps(_report(rows), indent=2) + "\n", encoding="utf-8")
    return 0 if all(row.ok for row in rows) else 1


def _chosen(measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    return tuple(each for each in measures if len(sys.argv) == 1 or each.__name__ in sys.argv[1:])


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
