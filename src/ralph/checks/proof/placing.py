"""The place of what the trials found: the line of a change that explains why a test no longer counts."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from ralph.checks.proof.inventory import file_of, identity
from ralph.model.proof import Finding


def placed(found: Finding, diff: Iterable[Finding], rules: Sequence[str], tests: Iterable[str] = ()) -> Finding:
    """The finding with the place of the first of these rules that is about one of these tests, if there is any.

    Without tests it is the first place of any of these rules.
    """
    shown = [each for each in diff if each.rule in rules and each.file]
    wanted = list(tests)
    place = next(_about(wanted, shown), None) if wanted else next(iter(shown), None)
    return replace(found, file=place.file, line=place.line, shown=place.shown) if place else found


def _about(tests: Sequence[str], shown: Sequence[Finding]) -> Iterator[Finding]:
    """The findings from the most to the least certain: the test in its file, the test anywhere, all tests of its
    file.
    """
    names = {identity(each) for each in tests}
    files = {file_of(each) for each in tests}
    yield from (each for each in shown if each.test in names and each.file in files)
    yield from (each for each in shown if each.test in names)
    yield from (each for each in shown if not each.test and each.file in files)
