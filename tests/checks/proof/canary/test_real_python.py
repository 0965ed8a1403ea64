import pytest

from checks.proof.canary.trials import WORD, Project, check_honest

CALC = "def add(a, b):\n    return a + b\n\n\ndef mul(a, b):\n    return a * b\n"
BROKEN = CALC.replace("a + b", "a - b")
TEST = """\
    import pytest
    from calc import add, mul


    def test_add():
        assert add(2, 3) == 5


    @pytest.mark.parametrize(("a", "b"), [(1, 2), (3, 4)])
    def test_many(a, b):
        assert mul(a, b) == a * b


    class TestMul:
        def test_with_fixture(self, two):
            product = mul(two, two)
            assert product == 4

        def test_in_a_loop(self):
            for x in (1, 2):
                assert mul(x, 1) == x


    @pytest.mark.xfail(reason="division is not there")
    def test_expected_to_fail():
        assert add(1, 1) == 3


    @pytest.mark.skip
    def test_skipped():
        assert add(1, 1) == 2


    def test_skips_itself():
        pytest.skip("later")
        assert add(1, 1) == 2
    """
CONFTEST = "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n"
PROJECT = {
    "calc.py": CALC,
    "tests/test_calc.py": TEST,
    "conftest.py": CONFTEST,
    "Makefile": "test:\n\tpython -m pytest -q\n",
}


@pytest.mark.parametrize(
    "command",
    [
        "make test",
        pytest.param("python -m pytest -n 2 -q", marks=pytest.mark.e2e),
        pytest.param("python -m pytest --import-mode=importlib", marks=pytest.mark.e2e),
    ],
)
def test_honest_pytest(tmp_path, command, make):
    check_honest(Project(tmp_path, command).tried(PROJECT), seen=8)


@pytest.mark.e2e
def test_pytest_that_stops_at_the_first_failure(tmp_path):
    tried = Project(tmp_path, "python -m pytest -x").tried(PROJECT)
    assert not tried.run.passed
    assert tried.complaint == ""
    assert tried.outcomes == {"tests/test_calc.py::test_add": "failed"}


@pytest.mark.e2e
@pytest.mark.parametrize(
    "command",
    [
        "python -m pytest tests/test_calc.py::TestMul::test_in_a_loop",
        "python -m pytest -k in_a_loop",
        "python -m pytest tests/test_calc.py::test_add",
        "python -m pytest -k 'TestMul and fixture'",
    ],
)
def test_pytest_that_runs_few_tests(tmp_path, command):
    """The canary is in a test that the command selects."""
    tried = Project(tmp_path, command).tried(PROJECT)
    assert not tried.run.passed
    assert tried.complaint == ""
    assert set(tried.outcomes.values()) == {"failed"}


@pytest.mark.e2e
def test_pytest_that_runs_one_of_the_files(tmp_path):
    files = PROJECT | {"integration/test_a.py": "def test_a():\n    assert 1 == 1\n"}
    tried = Project(tmp_path, "python -m pytest tests").tried(files)
    assert list(tried.canary.changes) == ["tests/test_calc.py"]
    check_honest(tried, seen=8)


@pytest.mark.e2e
def test_pytest_that_is_told_by_marks(tmp_path):
    marked = "import pytest\n\n\n@pytest.mark.unit\ndef test_a():\n    check()\n\n\ndef check():\n    assert 1 == 1\n"
    files = {"tests/test_a.py": marked, "pytest.ini": "[pytest]\nmarkers = unit\naddopts = --strict-markers -m unit\n"}
    check_honest(Project(tmp_path, "python -m pytest").tried(files), seen=2)


@pytest.mark.e2e
def test_coroutines_without_a_plugin_are_left_alone(tmp_path):
    coroutine = "async def test_later():\n    assert 1 == 1\n\n\ndef test_now():\n    assert 1 == 1\n"
    tried = Project(tmp_path, "python -m pytest -W ignore").tried({"tests/test_a.py": coroutine})
    assert not any("test_later" in each for each in tried.canary.must_fail)
    assert tried.complaint == ""


@pytest.mark.e2e
def test_a_check_with_a_linter_before_its_tests(tmp_path):
    """The canary is written so that usual linters let it through to the tests."""
    files = PROJECT | {"ruff.toml": 'line-length = 88\n[lint]\nselect = ["E", "F", "I", "W", "B", "UP"]\n'}
    tidy = "from calc import add\n\n\ndef test_add() -> None:\n    assert add(2, 3) == 5\n"
    files |= {"tests/test_calc.py": tidy}
    tried = Project(tmp_path, "ruff check . && ruff format --check . && python -m pytest").tried(files)
    check_honest(tried, seen=3)


@pytest.mark.e2e
def test_a_linter_that_dislikes_the_canary_hides_the_tests(tmp_path):
    from ralph.checks.proof.canary import unproven

    command = "! grep -rn 'def test_.*5f3a' tests && python -m pytest"
    tried = Project(tmp_path, command).tried(PROJECT)
    assert tried.complaint == ""
    said = unproven(tried.canary, passed=tried.run.passed, tests=tried.run.inventory.tests)
    assert said == "the check ended before it ran the tests that must fail"


@pytest.mark.e2e
def test_red_tests_are_changed_where_the_work_made_them_green(tmp_path):
    files = PROJECT | {"calc.py": BROKEN, "tests/test_other.py": "def test_other():\n    assert 1 == 1\n"}
    tried = Project(tmp_path, "python -m pytest").tried(files, {"calc.py": CALC})
    assert list(tried.canary.changes) == ["tests/test_calc.py"]
    check_honest(tried, seen=8)


UNITTEST = {
    "calc.py": CALC,
    "tests/__init__.py": "",
    "tests/test_calc.py": """\
        import unittest
        from calc import add, mul


        class SumTest(unittest.TestCase):
            def test_add(self):
                self.assertEqual(add(2, 3), 5)

            @unittest.skip("later")
            def test_later(self):
                self.assertEqual(1, 2)

            @unittest.expectedFailure
            def test_never(self):
                self.assertEqual(add(1, 1), 3)


        class LaterTest(unittest.IsolatedAsyncioTestCase):
            async def test_mul(self):
                self.assertEqual(mul(2, 3), 6)

            def test_many(self):
                for x in (1, 2):
                    with self.subTest(x=x):
                        self.assertEqual(mul(x, 1), x)


        class PlainTest(unittest.TestCase):
            async def test_forgotten(self):
                self.assertEqual(1, 2)


        if __name__ == "__main__":
            unittest.main()
        """,
}


@pytest.mark.e2e
@pytest.mark.parametrize(
    "command",
    [
        "python -W ignore -m unittest discover -s tests -t .",
        "python -W ignore -O -m unittest tests.test_calc",
        "PYTHONPATH=$PYTHONPATH:. python -W ignore tests/test_calc.py",
    ],
)
def test_honest_unittest(tmp_path, command):
    check_honest(Project(tmp_path, command).tried(UNITTEST), seen=5)


@pytest.mark.e2e
def test_unittest_by_pytest(tmp_path):
    check_honest(Project(tmp_path, "python -m pytest -W ignore").tried(UNITTEST), seen=5)


PASSES = "the check passes with a test that must fail"


def hooked(body):
    return CONFTEST + f"\n\n{body}\n"


HOSTILE_CODE = {
    "ends the process": (CALC.replace("    return a + b", "    import os\n    os._exit(0)"), PASSES),
    "ends the process at import": ("import os\nos._exit(0)\n" + CALC, PASSES),
    "equals everything": (
        CALC.replace(
            "    return a + b",
            "    class R(int):\n        def __eq__(self, other):\n            return True\n"
            "        __hash__ = int.__hash__\n    return R(a - b)",
        ),
        "test_add passes with another expected value",
    ),
    "reads the expected value from the test": (
        CALC.replace(
            "    return a + b",
            "    import linecache, re, sys\n    frame = sys._getframe(1)\n"
            "    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)\n"
            "    found = re.search(r'== (-?\\d+)', line)\n    return int(found[1]) if found else a - b",
        ),
        "test_add passes with another expected value",
    ),
    "patches the runner": (
        "import sys\nif '_pytest' in sys.modules:\n    import _pytest.python\n"
        "    _pytest.python.Function.runtest = lambda self: None\n" + BROKEN,
        PASSES,
    ),
    "patches one test by its name": (
        "import sys\nif '_pytest' in sys.modules:\n    import _pytest.python\n"
        "    run = _pytest.python.Function.runtest\n"
        "    _pytest.python.Function.runtest = lambda self: None if self.name == 'test_add' else run(self)\n" + BROKEN,
        "test_add passes with another expected value",
    ),
}


@pytest.mark.e2e
@pytest.mark.parametrize(("code", "said"), HOSTILE_CODE.values(), ids=HOSTILE_CODE.keys())
def test_hostile_code(tmp_path, code, said):
    tried = Project(tmp_path, "python -m pytest").tried(PROJECT | {"calc.py": BROKEN}, {"calc.py": code})
    assert tried.complaint == said, tried.run.output


def test_hostile_code_in_unittest(tmp_path):
    code = "import unittest\nunittest.TestCase.assertEqual = lambda *_: None\n" + BROKEN
    project = Project(tmp_path, "python -W ignore -m unittest discover -s tests -t .")
    # The test that is expected to fail does not fail any more, so that the check itself does.
    assert project.tried(UNITTEST, {"calc.py": code}).complaint.endswith("passes with another expected value")


HOSTILE_JUDGES = {
    "report hook": (
        {
            "conftest.py": hooked(
                "@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
                "    answer = yield\n    answer.get_result().outcome = 'passed'"
            )
        },
        PASSES,
    ),
    "report hook for one test": (
        {
            "conftest.py": hooked(
                "@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
                "    answer = yield\n    if item.name == 'test_add':\n        answer.get_result().outcome = 'passed'"
            )
        },
        "test_add passes with another expected value",
    ),
    "hook that selects": (
        {"conftest.py": hooked("def pytest_collection_modifyitems(items):\n    items[:] = []")},
        "",  # a runner without tests fails by itself
    ),
    "hook that keeps what passes": (
        {
            "conftest.py": hooked(
                "def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if 'loop' in i.name]"
            )
        },
        PASSES,
    ),
    "exit of the session": (
        {"conftest.py": hooked("def pytest_sessionfinish(session):\n    import os\n    os._exit(0)")},
        PASSES,
    ),
    "collects only": ({"pytest.ini": "[pytest]\naddopts = --collect-only\n"}, PASSES),
    "ignores the file": (
        {"pytest.ini": "[pytest]\naddopts = --ignore=tests/test_calc.py\n", "tests/test_b.py": "def test_b(): ...\n"},
        PASSES,
    ),
    "a target that does nothing": ({"Makefile": "test:\n\ttrue\n"}, PASSES),
    "a target that forgives": ({"Makefile": "test:\n\t-python -m pytest -q\n"}, PASSES),
    "a target that says it passed": ({"Makefile": "test:\n\t@echo '7 passed in 0.03s'\n"}, PASSES),
}


@pytest.mark.e2e
@pytest.mark.parametrize(("judges", "said"), HOSTILE_JUDGES.values(), ids=HOSTILE_JUDGES.keys())
def test_hostile_judges(tmp_path, judges, said, make):
    tried = Project(tmp_path, "make test").tried_with_own_judges(PROJECT, judges)
    assert tried.complaint == said, tried.run.output
    assert WORD in tried.canary.changes["tests/test_calc.py"].content.decode()


@pytest.mark.e2e
def test_an_honest_fixture_and_an_honest_hook(tmp_path, make):
    judges = {
        "conftest.py": hooked("def pytest_collection_modifyitems(items):\n    items.sort(key=lambda item: item.name)")
    }
    check_honest(Project(tmp_path, "make test").tried_with_own_judges(PROJECT, judges), seen=8)


@pytest.mark.e2e
def test_a_base_whose_tests_cannot_even_be_imported(tmp_path):
    files = PROJECT | {"calc.py": CALC.replace("def mul", "def old")}
    tried = Project(tmp_path, "python -m pytest").tried(files, {"calc.py": CALC})
    assert not tried.run.passed
    assert tried.complaint == ""
    assert set(tried.outcomes.values()) == {"failed"}
