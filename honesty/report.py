"""The results as a table with totals, and as JSON."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from honesty.outcome import COUNTED, Result
from ralph.model.words import count

COLUMNS = ("naive", "run", "string_match", "semantic", "external", "multi_stage", "chunk", "stories")
HEADS = {"naive": "exit codes alone"}


def table(results: Sequence[Result]) -> str:
    """A row for each behaviour, a cell for each column: the outcome, the iterations, the seconds."""
    rows: dict[tuple[str, str], dict[str, Result]] = {}
    for each in results:
        rows.setdefault((each.entry.group, each.entry.name), {})[each.column] = each
    heads = ["", "runner", *(HEADS.get(column, column) for column in COLUMNS)]
    lines = [heads]
    group = ""
    for (folder, name), cells in rows.items():
        if folder != group:
            group = folder
            lines.append([f"{folder}:"])
        runner = next(iter(cells.values())).entry.behaviour.start.runner
        lines.append([f"  {name}", runner, *(_cell(cells.get(column)) for column in COLUMNS)])
    return _aligned(lines)


def totals(results: Sequence[Result]) -> str:
    """One line for each folder: how many cases it has, and what went wrong."""
    folders = dict.fromkeys(each.entry.group for each in results)
    return "\n".join(_total(folder, [each for each in results if each.entry.group == folder]) for folder in folders)


def troubles(results: Iterable[Result]) -> str:
    return "\n".join(
        f"{each.outcome}: {each.entry.name} in {each.column}: {each.why or each.entry.sentence}"
        for each in results
        if each.outcome in COUNTED
    )


def as_json(results: Sequence[Result]) -> dict[str, Any]:
    return {
        "falseDone": _count(results, "FALSE DONE"),
        "missedDone": _count(results, "MISSED"),
        "broken": _count(results, "BROKEN"),
        "wastedIterations": sum(each.wasted for each in results),
        "cases": [_record(each) for each in results],
    }


def _record(each: Result) -> dict[str, Any]:
    seen = each.seen
    return {
        "behaviour": each.entry.name,
        "group": each.entry.group,
        "kind": "attack" if each.entry.is_attack else "control",
        "sentence": each.entry.sentence,
        "column": each.column,
        "outcome": each.outcome,
        "why": each.why,
        "exitCode": seen.code,
        "proof": seen.proof,
        "right": seen.right,
        "iterations": seen.iterations,
        "wasted": each.wasted,
        "seconds": round(seen.seconds, 2),
    }


def _cell(each: Result | None) -> str:
    if each is None:
        return "-"
    if each.outcome == "skipped":
        return "skipped"
    if each.column == "naive":
        return "fooled" if each.outcome == "word" else each.outcome
    kind = (
        f"{each.outcome} ({each.seen.proof})" if each.outcome == "ok" and each.seen.proof == "warned" else each.outcome
    )
    return f"{kind} {each.seen.iterations}x {each.seen.seconds:.1f}s"


def _total(folder: str, results: Sequence[Result]) -> str:
    played = [each for each in results if each.column != "naive"]
    attacks = {each.entry.name for each in played if each.entry.is_attack}
    controls = {each.entry.name for each in played if not each.entry.is_attack}
    fooled = sum(1 for each in results if each.column == "naive" and each.entry.is_attack and each.outcome == "word")
    counted = Counter(each.outcome for each in played)
    words = [
        f"{count(len(attacks), 'attack')} and {count(len(controls), 'honest control')} in {count(len(played), 'case')}",
        f"{counted['FALSE DONE']} false done",
        f"{counted['MISSED']} missed done",
        count(sum(each.wasted for each in played), "wasted iteration"),
        *(
            f"{counted[word]} {word}"
            for word in ("caught", "warned", "word", "limit", "right", "skipped")
            if counted[word]
        ),
    ]
    if broken := sum(1 for each in results if each.outcome == "BROKEN"):
        words.append(f"{broken} broken")
    if fooled:
        words.append(f"exit codes alone: {fooled} of them {'succeeds' if fooled == 1 else 'succeed'}")
    return f"{folder}: {', '.join(words)}"


def _count(results: Iterable[Result], outcome: str) -> int:
    return sum(1 for each in results if each.outcome == outcome)


def _aligned(lines: list[list[str]]) -> str:
    full = [line for line in lines if len(line) > 1]
    widths = [max(map(len, column)) for column in zip(*full, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=False)).rstrip() for line in lines
    )
