"""The pure decision: what the trials of a check say about a change, as findings that warn or block.

The trials: `commit` is the work as it is delivered; `base` is the tree at which it began; `base-judges` has the code of
the work and exactly the base's judge and test files; `change-judges` has the base's code and those of the change;
`canary` is `base-judges` with tests that must fail, `own-canary` is `commit` with them; `unasked` is `commit` without
the words by which it asks whether it is tested.
"""

from collections.abc import Callable, Collection, Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from ralph.checks.proof.inventory import Differences, compare, file_of, identity
from ralph.checks.proof.placing import placed
from ralph.model.proof import Change, Finding, Inventory, Level, Trial, TrialName

GOOD = ("passed", "xfailed")
SHOWN = 3
NOTHING_CHANGED = "nothing was changed"
MOST_NAMED = 20
"""How many tests of one kind get a finding each; the rest are counted."""
LEFT = ("exit",)
NOT_RUN = ("skip", "gone", "narrowed")
CHANGED = ("changed-assertion", "emptied", "skip", "gone")
"""The rules of the diff that show the line which explains what a trial found."""
COLLECTION = "#collect"
"""The id under which a runner reports that it could not even collect a file."""


class Facts(Struct, frozen=True):
    """Everything on which a decision is based."""

    change: Change
    trials: Mapping[TrialName, Trial]
    canary: str = ""
    """The canary's complaint; empty if its tests failed as they must, or if there was none."""
    own_canary: str = ""
    flaky: Mapping[str, frozenset[str]] = {}
    """Tests that ended differently on the base itself, each with all its outcomes there."""
    relative: bool = False
    """Whether tests that failed at the base may still fail."""
    red: bool = False
    """Whether the check had to fail on the base."""
    is_allowed: Callable[[str], bool] = lambda _: False
    """Whether the task may change a file, so that tests in it may be removed."""


def decide(facts: Facts) -> tuple[Finding, ...]:
    """The findings for a check that passed on the commit. Trials that were not made are missing."""
    trials = facts.trials
    commit, base = trials["commit"], trials.get("base")
    compared: list[Finding] = []
    if base:
        compared = [
            *(placed(each, facts.change.findings, LEFT) for each in _runners(facts, commit, base)),
            *_inventory(facts, commit, base),
            *_passes_with_failures(facts, commit, base),
            *_base_judges(facts, base),
            *_judges_alone(facts, base),
            *_rewritten(facts, commit, base),
        ]
    rules: list[Finding] = [
        *_beginning(facts, base),
        *compared,
        *_canaries(facts),
        *(_weighed(each, facts) for each in facts.change.findings),
    ]
    return tuple(each for each in rules if each.level != "note")


def _finding(rule: str, level: Level, text: str) -> Finding:
    return Finding(rule, level, text)


def _beginning(facts: Facts, base: Trial | None) -> Iterable[Finding]:
    if facts.change.is_empty:
        yield _finding("deliver", "warn", NOTHING_CHANGED)
    if facts.red and base and base.passed:
        yield _finding("red", "warn", "the check already passes on the base, so a pass now shows nothing")


def _runners(facts: Facts, commit: Trial, base: Trial) -> Iterable[Finding]:
    """A runner that reported at the base must report again, run to its end and run tests."""
    now, before = commit.inventory, base.inventory
    if now.void:
        with_base_judges = facts.trials.get("base-judges")
        if not before.void and (with_base_judges is None or not with_base_judges.passed):
            yield _finding("inventory", "block", f"the tests that ran are not known: {now.void}")
        return
    if now.runners and not now.ended and (before.ended or not before.runners):
        yield _finding("inventory", "block", f"{_runner_names(now.runners)} did not finish")
    missing = [runner for runner in before.runners if runner not in now.runners]
    if missing and not _is_replaced(facts, now, before):
        yield _finding("inventory", "block", f"{_runner_names(missing)} ran at the base, but there is no report now")
    elif before.runners and not any(outcome in GOOD for outcome in now.tests.values()):
        yield _finding("inventory", "block", "no test ran")
    if before.count is not None and not before.runners and (now.count is None or now.count < before.count):
        ran = "the number of tests is not reported" if now.count is None else f"{now.count} tests ran"
        yield _finding("inventory", "block", f"{before.count} tests ran at the base; now {ran}")


def _is_replaced(facts: Facts, now: Inventory, before: Inventory) -> bool:
    """Whether another runner replaced this one: it runs all tests of the base that must stay."""
    known = before.tests.keys() - {COLLECTION}
    return bool(now.runners and known) and all(facts.is_allowed(file_of(each)) for each in known - now.tests.keys())


def _inventory(facts: Facts, commit: Trial, base: Trial) -> Iterable[Finding]:
    """Tests that are gone, or no longer count."""
    if commit.inventory.void or not base.inventory.runners or not commit.inventory.runners:
        return
    differences = compare(base.inventory, commit.inventory, renamed=facts.change.renamed)
    for ids, what, outcome in _losses(differences):
        lost = [each for each in ids if not facts.is_allowed(file_of(each)) and not _by_chance(each, outcome, facts)]
        for each in lost[:MOST_NAMED]:
            found = _finding("inventory", "block", f"{each} {what}")
            # If the process exits early, it is chance which tests are still reported.
            found = found if outcome else placed(found, facts.change.findings, LEFT)
            yield placed(found, facts.change.findings, NOT_RUN, (each,))
        if len(lost) > MOST_NAMED:
            yield _finding("inventory", "block", f"{len(lost) - MOST_NAMED} more tests: each {what}")
    held = facts.trials.get("base-judges")
    if held and held.passed:
        lost = compare(base.inventory, held.inventory, renamed={}).gone
        if lost:
            yield _finding("inventory", "block", f"with the base's judges fewer tests run; missing: {_some(lost)}")


def _passes_with_failures(facts: Facts, commit: Trial, base: Trial) -> Iterable[Finding]:
    """A check that passed although tests failed is accepted only if it did so before."""
    failed = {each for each, outcome in commit.inventory.tests.items() if outcome == "failed"} - facts.flaky.keys()
    was_so = base.passed and "failed" in base.inventory.tests.values()
    if commit.passed and failed and not was_so:
        yield _finding("inventory", "block", f"the check passes although tests failed: {_some(failed)}")


def _losses(differences: Differences) -> Iterable[tuple[Iterable[str], str, str]]:
    """Each kind of loss with the outcome that such a test has now, if it has one."""
    yield differences.gone, "is no longer collected", ""
    yield differences.newly_skipped, "is skipped now", "skipped"
    yield differences.newly_xfailed, "is expected to fail now", "xfailed"
    yield differences.fewer, "has fewer cases now", ""


def _by_chance(test: str, outcome: str, facts: Facts) -> bool:
    """Whether a test also ended like this on the base itself. A flaky test may not be removed for that reason."""
    return outcome in facts.flaky.get(test, ())


def _base_judges(facts: Facts, base: Trial) -> Iterable[Finding]:
    """The work's code must satisfy the tests and judges of the base."""
    held = facts.trials.get("base-judges")
    if held is None or held.passed or (facts.change.only_adds_tests and not held.inventory.tests):
        return
    if _fails_by_chance(held, facts):
        return
    touched = ", ".join((*facts.change.judges, *facts.change.tests)[:SHOWN])
    if not held.inventory.tests or not base.inventory.runners:
        level: Level = "warn" if base.inventory.runners else "block"
        yield _finding("base-tests", level, f"the check fails with the base's own {touched}")
        return
    failing = {
        each for each, outcome in held.inventory.tests.items() if outcome == "failed" and each not in facts.flaky
    }
    before = base.inventory.tests
    still = {each for each in failing if before.get(each, "passed") not in GOOD and each != COLLECTION}
    if still and not facts.relative:
        text = f"failed at the base, and still fails with the base's own tests: {_some(still)}"
        yield placed(_finding("base-tests", "block", text), facts.change.findings, CHANGED, sorted(still))
    elif failing - still:
        yield _finding(
            "base-tests", "warn", f"passed at the base, fails with the base's own tests: {_some(failing - still)}"
        )
    elif not still:
        yield _finding("base-tests", "warn", f"no test fails, but the check does, with the base's own {touched}")


def _fails_by_chance(trial: Trial, facts: Facts) -> bool:
    """Whether all tests that fail in this trial are flaky at the base."""
    failed = {each for each, outcome in trial.inventory.tests.items() if outcome == "failed"}
    return bool(failed) and failed <= facts.flaky.keys() and trial.inventory.ended


def _judges_alone(facts: Facts, base: Trial) -> Iterable[Finding]:
    held, alone = facts.trials.get("base-judges"), facts.trials.get("change-judges")
    if held is None or alone is None or held.passed or base.passed or not alone.passed:
        return
    if _fails_by_chance(base, facts):
        return
    if facts.change.only_adds_tests and not base.inventory.tests:
        return
    touched = ", ".join((*facts.change.judges, *facts.change.tests)[:SHOWN])
    yield _finding("judges", "block", f"the changed judges alone make the base pass: {touched}")


def _rewritten(facts: Facts, commit: Trial, base: Trial) -> Iterable[Finding]:
    """Files that are rewritten during the check are not the judges that were meant. A formatter may rewrite files, too,
    so this is only a warning.
    """
    held = facts.trials.get("base-judges")
    # In the user's own tree the check has run before: there the work already has the rewritten files.
    for path in dict.fromkeys((*commit.rewrote, *(held.rewrote if held else ()))):
        if path not in base.rewrote and not facts.is_allowed(path):
            yield Finding("rewritten", "warn", f"{path} is rewritten while the check runs", path)


def _canaries(facts: Facts) -> Iterable[Finding]:
    if facts.canary:
        yield _finding("canary", "block", facts.canary)
    if facts.own_canary:
        yield _finding("canary", "block", f"with the change's own judges {facts.own_canary}")


def _weighed(found: Finding, facts: Facts) -> Finding:
    """The finding with its final level: by its effect if the effect was seen, and otherwise by its name."""
    match found.rule:
        case "hook":
            return replace(found, level="warn" if _own_canary_held(facts) else "block")
        case "skip":
            return replace(found, level="note" if _both_reported(facts) else "block")
        case "gone" if _both_reported(facts):
            return replace(found, level="note")
        case "runner" if found.level == "block" and "unasked" in facts.trials:
            return replace(found, level="note") if _is_right_unasked(facts) else _only_when_tested(found)
        case "changed-assertion" | "comparison" if found.level == "warn" and _base_tests_pass(facts):
            return replace(found, level="note")
        case _:
            return found


def _is_right_unasked(facts: Facts) -> bool:
    unasked = facts.trials["unasked"]
    return unasked.passed or _fails_by_chance(unasked, facts)


def _only_when_tested(found: Finding) -> Finding:
    return replace(found, text=f"{found.text}, and without that the check fails")


def _own_canary_held(facts: Facts) -> bool:
    return "own-canary" in facts.trials and not facts.own_canary and _base_tests_pass(facts)


def _both_reported(facts: Facts) -> bool:
    base = facts.trials.get("base")
    return bool(base and base.inventory.runners and facts.trials["commit"].inventory.runners)


def _base_tests_pass(facts: Facts) -> bool:
    held = facts.trials.get("base-judges")
    return held is not None and held.passed


def flaky_tests(runs: Iterable[Inventory]) -> dict[str, frozenset[str]]:
    """Tests that ended differently in runs of the same tree, each with its outcomes."""
    outcomes: dict[str, set[str]] = {}
    for run in runs:
        for each, outcome in run.tests.items():
            outcomes.setdefault(each, set()).add(outcome)
    return {each: frozenset(seen) for each, seen in outcomes.items() if len(seen) > 1}


def only_fails_as_before(now: Inventory, before: Inventory, besides: Collection[str] = ()) -> bool:
    """Whether every failure also happened at the base, as `baseline: relative` requires."""
    if not now.runners or not now.ended or now.void or COLLECTION in now.tests:
        return False
    known = {identity(each) for each, outcome in before.tests.items() if outcome == "failed"}
    failing = [each for each, outcome in now.tests.items() if outcome == "failed" and each not in besides]
    return all(identity(each) in known for each in failing)


def _some(ids: Iterable[str]) -> str:
    listed = sorted(ids)
    more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    return ", ".join(listed[:SHOWN]) + more


def _runner_names(runners: Iterable[str]) -> str:
    return " and ".join(runners)
