"""Reading a JUnit report that may be hostile: no document type, so no entities, and a limit for everything."""

from collections.abc import Mapping
from xml.parsers import expat

from msgspec import Struct

from ralph.model.proof import Outcome

SUITES = ("testsuites", "testsuite")
MOST_CASES = 500_000
DEEPEST = 64
PIECE = 1 << 20


class ReportedCase(Struct):
    file: str
    classname: str
    name: str
    outcome: Outcome = "passed"


class NoReport(Exception):
    """The data is not a JUnit report, or not a complete one."""


def cases_of(data: bytes) -> list[ReportedCase]:
    """The cases of a report. Entities need a document type, and no runner writes one."""
    reading = _Reading()
    parser = expat.ParserCreate()
    parser.StartElementHandler = reading.begin
    parser.EndElementHandler = reading.end
    parser.StartDoctypeDeclHandler = _refuse
    try:
        for start in range(0, len(data), PIECE):
            parser.Parse(data[start : start + PIECE])
        parser.Parse(b"", True)  # noqa: FBT003 - the last piece
    except expat.ExpatError as error:
        raise NoReport from error
    return reading.cases


def _refuse(*_: object) -> None:
    raise NoReport


class _Reading:
    def __init__(self) -> None:
        self.cases: list[ReportedCase] = []
        self._open: list[str] = []

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        if len(self._open) >= DEEPEST or len(self.cases) >= MOST_CASES or (not self._open and tag not in SUITES):
            raise NoReport
        if tag == "testcase":
            self.cases.append(_case(attributes))
        elif self._open[-1:] == ["testcase"]:
            _mark(self.cases[-1], tag, attributes)
        self._open.append(tag)

    def end(self, _: str) -> None:
        self._open.pop()


def _case(attributes: Mapping[str, str]) -> ReportedCase:
    return ReportedCase(attributes.get("file", ""), attributes.get("classname", ""), attributes.get("name", ""))


def _mark(case: ReportedCase, tag: str, attributes: Mapping[str, str]) -> None:
    if tag in {"failure", "error"}:
        case.outcome = "failed"
    elif tag == "skipped" and case.outcome == "passed":
        case.outcome = "xfailed" if attributes.get("type") == "pytest.xfail" else "skipped"
