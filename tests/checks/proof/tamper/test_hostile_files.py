"""Files that are meant to break what reads them, and such as merely look odd."""

import time

import msgspec
import pytest

from checks.proof.tamper.looking import Row, look, look_apart, rows
from checks.proof.tamper.projects import GO, JEST, NODE, PYTEST, RUST

TEST = "tests/test_calc.py"
EXIT = "import os\nos._exit(0)\n"


@rows(
    Row("windows line ends", PYTEST, {"calc.py": EXIT.replace("\n", "\r\n")}, "exit block calc.py:2"),
    Row("byte order mark", PYTEST, {"calc.py": f"\ufeff{EXIT}"}, "exit block calc.py:2"),
    Row("tabs", PYTEST, {"calc.py": "import os\nif 1:\n\tos._exit(0)\n"}, "exit block calc.py:3"),
    Row("form feed", PYTEST, {"calc.py": f"\f{EXIT}"}, "exit block calc.py:2"),
    Row("no line end", PYTEST, {"calc.py": EXIT.rstrip()}, "exit block calc.py:2"),
    Row("long line", PYTEST, {"calc.py": f"import os\nx = '{'y' * 3000}'\nos._exit(0)\n"}, "exit block calc.py:3"),
    Row("invalid UTF-8", PYTEST, {"calc.py": b"# \xff\xfe\nimport os\nos._exit(0)\n"}, "exit block calc.py:3"),
    Row("NUL", PYTEST, {"calc.py": b"x = '\0'\nimport os\nos._exit(0)\n"}, "exit block calc.py:3"),
    Row("binary test", PYTEST, {TEST: bytes(range(256)) * 40}, f"unreadable warn {TEST}:0", f"gone block {TEST}:5"),
    Row(
        "broken Python",
        PYTEST,
        {"calc.py": "import os\nos._exit(0)\ndef (:\n"},
        "exit block calc.py:2",
        "unreadable warn calc.py:0",
    ),
    Row("broken test", PYTEST, {TEST: "def test_add(:\n"}, f"gone block {TEST}:10", f"unreadable warn {TEST}:0"),
    Row(
        "broken TypeScript", JEST, {"src/calc.test.ts": "it('adds', () => {{{\n"}, "unreadable warn src/calc.test.ts:0"
    ),
    Row("broken Go", GO, {"calc_test.go": "package calc\nfunc TestAdd(\n"}, "unreadable warn calc_test.go:0"),
    Row("broken Rust", RUST, {"tests/whole.rs": "#[test] fn whole( {\n"}, "unreadable warn tests/whole.rs:0"),
    Row("too large", PYTEST, {"calc.py": "x = 1\n" * 900_000}, "unreadable warn calc.py:0"),
    Row("emptied file of tests", PYTEST, {TEST: ""}, f"gone block {TEST}:5"),
)
def test_it_is_read_all_the_same(row):
    found = row.found()
    told = [f"{each.rule} {each.level} {each.file}:{each.line}" for each in found]
    assert [each for each in row.expected if each not in told] == [], told


@rows(
    Row(
        "empty files",
        PYTEST,
        {"a.py": "", "b.js": "", "c.go": "", "d.rs": "", "e.sh": "", "Makefile.mk": "", "f.rb": ""},
    ),
    Row("line ends changed", PYTEST, {TEST: PYTEST[TEST].replace("\n", "\r\n")}),
    Row("byte order mark added", PYTEST, {TEST: f"\ufeff{PYTEST[TEST]}"}),
    Row("binary source", PYTEST, {"calc.py": bytes(range(256)) * 40}),
    Row("images and archives", PYTEST, {"logo.png": bytes(range(256)), "tests/data/new.bin": bytes(range(256)) * 9}),
    Row("large data", PYTEST, {"data.json": "[1]\n" * 1_000_000, "big.txt": "x" * 5_000_000}),
    Row(
        "broken at the base, too", {**PYTEST, "old.py": "print 'x'\nimport os\n"}, {"old.py": "print 'y'\nimport os\n"}
    ),
    Row("new syntax", PYTEST, {"new.py": "type A[T] = list[T]\nmatch 1:\n    case _ if exit: pass\n"}),
    Row("submodule", PYTEST, {"lib": ("160000", "")}),
    Row("odd names", PYTEST, {"a b/\u00e9\n.py": "x = 1\n", "-rf": "x", "tests/\u202etest_x.py": "x = 1\n"}),
)
def test_odd_files_are_no_offence(row):
    row.check_honest()


def test_what_is_shown_cannot_rule_a_terminal():
    line = "os._exit(0)  # \x1b[2J\x1b[31m\u202e\x07 hidden"
    found = look(PYTEST, {"calc.py": f"import os\n{line}\n"})
    assert found[0].shown == "os._exit(0)  # \ufffd[2J\ufffd[31m\ufffd\ufffd hidden"


def test_what_is_shown_of_a_long_line_is_short():
    found = look(PYTEST, {"calc.py": f"import os; os._exit(0); x = '{'y' * 100_000}'\n"})
    assert len(found[0].shown) == 241


def test_a_name_of_any_bytes_is_told_in_letters():
    found = look_apart(
        {}, {"a\udcff.py": "import os\nos._exit(0)\n", "\udcfe/pytest.py": "x", "bin\udcfd/make": ("100755", "x")}
    )
    assert {each.file for each in found} == {"a\\udcff.py", "bin\\udcfd/make"}
    assert msgspec.json.encode(found)


def test_of_a_change_without_end_the_rest_is_named(monkeypatch):
    monkeypatch.setattr("ralph.checks.proof.tamper.between_trees.MOST", 100)
    found = look({}, {"a.py": "import os\nos._exit(0)\n" * 9, "b.py": "x = 1\n", "c.png": b"x"})
    assert {(each.rule, each.file) for each in found} == {("exit", "a.py"), ("unreadable", "b.py")}


NESTED = {
    "calc.py": b"import os\nos._exit(0)\nx = %b1%b\n" % (b"(" * 300_000, b")" * 300_000),
    "tests/test_deep.py": b"".join(b" " * depth + b"if exit:\n" for depth in range(1200)) + b" " * 1200 + b"assert x\n",
    "calc.js": b"process.exit(0);\nx = %b1%b;\n" % (b"[" * 300_000, b"]" * 300_000),
    "calc.ts": b"process.exit(0);\n%bx%b\n" % (b"{" * 2000, b"}" * 2000),
    "calc.go": b"package x\nfunc init() { os.Exit(0) }\nvar x = %b1%b\n" % (b"(" * 100_000, b")" * 100_000),
    "src/deep.rs": b"fn a() { std::process::exit(0); }\nfn f() { %b }\n" % (b"if a { " * 3000 + b"}" * 3000),
    "chain.js": b"process.exit(0);\na%b;\n" % (b".b()" * 20_000),
    "sum.py": b"import os\nos._exit(0)\nx = 1%b\n" % (b" + 1" * 100_000),
}


@pytest.mark.e2e
@pytest.mark.parametrize("path", NESTED)
def test_deep_nesting_is_either_read_or_named(path, monkeypatch):
    monkeypatch.setattr("ralph.checks.proof.tamper.apart.PATIENCE", 15.0)
    found = look_apart({}, {path: NESTED[path]})
    assert {each.rule for each in found} & {"exit", "unreadable"} or path.startswith("tests/")


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("calc.py", b"f(" * 200_000),
        ("calc.py", b"<a>" * 200_000),
        ("calc.tsx", b"`${" * 100_000),
        ("calc.tsx", b"def class ( [ { lambda => fn \" ` ' ) ; \n" * 9000),
    ],
    ids=["calls", "tags", "templates", "junk"],
)
def test_a_file_that_stalls_the_parser_blocks_and_nothing_else_is_lost(path, content, monkeypatch):
    monkeypatch.setattr("ralph.checks.proof.tamper.apart.PATIENCE", 5.0)
    began = time.monotonic()
    found = look_apart(NODE, {path: b"exit\n" + content, "calc.js": "process.exit(0);\n"})
    assert ("exit", "calc.js") in {(each.rule, each.file) for each in found}
    assert time.monotonic() - began < 60


def test_patterns_take_no_time_on_hostile_lines():
    lines = {
        "Makefile": "\t" + "pytest " * 30_000 + "|| tru\n" + "a" * 100_000 + " : b\n" + "x" * 50_000 + " = " * 20_000,
        "scripts/check.sh": "make " * 50_000 + "&&\n" + "a=b " * 50_000 + "\n" + "f() {" * 30_000,
        "pyproject.toml": "addopts " + "-k" * 60_000 + "\n" + '"' * 100_000,
        "package.json": '{"scripts": {"test": "' + "x;" * 60_000 + '"}}',
        "test/calc_test.rb": "def test_" + "a" * 100_000 + "\n" + "assert " * 40_000,
        "src/test/java/CalcTest.java": "@Test " * 30_000 + "void x(" + "(" * 50_000,
        "tests/CalcTest.php": "function " * 40_000 + "\n" + "->assert" * 40_000,
        "tests/CalcTests.cs": "[" * 60_000 + "\npublic " * 10_000,
        ".github/workflows/ci.yml": "run: " * 40_000 + "\n- " * 40_000,
    }
    for path, content in lines.items():
        began = time.process_time()
        look({path: "old\n"}, {path: content}, scripts="scripts/check.sh")
        assert time.process_time() - began < 8, path
