import pytest

TESTS = """
import unittest

class Plain(unittest.TestCase):
    def test_passes(self): pass
    def test_fails(self): self.assertEqual(1, 2)
    def test_breaks(self): raise RuntimeError
    @unittest.skip("no")
    def test_skipped(self): pass
    @unittest.expectedFailure
    def test_known(self): self.fail()
    @unittest.expectedFailure
    def test_known_no_more(self): pass
    def test_parts(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 1)

class NotSetUp(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise RuntimeError
    def test_never(self): pass

class SkippedAsAWhole(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("no")
    def test_never(self): pass

@unittest.skip("no")
class SkippedByMark(unittest.TestCase):
    def test_never(self): pass

class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_awaits(self): pass

if __name__ == "__main__":
    unittest.main()
"""
OUTCOMES = {
    "tests/test_a.py::Plain::test_passes": "passed",
    "tests/test_a.py::Plain::test_fails": "failed",
    "tests/test_a.py::Plain::test_breaks": "failed",
    "tests/test_a.py::Plain::test_skipped": "skipped",
    "tests/test_a.py::Plain::test_known": "xfailed",
    "tests/test_a.py::Plain::test_known_no_more": "failed",
    "tests/test_a.py::Plain::test_parts": "failed",
    "tests/test_a.py::NotSetUp::test_never": "failed",
    "tests/test_a.py::SkippedAsAWhole::test_never": "skipped",
    "tests/test_a.py::SkippedByMark::test_never": "skipped",
    "tests/test_a.py::Asynchronous::test_awaits": "passed",
}
COMMANDS = [
    "python -m unittest discover",
    "python -m unittest tests.test_a",
    "python -m unittest -v tests/test_a.py",
    "python tests/test_a.py",
    "cd tests && python test_a.py",
    "python -m unittest discover tests",
]


@pytest.fixture
def tested(project):
    return project.write({"tests/__init__.py": "", "tests/test_a.py": TESTS})


@pytest.mark.parametrize("command", COMMANDS)
def test_every_way_to_start_it_reports_the_same(tested, command):
    trial = tested.try_out(command)
    assert trial.exit_code == 1
    assert trial.inventory.tests == OUTCOMES, trial.log
    assert (trial.inventory.runners, trial.inventory.ended) == (("unittest",), True)


def test_what_it_prints_stays_as_it_is(tested):
    command = "python -m unittest discover 2>&1 | sed 's/in [0-9.]*s//'"
    assert tested.try_out(command).log == tested.plain(command)[1]


@pytest.mark.e2e
def test_pytest_and_unittest_give_a_test_the_same_id(tested):
    assert set(tested.try_out("pytest -q").inventory.tests) == set(OUTCOMES)


def test_a_file_that_cannot_be_imported_is_a_failed_collection(project):
    project.write({"test_a.py": "import missing"})
    assert project.try_out("python -m unittest").inventory.tests == {"#collect": "failed"}


def test_a_class_that_cannot_be_torn_down_fails_its_tests(project):
    text = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"
    project.write({"test_a.py": text + "    @classmethod\n    def tearDownClass(cls): raise RuntimeError\n"})
    assert project.try_out("python -m unittest").inventory.tests == {"test_a.py::A::test_a": "failed"}


def test_a_process_that_leaves_is_seen(project):
    text = "import os, unittest\nclass A(unittest.TestCase):\n    def test_a(self): os._exit(0)\n"
    trial = project.write({"test_a.py": text}).try_out("python -m unittest")
    inventory = trial.inventory
    assert (trial.exit_code, inventory.runners, inventory.ended, inventory.tests) == (0, ("unittest",), False, {})


@pytest.mark.e2e
def test_a_suite_that_a_test_runs_is_part_of_that_test(project):
    inner = "class Inner(unittest.TestCase):\n        def test_inner(self): self.fail()\n"
    run = "unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(Inner))"
    text = f"import unittest\nclass Outer(unittest.TestCase):\n  def test_outer(self):\n    {inner}    {run}\n"
    expected = {"test_a.py::Outer::test_outer": "passed"}
    for command in ("python -m unittest", "pytest"):
        assert project.write({"test_a.py": text}).try_out(command).inventory.tests == expected


def test_two_suites_in_one_process_are_put_together(project):
    case = "class {0}(unittest.TestCase):\n    def test_{0}(self): pass\n"
    run = "for each in (A, B): unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(each))"
    project.write({"run.py": "import unittest\n" + case.format("A") + case.format("B") + run})
    inventory = project.try_out("python run.py").inventory
    assert (set(inventory.tests), inventory.ended) == ({"run.py::A::test_A", "run.py::B::test_B"}, True)


def test_a_forked_process_reports_nothing_of_its_own(project):
    text = "import os, sys, unittest\nclass A(unittest.TestCase):\n    def test_a(self):\n        child = os.fork()\n"
    text += "        if not child:\n            return\n        os.waitpid(child, 0)\nunittest.main()\n"
    inventory = project.write({"test_a.py": text}).try_out("python test_a.py").inventory
    assert (inventory.tests, inventory.ended) == ({"test_a.py::A::test_a": "passed"}, True)


def test_a_doctest_has_its_whole_name(project):
    text = 'import doctest, unittest\ndef two():\n    """\n    >>> two()\n    2\n    """\n    return 2\n'
    text += "unittest.TextTestRunner().run(doctest.DocTestSuite())\n"
    tests = project.write({"run.py": text}).try_out("python run.py").inventory.tests
    assert tests == {"__main__.two": "passed"}
