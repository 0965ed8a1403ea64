"""Rust's tests, from the output of `cargo test`: the stable toolchain reports nowhere else."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from ralph.checks.proof.inventory.ids import test_id
from ralph.checks.proof.inventory.output import Output
from ralph.checks.proof.inventory.reported import COLLECTION, Reported, with_outcome
from ralph.model.proof import Outcome

RUNNER = "cargo"
OUTCOMES: Mapping[bytes, Outcome] = {b"ok": "passed", b"FAILED": "failed", b"ignored": "skipped"}
# With --nocapture a test's own output is before its line, or between its name and its outcome.
LINE = re.compile(
    rb"^ +Running (?:unittests )?\S+ \((?P<binary>[^)\n]+)\)$"
    rb"|^ +Doc-tests (?P<documented>\S+)$"
    rb"|^running (?P<announced>\d+) tests?$"
    rb"|^test result: (?P<result>ok|FAILED)\. "
    rb"|^(?P<not_compiled>error: could not compile)"
    rb"|^test (?P<documents>\S++ - (?:\S+ )?)\(line (?P<line>\d{1,9})\).*? \.\.\. (?P<held>ok|FAILED|ignored)"
    rb"|test (?P<test>\S++)(?: - should panic)? \.\.\. (?P<outcome>ok|FAILED|ignored)"
    rb"|^test (?P<begun>\S++)(?: - should panic)? \.\.\. (?:.*?(?P<glued>ok|FAILED)$)?"
    rb"|^(?P<late>ok|FAILED)$",
    re.MULTILINE,
)
HASH = re.compile(r"-[0-9a-f]{16}$")


def cargo_report(output: Output) -> Iterator[Reported]:
    """The report; empty if tests are counted and not named, as with `--quiet`."""
    if not any(words in output.text for words in (b"test result: ", b" ... ", b"error: could not compile")):
        return
    reading = _Binaries()
    for found in LINE.finditer(output.text):
        reading.take(found)
    if reading.tests or reading.running:
        yield Reported(RUNNER, reading.tests, ended=not reading.is_open)


class _Binaries:
    """The test programs, which cargo runs one after the other. Each says how many tests it has, and how they ended."""

    def __init__(self) -> None:
        self.tests: dict[str, Outcome] = {}
        self.is_open = False
        self.running: list[str] = []
        self._program = ""
        self._examples: dict[str, list[tuple[int, Outcome]]] = {}

    def take(self, found: "re.Match[bytes]") -> None:
        if binary := found["binary"]:
            self._program = HASH.sub("", PurePosixPath(_text(binary)).name)
        elif documented := found["documented"]:
            self._program = f"{_text(documented)}::doc"
        elif found["announced"]:
            self.is_open = True
        elif result := found["result"]:
            self._end("passed" if result == b"ok" else "failed")
        elif found["not_compiled"]:
            self.tests[COLLECTION] = "failed"
        else:
            self._take_test(found)

    def _take_test(self, found: "re.Match[bytes]") -> None:
        if test := found["test"]:
            with_outcome(self.tests, self._id(test), OUTCOMES[found["outcome"]])
        elif documents := found["documents"]:
            examples = self._examples.setdefault(self._id(documents.removesuffix(b" ").removesuffix(b" -")), [])
            examples.append((int(found["line"]), OUTCOMES[found["held"]]))
        elif begun := found["begun"]:
            self.running.append(self._id(begun))
            self._outcome(found["glued"])
        else:
            self._outcome(found["late"])

    def _outcome(self, word: bytes | None) -> None:
        if word and self.running:
            with_outcome(self.tests, self.running.pop(), OUTCOMES[word])

    def _end(self, outcome: Outcome) -> None:
        """End a program. Tests whose outcome was lost in other output get that of their program."""
        for test in self.running:
            with_outcome(self.tests, test, outcome)
        for name, examples in self._examples.items():
            # The line of an example changes with every line above it; their order does not.
            for number, (_, held) in enumerate(sorted(examples), start=1):
                with_outcome(self.tests, name if number == 1 else f"{name}[{number}]", held)
        self.running, self._examples, self.is_open = [], {}, False

    def _id(self, name: bytes) -> str:
        return test_id(self._program, _text(name))


def _text(data: bytes) -> str:
    return data.decode(errors="replace")
