import ast
from textwrap import dedent

import pytest

from checks.proof.canary.altering import WORD, alter, altered_text, failing

FILE = "tests/test_calc.py"


def changed(content, *names, **options):
    """The lines of the file itself that are others now."""
    before = dedent(content).lstrip("\n").splitlines()
    after = altered_text(FILE, content, *names, **options).splitlines()
    return [line for line in after if line and line not in before]


@pytest.mark.parametrize(
    ("assertion", "other"),
    [
        ("assert add(2, 3) == 5", "assert add(2, 3) == 1529"),
        ("assert 5 == add(2, 3)", "assert 1529 == add(2, 3)"),
        ("assert add(2, 3) == -5", "assert add(2, 3) == 1519"),
        ("assert half(3) == 1.5", "assert half(3) == 1525.5"),
        ("assert big() == 1e300", "assert big() == -1e+300"),
        ("assert endless() == 1e999", f'assert endless() == "{WORD}"'),
        ("assert is_odd(3) == True", "assert is_odd(3) == False"),
        ('assert name() == "Ada"', f'assert name() == "{WORD}"'),
        ('assert data() == b"Ada"', f'assert data() == b"{WORD}"'),
        ("assert nothing() == None", f'assert nothing() == "{WORD}"'),
        ("assert items() == [1, 2]", f'assert items() == "{WORD}"'),
        ("assert add(2, 3) == (5), 'sum'", "assert add(2, 3) == (1529), 'sum'"),
        ("assert 5 == Money(5)", f'assert 5 == "{WORD}"'),
        ("assert Money(2) + Money(3) == Money(5)", f'assert Money(2) + Money(3) == "{WORD}"'),
        ("self.assertEqual(add(2, 3), 5)", "self.assertEqual(add(2, 3), 1529)"),
        ("self.assertEqual(5, add(2, 3), 'sum')", "self.assertEqual(1529, add(2, 3), 'sum')"),
        ("x = 'é'; assert x == 'é'  # é", f"x = 'é'; assert x == \"{WORD}\"  # é"),
    ],
)
def test_first_comparison_gets_another_value_of_its_type(assertion, other):
    lines = altered_text(FILE, f"def test_it(self):\n    {assertion}\n").splitlines()
    assert lines[1] == f"    {other}"


def test_the_rest_of_the_file_stays_as_it_is():
    source = '''
        # -*- coding: utf-8 -*-
        """Tests of   odd spacing."""
        from __future__ import annotations
        from calc import (add,
              mul)  # why not


        def test_add( ):
            assert add(2,3)==5 # sum
        '''
    text = altered_text(FILE, source)
    assert text.startswith(dedent(source).lstrip("\n").replace("==5", "==1529"))
    assert changed(source) == [
        "    assert add(2,3)==1529 # sum",
        f"def test_add_{WORD}( ):",
        "    assert add(2,3)==object() # sum",
        f"def test_add_x{WORD}():",
        f'    assert len("{WORD}") == 0',
    ]


def test_only_tests_that_a_runner_reported_are_changed():
    source = """
        def test_add():
            assert add(2, 3) == 5

        def test_other():
            assert add(2, 3) == 5
        """
    assert failing(FILE, source, "test_other") == ["test_other"]
    assert failing(FILE, source) == ["test_add", "test_other"]
    assert failing(FILE, source, "test_gone") == []


def test_names_are_read_without_parameters_and_classes():
    source = """
        class TestIt:
            def test_many(self, text):
                assert text == "a"
        """
    assert failing(FILE, source, "TestIt::test_many[x::y]") == ["TestIt::test_many"]


LEFT_ALONE = {
    "skipped": "@pytest.mark.skip\ndef test_it():\n    assert f() == 1\n",
    "skipped for a reason of their own": "@skip_on_windows\ndef test_it():\n    assert f() == 1\n",
    "expected to fail": "@pytest.mark.xfail(strict=True)\ndef test_it():\n    assert f() == 1\n",
    "expected to fail in unittest": "@unittest.expectedFailure\ndef test_it(self):\n    assert f() == 1\n",
    "one case expected to fail": (
        '@pytest.mark.parametrize("x", [1, pytest.param(2, marks=pytest.mark.xfail)])\n'
        "def test_it(x):\n    assert x == 1\n"
    ),
    "skips in its body": "def test_it():\n    pytest.skip('later')\n    assert f() == 1\n",
    "raises a skip": "def test_it():\n    if slow: raise unittest.SkipTest('later')\n    assert f() == 1\n",
    "a property": "@given(st.integers())\ndef test_it(x):\n    assert f(x) == 1\n",
    "a fixture": "@pytest.fixture\ndef test_it():\n    assert f() == 1\n",
    "a snapshot": "def test_it(snapshot):\n    assert f() == snapshot\n",
    "an inline snapshot": "def test_it():\n    assert f() == snapshot(1)\n",
    "a generator": "def test_it():\n    assert f() == 1\n    yield\n",
    "a coroutine that nobody awaits": "async def test_it():\n    assert f() == 1\n",
    "in a skipped class": "@unittest.skip('x')\nclass TestIt:\n    def test_it(self):\n        assert f() == 1\n",
    "in a class without tests": "class T:\n    __test__ = False\n    def test_it(self):\n        assert f() == 1\n",
    "in a skipped module": "pytestmark = pytest.mark.skipif(old, reason='')\ndef test_it():\n    assert f() == 1\n",
    "bound again": "def test_it():\n    assert f() == 1\ntest_it = decorated(test_it)\n",
    "in a branch": "if old:\n    def test_it():\n        assert f() == 1\n",
    "in a module that runs itself": "def test_it():\n    assert f() == 1\ntest_it()\n",
    "in a module that exits": "def test_it():\n    assert f() == 1\nsys.exit(0)\n",
    "no Python": "def test_it(:\n    assert f() == 1\n",
    "Python 2": "def test_it():\n    print 'x'\n    assert f() == 1\n",
}


@pytest.mark.parametrize("source", LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_left_alone(source):
    assert alter(FILE, source) is None


NOT_IN_PLACE = {
    "in a loop": "for x in xs:\n        assert f(x) == 1",
    "in a context": "with subject() as x:\n        assert x == 1",
    "in a helper": "check(f(), 1)",
    "behind a return": "if old: return\n    assert f() == 1",
    "in a function of its own": "def inner():\n        assert f() == 1\n    inner()",
    "negated": "assert not f() == 1",
    "of two": "assert f() == 1 and g() == 2",
    "chained": "assert f() == g() == 1",
    "of anything": "assert ANY == f()",
    "of what is made for comparing": "assert IsPositive() == x",
    "with what is made for comparing": "assert 5 == checks.IsPositive | checks.IsNegative()",
    "of an object with a constant": "assert Money(5) == 5",
    "of other arguments": "self.assertEqual(*pair, 1)",
}


@pytest.mark.parametrize("body", NOT_IN_PLACE.values(), ids=NOT_IN_PLACE.keys())
def test_other_assertions_stay_and_the_test_fails_at_its_begin(body):
    text = altered_text(FILE, f'def test_it(self):\n    """Why."""\n    {body}\n')
    assert text.startswith(f'def test_it(self):\n    """Why."""\n    assert len("{WORD}") == 0\n    {body}\n')
    assert f"def test_it_{WORD}" not in text


def test_a_return_in_an_inner_function_does_not_count():
    source = "def test_it():\n    def inner():\n        return 1\n    assert inner() == 1\n"
    assert failing(FILE, source) == ["test_it"]
    assert "assert inner() == 1525" in altered_text(FILE, source)


def test_only_the_first_test_without_a_comparison_fails_at_its_begin():
    source = "def test_a():\n    check()\n\n\ndef test_b():\n    check()\n"
    assert failing(FILE, source) == ["test_a"]


def test_a_test_on_one_line_gets_a_test_beside_it_only():
    source = "def test_a(): check()\n"
    assert failing(FILE, source) == []
    assert changed(source) == [f"def test_a_x{WORD}():", f'    assert len("{WORD}") == 0']


def test_a_comparison_on_one_line_is_copied():
    assert f"def test_a_{WORD}(): assert f() == object()" in altered_text(FILE, "def test_a(): assert f() == 1\n")


@pytest.mark.parametrize(
    "source",
    [
        "@pytest.mark.asyncio\nasync def test_it():\n    assert await f() == 1\n",
        "pytestmark = pytest.mark.anyio\nasync def test_it():\n    assert await f() == 1\n",
        "class T(IsolatedAsyncioTestCase):\n    async def test_it(self):\n        self.assertEqual(await f(), 1)\n",
    ],
)
def test_awaited_coroutines_are_changed(source):
    assert failing(FILE, source)[0].endswith("test_it")


def test_coroutines_are_changed_where_pytest_awaits_all():
    source = "async def test_it():\n    assert await f() == 1\n"
    assert failing(FILE, source, awaits=True) == ["test_it"]
    assert f"async def test_it_{WORD}():" in altered_text(FILE, source, awaits=True)


def test_of_two_definitions_the_last_counts():
    text = altered_text(FILE, "def test_a():\n    assert f() == 1\n\n\ndef test_a():\n    assert g() == 1\n")
    assert "assert f() == 1\n" in text
    assert "assert g() == 1525\n" in text


def test_a_copy_keeps_decorators_arguments_and_marks():
    source = """
        @pytest.mark.slow
        @pytest.mark.parametrize("a", [1, 2])
        def test_many(a, two) -> None:
            assert f(a) == two
        """
    lines = altered_text(FILE, source).splitlines()
    copy = lines.index(f"def test_many_{WORD}(a, two) -> None:")
    assert lines[copy - 2 : copy] == ["@pytest.mark.slow", '@pytest.mark.parametrize("a", [1, 2])']
    added = lines.index(f"def test_many_x{WORD}() -> None:")
    assert lines[added - 1] == "@pytest.mark.slow"
    assert lines[added - 2] == ""


@pytest.mark.parametrize(
    "source",
    [
        '@pytest.mark.parametrize("a", [1])\nclass TestIt:\n    def test_it(self, a):\n        assert a == 1\n',
        'pytestmark = [pytest.mark.parametrize("a", [1])]\ndef test_it(a):\n    assert a == 1\n',
    ],
)
def test_where_all_tests_take_parameters_none_is_added_without(source):
    text = altered_text(FILE, source)
    assert f"test_it_{WORD}(" in text
    assert f"test_it_x{WORD}" not in text


def test_methods_get_their_copies_in_their_class_before_what_runs_the_file():
    source = """
        import unittest


        class T(unittest.TestCase):
            def test_add(self):
                self.assertEqual(add(2, 3), 5)


        if __name__ == "__main__":
            unittest.main()
        """
    text = altered_text(FILE, source)
    module = ast.parse(text)
    _, case, main = module.body
    assert isinstance(case, ast.ClassDef)
    assert [each.name for each in case.body] == ["test_add", f"test_add_{WORD}", f"test_add_x{WORD}"]
    assert isinstance(main, ast.If)
    assert f'        self.assertEqual(len("{WORD}"), 0)\n' in text
    assert text.endswith('\n\n\nif __name__ == "__main__":\n    unittest.main()\n')


def test_ids_name_classes():
    source = """
        class TestOuter:
            class TestInner:
                def test_a(self):
                    assert f() == 1

        def test_b():
            assert f() == 1
        """
    made = alter(FILE, source)
    assert made is not None
    assert set(made.must_fail) == {
        f"{FILE}::TestOuter::TestInner::test_a",
        f"{FILE}::TestOuter::TestInner::test_a_{WORD}",
        f"{FILE}::TestOuter::TestInner::test_a_x{WORD}",
        f"{FILE}::test_b",
        f"{FILE}::test_b_{WORD}",
        f"{FILE}::test_b_x{WORD}",
    }


def test_a_file_that_names_its_tests_gets_no_others():
    source = """
        class T(unittest.TestCase):
            def test_add(self):
                self.assertEqual(add(2, 3), 5)

        def load_tests(loader, tests, pattern):
            return unittest.TestSuite([T("test_add")])
        """
    made = alter(FILE, source)
    assert made is not None
    assert made.must_fail == (f"{FILE}::T::test_add",)


def test_long_files_get_a_bounded_number_of_copies():
    source = "\n\n".join(f"def test_{number}():\n    assert f() == {number}\n" for number in range(60))
    made = alter(FILE, source)
    assert made is not None
    assert len(failing(FILE, source)) == 60
    assert len(made.must_fail) == 60 + 20 + 1


def test_tests_with_very_many_cases_are_left_alone():
    """A thousand failures would take much longer than a thousand tests that pass."""
    source = "def test_many(x):\n    assert x == 1\n\n\ndef test_few(x):\n    assert x == 1\n"
    many = [f"test_many[{number}]" for number in range(1000)]
    few = [f"test_few[{number}]" for number in range(50)]
    assert failing(FILE, source, *many, *few) == ["test_few"]
    assert failing(FILE, source, *many) == ["test_many"]  # better than none
    assert failing(FILE, source, *many, *few, red=("test_many[0]",)) == ["test_many"]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "utf-8-sig", "cp1252"])
def test_encodings_stay(encoding):
    cookie = "" if encoding == "utf-8-sig" else f"# coding: {encoding}\n"
    source = f"{cookie}def test_it():\n    assert f('é') == 'é'\n".encode(encoding)
    made = alter(FILE, source)
    assert made is not None
    assert made.content.startswith(source[: source.index(b" == ")])
    assert made.content.decode(encoding).count("é") == 2  # the test and its copy


def test_line_ends_stay():
    made = alter(FILE, b"def test_it():\r\n    assert f() == 1\r\n")
    assert made is not None
    assert made.content.count(b"\n") == made.content.count(b"\r\n") > 5


def test_a_file_without_a_last_newline():
    text = altered_text(FILE, "def test_it():\n    assert f() == 1")
    assert text.startswith("def test_it():\n    assert f() == 1525\n\n\ndef ")


def test_tabs_stay():
    text = altered_text(FILE, "class TestIt:\n\tdef test_it(self):\n\t\tcheck()\n")
    assert f'\t\tassert len("{WORD}") == 0\n\t\tcheck()\n' in text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0",
        b"# coding: no-such\n",
        b"\xff\xfe",
        b"x = '\xe9'\n",
        b"(" * 5000,
        b"def test_it():\r    assert 1 == 1\r",
    ],
)
def test_odd_content_is_left_alone(content):
    assert alter(FILE, content) is None
