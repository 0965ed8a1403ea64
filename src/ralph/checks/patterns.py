"""Words that must not be in an agent's final message, nor in what it added to the files."""

import re
from collections.abc import Sequence

from ralph.checks.diffs import AddedLine, AddedLines
from ralph.model.verification import NegativePattern


class Search:
    """A search for negative patterns. `found` says in one sentence which was found first, and where; empty if none
    was.
    """

    def __init__(self, patterns: Sequence[str | NegativePattern]) -> None:
        wanted = [NegativePattern(each) if isinstance(each, str) else each for each in patterns]
        self._patterns = {each.text: _compiled(each) for each in wanted if each.text.strip()}
        # Most changes have none: one search in many lines is many times faster than one in each.
        self._any = re.compile("|".join(each.pattern for each in self._patterns.values()), re.IGNORECASE)
        self._lines = AddedLines()
        self.found = ""

    def look_at_message(self, said: str) -> None:
        self._look(said, "the final message")

    def look_at_diff(self, piece: str) -> None:
        """Search the next piece of the diff."""
        if self.found or not self._patterns:
            return
        lines = list(self._lines.feed(piece))
        if self._any.search("\n".join(line.text for line in lines)):
            for line in lines:
                self._look(line.text, _place(line))

    def _look(self, text: str, place: str) -> None:
        hit = next((name for name, pattern in self._patterns.items() if pattern.search(text)), None)
        if hit is not None and not self.found:
            self.found = f'found the negative pattern "{hit}" in {place}'


def _place(line: AddedLine) -> str:
    return f"{line.file}:{line.number}"


def _compiled(wanted: NegativePattern) -> "re.Pattern[str]":
    """The regular expression. A blank matches any blanks, and case never matters."""
    text = wanted.text.strip()
    begin = r"(?<!\w)" if wanted.word and re.match(r"\w", text[0]) else ""
    end = r"(?!\w)" if wanted.word and re.match(r"\w", text[-1]) else ""
    return re.compile(begin + r"\s+".join(map(re.escape, text.split())) + end, re.IGNORECASE)
