"""The messages of the stop guard: to an agent that may not stop yet, and to a person about an agent that stopped."""

from collections.abc import Iterator

from ralph.checks.proof.decide import NOTHING_CHANGED
from ralph.config.schema import Settings
from ralph.kernel.feedback import CUT
from ralph.kernel.stage_text import complaints
from ralph.model.evidence import Evidence
from ralph.model.verdicts import Verified
from ralph.model.words import count

SHOWN = 3
MOST = 8000
"""The most characters of a reason. Agents put longer ones into a file."""
TOUCHED = (
    "Put back the tests and whatever else judges the work as they were, and make the work itself pass. If the task is"
    " to change them, say so: a person can allow it with mayChange in the settings of ralph."
)
OTHERS = (
    "The settings of ralph were changed since this session began. They count from the next session on, unless a person"
    " accepts them."
)


def refusal(seen: Evidence, settings: Settings, run_id: str, *, others: bool) -> str:
    """The refusal. `others` says that the settings were changed since the session began."""
    lines = ["The work is not done. ralph ran the checks of this project, and they failed:"]
    lines += [*complaints(seen), *_hints(seen, settings)]
    lines += [TOUCHED] if any(each.level == "block" for each in seen.findings) else []
    lines += [OTHERS] if others else []
    end = f"\nFix this, then stop again: ralph runs the checks again. Details: ralph show {run_id}"
    text = "\n".join(lines)
    return (text if len(text) <= MOST else f"{text[:MOST]}{CUT}") + end


def let_go(why: str, blocks: int = 0, run_id: str = "") -> str:
    after = f" after {count(blocks, 'refusal')} in a row" if blocks else ""
    look = f" Details: ralph show {run_id}" if run_id else ""
    return f"the agent may stop{after}, but its work is NOT proven: {why.rstrip('.')}.{look}"


def warning(verdict: Verified, run_id: str) -> str:
    """The warning; empty if there are no doubts. An agent that only answered may have changed nothing."""
    doubts = [each for each in verdict.doubts if each != NOTHING_CHANGED]
    look = f"Details: ralph show {run_id}"
    return f"the checks pass, but look at this: {'; '.join(doubts[:SHOWN])}. {look}" if doubts else ""


def _hints(seen: Evidence, settings: Settings) -> Iterator[str]:
    failed = {part.check for part in seen.parts if not part.passed}
    for each in settings.guardrails:
        if each.hint and " ".join(each.command.split()) in failed:
            yield f"Hint for {each.command}: {each.hint}"
