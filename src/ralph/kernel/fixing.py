"""A task made from the final review: the findings are its instructions."""

from ralph.kernel.review_history import instruction
from ralph.model.reviews import Review
from ralph.model.words import count


def fixing_title(review: Review) -> str:
    return f"Fix {count(len(review.blocking), 'finding')} of the final review"


def fixing_text(review: Review) -> str:
    lines = ["The review of the whole branch asks for these changes. Make each of them, and nothing besides:"]
    lines += [f"{number}. {instruction(each)}" for number, each in enumerate(review.blocking, start=1)]
    return "\n".join(lines)
