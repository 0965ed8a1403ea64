"""A plugin that pytest finds by its entry point: if PYTHONPATH does not reach, it is missing and breaks nothing."""

import os

import pytest
import ralph_inventory

RANK = ("", "passed", "xfailed", "skipped", "failed")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    if ralph_inventory.FOLDER not in os.environ:
        return
    # The XML is for where this plugin cannot be loaded.
    ours = os.path.join(os.environ[ralph_inventory.FOLDER], "pytest.xml")
    if getattr(config.option, "xmlpath", None) == ours:
        config.option.xmlpath = None
    if not ralph_inventory.is_nested() and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(config), "ralph_inventory_recorder")


class Recorder:
    def __init__(self, config):
        self._config = config
        self._outcomes = {}
        self._journal = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self):
        self._journal = ralph_inventory.Journal("pytest", root_of(self._config))

    def pytest_collectreport(self, report):
        if report.failed:
            self._journal.collection_failed()

    def pytest_runtest_logreport(self, report):
        known = self._outcomes.get(report.nodeid, "")
        self._outcomes[report.nodeid] = max(known, outcome_of(report), key=RANK.index)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self):
        for nodeid, outcome in self._outcomes.items():
            file, _, name = nodeid.partition("::")
            # A test without any outcome never reached its call phase.
            self._journal.test(file, name, outcome or "failed")
        self._journal.end()

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self):
        if self._journal is not None:
            self._journal.close()


def outcome_of(report):
    """The outcome; empty for a phase that says nothing about the test yet, and for a failure that is retried."""
    if report.failed:
        return "failed"
    if report.skipped:
        return "xfailed" if hasattr(report, "wasxfail") else "skipped"
    return "passed" if report.passed and report.when == "call" else ""


def root_of(config):
    """The folder that the names of tests are relative to; pytest 6 and older call it `rootdir`."""
    return str(config.rootpath if hasattr(config, "rootpath") else config.rootdir)
