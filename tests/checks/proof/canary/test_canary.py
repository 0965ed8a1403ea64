import asyncio

import pytest

from checks.proof.memory_tree import LINK, PROGRAM, MemoryTree
from ralph.checks.proof.canary import canary

WORD = "5f3a9c01"
TEST = "def test_it():\n    assert f() == 1\n"
JS_TEST = "test('it', () => { expect(f()).toBe(1); });\n"
GO_TEST = 'package a\n\nimport "testing"\n\nfunc TestIt(t *testing.T) {\n\tif f() != 2 {\n\t\tt.Error()\n\t}\n}\n'
RUST_TEST = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn it() {\n        assert_eq!(f(), 1);\n    }\n}\n"


def made(files, *, red=(), seen=(), tests=None, scripts=None, command="make test"):
    tree = MemoryTree(files)
    given = [path for path in files if "test" in path] if tests is None else tests
    outcomes = seen if isinstance(seen, dict) else dict.fromkeys(seen, "passed")
    return asyncio.run(
        canary(tree, red=red, seen=outcomes, tests=given, scripts=scripts or {}, word=WORD, command=command)
    )


def python_files(*names):
    return {f"tests/test_{name}.py": TEST for name in names}


def ids(*names):
    return [f"tests/test_{name}.py::test_it" for name in names]


def test_files_of_red_tests_come_first():
    found = made(python_files("a", "b", "c"), red=ids("c"), seen=ids("a", "b", "c"))
    assert list(found.changes) == ["tests/test_c.py"]
    assert found.must_fail[0] == "tests/test_c.py::test_it"
    assert found.word == WORD
    assert not found.exit_only


def test_without_red_tests_up_to_three_files_are_changed():
    found = made(python_files(*"abcde"), seen=ids(*"abcde"))
    assert list(found.changes) == ["tests/test_a.py", "tests/test_b.py", "tests/test_c.py"]


def test_a_red_file_that_cannot_be_changed_leaves_it_to_others():
    files = python_files("a") | {"tests/test_b.py": "def test_it(:\n"}
    assert list(made(files, red=ids("b"), seen=ids("a", "b")).changes) == ["tests/test_a.py"]


def test_a_base_that_could_not_be_collected_names_no_files():
    found = made(python_files("a", "b"), red=["#collect"], seen={"#collect": "failed"}, command="pytest")
    assert list(found.changes) == ["tests/test_a.py", "tests/test_b.py"]
    assert not found.exit_only  # a runner reports, so that the names tell, too


def test_red_tests_that_could_not_be_collected_have_no_file():
    assert list(made(python_files("a"), red=["#collect"], seen=ids("a")).changes) == ["tests/test_a.py"]


JASMINE_TEST = "describe('sums', () => {\n  it('adds', () => { expect(add(1, 2)).toBe(3); });\n});\n"


def test_a_report_that_names_no_file_is_placed_by_the_titles_of_its_tests():
    files = {"test/a.js": JASMINE_TEST, "test/b.js": JASMINE_TEST.replace("adds", "removes"), **python_files("c")}
    found = made(files, red=["sums::adds"], seen=["sums::adds"], command="npx jasmine")
    assert list(found.changes) == ["test/a.js"]
    assert WORD in found.changes["test/a.js"].content.decode()
    assert not found.exit_only


def test_titles_that_no_file_has_or_too_many_files_have_no_place():
    assert made({"test/a.js": JASMINE_TEST}, seen=["sums::divides"]).changes == {}
    many = {f"test/a{number}.js": JASMINE_TEST for number in range(101)}
    assert made(many, seen=["sums::adds"]).changes == {}


def test_files_that_no_runner_reported_are_left_alone():
    found = made(python_files("a", "b"), seen=ids("b"), command="pytest tests/test_b.py")
    assert list(found.changes) == ["tests/test_b.py"]


def test_files_whose_tests_were_skipped_are_left_alone():
    """A runner may report what the command does not select as skipped."""
    seen = dict(zip(ids("a", "b", "c"), ("skipped", "xfailed", "failed"), strict=True))
    assert list(made(python_files("a", "b", "c"), seen=seen).changes) == ["tests/test_c.py"]


def test_a_check_that_runs_no_tests_is_not_judged_by_them():
    found = made(python_files("a") | {"Makefile": "test:\n\tpytest\nlint: ; ruff check\n"}, command="ruff check .")
    assert found.changes == {}
    assert found.left_out == "no test file in a language that ralph can change, and no script"


def test_where_nothing_is_reported_all_files_of_a_named_runner_are_changed():
    files = python_files(*"abcde") | {"web/a.test.js": JS_TEST, "Makefile": "test:\n\tpytest\njs:\n\tjest\n"}
    found = made(files, command="make test")
    assert sorted(found.changes) == sorted(python_files(*"abcde"))
    assert found.exit_only
    assert sorted(made(files, command="make js").changes) == ["web/a.test.js"]


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("pytest -q", True),
        ("python -m pytest tests", True),
        ("env -i CI=1 .venv/bin/pytest", True),
        ("ruff check . && uv run pytest", True),
        ("python3 -I -m unittest discover", True),
        ("python manage.py test", True),
        ("pip install pytest ruff && ruff check .", False),
        ("ruff check tests --exclude pytest", False),
        ("echo pytest", False),
        ("pytest --collect-only -q && ruff check .", False),
        ("if test -n $CI; then pytest; fi", False),
    ],
)
def test_a_runner_counts_where_a_command_begins(command, runs):
    assert bool(made(python_files("a"), command=command).changes) == runs


def test_too_many_files_are_not_changed_blindly():
    names = [f"n{number}" for number in range(101)]
    assert made(python_files(*names), command="pytest").changes == {}
    assert len(made(python_files(*names[:100]), command="pytest").changes) == 100


def test_each_language_has_its_turn():
    files = python_files(*"abcd") | {"web/a.test.js": JS_TEST}
    found = made(files, seen=[*ids(*"abcd"), "web/a.test.js::it"])
    assert set(found.changes) == {"tests/test_a.py", "web/a.test.js", "tests/test_b.py"}


def test_go_tests_are_known_by_their_package():
    files = {"go.mod": "module example.com/calc\n", "a/a_test.go": GO_TEST, "b/b_test.go": GO_TEST}
    found = made(files, seen=["example.com/calc/a::TestIt"])
    assert set(found.changes) == {"a/a_test.go", f"a/x{WORD}_test.go"}
    assert found.must_fail == ("example.com/calc/a::TestIt", f"example.com/calc/a::TestItX{WORD}")


def test_go_modules_in_a_folder():
    files = {"back/go.mod": "module example.com/back\n", "back/a_test.go": GO_TEST}
    assert f"back/x{WORD}_test.go" in made(files, seen=["example.com/back::TestIt"]).changes


CRATE = '[package]\nname = "my-calc"\n'


def test_rust_modules_are_found_in_their_files():
    files = {"Cargo.toml": CRATE, "src/lib.rs": "mod calc;\nmod deep;\n", "src/calc.rs": RUST_TEST}
    found = made(files | {"src/deep/mod.rs": RUST_TEST}, seen=["my_calc::calc::tests::it", "my_calc::deep::tests::it"])
    assert list(found.changes) == ["src/calc.rs", "src/deep/mod.rs"]
    assert found.must_fail == (
        "my_calc::calc::tests::it",
        f"my_calc::calc::tests::it_x{WORD}",
        "my_calc::deep::tests::it",
        f"my_calc::deep::tests::it_x{WORD}",
    )


def test_rust_tests_in_the_first_file_of_a_program():
    sums = "#[test]\nfn adds() {\n    assert_eq!(f(), 1);\n}\n"
    files = {"core/Cargo.toml": CRATE, "core/src/lib.rs": RUST_TEST, "core/tests/sums.rs": sums, "Cargo.toml": "["}
    found = made(files, seen=["my_calc::tests::it", "sums::adds"])
    assert list(found.changes) == ["core/src/lib.rs", "core/tests/sums.rs"]
    assert {"my_calc::tests::it", "sums::adds"} < set(found.must_fail)


def test_java_tests_are_known_by_their_class():
    java = "import org.junit.Test;\n\npublic class CalcTest {\n    @Test public void adds() {}\n}\n"
    files = {"src/test/java/com/CalcTest.java": java, "src/test/java/com/OtherTest.java": java}
    found = made(files, seen=["com.CalcTest::adds"])
    assert list(found.changes) == ["src/test/java/com/CalcTest.java"]


@pytest.mark.parametrize("setting", ["asyncio_mode = auto", 'asyncio_mode = "auto"'])
def test_coroutines_count_where_the_settings_have_them_awaited(setting):
    files = {"tests/test_a.py": "async def test_it():\n    assert await f() == 1\n"}
    assert made(files, seen=ids("a")).changes == {}
    assert made(files | {"pytest.ini": f"[pytest]\n{setting}\n"}, seen=ids("a")).changes


def test_modes_stay_and_links_are_left_alone():
    files = {"tests/test_a.py": (PROGRAM, TEST), "tests/test_b.py": (LINK, "test_a.py")}
    found = made(files, seen=ids("a", "b"))
    assert {path: file.mode for path, file in found.changes.items()} == {"tests/test_a.py": PROGRAM}


@pytest.mark.parametrize("content", [b"def test_it():\n    assert '\0' == 1\n", TEST.encode() + b"#" * 1_000_001])
def test_binary_and_huge_files_are_left_alone(content):
    assert made({"tests/test_a.py": content}, seen=ids("a")).changes == {}


def test_helpers_of_tests_are_left_alone():
    files = {"tests/conftest.py": TEST, "tests/__init__.py": TEST}
    assert made(files, seen=["tests/conftest.py::test_it", "tests/__init__.py::test_it"]).changes == {}


SCRIPTS = {
    "Makefile": "include build/rules.mk\n",
    "build/rules.mk": "check:\n\tsh scripts/check.sh\nrelease:\n\tpython scripts/release.py\n",
    "scripts/check.sh": (PROGRAM, "#!/bin/sh\nset -e\n. scripts/lib.sh\nrun_checks\n"),
    "scripts/lib.sh": "run_checks() {\n  python tools/verify.py\n}\n",
    "tools/verify.py": "from tools_lib import need\nneed(1, 1)\n",
    "tools/tools_lib.py": "import sys\ndef need(a, b):\n    if a != b:\n        sys.exit(1)\n",
    "scripts/release.py": "print('released')\n",
}
NAMED = {
    "Makefile": "the check",
    "build/rules.mk": "Makefile",
    "scripts/check.sh": "build/rules.mk",
    "scripts/release.py": "build/rules.mk",
    "scripts/lib.sh": "scripts/check.sh",
    "tools/verify.py": "scripts/lib.sh",
    "tools/tools_lib.py": "tools/verify.py",
}


def test_the_innermost_script_fails_at_its_end():
    found = made(SCRIPTS, scripts=NAMED, command="make check")
    assert list(found.changes) == ["tools/verify.py"]
    assert found.must_fail == ("tools/verify.py",)
    assert found.exit_only


def test_a_script_that_cannot_fail_leaves_it_to_its_caller():
    files = SCRIPTS | {"tools/verify.py": "import click\nfrom tools_lib import need\n"}
    found = made(files, scripts=NAMED, command="make check")
    assert list(found.changes) == ["scripts/check.sh"]
    assert found.changes["scripts/check.sh"].mode == PROGRAM


def test_without_scripts_the_target_fails():
    files = {"Makefile": "lint:\n\truff check .\nall: lint\n"}
    found = made(files, scripts={"Makefile": "the check"}, command="make lint")
    assert found.changes["Makefile"].content == b"lint:\n\truff check .\n\t@exit 37\nall: lint\n"
    assert found.must_fail == ("the target lint of Makefile",)


def test_the_target_of_an_included_makefile():
    files = {"Makefile": "include build/rules.mk\n", "build/rules.mk": "lint:\n\truff check .\n"}
    found = made(files, scripts={"build/rules.mk": "Makefile"}, command="make -s lint")
    assert list(found.changes) == ["build/rules.mk"]


def test_a_script_that_cannot_be_changed_is_named():
    files = {"check.sh": "if true; then exec ruff check; fi\n"}
    found = made(files, scripts={"check.sh": "the check"}, command="sh check.sh")
    assert found.left_out == "check.sh hands over to another program before its end"


@pytest.mark.parametrize(
    ("path", "content", "last"),
    [
        ("scripts/check", "#!/usr/bin/env bash\ntrue\n", b"exit 37\n"),
        ("scripts/check", "#!/usr/bin/env python3\nprint()\n", b'    (lambda *_: __import__("os")._exit(37))()\n'),
        ("scripts/check.js", "check()\n", b";process.exit(37);\n"),
    ],
)
def test_languages_of_scripts(path, content, last):
    found = made({path: content}, scripts={path: "the check"}, command=f"./{path}")
    assert found.changes[path].content.endswith(last)


def test_other_languages_are_named():
    found = made({"check.pl": "exit 0;\n"}, scripts={"check.pl": "the check"}, command="perl check.pl")
    assert found.left_out == "check.pl is in a language that ralph cannot change"


def test_scripts_of_a_package():
    files = {
        "package.json": '{"scripts": {"lint": "node scripts/lint.js", "other": "node scripts/other.js"}}',
        "scripts/lint.js": "check();\n",
        "scripts/other.js": "check();\n",
    }
    named = {"scripts/lint.js": "package.json", "scripts/other.js": "package.json"}
    assert list(made(files, scripts=named, command="npm run lint").changes) == ["scripts/lint.js"]


def test_a_test_file_that_the_command_runs_itself_is_a_script():
    files = {"tests/check_calc.py": "from calc import add\nassert add(2, 3) == 5\n"}
    found = made(files, scripts={"tests/check_calc.py": "the check"}, command="python tests/check_calc.py")
    assert list(found.changes) == ["tests/check_calc.py"]
    assert found.exit_only


@pytest.mark.parametrize(
    ("command", "changed"),
    [
        ("python gen.py; ruff check .", []),
        ("python gen.py || true", []),
        ("python gen.py | tee log", []),
        ("if python gen.py; then ruff check .; fi", []),
        ("! python gen.py", []),
        ("python gen.py && ruff check .", ["gen.py"]),
        ("python gen.py || exit 1", ["gen.py"]),
        ("python -c 'import gen'", []),
    ],
)
def test_only_scripts_whose_failure_counts_are_changed(command, changed):
    found = made({"gen.py": "print()\n"}, scripts={"gen.py": "the check"}, command=command)
    assert list(found.changes) == changed


@pytest.mark.parametrize(
    ("check", "changed"),
    [
        ("python gen.py\nruff check .\n", "check.sh"),
        ("ruff check .\npython gen.py\n", "gen.py"),
        ("set -e\npython gen.py\nruff check .\n", "gen.py"),
        ("set -euo pipefail\npython gen.py\nruff check .\n", "gen.py"),
        ("set -e\npython gen.py || true\nruff check .\n", "check.sh"),
        ("#!/bin/sh -e\npython gen.py\nruff check .\n", "gen.py"),
    ],
)
def test_a_shell_goes_on_after_failures_unless_it_is_told_not_to(check, changed):
    named = {"check.sh": "the check", "gen.py": "check.sh"}
    found = made({"check.sh": check, "gen.py": "print()\n"}, scripts=named, command="sh check.sh")
    assert list(found.changes) == [changed]


def test_what_a_python_script_runs_need_not_decide():
    files = {"check.py": "import subprocess\nsubprocess.run(['sh', 'a.sh'])\n", "a.sh": "true\n"}
    named = {"check.py": "the check", "a.sh": "check.py"}
    assert list(made(files, scripts=named, command="python check.py").changes) == ["check.py"]


def test_a_target_that_two_makefiles_have_is_left_alone():
    files = {"Makefile": "lint:\n\ttrue\n", "sub/Makefile": "lint:\n\ttrue\n"}
    assert made(files, scripts={"sub/Makefile": "the check"}, command="make -C sub lint").changes == {}


@pytest.mark.parametrize("package", ["[]", "{", '{"scripts": []}', '{"scripts": {"test": 1}}'])
def test_a_broken_package_is_no_error(package):
    assert made({"package.json": package}, command="npm test").changes == {}


def test_scripts_that_name_each_other_come_to_an_end():
    files = {"a.sh": "sh b.sh\n", "b.sh": "sh a.sh\n"}
    named = {"a.sh": "b.sh", "b.sh": "a.sh"}
    assert set(made(files, scripts=named, command="sh a.sh").changes) == {"a.sh", "b.sh"}
    refusing = {path: f"set -e\n{text}exec ls\ntrue\n" for path, text in files.items()}
    assert made(refusing, scripts=named, command="sh a.sh").left_out.startswith("a.sh hands over")
