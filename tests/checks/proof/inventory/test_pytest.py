import pytest

TESTS = """
import pytest

def test_plain(): pass

@pytest.mark.parametrize("x", [1, "a::b", "[c]"])
def test_cases(x): pass

class TestClass:
    def test_method(self): pass
    @pytest.mark.xfail
    def test_known(self): assert 0
    @pytest.mark.skip
    def test_left_out(self): pass

def test_wrong(): assert 1 == 2

@pytest.fixture
def broken():
    yield
    raise RuntimeError

def test_breaks_afterwards(broken): pass
"""
OUTCOMES = {
    "tests/test_a.py::test_plain": "passed",
    "tests/test_a.py::test_cases[1]": "passed",
    "tests/test_a.py::test_cases[a::b]": "passed",
    "tests/test_a.py::test_cases[[c]]": "passed",
    "tests/test_a.py::TestClass::test_method": "passed",
    "tests/test_a.py::TestClass::test_known": "xfailed",
    "tests/test_a.py::TestClass::test_left_out": "skipped",
    "tests/test_a.py::test_wrong": "failed",
    "tests/test_a.py::test_breaks_afterwards": "failed",
}
COMMANDS = [
    "pytest",
    pytest.param("python -m pytest -n 2", marks=pytest.mark.e2e),
    "PYTHONPATH=. pytest",
    "sh -c 'make test'",
    *(
        pytest.param(command, marks=pytest.mark.e2e)
        for command in (
            "python -m pytest",
            "python -I -m pytest",
            "python -E -m pytest",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 pytest",
            "pytest -p no:ralph_inventory",
            "pytest --strict-config -p no:cacheprovider",
            "pytest --junitxml=report.xml",
            "pytest -W error",
            "python run.py",
        )
    ),
]
MAKEFILE = "test:\n\tsh -c 'cd tests && python -m pytest -q'\n"
RUN = "import subprocess, sys\nsys.exit(subprocess.run([sys.executable, '-m', 'pytest', 'tests']).returncode)\n"


@pytest.fixture
def tested(project):
    return project.write({"tests/test_a.py": TESTS, "Makefile": MAKEFILE, "run.py": RUN, "pytest.ini": "[pytest]\n"})


@pytest.mark.parametrize("command", COMMANDS)
def test_every_way_to_start_it_reports_the_same(tested, command):
    trial = tested.try_out(command)
    assert (trial.exit_code, trial.tries) == (2 if "make" in command else 1, [frozenset()])
    assert trial.inventory.tests == OUTCOMES, trial.log
    assert (trial.inventory.runners, trial.inventory.ended, trial.inventory.void) == (("pytest",), True, "")


@pytest.mark.e2e
def test_ids_are_the_same_in_another_checkout(tested, elsewhere):
    elsewhere.write({"tests/test_a.py": TESTS})
    assert elsewhere.try_out("pytest").inventory.tests == tested.try_out("pytest").inventory.tests


def test_ids_begin_at_the_tree_wherever_pytest_has_its_root(project):
    project.write({"part/pytest.ini": "[pytest]\n", "part/test_b.py": "def test_b(): pass"})
    assert project.try_out("cd part && pytest").inventory.tests == {"part/test_b.py::test_b": "passed"}


@pytest.mark.e2e
def test_several_runs_in_one_command_are_put_together(project):
    project.write({"test_a.py": "def test_a(): pass", "test_b.py": "def test_b(): pass"})
    tests = project.try_out("pytest test_a.py && pytest test_b.py").inventory.tests
    assert sorted(tests) == ["test_a.py::test_a", "test_b.py::test_b"]


def test_the_tree_and_the_output_stay_as_they_are(tested):
    before = sorted(tested.path.rglob("*"))
    trial = tested.try_out("pytest -q -p no:cacheprovider")
    assert sorted(tested.path.rglob("*")) == before
    assert "xml" not in trial.log


@pytest.mark.e2e
def test_a_file_that_cannot_be_imported_is_a_failed_collection(project):
    project.write({"test_a.py": "import missing", "test_b.py": "def test_b(): pass"})
    for command in ("pytest --continue-on-collection-errors", "python -I -m pytest --continue-on-collection-errors"):
        tests = project.try_out(command).inventory.tests
        assert tests == {"#collect": "failed", "test_b.py::test_b": "passed"}


@pytest.mark.e2e
def test_a_module_that_is_skipped_has_no_tests(project):
    project.write({"test_a.py": "import pytest\npytest.skip('no', allow_module_level=True)\ndef test_a(): pass"})
    for command in ("pytest", "python -I -m pytest"):
        inventory = project.try_out(command).inventory
        assert (inventory.tests, inventory.runners, inventory.ended) == ({}, ("pytest",), True)


def test_collect_only_runs_no_test(tested):
    inventory = tested.try_out("pytest --collect-only").inventory
    assert (inventory.tests, inventory.runners, inventory.ended) == ({}, ("pytest",), True)


@pytest.mark.parametrize("place", ["test", "fixture at the end", "conftest"])
def test_a_process_that_leaves_is_seen(project, place):
    leave = "import os; os._exit(0)"
    files = {
        "test": {"test_a.py": f"def test_a(): pass\ndef test_b():\n    {leave}"},
        "fixture at the end": {
            "test_a.py": "def test_a(): assert 0",
            "conftest.py": f"def pytest_sessionfinish():\n    {leave}",
        },
        "conftest": {"test_a.py": "def test_a(): assert 0", "conftest.py": leave},
    }
    trial = project.write(files[place]).try_out("pytest")
    assert trial.exit_code == 0
    assert not trial.inventory.tests
    if place == "conftest":
        assert trial.inventory.runners == ()
    else:
        assert (trial.inventory.runners, trial.inventory.ended) == (("pytest",), False)


@pytest.mark.parametrize("command", ["env -i PATH=$PATH pytest", "env -u PYTEST_ADDOPTS -u PYTHONPATH pytest"])
def test_a_command_without_our_environment_has_no_runner_and_a_count(tested, command):
    inventory = tested.try_out(command).inventory
    # 5 passed, 1 failed, 1 skipped, 1 expected to fail, and an error that comes after a test that passed.
    assert (inventory.runners, inventory.tests, inventory.count) == ((), {}, 9)


def test_the_users_own_options_are_kept_and_win(project):
    project.write({"test_a.py": "def test_a(): pass\ndef test_b(): pass"})
    project.env["PYTEST_ADDOPTS"] = "-k test_b --junitxml=mine.xml"
    assert project.try_out("pytest").inventory.tests == {"test_a.py::test_b": "passed"}
    assert (project.path / "mine.xml").is_file()


OUTER = """
import os, subprocess, sys

def test_outer(tmp_path):
    (tmp_path / "test_x.py").write_text("def test_x(): assert 0")
    env = {**os.environ, **CHANGES}
    assert subprocess.run([sys.executable, "-m", "pytest", str(tmp_path)], env=env).returncode == 1
"""


@pytest.mark.e2e
@pytest.mark.parametrize("changes", [{}, {"PYTHONPATH": "."}])
def test_a_runner_that_a_test_starts_is_part_of_that_test(project, changes):
    project.write({"test_a.py": f"CHANGES = {changes}\n{OUTER}"})
    inventory = project.try_out("pytest").inventory
    assert (inventory.tests, inventory.ended) == ({"test_a.py::test_outer": "passed"}, True)


def test_processes_of_tests_see_the_users_pytest_options(project):
    project.write({"test_a.py": "import os\ndef test_a(): assert os.environ['PYTEST_ADDOPTS'] == '-v'"})
    project.env["PYTEST_ADDOPTS"] = "-v"
    assert project.try_out("pytest").inventory.tests == {"test_a.py::test_a": "passed"}


@pytest.mark.e2e
def test_pytest_that_writes_no_xml_is_run_again_without_it(tested):
    trial = tested.try_out("pytest -p no:junitxml")
    assert trial.tries == [frozenset(), {"pytest-xml"}]
    assert (trial.inventory.tests, trial.inventory.void) == (OUTCOMES, "")


def test_help_and_version_are_no_runs(tested):
    inventory = tested.try_out("pytest --version && pytest --help").inventory
    assert (inventory.runners, inventory.ended) == ((), True)


def test_tests_that_replace_how_files_are_opened_are_reported(project):
    project.write({"test_a.py": "import builtins\ndef test_a():\n    builtins.open = None\n"})
    inventory = project.try_out("pytest -p no:cacheprovider").inventory
    assert (inventory.tests, inventory.ended) == ({"test_a.py::test_a": "passed"}, True)
