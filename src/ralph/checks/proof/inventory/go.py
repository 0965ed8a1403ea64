"""Go's tests, from the output of `go test -v` or `-json`.

GOFLAGS gets `-test.v`, which no other command knows: with `-json`, `go list` prints JSON and `go vet` exits 0 whatever
it finds, and with `-v` both of them print the names of packages.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from ralph.checks.proof.inventory.ids import test_id
from ralph.checks.proof.inventory.output import Output
from ralph.checks.proof.inventory.reported import COLLECTION, Reported, with_outcome
from ralph.model.proof import Outcome

RUNNER = "go"
GO = "go"
VERBOSE = "-test.v"
OUTCOMES: Mapping[str, Outcome] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
# What a test prints without a line end is before its own outcome.
LINE = re.compile(
    rb"^=== RUN +(?P<begun>\S++)"
    rb"|--- (?P<outcome>PASS|FAIL|SKIP): (?P<test>\S++) \("
    rb"|^(?P<end>ok  |FAIL)\t(?P<package>\S++)(?P<rest>.*)$",
    re.MULTILINE,
)
EVENT = re.compile(
    rb'^\{(?:"(?:Time|ImportPath)":"[^"\n]{0,1000}",)?"Action":"(?:run|pass|fail|skip|build-fail)"[^\n]{0,4000}\}$',
    re.MULTILINE,
)
NOT_BUILT = (b"[build failed]", b"[setup failed]")


class Event(Struct, frozen=True):
    action: str = msgspec.field(name="Action")
    package: str = msgspec.field(name="Package", default="")
    test: str = msgspec.field(name="Test", default="")


def go_variables(env: Mapping[str, str]) -> dict[str, str]:
    return {"GOFLAGS": f"{_flags(env)} {VERBOSE}".strip()}


def _flags(env: Mapping[str, str]) -> str:
    """The user's flags, including those that `go env -w` keeps in a file: the variable hides it."""
    if given := env.get("GOFLAGS"):
        return given
    settings = Path(env.get("XDG_CONFIG_HOME") or Path(env.get("HOME", "")) / ".config") / "go/env"
    try:
        lines = Path(env.get("GOENV") or settings).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.removeprefix("GOFLAGS=") for line in lines if line.startswith("GOFLAGS=")), "")


def go_report(output: Output) -> Iterator[Reported]:
    """The report; empty if no test reported that it began: then another program wrote the output, or `-test.v` did not
    reach go.
    """
    text = output.text
    if b"=== RUN " in text:
        yield _from_text(text)
    if b'"Action":"' in text:
        yield from _from_events(text)


def _from_text(text: bytes) -> Reported:
    """The report from text. The lines of a package are together, and the line that names it ends them."""
    reading = _Package()
    for found in LINE.finditer(text):
        if begun := found["begun"]:
            reading.begin(_text(begun))
        elif test := found["test"]:
            reading.outcome(_text(test), OUTCOMES[_text(found["outcome"]).lower()])
        else:
            reading.end(_text(found["package"]), is_ok=found["end"] != b"FAIL")
            if found["rest"].strip().endswith(NOT_BUILT):
                reading.tests[COLLECTION] = "failed"
    return Reported(RUNNER, reading.tests, ended=not reading.running)


class _Package:
    """The tests of a package. If several packages follow each other, it takes each when it ends."""

    def __init__(self) -> None:
        self.tests: dict[str, Outcome] = {}
        self.running: dict[str, Outcome | None] = {}

    def begin(self, test: str) -> None:
        self.running.setdefault(test, None)

    def outcome(self, test: str, outcome: Outcome) -> None:
        known = self.running.get(test)
        if known != "failed":
            self.running[test] = outcome

    def end(self, package: str, *, is_ok: bool) -> None:
        """End a package. A test that began and has no outcome gets its package's: its line was lost, or the process
        died.
        """
        for test, outcome in self.running.items():
            with_outcome(self.tests, test_id(package, test), outcome or ("passed" if is_ok else "failed"))
        self.running.clear()


def _from_events(text: bytes) -> Iterator[Reported]:
    packages: dict[str, _Package] = {}
    for event in _events(text):
        package = packages.setdefault(event.package, _Package())
        if event.action == "build-fail":
            package.tests[COLLECTION] = "failed"
        elif event.action == "run":
            package.begin(event.test)
        elif event.test:
            package.outcome(event.test, OUTCOMES[event.action])
        else:
            package.end(event.package, is_ok=event.action != "fail")
    told = [each for each in packages.values() if each.tests or each.running]
    yield from (Reported(RUNNER, each.tests, ended=not each.running) for each in told)


def _events(text: bytes) -> Iterator[Event]:
    decoder = msgspec.json.Decoder(Event)
    for found in EVENT.finditer(text):
        try:
            yield decoder.decode(found[0])
        except msgspec.MsgspecError:
            continue


def _text(data: bytes) -> str:
    return data.decode(errors="replace")
