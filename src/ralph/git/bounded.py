"""A diff that fits: the beginning is kept, the rest is only counted, so that no diff is ever held as a whole."""

import codecs

FILE = "\ndiff --git "
NOTE = "[cut here: {files} more files, {characters} more characters]"
NOTE_SIZE = 100


class BoundedDiff:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._kept = ""
        self._size = 0
        self._files = 0
        # A diff begins with a file, and each further one with a line.
        self._edge = "\n"

    def take(self, data: bytes) -> None:
        self._add(self._decoder.decode(data))

    def text(self) -> str:
        """At most as many characters as the limit, the note about what is missing among them."""
        self._add(self._decoder.decode(b"", final=True))
        if self._size <= self._limit:
            return self._kept
        kept = self._kept[: max(0, self._limit - NOTE_SIZE)]
        # A line that fills half of the room by itself is cut within.
        end = kept.rfind("\n") + 1
        kept = kept[:end] if end > len(kept) // 2 else f"{kept[:-1]}\n"
        files = self._files - f"\n{kept}".count(FILE)
        return (kept + NOTE.format(files=files, characters=self._size - len(kept)))[: self._limit]

    def _add(self, text: str) -> None:
        self._size += len(text)
        # One more than fits is enough to know that it does not.
        self._kept += text[: self._limit + 1 - len(self._kept)]
        seen = self._edge + text
        self._files += seen.count(FILE)
        self._edge = seen[-(len(FILE) - 1) :]
