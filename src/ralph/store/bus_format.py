"""The text of a message bus: what a message looks like in the file, and how to find it there again.

A message is its front matter, its body, and a comment that ends it with its own id:

    ---
    id: 20260205T100000.123456Z
    type: FACT
    ts: 2026-02-05T10:00:00.123456Z
    run: a1b2c3d4
    project: shop
    task: task-001
    ---

    The tests pass.

    <!-- end 20260205T100000.123456Z -->

No body can hold what begins a message: a `---` above an `id: ` gets a backslash before it. So a message ends where the
next one begins, at the latest, and damage to one never reaches another.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from msgspec import Struct

from ralph.model.errors import ConfigError, StateError

WORD = r"[A-Za-z0-9_.-]+"
WORDS_KEPT = 64
"""How many words are remembered as checked: a run posts the same few again and again."""
_ID = r"\d{8}T\d{6}\.\d{6}Z"
_BEGIN = b"---\nid: "
# The pattern begins before the line and checks the line's start second: a search for `^` is eight times slower. The
# blank line is part of it; otherwise the `---` of the next message could complete a header that was cut off.
_HEADER = re.compile(
    rf"""---\n(?<![^\n]---\n)id:\ (?P<id>{_ID})\n"""
    rf"""type:\ "?(?P<type>{WORD})"?\n"""
    r"""ts:\ (?P<ts>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)\n"""
    rf"""run:\ "?(?P<run>(?:{WORD})?)"?\n"""
    rf"""(?:project:\ "?(?P<project>{WORD})"?\n)?(?:task:\ "?(?P<task>{WORD})"?\n)?---\n\n""".encode(),
    re.VERBOSE,
)
_BEGINNING = re.compile(rb"^\\*---\nid: ", re.MULTILINE)
_ESCAPED_BEGINNING = re.compile(rb"^\\(\\*---\nid: )", re.MULTILINE)
_WORD = re.compile(WORD)
_NO_WORD = re.compile(r"[^A-Za-z0-9_.-]+")
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
_PLAIN_YAML = re.compile(rf"(?!(?i:y|n|yes|no|on|off|true|false|null)$)[A-Za-z_](?:{WORD})?")
"""A word that every YAML parser reads as text."""


class Message(Struct, frozen=True):
    id: str
    """The id, unique in its file and ordered like the messages: the time of posting, or a little later."""
    type: str
    ts: float
    run: str
    """The run that posted the message, if one did."""
    body: str
    project: str = ""
    """The project and the task that the message is about, as far as they are known."""
    task: str = ""


class Gap(Struct, frozen=True):
    """A part of the file that is not a message, and was skipped."""

    offset: int
    size: int
    problem: str


def is_id(text: str) -> bool:
    return re.fullmatch(_ID, text, re.ASCII) is not None


@lru_cache(maxsize=WORDS_KEPT)
def check_word(name: str, word: str) -> None:
    if _WORD.fullmatch(word) is None:
        raise ConfigError(f"the {name} {word!r} is not a word.", "It may have letters, digits, `_`, `.` and `-`.")


def word_of(name: str) -> str:
    """The name as one word of the front matter."""
    return _NO_WORD.sub("_", name).strip("_")


def new_message(kind: str, body: str, run: str, *, after: str, project: str = "", task: str = "") -> Message:
    """A message whose id comes after `after`, even if the clock was set back."""
    now = datetime.now(UTC)
    name = _id(now)
    if name <= after:
        try:
            name = _id(_moment(after) + timedelta(microseconds=1))
        except OverflowError:
            raise StateError(f"no message id comes after {after}.", "Move the bus file away.") from None
    return Message(name, kind, now.timestamp(), run, _UNWRITABLE.sub("\ufffd", body), project, task)


def render(message: Message) -> bytes:
    head = f"id: {message.id}\ntype: {_yaml(message.type)}\nts: {iso(message.ts)}\nrun: {_yaml(message.run)}\n"
    names = (("project", message.project), ("task", message.task))
    head += "".join(f"{name}: {_yaml(word)}\n" for name, word in names if word)
    body = message.body.encode()
    if _BEGIN in body:
        body = _BEGINNING.sub(rb"\\\g<0>", body)
    return b"".join([b"---\n", head.encode(), b"---\n\n", body, b"\n", _ending(message.id.encode()), b"\n"])


def iso(ts: float) -> str:
    return _iso(datetime.fromtimestamp(ts, UTC))


class Scanner:
    """Finds the messages in a growing file. It scans an unfinished end again when there is more of it."""

    def __init__(self) -> None:
        self.offset = 0
        """The offset up to which everything is done."""
        self.last = ""
        """The id of the last message."""

    def scan(self, data: bytes, *, whole: bool = False) -> Iterator[Message | Gap]:
        """The messages and gaps in `data`, which begins at `offset`. If it is `whole`, nothing more comes."""
        heads = list(_HEADER.finditer(data))
        limits = [*(head.start() for head in heads[1:]), len(data)]
        base, done = self.offset, 0
        for head, limit in zip(heads, limits, strict=False):
            yield from _gap(data, base, done, head.start())
            done = head.start()
            end = data.rfind(_ending(head["id"]), head.end(), limit)
            if end >= 0:
                done = end + len(_ending(head["id"]))
                yield self._message(head, data[head.end() : end]) or Gap(
                    base + head.start(), done - head.start(), "a message whose id or time cannot be right"
                )
        if whole:
            yield from _gap(data, base, done, len(data))
        self.offset = base + done

    def _message(self, head: re.Match[bytes], body: bytes) -> Message | None:
        name, kind, ts, run = (head[group].decode() for group in ("id", "type", "ts", "run"))
        project, task = ((head[group] or b"").decode() for group in ("project", "task"))
        if name <= self.last:
            return None
        try:
            _moment(name)
            seconds = _moment(ts).timestamp()
        except ValueError:
            return None
        self.last = name
        body = body.removesuffix(b"\n")
        if _BEGIN in body:
            body = _ESCAPED_BEGINNING.sub(rb"\1", body)
        return Message(name, kind, seconds, run, body.decode(errors="replace"), project, task)


def _gap(data: bytes, base: int, start: int, stop: int) -> Iterator[Gap]:
    if data[start:stop].strip():
        begun = _HEADER.match(data, start, stop)
        yield Gap(base + start, stop - start, "an unfinished message" if begun else "text outside of any message")


def _ending(message_id: bytes) -> bytes:
    return b"\n<!-- end %b -->" % message_id


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _id(at: datetime) -> str:
    return _iso(at).replace("-", "").replace(":", "")


def _iso(at: datetime) -> str:
    return f"{at.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


@lru_cache(maxsize=WORDS_KEPT)
def _yaml(word: str) -> str:
    return word if _PLAIN_YAML.fullmatch(word) else f'"{word}"'
