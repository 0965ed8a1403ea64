"""The texts that every planner gets: how it may ask, what was answered, what was wrong with its last answer."""

from collections.abc import Iterable, Sequence

from ralph.kernel.plan_forms import MOST_QUESTIONS
from ralph.kernel.plan_options import Exchange

MAY_ASK = f"""\
Ask before you assume: if what you were told leaves out or leaves open what you need, put it into `questions`, at
most {MOST_QUESTIONS} at a time and the most important first. Give each a reason why it matters, its impact, two to
five options where there are some, and the answer that you recommend. You will be asked again with the answers, as
often as needed. Ask nothing that the project itself answers. As long as you ask, leave the other texts and lists
empty. If everything is clear, `questions` is an empty list."""
MAY_NOT_ASK = """\
Nobody answers questions any more. Leave `questions` empty, decide the rest yourself, and write down what you
assumed."""


def put_together(parts: Iterable[str], notes: str, *, may_ask: bool) -> str:
    """The whole question: its parts, whether the planner may answer with questions, and what was wrong before."""
    asking = f"## Questions\n{MAY_ASK if may_ask else MAY_NOT_ASK}"
    return "\n\n".join([*filter(None, parts), asking, *([f"## Your last answer\n{notes}"] if notes else [])])


def wrong(problems: Sequence[str]) -> str:
    listed = "\n".join(f"- {each}" for each in problems)
    return f"Your last answer could not be used. Give the whole answer again, with this fixed:\n{listed}"


def wished(draft: str, wish: str) -> str:
    return (
        f"You have proposed this:\n{draft}\n\nThe user wants it changed. Give the whole of it again. They said:\n{wish}"
    )


def exchanges(heard: Sequence[Exchange]) -> str:
    if not heard:
        return ""
    lines = [
        f"- {each.question}\n  {'Nobody was asked; you recommended' if each.by_default else 'Answer'}: {each.answer}"
        for each in heard
    ]
    return "## Asked and answered\nThe user's own words come before what you recommended.\n" + "\n".join(lines)
