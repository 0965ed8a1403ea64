"""The completion check: what the agent's final message says in its response tag."""

import re

from ralph.checks.message import bare
from ralph.checks.tags import RULE, any_tag, first_tag
from ralph.kernel.actions.agent import CommitMessage, Said
from ralph.model.evidence import Evidence

SHOWN = 80
STREAM_LINE = re.compile(r'\{\s*"|\[\s*\{|data:')


def check_response(said: Said, expected: str) -> Evidence:
    word = first_tag(said.text, "response", prompt=said.prompt)
    if word is None:
        is_talk = any_tag(said.text, "response") is not None
        missing = (
            f"no <response> tag in the final message {RULE}" if is_talk else "no <response> tag in the final message"
        )
        return Evidence("response", passed=False, reason=f"{missing}, expected {expected}")
    passed = word.casefold() == expected.strip().casefold()
    wanted = "" if passed else f", expected {expected}"
    return Evidence("response", passed=passed, reason=f"the response was {word[:SHOWN]}{wanted}")


def read_commit_message(said: Said) -> CommitMessage:
    """The response tag's content with all its lines; without a tag the first line that is neither empty nor an echo of
    the question.
    """
    words = any_tag(said.text, "response")
    text = _message(said.text if words is None else words, besides=said.prompt)
    text = text.partition("\n")[0] if words is None else text
    if not text:
        return CommitMessage("", problem="the agent gave no commit message")
    if STREAM_LINE.match(text):
        line = text.splitlines()[0]
        return CommitMessage("", problem=f"the agent's commit message looks like a line of its stream: {line[:SHOWN]}")
    return CommitMessage(text)


def _message(text: str, besides: str) -> str:
    echoes = {bare(line) for line in besides.splitlines()} - {""}
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if bare(line) not in echoes).strip()
