"""The completion check: what does the agent's final message say in its response tag?"""

import re
from pathlib import Path

from ralph.agents.run import CONTEXT, OUTPUT, STREAM
from ralph.checks.tags import bare, first_tag
from ralph.kernel.actions import CommitMessage
from ralph.model.evidence import Evidence

SHOWN = 80
STREAM_LINE = re.compile(r'\{\s*"|\[\s*\{|data:')


def check_response(directory: Path, expected: str, *, plain: bool) -> Evidence:
    said = _response(directory, plain=plain)
    if said is None:
        return Evidence("response", passed=False, reason=f"no <response> tag in the final message, wanted {expected}")
    passed = said.casefold() == expected.strip().casefold()
    wanted = "" if passed else f", wanted {expected}"
    return Evidence("response", passed=passed, reason=f"the response was {said[:SHOWN]}{wanted}")


def read_commit_message(directory: Path, *, plain: bool) -> CommitMessage:
    """The response tag's content, else the first line that is neither empty nor an echo of the question."""
    said = _response(directory, plain=plain)
    if said is None:
        said = _beginning(answer_file(directory, plain=plain))
    line = _first_line(said, besides=echoed_prompt(directory, plain=plain))
    if not line:
        return CommitMessage("", problem="the agent gave no commit message")
    if STREAM_LINE.match(line):
        return CommitMessage("", problem=f"the agent's commit message looks like a line of its stream: {line[:SHOWN]}")
    return CommitMessage(line)


def final_message(directory: Path, *, plain: bool, most: int = 256 * 1024) -> str:
    """The end of what the agent said, without an echo of the prompt."""
    path = answer_file(directory, plain=plain)
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - most))
        said = file.read(most).decode(errors="replace")
    prompt = echoed_prompt(directory, plain=plain)
    return said.replace(prompt, "") if prompt else said


def _response(directory: Path, *, plain: bool) -> str | None:
    return first_tag(answer_file(directory, plain=plain), "response", prompt=echoed_prompt(directory, plain=plain))


def echoed_prompt(directory: Path, *, plain: bool) -> str:
    """What may be echoed in the answer: plain output may begin with the prompt, a structured final message never."""
    return (directory / CONTEXT).read_text(errors="replace") if plain else ""


def answer_file(directory: Path, *, plain: bool) -> Path:
    return directory / (STREAM if plain else OUTPUT)


def _beginning(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(64 * 1024).decode(errors="replace")


def _first_line(text: str, besides: str) -> str:
    echoes = {bare(line.encode()) for line in besides.splitlines()} | {b""}
    return next((line.strip() for line in text.splitlines() if bare(line.encode()) not in echoes), "")
