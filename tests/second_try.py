"""A second try, alone, for a few tests that failed among many: `pytest --second-try`, used by `.ci/run`.

Tests here start real processes and watch real clocks, four at once on two cores. Of thousands one now and then gets no
processor for long enough. Such a test runs again with nothing beside it; both outcomes are printed. A test that fails
alone too, or more failures than a busy machine explains, fail the run.
"""

import os
import subprocess
import sys

import pytest

MOST = 3


def pytest_addoption(parser):
    parser.addoption("--second-try", action="store_true", help=f"run up to {MOST} failed tests again, alone")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    config = session.config
    if exitstatus != pytest.ExitCode.TESTS_FAILED or hasattr(config, "workerinput") or not config.option.second_try:
        return
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    failed = {report.nodeid for kind in ("failed", "error") for report in terminal.stats.get(kind, ())}
    if not 0 < len(failed) <= MOST:
        return
    terminal.write_line("")
    terminal.write_sep("=", f"second try, alone: {', '.join(sorted(failed))}")
    again = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", *sorted(failed)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    code = subprocess.run(again, cwd=config.rootpath, env=environment, check=False).returncode
    if code == 0:
        session.exitstatus = pytest.ExitCode.OK
    terminal.write_line(f"second try: {'passed alone, so it counts as passed' if code == 0 else 'failed alone too'}")
