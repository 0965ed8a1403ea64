"""Masking of secrets in a stream of bytes, even if a value is split between two pieces."""

import base64
import json
import math
import mmap
import os
import re
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, quote_plus

from ralph.config.secrets import SHORTEST
from ralph.config.token_shapes import CONTEXT, LONGEST_KEY, first_open, mask_tokens, tokens_in
from ralph.store.files import create

MASK = b"[redacted]"
CHUNK = 1 << 20
BURST = 2 << 20
RATE = 6 << 20
"""How many bytes of a stream are searched for tokens at once, and how many more each second. Agents print far less; the
limit keeps the search cheap in a flood of output."""
_SECRET_LINE = re.compile(r"[\w+/=.-]{20,}")
_PERCENT = re.compile("%[0-9A-F]{2}")


class Redactor:
    """Masks secrets. The output does not depend on how the stream is split: of secrets that begin at one place, the
    longest counts.

    Known values are masked everywhere. So are tokens that are recognised only by their shape, but with `is_stream` not
    in pieces of a flood: what comes at more than `RATE` bytes a second, after the first `BURST`.
    """

    def __init__(
        self, needles: Sequence[bytes], *, is_stream: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._held = b""
        self._before = b""
        """The last bytes that were written, before masking."""
        self._allowed = float(BURST) if is_stream else math.inf
        """How many bytes may be searched for tokens now."""
        self._clock = clock
        self._fed_at = clock()
        self._looks = True
        """Whether the bytes are searched for tokens."""
        self._needles = sorted(needles, key=len, reverse=True)
        if needles:
            self._longest = len(self._needles[0])
            self._first_bytes = {needle[0] for needle in self._needles}
            self._pattern = re.compile(b"|".join(map(re.escape, self._needles)))

    def feed(self, data: bytes) -> bytes:
        self._looks = self._may_look(len(data))
        if not self._looks and not self._needles:
            self._before = data[-CONTEXT:]
            return data
        data = self._held + data if self._held else data
        masked, certain = self._mask(data, self._first_open(data, 0))
        self._before = (
            (self._before + data[:certain])[-CONTEXT:] if certain < CONTEXT else data[certain - CONTEXT : certain]
        )
        self._held = data[certain:]
        return masked

    def _may_look(self, size: int) -> bool:
        """Whether a piece of this size is searched for tokens. One that may have begun is always followed to its
        end.
        """
        now = self._clock()
        self._allowed = min(self._allowed + (now - self._fed_at) * RATE, max(self._allowed, BURST))
        self._fed_at = now
        if not self._held and size > self._allowed:
            return False
        self._allowed -= size
        return True

    @property
    def held(self) -> bytes:
        """What is not written yet because it may be the beginning of a secret; masked as if nothing followed."""
        return self._mask(self._held, len(self._held))[0] if self._held else b""

    def rest(self) -> bytes:
        masked, self._held = self.held, b""
        return masked

    def _mask(self, data: bytes, certain: int) -> tuple[bytes, int]:
        """The bytes that no later piece can change, masked, and how many they are."""
        pieces: list[bytes] = []
        at = 0
        for start, end in self._found(data):
            if start >= certain:
                break
            if start >= at:
                pieces += (data[at:start], MASK)
            at = max(at, end)
            if at > certain:
                certain = self._first_open(data, at)
        return (b"".join((*pieces, data[at:certain])) if pieces else data[:certain]), certain

    def _found(self, data: bytes) -> Iterable[tuple[int, int]]:
        """The positions of secrets, in order."""
        shaped = self._shaped(data) if self._looks else ()
        # Searching for each secret in turn is many times faster than the pattern, and most pieces have none.
        if not _has_one(self._needles, data):
            return shaped
        known = (found.span() for found in self._pattern.finditer(data))
        return sorted((*known, *shaped)) if shaped else known

    def _shaped(self, data: bytes) -> list[tuple[int, int]]:
        context = len(self._before)
        seen = self._before + data if context else data
        return [(start - context, stop - context) for start, stop in tokens_in(seen) if start >= context]

    def _first_open(self, data: bytes, at: int) -> int:
        """The position, from `at` on, of the first secret that may continue in the next piece."""
        shaped = max(at, first_open(data)) if self._looks else len(data)
        if self._needles:
            for start in range(max(at, len(data) - self._longest + 1), shaped):
                if data[start] in self._first_bytes and self._goes_on(data[start:]):
                    return start
        return shaped

    def _goes_on(self, end: bytes) -> bool:
        return any(len(needle) > len(end) and needle.startswith(end) for needle in self._needles)


def _has_one(needles: Sequence[bytes], data: bytes) -> bool:
    # `needle in data` would first check whether the needle is a number, which takes longer than most searches.
    find = data.find
    for needle in needles:  # noqa: SIM110 - `any` would call a generator for each
        if find(needle) >= 0:
            return True
    return False


def needles(secrets: Iterable[str]) -> tuple[bytes, ...]:
    """Each secret in all the forms in which a program may print it."""
    return tuple(dict.fromkeys(form for secret in secrets for form in _forms(secret)))


def _forms(secret: str) -> Iterator[bytes]:
    """The secret as it is, in JSON, in JSON text inside JSON, in base64 and URL-encoded; if it has several lines, also
    each long one.
    """
    lines = [line.strip() for line in secret.splitlines()]
    whole = [secret, "\r\n".join(lines)] if len(lines) > 1 else [secret]
    for text in (*whole, *(line for line in lines if len(lines) > 1 and _SECRET_LINE.fullmatch(line))):
        raw = text.encode(errors="surrogateescape")
        yield raw
        yield from _in_json(text)
        yield from _in_base64(raw)
        for encoded in (quote(raw, safe=""), quote_plus(raw), quote(raw)):
            yield encoded.encode()
            yield _PERCENT.sub(lambda found: found[0].lower(), encoded).encode()


def _in_json(text: str) -> Iterator[bytes]:
    for ascii_only in (True, False):
        once = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        for form in (once, once.replace("/", "\\/"), json.dumps(once, ensure_ascii=ascii_only)[1:-1]):
            yield form.encode(errors="surrogateescape")


def _in_base64(raw: bytes) -> Iterator[bytes]:
    """The base64 forms, also inside a longer text, where what comes before shifts it by one or two bytes."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for before in range(3):
            # The first and the last characters also have bits of the surrounding text.
            first, last = (0, 2, 3)[before], (before + len(raw)) * 8 // 6
            if last - first >= SHORTEST:
                yield encode(b"\0" * before + raw)[first:last]


def mask_bytes(secrets: Sequence[bytes]) -> Callable[[bytes], bytes]:
    """A function that masks the secrets in a whole text. Most texts have none, and are returned unchanged."""

    def masked(data: bytes) -> bytes:
        if _has_one(secrets, data):
            redactor = Redactor(secrets)
            data = redactor.feed(data) + redactor.rest()
        return mask_tokens(data, MASK)

    return masked


def mask_text(secrets: Sequence[bytes]) -> Callable[[str], str]:
    """The same function for a text instead of bytes."""
    mask = mask_bytes(secrets)

    def masked(text: str) -> str:
        data = text.encode(errors="surrogatepass")
        clean = mask(data)
        return text if clean is data else clean.decode(errors="surrogatepass")

    return masked


@contextmanager
def masked_file(path: Path, needles: Sequence[bytes]) -> Generator[int]:
    """A new file into which a program writes directly. Afterwards the secrets in it are masked."""
    file = create(path)
    try:
        yield file
    except BaseException:
        # This also happens on cancellation. A missing file must not hide the reason.
        with suppress(OSError):
            _redact_file(path, needles)
        raise
    else:
        _redact_file(path, needles)
    finally:
        os.close(file)


def _redact_file(path: Path, needles: Sequence[bytes]) -> None:
    """Mask the secrets in a file. Most files have none, and are only searched."""
    if not path.stat().st_size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if all(data.find(needle) < 0 for needle in needles) and not _has_tokens(file):
            return
    redactor = Redactor(needles)
    masked = path.with_name(f"{path.name}.masked")
    with path.open("rb") as source, masked.open("wb") as target:
        while piece := source.read(CHUNK):
            target.write(redactor.feed(piece))
        target.write(redactor.rest())
    masked.replace(path)


def _has_tokens(file: BinaryIO) -> bool:
    before = b""
    while piece := file.read(CHUNK):
        seen = before + piece
        if tokens_in(seen):
            return True
        before = seen[-LONGEST_KEY:]
    return False
