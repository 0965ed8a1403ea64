"""A changed file as both trees have it, and the text of one version in the form that readers use."""

import re
import unicodedata
from functools import cached_property

from msgspec import Struct

BOM = b"\xef\xbb\xbf"
PROGRAM = "100755"
LINK = "120000"
LONGEST_SHOWN = 240
LONGEST_LINE = 2000
BLANKS = re.compile(r"\s+")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that control a terminal, or make a line look like another one."""


class FileChange(Struct, frozen=True):
    """One file of a change."""

    path: str
    """The path; the old path if the file is gone."""
    old_path: str = ""
    """The path at the base; empty if the base does not have the file."""
    mode: str = ""
    """The mode; empty if the file is gone."""
    old_mode: str = ""
    head: bytes | None = None
    base: bytes | None = None
    is_test: bool = False
    is_judge: bool = False
    is_allowed: bool = False
    """Whether the task may change it; then only its tests count, as places where a test may have moved to."""
    unread: str = ""
    """Why its text is not here although there is one."""


class Source:
    """The text of one version of a file, and the file's purpose."""

    def __init__(self, path: str, raw: bytes, *, mode: str = "", is_test: bool = False, is_judge: bool = False) -> None:
        self.path = path
        self.name = path.rpartition("/")[2]
        self.is_test = is_test
        self.is_judge = is_judge
        self._raw = raw.removeprefix(BOM)
        self.is_program = mode == PROGRAM or self._raw.startswith(b"#!")
        """Whether it is started instead of imported."""

    @property
    def is_product(self) -> bool:
        return not self.is_test and not self.is_judge

    @cached_property
    def content(self) -> bytes:
        """The text in UTF-8 with plain line ends. Wide and other odd forms of letters are normalised as Python does."""
        if self._raw.isascii():
            return self._raw.replace(b"\r\n", b"\n")
        text = self._raw.decode(errors="replace").replace("\r\n", "\n")
        return (unicodedata.normalize("NFKC", text) if self.name.endswith(".py") else text).encode()

    @cached_property
    def text(self) -> str:
        return self.content.decode(errors="replace")

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def short_lines(self) -> list[str]:
        """The lines, shortened for patterns whose time grows faster than the line. Blanks do not count."""
        return [line if len(line) <= LONGEST_LINE else BLANKS.sub(" ", line)[:LONGEST_LINE] for line in self.lines]

    def shown(self, line: int) -> str:
        """The line as in the file, without characters that control a terminal."""
        given = self._given_lines
        return shown(given[line - 1]) if 0 < line <= len(given) else ""

    @cached_property
    def _given_lines(self) -> list[str]:
        return self._raw.decode(errors="replace").split("\n")


def shown(line: str) -> str:
    """A line of an untrusted file, safe for a screen and a prompt."""
    clean = CONTROL.sub("�", line.rstrip("\r\n"))
    return clean if len(clean) <= LONGEST_SHOWN else f"{clean[:LONGEST_SHOWN]}…"


def sources(change: FileChange) -> tuple[Source | None, Source | None]:
    """The base's version and the change's."""
    base = head = None
    if change.base is not None:
        base = Source(
            change.old_path, change.base, mode=change.old_mode, is_test=change.is_test, is_judge=change.is_judge
        )
    if change.head is not None:
        head = Source(change.path, change.head, mode=change.mode, is_test=change.is_test, is_judge=change.is_judge)
        # A first line does not turn a module into a program.
        head.is_program = head.is_program and (base is None or base.is_program)
    return base, head
