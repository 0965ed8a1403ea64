"""The summary for the next morning: one line for each run, with everything that is needed to decide what to do."""

from ralph.app.runs.summary import RunSummary, took
from ralph.cli.display import words
from ralph.model.words import count, dollars, duration, spent


def summary_lines(found: list[RunSummary]) -> list[str]:
    return [_line(each) for each in found] + [_total(found)]


def _line(each: RunSummary) -> str:
    run = each.run
    facts = [
        *filter(None, [run.label]),
        *filter(None, [run.reason]),
        duration(took(run)),
        *(spent(run.cost_usd, run.tokens.total) or ["cost unknown"]),
        f"in {each.where}" if not each.where.startswith("branch ") else f"on {each.where}",
        *([f"→ {each.next_step}"] if each.next_step else []),
    ]
    return f"{run.id}  {words.state(run.status, run.verdict):<14} {' · '.join(facts)}"


def _total(found: list[RunSummary]) -> str:
    good = sum(each.run.verdict == "verified" for each in found)
    total = sum(each.run.cost_usd or 0.0 for each in found)
    cost = [dollars(total)] if total else []
    return " · ".join([f"{count(len(found), 'run')}, {good} verified", *cost])
