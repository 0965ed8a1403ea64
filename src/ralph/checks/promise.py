"""An agent's claim in its final message: that its stage is complete, or that an earlier one must work again."""

from ralph.checks.tags import RULE, any_tag, first_tag, first_tag_with
from ralph.kernel.actions.agent import Claim, Said

LONGEST_WHY = 4096
LONGEST_REJECTION = 1 << 16
"""The most characters of a rejection. Of a longer one the beginning counts, and it stays a rejection."""
SHOWN = 200
NO_PROMISE = "no completion promise found"


def read_claim(said: Said, expected: str, earlier: tuple[str, ...]) -> Claim:
    """The first promise and the first rejection that count."""
    promise = first_tag(said.text, "promise", prompt=said.prompt)
    rejection = first_tag_with(said.text, "reject", "stage", prompt=said.prompt, longest=LONGEST_REJECTION)
    # Without a stage it sends nothing back, but the loop can say what is missing.
    stage, why = rejection or ("", first_tag(said.text, "reject", prompt=said.prompt) or "")
    why = why[:LONGEST_WHY].rstrip()
    word = (promise and " ".join(promise.split())) or None
    problem = _problem(word, stage, why, expected, earlier)
    if problem == NO_PROMISE and any_tag(said.text, "promise"):
        problem = f"no completion promise {RULE}"
    return Claim(word, stage, why, problem)


def _problem(promise: str | None, stage: str, why: str, expected: str, earlier: tuple[str, ...]) -> str:
    """Why there is nothing to verify, in a few words; empty if there is something."""
    if stage:
        return "" if stage in earlier else f"there is no earlier stage {stage[:SHOWN]!r}"
    if why:
        return "a rejection must name the stage that is to work again"
    if promise is None:
        return NO_PROMISE
    # Only the text of the criterion counts: a promise of another stage, or half a promise, does not.
    wrong = promise.casefold() != " ".join(expected.split()).casefold()
    return f"wrong promise: it said {promise[:SHOWN]!r}, expected {expected!r}" if wrong else ""
