"""What an agent claims in its final message: that its stage is complete, or that an earlier one must work again."""

from pathlib import Path

from ralph.checks.response import answer_file, echoed_prompt
from ralph.checks.tags import first_tag, first_tag_with
from ralph.kernel.actions import Claim

LONGEST_WHY = 4096
LONGEST_REJECTION = 1 << 16
"""Of more words the beginning counts; they must not make it no rejection."""


def read_claim(directory: Path, *, plain: bool) -> Claim:
    """The first promise and the first rejection. What stands in an echo of the prompt is not the agent's."""
    answer, prompt = answer_file(directory, plain=plain), echoed_prompt(directory, plain=plain)
    promise = first_tag(answer, "promise", prompt=prompt)
    rejection = first_tag_with(answer, "reject", "stage", prompt=prompt, longest=LONGEST_REJECTION)
    # Without a stage it sends nothing back, but the loop can say what was missing.
    stage, why = rejection or ("", first_tag(answer, "reject", prompt=prompt) or "")
    return Claim((promise and " ".join(promise.split())) or None, stage, why[:LONGEST_WHY].rstrip())
