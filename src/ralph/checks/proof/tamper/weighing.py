"""What happened to the tests of the base: gone, emptied, changed, renamed."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ralph.checks.proof.tamper.commands import NEEDED
from ralph.checks.proof.tamper.pairing import Pairing
from ralph.checks.proof.tamper.sheet import Case, Check
from ralph.checks.proof.tamper.versions import Place, collects
from ralph.model.proof import Finding

ARROW = " → "
NAMED = 5
SKIP_MARK = re.compile(rb"skip|xfail|expectedFailure|ignore|todo|only|cfg")

CHECKING_NAME = re.compile(
    r"_*(?:assert|check|verify|expect|ensure|must|need|require|should|compare|validate)", re.IGNORECASE
)


def weighed(pairing: Pairing) -> Iterator[Finding]:
    for base, head in pairing.pairs:
        if not base.versions.change.is_allowed and not head.versions.change.is_allowed:
            yield from _compared(base, head)
    yield from _doubles(pairing)
    yield from _gone(place for place in pairing.gone if not place.versions.change.is_allowed)


def _doubles(pairing: Pairing) -> Iterator[Finding]:
    """The findings for new tests that check nothing and have the name of an old test, which is elsewhere now."""
    names = {base.case.name for base, head in pairing.pairs if base.case.is_collected and base.path != head.path}
    for place in pairing.new:
        is_double = place.case.name in names and place.is_collected and not place.versions.change.is_allowed
        if is_double and not place.case.live_checks:
            yield place.finding("emptied", "block", f"a second {place.case.name} checks nothing")


def _compared(base: Place, head: Place) -> Iterator[Finding]:
    name = base.case.name
    if base.case.is_collected and collects(base.path) and not head.is_collected:
        where = head.path if head.case.is_collected else head.case.full_name
        yield head.finding("gone", "block", f"{name} is now in {where}, where no runner looks for it")
    elif base.case.name != head.case.name or base.versions is not head.versions:
        yield head.finding("renamed", "note", f"{name}{ARROW}{head.case.name}")
    if base.case.body != head.case.body and base.case.tokens != head.case.tokens:
        if base.case.is_command:
            yield from _command(base, head)
        elif base.case.is_collected or base.case.live_checks:
            yield from _body(base, head)
    elif base.case.is_collected and _marks(base.case) != _marks(head.case):
        yield head.finding("changed-assertion", "warn", f"how {name} is run was changed")


def _command(base: Place, head: Place) -> Iterator[Finding]:
    """The findings for commands. They may change as long as they still do something, and run no less than before."""
    was = [check.key.decode(errors="replace") for check in base.case.live_checks]
    now = [check.key.decode(errors="replace") for check in head.case.live_checks]
    if any(map(_is_own, was)) and not any(_is_own(command) or command not in was for command in now):
        yield head.finding("no-op", "block", f"{base.case.name} no longer does anything")
    for command in was:
        if command in now:
            continue
        if not _is_own(command):
            yield head.finding("narrowed", "warn", f"{base.case.name} no longer needs {command.removeprefix(NEEDED)}")
        elif any(_names_a_part(command, other) for other in now):
            yield head.finding("narrowed", "warn", f"{base.case.name} now runs only a part of what it ran before")


def _is_own(command: str) -> bool:
    """Whether it is a command of its own, and not only another target that is needed."""
    return not command.startswith(NEEDED)


def _names_a_part(command: str, other: str) -> bool:
    """Whether the same command now gets a file or folder."""
    given = other.removeprefix(command).split() if other.startswith(f"{command} ") else []
    return any(re.search(r"/|::|\.\w+$", word) and not word.startswith("-") for word in given)


def _marks(case: Case) -> list[bytes]:
    """The marks without those that skip, which have their own rule."""
    return [mark for mark in case.marks if mark and not SKIP_MARK.search(mark)]


def _body(base: Place, head: Place) -> Iterator[Finding]:
    was, now = base.case.details, head.case.details
    lost = Counter(check.key for check in base.case.live_checks) - Counter(check.key for check in head.case.live_checks)
    if (base.case.live_checks and not head.case.live_checks) or (was.statements and not now.statements):
        yield _emptied(base, head)
    elif lost:
        line = _changed_line(was.checks, now.checks) or head.case.line
        yield head.finding("changed-assertion", "warn", f"an assertion of {base.case.name} was changed", line)
    elif base.case.is_collected and not _only_extended(was.statements, now.statements, now.are_checks):
        yield head.finding("changed-assertion", "warn", f"{base.case.name} was changed around its assertions")


def _changed_line(was: Sequence[Check], now: Sequence[Check]) -> int:
    """The line of the first new assertion; if only the condition around it changed, that of the condition."""
    known, words = {check.key for check in was}, {check.own_key for check in was}
    new = next((check for check in now if check.key not in known), None)
    if new is None:
        return 0
    return (new.own_key in words and new.condition_line) or new.line


def _emptied(base: Place, head: Place) -> Finding:
    change = head.versions.change
    if not base.case.is_collected and head.case.details.statements and not CHECKING_NAME.match(base.case.name):
        # A helper that does other things, too, may leave the checking to its callers.
        return head.finding("changed-assertion", "warn", f"the helper {base.case.name} no longer checks anything")
    rule = "no-op" if change.is_judge and not change.is_test else "emptied"
    return head.finding(rule, "block", f"{base.case.name} no longer checks anything")


def _only_extended(was: tuple[bytes, ...], now: tuple[bytes, ...], are_checks: tuple[bool, ...]) -> bool:
    """Whether all statements are still there in order, and only assertions were added between them."""
    left = list(reversed(was))
    for statement, is_check in zip(now, are_checks, strict=True):
        if left and statement == left[-1]:
            left.pop()
        elif not is_check:
            return False
    return not left


def _gone(places: Iterable[Place]) -> Iterator[Finding]:
    """One finding for each file that is gone with its tests."""
    files: dict[str, list[Place]] = {}
    for place in places:
        if place.versions.change.mode:
            yield place.finding("gone", "block", f"{place.case.name} is gone")
        else:
            files.setdefault(place.path, []).append(place)
    for path, tests in files.items():
        names = ", ".join(place.case.name for place in tests[:NAMED])
        more = f" and {len(tests) - NAMED} more" if len(tests) > NAMED else ""
        yield tests[0].finding("gone", "block", f"{path} is gone with its tests: {names}{more}")
