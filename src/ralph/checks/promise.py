"""What an agent claims in its final message: that its stage is complete, or that an earlier one must work again."""

from pathlib import Path

from ralph.agents.run import CONTEXT, OUTPUT, STREAM
from ralph.checks.tags import first_tag, first_tag_with
from ralph.kernel.actions import Claim
from ralph.model.evidence import Evidence

SHOWN = 80
LONGEST_WHY = 4096
LONGEST_REJECTION = 1 << 16
"""Of more words the beginning counts; they must not make it no rejection."""


def read_claim(directory: Path, *, plain: bool) -> Claim:
    """The first promise and the first rejection. What stands in an echo of the prompt is not the agent's."""
    answer, prompt = _answer(directory, plain=plain), _prompt(directory, plain=plain)
    promise = first_tag(answer, "promise", prompt=prompt)
    rejection = first_tag_with(answer, "reject", "stage", prompt=prompt, longest=LONGEST_REJECTION)
    # Without a stage it sends nothing back, but the loop can say what was missing.
    stage, why = rejection or ("", first_tag(answer, "reject", prompt=prompt) or "")
    return Claim((promise and " ".join(promise.split())) or None, stage, why[:LONGEST_WHY].rstrip())


def check_promise(claim: Claim, expected: str) -> Evidence:
    if claim.promise is None:
        return Evidence("promise", passed=False, reason="no completion promise found")
    wanted = " ".join(expected.split())
    if claim.promise.casefold() == wanted.casefold():
        return Evidence("promise", passed=True, reason=f"it promised {wanted}")
    return Evidence("promise", passed=False, reason=f"wrong promise: it said {claim.promise[:SHOWN]}, wanted {wanted}")


def _prompt(directory: Path, *, plain: bool) -> str:
    """What may be echoed in the answer: plain output may begin with the prompt, a structured final message never."""
    return (directory / CONTEXT).read_text(errors="replace") if plain else ""


def _answer(directory: Path, *, plain: bool) -> Path:
    return directory / (STREAM if plain else OUTPUT)
