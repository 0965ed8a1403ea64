"""Reading what an agent says in a tag such as `<response>DONE</response>`: the first of the tags that count.

A tag counts if it is alone on its line or ends the message, if the sentence that it ends does not only announce or
refuse it, and if it is not part of a repeated prompt. Inside a sentence, a message only talks about it.
"""

from ralph.checks.message import Message, plain
from ralph.checks.tag_shape import LONGEST, Found, Shape

BEGINNING = "<"
"""The first character of every tag. Most messages do not contain it."""
RULE = "stands alone on its line or ends the message as the agent's own word"


def first_tag(text: str, tag: str, *, prompt: str = "") -> str | None:
    """The trimmed content of the first tag that counts; None if none does."""
    found = _first_that_counts(text, Shape(tag), prompt)
    return found and found.text


def first_tag_with(
    text: str, tag: str, attribute: str, *, prompt: str = "", longest: int = LONGEST
) -> tuple[str, str] | None:
    """The same for a tag such as `<reject stage="coder">why</reject>`: the attribute's value and the content."""
    found = _first_that_counts(text, Shape(tag, attribute, longest), prompt)
    return found and (found.attribute(attribute), found.text)


def any_tag(text: str, tag: str) -> str | None:
    """The trimmed content of the first tag, wherever it is; None if there is none."""
    found = next(Shape(tag).all_in(plain(text)), None) if BEGINNING in text else None
    return found and found.text


def _first_that_counts(text: str, shape: Shape, prompt: str) -> Found | None:
    if BEGINNING not in text:
        return None
    message = Message(text, shape)
    numbers = message.standing_out()
    if not numbers:
        return None
    # These modules are imported late: most messages have no tag, and both compile many patterns.
    from ralph.checks.echoes import Echoes
    from ralph.checks.sentences import LOOKED_AT, is_no_word

    echoes = Echoes(message, Message(prompt, shape)) if prompt else None
    for number in numbers:
        if not is_no_word(message.before(number, LOOKED_AT)) and not (echoes and echoes.hold(number)):
            return message.tags[number]
    return None
