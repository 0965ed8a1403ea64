"""What the rules find in the change and not in the base."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ralph.checks.proof.tamper.pairing import Pairing
from ralph.checks.proof.tamper.settings import is_settings
from ralph.checks.proof.tamper.sheet import Hit
from ralph.checks.proof.tamper.source import Source
from ralph.checks.proof.tamper.versions import Place, Versions
from ralph.model.proof import Finding

TestKey = tuple[int, str]
"""A file of the change and the full name of a test in it; an empty name means everything outside of tests."""
SettingsKey = tuple[str, str, str]
"""A folder with settings, a rule, and what was found."""
ELSEWHERE: SettingsKey = ("", "", "")


def new_hits(files: Sequence[Versions], pairing: Pairing) -> Iterator[Finding]:
    """The hits of which the base has fewer: in the same test under any name, or else in the same file.

    What was in other settings of the same folder and is no longer there has moved.
    """
    pairs = {_key(head): (base, head) for base, head in pairing.pairs}
    groups = _known_groups(pairing)
    left = Counter((id(each), hit.test, hit.rule, hit.key) for each in files for hit in each.base.hits)
    moved = _gone_from_settings(files)
    for versions in files:
        commands = {case.full_name for case in versions.head.cases if case.is_command}
        for hit in () if versions.change.is_allowed else versions.head.hits:
            pair = pairs.get((id(versions), hit.test))
            before: TestKey | None = (id(versions), "") if not hit.test else _key(pair[0]) if pair else None
            same = (before[0], before[1], hit.rule, hit.key) if before else None
            if same and left[same]:
                left[same] -= 1
            elif not hit.test and moved[_place_in_settings(versions.head_source, hit)]:
                moved[_place_in_settings(versions.head_source, hit)] -= 1
            elif hit.test in commands:
                yield _finding(versions, hit if pair and _lost(*pair) else hit._replace(level="note"))
            else:
                is_new = before is None if hit.test else _is_new_group(versions, hit, groups)
                yield _finding(versions, hit, is_new=is_new)


def _gone_from_settings(files: Sequence[Versions]) -> Counter[SettingsKey]:
    gone: Counter[SettingsKey] = Counter()
    for each in files:
        was = Counter(_place_in_settings(each.base_source, hit) for hit in each.base.hits if not hit.test)
        now = Counter(_place_in_settings(each.head_source, hit) for hit in each.head.hits if not hit.test)
        gone += was - now
    del gone[ELSEWHERE]
    return gone


def _place_in_settings(source: Source | None, hit: Hit) -> SettingsKey:
    return (source.path.rpartition("/")[0], hit.rule, hit.key) if source and is_settings(source) else ELSEWHERE


def _lost(base: Place, head: Place) -> bool:
    """Whether a command is no longer there. An additional command removes nothing."""
    now = {check.key for check in head.case.details.checks}
    return any(check.key not in now for check in base.case.live_checks)


def _key(place: Place) -> TestKey:
    return id(place.versions), place.case.full_name


def _known_groups(pairing: Pairing) -> set[TestKey]:
    """Classes and other groups that contain a test of the base, and the whole file as the group with an empty name."""
    known: set[TestKey] = set()
    for _, head in pairing.pairs:
        scope = head.case.scope
        for at, letter in enumerate(scope):
            if letter in ".>":
                known.add((id(head.versions), scope[:at].rstrip()))
        known |= {(id(head.versions), ""), (id(head.versions), scope)}
    return known


def _is_new_group(versions: Versions, hit: Hit, groups: set[TestKey]) -> bool:
    """Whether the hit is only about tests that the change adds. A judge is about all tests."""
    has_tests = any(case.is_collected for case in versions.head.cases)
    if versions.head.has_more and not hit.scope:
        return False
    return has_tests and not versions.change.is_judge and (id(versions), hit.scope) not in groups


def _finding(versions: Versions, hit: Hit, *, is_new: bool = False) -> Finding:
    source = versions.head_source
    line = source.shown(hit.line) if source else ""
    test = next((case.name for case in versions.head.cases if hit.test and case.full_name == hit.test), "")
    if hit.rule == "skip" and is_new:
        return Finding("new-skip", "note", f"in a new test: {hit.text}", versions.change.path, hit.line, line, test)
    return Finding(hit.rule, hit.level, hit.text, versions.change.path, hit.line, line, test)
