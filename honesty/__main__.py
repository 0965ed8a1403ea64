"""`make honesty`: attacks and honest controls, each against the real ralph.

usage: python -m honesty [FILE|FOLDER]... [-k NAME] [-j N] [--columns C,...] [--full | --quick] [--json] [--keep]
"""

import argparse
import json
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zlib import crc32

from honesty.case import play
from honesty.catalogue import Entry, Unusable, find
from honesty.declaration import USUAL, Attack, Behaviour
from honesty.outcome import COUNTED, Result, Seen, result
from honesty.report import COLUMNS, as_json, table, totals, troubles


def main() -> int:
    asked = _arguments()
    try:
        entries = [each for each in find(asked.paths) if asked.k in each.name]
    except Unusable as problem:
        sys.stderr.write(f"honesty: {problem}\n")
        return 2
    began = time.monotonic()
    cases = [(each, column) for each in entries for column in columns_of(each, asked) if column in asked.columns]
    results = _played(cases, asked.j, keep=asked.keep)
    if asked.json:
        sys.stdout.write(json.dumps(as_json(results), indent=1) + "\n")
    else:
        took = f"{time.monotonic() - began:.0f} s"
        parts = (table(results), troubles(results), totals(results), took)
        sys.stdout.write("\n\n".join(filter(None, parts)) + "\n")
    return 1 if not results or any(each.outcome in COUNTED for each in results) else 0


def columns_of(entry: Entry, asked: argparse.Namespace) -> list[str]:
    """The columns in which a behaviour is played. `--quick` chooses one by the name, if possible an unusual one."""
    columns = entry.behaviour.played_in(full=asked.full)
    if asked.quick:
        rare = [column for column in columns if column not in USUAL] or columns
        return [rare[crc32(entry.name.encode()) % len(rare)]]
    return [*(["naive"] if _is_for_naive(entry.behaviour) else []), *columns]


def _is_for_naive(behaviour: Behaviour) -> bool:
    """Whether the behaviour is also played without ralph. That runs one command and believes its exit code, so it shows
    whether the attack works at all.
    """
    is_for_it = isinstance(behaviour, Attack) and not behaviour.plain and not behaviour.then
    return is_for_it and "run" in behaviour.columns


def _played(cases: list[tuple[Entry, str]], workers: int, *, keep: bool) -> list[Result]:
    def one(case: tuple[Entry, str]) -> Result:
        entry, column = case
        done = _skipped(entry, column) or result(entry, column, play(entry, column, keep=keep))
        sys.stderr.write(f"{done.outcome:10} {entry.name} {column} {done.seen.seconds:.1f} s\n")
        return done

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, cases))


def _skipped(entry: Entry, column: str) -> Result | None:
    missing = [program for program in entry.behaviour.start.needs if not shutil.which(program)]
    if not missing:
        return None
    return Result(entry=entry, column=column, seen=Seen(), outcome="skipped", why=f"{missing[0]} is not installed")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="honesty", description="Attacks and honest controls against the real ralph.")
    parser.add_argument("paths", nargs="*", type=Path, help="files or folders of behaviours (default: all)")
    parser.add_argument("-k", default="", metavar="NAME", help="only behaviours whose name contains this")
    parser.add_argument("-j", type=int, default=2, metavar="N", help="cases at once (default 2)")
    parser.add_argument("--columns", default=COLUMNS, type=lambda text: text.split(","), help="only these columns")
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--full", action="store_true", help="every behaviour in all columns that it is meant for")
    extent.add_argument(
        "--quick", action="store_true", help="each in one of its columns, chosen by its name; none without ralph"
    )
    parser.add_argument("--json", action="store_true", help="print all results as JSON")
    parser.add_argument("--keep", action="store_true", help="keep the directories of the cases")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
