"""The part of a change that a judge is shown: the diff of each file, as many as fit.

The smallest come first, so that no file can push others out of sight. Files that may stay unseen come last.
"""

import codecs
import heapq
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from msgspec.structs import replace

from ralph.checks.diffs import FILE, path_in_header
from ralph.kernel.actions.checks import FileDiff, FileKind

SECTION = f"\n{FILE}"
DELETED = "\ndeleted file mode "
LEFT_OUT = "\n[the deleted lines are left out]\n"
MOST_DELETED = 2000
"""The most characters of a deleted file's lines. What matters is that the file is gone."""
BEGINNING = 4000
"""How many characters of a file that does not fit are shown."""
MOST_LISTED = 500
"""How many files that are not shown are still named."""
LOOKED_AT = 8000
ODD = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffd]")
ODD_SHARE = 0.1
"""A file with a larger share of odd characters than this is not text. A single odd character is allowed."""
# A new kind is one more pattern for the file's name.
GENERATED = (
    *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"),
    *("poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "Cargo.lock", "go.sum", "Gemfile.lock", "composer.lock"),
    *("mix.lock", "flake.lock", "*.min.js", "*.min.css", "*.js.map", "*.css.map", "*.pb.go", "*_pb2.py"),
)
KINDS: tuple[FileKind, ...] = ("text", "binary", "generated", "media")
"""The kinds of files, in the order in which they are shown."""
MEDIA = (
    *("*.png", "*.jpg", "*.jpeg", "*.gif", "*.webp", "*.ico", "*.bmp", "*.pdf", "*.woff", "*.woff2", "*.ttf", "*.otf"),
    *("*.mp3", "*.mp4", "*.webm", "*.wav"),
)


class FileDiffs:
    """Reads a diff piece by piece. Memory holds what fits, and the name and size of each file."""

    def __init__(self, room: int, *, show_binaries: bool = False) -> None:
        self._room = room
        self._show_binaries = show_binaries
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._files: dict[str, FileDiff] = {}
        self._largest: list[tuple[int, int, str]] = []
        """The files that are shown, with the one that is dropped first at the top."""
        self._held = 0
        self._section: list[str] = []
        self._size = 0
        # A diff begins with a file, and each further one with a line.
        self._edge = "\n"

    def take(self, data: bytes) -> None:
        self._add(self._decoder.decode(data))

    def files(self) -> tuple[FileDiff, ...]:
        """All files of the change in the order of their names. Those that do not fit have no text."""
        self._add(self._decoder.decode(b"", final=True))
        self._keep(self._edge)
        self._edge = ""
        self._finish()
        return tuple(self._files[path] for path in sorted(self._files))

    def _add(self, text: str) -> None:
        first, *rest = (self._edge + text).split(SECTION)
        last = first
        for section in rest:
            self._keep(last)
            self._finish()
            last = SECTION + section
        # Its end may be the beginning of a header.
        room = len(SECTION) - 1
        self._edge = last[-room:]
        self._keep(last[:-room])

    def _keep(self, text: str) -> None:
        self._section.append(text[: max(0, self._room + 1 - self._size)])
        self._size += len(text)

    def _finish(self) -> None:
        text, size = "".join(self._section), self._size
        self._section, self._size = [], 0
        if text.startswith(SECTION):
            whole = text.strip("\n") + "\n"
            self._put(_described(whole, size, self._room, show_binaries=self._show_binaries))

    def _put(self, file: FileDiff) -> None:
        if before := self._files.get(file.path):
            # A file that became a link is in a diff twice: once as deleted, once as new.
            file = replace(file, text=before.text + file.text, size=before.size + file.size)
            self._held -= len(before.text)
        self._files[file.path] = file
        self._held += len(file.text)
        heapq.heappush(self._largest, (-KINDS.index(file.kind), -file.size, file.path))
        while self._held > self._room:
            self._hide(heapq.heappop(self._largest)[2])

    def _hide(self, path: str) -> None:
        file = self._files[path]
        self._held -= len(file.text)
        self._files[path] = replace(file, text="")


def listed(files: Sequence[FileDiff]) -> tuple[tuple[FileDiff, ...], int]:
    """The files that are shown and as many others as can be named, and how many more must be seen."""
    hidden = sorted((file for file in files if not file.text), key=lambda file: not file.must_be_seen)
    more = sum(file.must_be_seen for file in hidden[MOST_LISTED:])
    named = {file.path for file in hidden[:MOST_LISTED]}
    return tuple(file for file in files if file.text or file.path in named), more


def _described(text: str, size: int, room: int, *, show_binaries: bool) -> FileDiff:
    path = path_in_header(text.partition("\n")[0])
    head, _, _ = text.partition("\n@@ ")
    if DELETED in head and size > MOST_DELETED:
        text, size = head + LEFT_OUT, 0
    kind = _kind(path, text)
    if kind in ("binary", "media") and not show_binaries:
        return FileDiff(path, "", size, kind)
    text = text.replace("\0", "\u2400")
    if size <= room:
        return FileDiff(path, text, len(text), kind)
    end = text.rfind("\n", 0, BEGINNING) + 1
    return FileDiff(path, text[:end] if end > BEGINNING // 2 else f"{text[:BEGINNING]}\n", size, kind)


def _kind(path: str, text: str) -> FileKind:
    name = path.rpartition("/")[2]
    if any(fnmatchcase(name, pattern) for pattern in GENERATED):
        return "generated"
    beginning = text[:LOOKED_AT]
    if len(ODD.findall(beginning)) <= ODD_SHARE * len(beginning):
        return "text"
    return "media" if any(fnmatchcase(name.lower(), pattern) for pattern in MEDIA) else "binary"
