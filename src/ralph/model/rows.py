"""A row of a run's journal, and the line that every screen shows for it."""

from functools import lru_cache
from typing import Literal, NamedTuple

from msgspec import Struct

What = Literal["opened", "taken", "begun", "ended", "failed", "noted", "closed"]
"""What a row records: the options of a run, who drives it, an action's start, its result, why it could not be
performed, something seen meanwhile, the verdict."""
Mark = Literal["ok", "bad", "warn", "quiet", "head", "step", "busy"]
"""How a line is shown. `head` begins an iteration, `step` is announced, `busy` is shown only while it lasts."""


class Line(Struct, frozen=True):
    """The line that screens show for a row. It is made once, with the row, so that a later ralph shows the same."""

    text: str = ""
    """The text; empty if there is nothing to show. Further lines are details of the first one."""
    mark: Mark = "quiet"


class Key(NamedTuple):
    """The name of an action in its run: `run-command/3/make_test`. It holds no prose, so a reworded prompt still
    matches.
    """

    kind: str
    iteration: int
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind}/{self.iteration}/{self.name}" if self.name else f"{self.kind}/{self.iteration}"


def parse_key(text: str) -> Key:
    """The key in its stored form. A row about the run itself has no key: kind and name are then empty."""
    kind, _, rest = text.partition("/")
    number, _, name = rest.partition("/")
    return Key(kind, int(number) if number.isdigit() else 0, name)


@lru_cache(1024)
def iteration_in(key: str) -> int:
    """The iteration in a key, for callers that read thousands of keys, most of them the same in many runs."""
    number = key.split("/", 2)[1:2]
    return int(number[0]) if number and number[0].isdigit() else 0


class Row(Struct, frozen=True, rename="camel", gc=False):
    """A row, which is never changed. `id` grows over all runs and is never reused; `n` grows by one within a run."""

    id: int
    run_id: str
    n: int
    what: What
    key: str
    attempt: int
    at: float
    line: str
    mark: Mark
    spent: str
    """What the action spent, as JSON; empty if nothing."""
    body: bytes
    """The action, the result or the options, as JSON."""
    hash: bytes
    """The hash over the run's previous row and over every field above except `id`."""

    @property
    def name(self) -> Key:
        return parse_key(self.key)
