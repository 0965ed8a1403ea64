"""The parts of a proof: trees of the base and of the change, the tests that ran on them, and the findings against
it.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct

Outcome = Literal["passed", "failed", "skipped", "xfailed"]
TrialName = Literal["commit", "base", "base-judges", "change-judges", "canary", "own-canary", "unasked"]
Proof = Literal["checked", "warned", "judged", "word"]
"""How well a claim is proven: a check of ralph's own passed; it passed with warnings; only a model judged; or there is
only the agent's word."""
Level = Literal["note", "warn", "block"]
"""A note explains, a warning weakens the proof that may be claimed, and a block rejects the claim."""


class TreeEntry(NamedTuple):
    """A file in a git tree."""

    mode: str
    """The mode in git's notation: `100644`, `100755`, `120000` for a link, `160000` for a submodule."""
    blob: str


class NewFile(NamedTuple):
    """A file of a composed tree that is in no other tree."""

    mode: str
    content: bytes


class Tree(Protocol):
    """The files of one git tree, read without a checkout."""

    @property
    def entries(self) -> Mapping[str, TreeEntry]: ...

    async def read(self, path: str) -> bytes | None:
        """The content of a file, or the target of a link; None if there is no such file."""
        ...


TreeChanges = Mapping[str, TreeEntry | NewFile | None]
"""The paths at which one tree differs from another; None stands for a file that the tree does not have."""


class Inventory(Struct, frozen=True, omit_defaults=True):
    """The tests that a runner reported, by their id."""

    runners: tuple[str, ...] = ()
    """The runners that reported, sorted; empty if none did."""
    tests: dict[str, Outcome] = {}
    ended: bool = True
    """Whether each runner reported that it ran to its end."""
    count: int | None = None
    """How many tests the last line of an unknown runner reports."""
    void: str = ""
    """Why the inventory could not be taken although a runner was there. A missing test then means nothing."""


class Finding(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """One objection to a change, with the place that shows it."""

    rule: str
    level: Level
    text: str
    """One sentence without a full stop."""
    file: str = ""
    line: int = 0
    shown: str = ""
    """The line as the change has it; for a removed test, as the base had it."""
    test: str = ""
    """The name of the test that the finding is about; empty if it is about none or several."""


class Trial(Struct, frozen=True, omit_defaults=True):
    """How a check ended on one tree, and which tests ran in it."""

    passed: bool
    reason: str = ""
    exit_code: int | None = None
    duration: float = 0.0
    output: str = ""
    output_end: str = ""
    """The last lines of its output, if it failed."""
    log: str = ""
    wrote: tuple[str, ...] = ()
    """Files of the tree that the check changed while it ran."""
    rewrote: tuple[str, ...] = ()
    """Tests and judges among the files that the check changed."""
    made_by: str = ""
    """The run that made this trial."""
    inventory: Inventory = Inventory()
    output_digest: str = ""
    """The SHA-256 of the whole output, taken when the check had ended."""


class Change(Struct, frozen=True, omit_defaults=True):
    """What is known about a change before anything is run."""

    judges: tuple[str, ...] = ()
    """Files that decide whether a check passes, and that the change touches without permission."""
    tests: tuple[str, ...] = ()
    renamed: dict[str, str] = {}
    """Tests with a new name and the same body, from the old name to the new one."""
    findings: tuple[Finding, ...] = ()
    is_empty: bool = False
    only_adds_tests: bool = False
    """Whether the change touches no test and no judge of the base. Without the new tests, a check may have nothing to
    run."""


class TrialSeen(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The result of one trial, in numbers."""

    trial: TrialName
    tree: str
    passed: bool
    exit_code: int | None = None
    tests: int = 0
    failed: int = 0
    skipped: int = 0


_WEAKEST_FIRST: tuple[Proof, ...] = ("word", "judged", "warned", "checked")


def weakest(proofs: Iterable[Proof]) -> Proof:
    """How well several things are proven if each of them must be done: as well as the weakest."""
    given = list(proofs)
    for each in _WEAKEST_FIRST:
        if each in given:
            return each
    return "word"


def together(proofs: Iterable[Proof]) -> Proof:
    """How well several checks of one thing prove it: as well as the strongest, unless one of them warns."""
    given = list(proofs)
    if "warned" in given:
        return "warned"
    return "checked" if "checked" in given else weakest(each for each in given if each != "word")
