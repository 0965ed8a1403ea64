"""Replace known secret values in a stream of bytes, also where a value is cut by the end of a piece."""

import base64
from collections.abc import Iterable, Sequence
from urllib.parse import quote

MASK = b"[redacted]"


class Redactor:
    def __init__(self, needles: Sequence[bytes]) -> None:
        self._needles = needles
        self._longest = max(map(len, self._needles), default=0)
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        if not self._needles:
            return data
        data = self._replace(self._held + data)
        keep = self._half_a_secret(data)
        self._held = data[len(data) - keep :]
        return data[: len(data) - keep]

    def rest(self) -> bytes:
        held, self._held = self._held, b""
        return held

    def text(self, text: str) -> str:
        return self._replace(text.encode(errors="replace")).decode(errors="replace") if self._needles else text

    def _replace(self, data: bytes) -> bytes:
        for needle in self._needles:
            if needle in data:
                data = data.replace(needle, MASK)
        return data

    def _half_a_secret(self, data: bytes) -> int:
        """How many of the last bytes could be the beginning of a secret that goes on in the next piece."""
        for length in range(min(self._longest - 1, len(data)), 0, -1):
            end = data[-length:]
            if any(needle.startswith(end) for needle in self._needles):
                return length
        return 0


def needles(secrets: Iterable[str]) -> tuple[bytes, ...]:
    """Each secret as it is, in base64 and URL-encoded."""
    found: dict[bytes, None] = {}
    for secret in secrets:
        raw = secret.encode(errors="surrogateescape")
        found |= dict.fromkeys((raw, base64.b64encode(raw).rstrip(b"="), quote(raw, safe="").encode()))
    return tuple(found)
