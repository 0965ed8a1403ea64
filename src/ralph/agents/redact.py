"""Replace known secret values in a stream of bytes, also where a value is cut by the end of a piece."""

import base64
import mmap
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote

MASK = b"[redacted]"
CHUNK = 1 << 20


class Redactor:
    """What comes out is the same however the stream is cut: of secrets that begin at one place, the longest counts."""

    def __init__(self, needles: Sequence[bytes]) -> None:
        self._held = b""
        self._needles = sorted(needles, key=len, reverse=True)
        if needles:
            self._longest = len(self._needles[0])
            self._first_bytes = {needle[0] for needle in self._needles}
            self._pattern = re.compile(b"|".join(map(re.escape, self._needles)))

    def feed(self, data: bytes) -> bytes:
        if not self._needles:
            return data
        data = self._held + data
        masked, certain = self._mask(data, self._first_open(data, 0))
        self._held = data[certain:]
        return masked

    def rest(self) -> bytes:
        held, self._held = self._held, b""
        return self._mask(held, len(held))[0] if held else b""

    def _mask(self, data: bytes, certain: int) -> tuple[bytes, int]:
        """The bytes that no later piece can change, masked, and how many they are."""
        # Looking for each secret in turn is many times faster than the pattern, and most pieces hold none.
        if not any(needle in data for needle in self._needles):
            return data[:certain], certain
        pieces: list[bytes] = []
        at = 0
        for found in self._pattern.finditer(data):
            if found.start() >= certain:
                break
            pieces += (data[at : found.start()], MASK)
            at = found.end()
            if at > certain:
                certain = self._first_open(data, at)
        return b"".join((*pieces, data[at:certain])), certain

    def _first_open(self, data: bytes, at: int) -> int:
        """Where, from `at` on, the first secret begins that may go on in the next piece."""
        for start in range(max(at, len(data) - self._longest + 1), len(data)):
            if data[start] in self._first_bytes and self._goes_on(data[start:]):
                return start
        return len(data)

    def _goes_on(self, end: bytes) -> bool:
        return any(len(needle) > len(end) and needle.startswith(end) for needle in self._needles)


def needles(secrets: Iterable[str]) -> tuple[bytes, ...]:
    """Each secret as it is, in base64 and URL-encoded."""
    found: dict[bytes, None] = {}
    for secret in secrets:
        raw = secret.encode(errors="surrogateescape")
        found |= dict.fromkeys((raw, base64.b64encode(raw).rstrip(b"="), quote(raw, safe="").encode()))
    return tuple(found)


def redact_file(path: Path, needles: Sequence[bytes]) -> None:
    """For output that went straight into a file: most files hold no secret, and are only looked through."""
    if not needles or not path.stat().st_size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if all(data.find(needle) < 0 for needle in needles):
            return
    redactor = Redactor(needles)
    masked = path.with_name(f"{path.name}.masked")
    with path.open("rb") as source, masked.open("wb") as target:
        while piece := source.read(CHUNK):
            target.write(redactor.feed(piece))
        target.write(redactor.rest())
    masked.replace(path)
