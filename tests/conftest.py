import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import second_try
from loops import Loop
from ralph.testing import TempRepo, temp_repo

# A shell that starts the tests in the background, or nohup, has them ignore these, and every program inherits that.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

# On a machine that is busy with other tests no example has a fair chance to be quick.
settings.register_profile(
    "patient",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
settings.load_profile("patient")


# Functions whose tests took about a second or more each when all tests ran on two cores.
SLOW = frozenset(Path(__file__).with_name("slow_tests.txt").read_text(encoding="utf-8").splitlines())


def pytest_collection_modifyitems(items):
    """Keep slow tests out of `make test`, so that it stays something that people run."""
    for item in items:
        if item.nodeid.partition("[")[0] in SLOW or item.nodeid.startswith("tests/chaos/"):
            item.add_marker("slow")
            item.add_marker("e2e")


def pytest_addoption(parser, pluginmanager):
    pluginmanager.register(second_try)


def pytest_terminal_summary(terminalreporter):
    """Print the lines of the tables that tests have made."""
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    lines = [line for report in reports for name, rows in report.user_properties if name == "table" for line in rows]
    for line in dict.fromkeys(lines):
        terminalreporter.write_line(line)


@pytest.fixture(scope="session", autouse=True)
def _folder_of_started_runners(tmp_path_factory):
    """A pytest that a test starts cleans up folders of earlier runs: let it find its own, not these thousands."""
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(tmp_path_factory.mktemp("runners"))


@pytest.fixture
def loop(tmp_path):
    """A loop in a plain directory, its settings in `.ralph/settings.json`."""
    repo = TempRepo(tmp_path)
    repo.path.mkdir()
    repo.home.mkdir()
    return Loop(repo, tmp_path / "bin", repo.path / ".ralph/settings.json")


@pytest.fixture
def git_loop(tmp_path):
    """A loop in a git repository with one commit, its settings outside of it."""
    repo = temp_repo(tmp_path)
    return Loop(repo, tmp_path / "bin", repo.home / ".ralph/config.yaml")


@pytest.fixture(scope="session")
def postgres_url():
    """Of a Postgres that runs for all tests of this process."""
    from postgres_server import postgres_server, programs

    folder = programs()
    if folder is None:
        missing = "no initdb and postgres on this machine: apt-get install postgresql"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    with postgres_server(folder) as url:
        yield url


@pytest.fixture
def postgres(postgres_url):
    """The address of an empty Postgres database."""
    from postgres_server import emptied

    return emptied(postgres_url)
