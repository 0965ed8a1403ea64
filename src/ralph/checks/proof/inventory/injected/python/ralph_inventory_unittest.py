"""Reports what unittest's text runner runs, and runners that are built on it, such as Django's."""

import os
import re
import sys

import ralph_inventory

OUTCOMES = {
    "addSuccess": "passed",
    "addExpectedFailure": "xfailed",
    "addSkip": "skipped",
    "addFailure": "failed",
    "addError": "failed",
    "addUnexpectedSuccess": "failed",
}
RANK = ("", "passed", "xfailed", "skipped", "failed")
FIXTURE = re.compile(r"(?:setUp|tearDown)(?:Class|Module) \((.+)\)$")
FAILED_IMPORT = "unittest.loader._FailedTest"


def watch(runner_class):
    run = runner_class.run

    def watched_run(self, test):
        if ralph_inventory.is_nested():
            return run(self, test)
        session = Session(test)
        make = self._makeResult
        self._makeResult = lambda: session.observe(make())
        try:
            result = run(self, test)
            session.end()
            return result
        finally:
            del self._makeResult
            session.close()

    runner_class.run = watched_run


class Session:
    def __init__(self, suite):
        self._outcomes = {}
        self._fixtures = {}
        # A suite forgets its tests as it runs them, and a test may change the directory.
        self._places = {test.id(): place_of(test) for test in tests_of(suite)}
        self._journal = ralph_inventory.Journal("unittest", os.getcwd())

    def observe(self, result):
        for method, outcome in OUTCOMES.items():
            setattr(result, method, self._recording(getattr(result, method), outcome))
        add_subtest = result.addSubTest

        def record_subtest(test, subtest, error):
            if error is not None:
                self._record(test, "failed")
            add_subtest(test, subtest, error)

        result.addSubTest = record_subtest
        return result

    def end(self):
        for test, place in self._places.items():
            outcome = worse(self._outcomes.get(test, ""), self._outcome_of_fixture(test))
            if test.startswith(FAILED_IMPORT):
                self._journal.collection_failed()
            elif outcome:
                self._journal.test(*place, outcome)
        self._journal.end()

    def close(self):
        self._journal.close()

    def _recording(self, method, outcome):
        def record(test, *details):
            self._record(test, outcome)
            return method(test, *details)

        return record

    def _record(self, test, outcome):
        name = test.id()
        fixture = FIXTURE.match(name)
        known = self._fixtures if fixture else self._outcomes
        key = fixture.group(1) if fixture else name
        if not fixture:
            self._places.setdefault(name, place_of(test))
        known[key] = worse(known.get(key, ""), outcome)

    def _outcome_of_fixture(self, test):
        """The outcome of a test whose class or module could not be set up or torn down."""
        return next((outcome for scope, outcome in self._fixtures.items() if test.startswith(scope + ".")), "")


def worse(one, other):
    return max(one, other, key=RANK.index)


def tests_of(suite):
    if hasattr(suite, "_tests"):
        for test in suite._tests:  # noqa: SLF001 - a suite that makes its tests as it is walked must not be walked
            yield from tests_of(test)
    elif hasattr(suite, "id"):
        yield suite


def place_of(test):
    """The file and the name in it; a doctest or a bare function has only its full name."""
    kind = type(test)
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    method = getattr(test, "_testMethodName", None)
    if method is None or file is None or kind.__module__ in {"doctest", "unittest.case"}:
        return "", str(test.id())
    return os.path.abspath(file), "::".join([*kind.__qualname__.split("."), method])
