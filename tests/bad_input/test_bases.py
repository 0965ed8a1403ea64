"""Work that is verified on odd bases: without tests, with tests that fail, with very many, and with flaky ones."""

import json

import pytest

from proven import CHECK, FILES, RIGHT
from ralph.testing import run_ralph, temp_repo

pytestmark = pytest.mark.e2e
TEST = FILES["test_calc.py"]
OTHER = "\n\ndef test_other():\n    assert add(0, 0) == 1\n"
# It fails every second time, wherever it runs; and the first time in all, so that work which changes nothing is hit.
FLAKY = """

def test_flaky():
    from pathlib import Path

    calls = Path.home() / "calls"
    number = int(calls.read_text()) if calls.exists() else {first}
    calls.write_text(str(number + 1))
    assert number % 2 == 1
"""
MANY = """\
import unittest

from calc import add


class ManyTest(unittest.TestCase):
    pass


for number in range(20_000):
    setattr(ManyTest, f"test_{number:05}", lambda self, number=number: self.assertEqual(add(number, 1), number + 1))
"""


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


class Bench:
    """A project with a base; `verify` judges a change of it."""

    def __init__(self, root):
        self.root = root
        self.repo = None

    def base(self, files, **settings):
        self.repo = temp_repo(self.root, {".gitignore": "__pycache__/\n", **files})
        (self.repo.home / ".ralph").mkdir()
        given = {"guardrails": [{"command": CHECK}], **settings}
        (self.repo.home / ".ralph/config.yaml").write_text(json.dumps(given))
        return self

    def verify(self, changes, *more):
        for name, text in changes.items():
            self.repo.write(name, text)
        self.repo.commit_all("work")
        done = run_ralph(self.repo, "verify", "--json", *more, timeout=240)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)


def trials(told):
    return [each["trial"] for each in told["checks"][0]["trials"]]


def texts(told):
    return [each["text"] for each in told["checks"][0]["findings"]]


def test_the_first_tests_of_a_project_are_proven(bench):
    code, told = bench.base({"calc.py": FILES["calc.py"]}).verify({**RIGHT, "test_calc.py": TEST})
    assert (code, told["proof"]) == (0, "checked")
    assert told["checks"][0]["trials"][0]["tests"] == 1


def test_the_first_tests_must_be_able_to_fail(bench):
    """The code of the base does not pass them, so they show something."""
    bench.base({"calc.py": FILES["calc.py"]})
    code, told = bench.verify({"test_calc.py": TEST.replace("== 3", "== -1")})
    assert (code, told["proof"]) == (0, "checked"), "they are the first ones, and nobody can tell what they should say"
    assert trials(told)[:2] == ["commit", "base"]


def test_a_test_that_fails_at_the_base_must_be_fixed_too(bench):
    code, told = bench.base({**FILES, "test_calc.py": TEST + OTHER}).verify(RIGHT)
    assert code == 9
    assert "test_calc.py::test_other" in told["reason"]


def test_with_a_relative_baseline_it_may_fail_still(bench):
    bench.base({**FILES, "test_calc.py": TEST + OTHER}, guardrails=[{"command": CHECK, "baseline": "relative"}])
    code, told = bench.verify(RIGHT)
    assert code == 0, told["reason"]


def test_with_a_relative_baseline_what_passed_may_not_fail(bench):
    passing = TEST.replace("== 3", "== -1")
    bench.base({**FILES, "test_calc.py": passing + OTHER}, guardrails=[{"command": CHECK, "baseline": "relative"}])
    code, told = bench.verify(RIGHT)
    assert code == 9
    assert "test_calc.py::test_add" in told["reason"]
    assert "test_other" not in told["reason"]


def test_a_base_that_could_not_even_be_collected(bench):
    code, told = bench.base({**FILES, "calc.py": "def add(:\n"}).verify(RIGHT)
    assert (code, told["proof"]) == (0, "checked"), told["reason"]


@pytest.mark.timeout(600)
def test_twenty_thousand_tests(bench):
    files = {"calc.py": FILES["calc.py"], "test_many.py": MANY}
    bench.base(files, guardrails=[{"command": "python -m unittest"}])
    code, told = bench.verify(RIGHT)
    assert (code, told["proof"]) == (0, "checked"), told["reason"]
    assert [each["tests"] for each in told["checks"][0]["trials"][:2]] == [20_000, 20_000]
    code, told = bench.verify({"test_many.py": MANY.replace("20_000", "10")}, "--base", "HEAD~1")
    assert code == 6
    assert "19970 more tests: each is no longer collected" in texts(told)
    assert len(texts(told)) < 30


@pytest.mark.parametrize("first", [0, 1])
def test_a_test_that_is_flaky_at_the_base_never_blocks_by_itself(bench, first):
    code, told = bench.base({**FILES, "test_calc.py": TEST + FLAKY.format(first=first)}).verify(RIGHT)
    assert code == 0, told["reason"]
    shown = run_ralph(bench.repo, "show").stdout
    assert ("flaky at the base, so it decides nothing: test_calc.py::test_flaky" in shown) is (first == 0)


def test_beside_a_flaky_test_the_rest_must_hold(bench):
    code, told = bench.base({**FILES, "test_calc.py": TEST + FLAKY.format(first=0)}).verify({"notes.txt": "x\n"})
    assert code == 9
    assert "test_calc.py::test_add" in told["reason"]
    assert "test_flaky" not in told["reason"]


def test_a_test_that_only_the_work_fails_is_no_flaky_one(bench):
    """At the base it passes each time that it is tried."""
    bench.base({**FILES, "test_calc.py": TEST + "\n\ndef test_zero():\n    assert add(0, 0) == 0\n"})
    code, told = bench.verify({"calc.py": "def add(a, b):\n    return a + b if a else 7\n"})
    assert code == 9
    assert "test_calc.py::test_zero" in told["reason"]
    shown = run_ralph(bench.repo, "show").stdout
    assert shown.count("trial on the base: ") == 3
