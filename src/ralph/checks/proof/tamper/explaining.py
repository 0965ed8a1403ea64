"""Findings as text for the agent and for `ralph show`."""

from collections.abc import Iterable, Mapping, Sequence

from ralph.checks.proof.tamper.weighing import ARROW
from ralph.model.proof import Finding

MOST = 20
ORDER: Mapping[str, int] = {"block": 0, "warn": 1, "note": 2}


def explain(findings: Sequence[Finding]) -> str:
    """One block with the exact lines, the most severe first; empty if there are no findings."""
    told = sorted((each for each in findings if each.level != "note"), key=lambda each: ORDER[each.level])
    lines = [line for each in told[:MOST] for line in _lines(each)]
    if len(told) > MOST:
        lines.append(f"and {len(told) - MOST} more")
    return "\n".join(lines)


def _lines(found: Finding) -> list[str]:
    place = f"{found.file}:{found.line}: " if found.line else f"{found.file}: " if found.file else ""
    # The file is already named before it.
    text = found.text.removeprefix(f"{found.file} ").removeprefix(f"{found.file}, ")
    first = f"- {place}{text} [{found.rule}]"
    return [first, f"      {found.shown.strip()}"] if found.shown.strip() else [first]


def renamed_tests(findings: Iterable[Finding]) -> dict[str, str]:
    """The new names of renamed tests, by the old ones."""
    pairs = [each.text.split(ARROW, 1) for each in findings if each.rule == "renamed"]
    return {pair[0]: pair[1] for pair in pairs if len(pair) > 1}
