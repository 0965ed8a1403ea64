"""The process that reads a change: it finds the same, its end is noticed, and it is quick."""

import asyncio
import resource
import subprocess
import sys
import time

import pytest

from checks.proof.tamper import test_golang, test_javascript, test_python
from checks.proof.tamper.looking import asked, look, look_apart
from checks.proof.tamper.projects import GO, JEST, NODE, PYTEST, RUST, SCRIPTS
from ralph.checks.proof.tamper import tampering
from ralph.checks.proof.tamper.between_trees import gather
from ralph.checks.proof.tamper.judging import findings
from ralph.checks.proof.tamper.languages import language_of
from ralph.checks.proof.tamper.new_hits import new_hits
from ralph.checks.proof.tamper.pairing import Pairing
from ralph.checks.proof.tamper.sheet import Sheet
from ralph.checks.proof.tamper.source import sources
from ralph.checks.proof.tamper.versions import Versions, places
from ralph.checks.proof.tamper.weighing import weighed
from ralph.model.errors import StateError
from ralph.proc.own_python import own_module
from ralph.syntax.grammars import GRAMMARS
from ralph.syntax.outline import Parsed

EXIT = {"calc.py": "import os\nos._exit(0)\n"}


def scripted(monkeypatch, program):
    """Another program reads."""
    monkeypatch.setattr("ralph.checks.proof.tamper.apart.PROGRAM", (sys.executable, "-c", program))


def test_a_process_of_its_own_finds_what_is_found_here():
    base = {
        **PYTEST,
        **GO,
        **RUST,
        **SCRIPTS,
        "web/calc.js": NODE["calc.js"],
        "web/calc.test.ts": JEST["src/calc.test.ts"],
    }
    edits = {
        **EXIT,
        "tests/test_calc.py": base["tests/test_calc.py"].replace("def test_mul", "def test_product"),
        "calc_test.go": base["calc_test.go"].replace("got != 5", "false"),
        "src/lib.rs": base["src/lib.rs"].replace("    #[test]\n    fn adds", "    #[test]\n    #[ignore]\n    fn adds"),
        "web/calc.js": "process.exit(0);\n",
        "web/calc.test.ts": base["web/calc.test.ts"].replace("it('adds'", "it.skip('adds'"),
        "Makefile": base["Makefile"].replace("sh scripts", "-sh scripts"),
        "bin/pytest": ("100755", "#!/bin/sh\n"),
        "pyproject.toml": base["pyproject.toml"].replace('"-q"', '"-q --co"'),
    }
    found = look_apart(base, edits)
    assert found == look(base, edits)
    assert {each.rule for each in found} == {"exit", "renamed", "emptied", "skip", "no-op", "path-shim"}


def test_only_data_needs_no_process(monkeypatch):
    scripted(monkeypatch, "raise SystemExit(1)")
    base = {"tests/data/sum.json": "5\n", "README.md": "a\n"}
    found = look_apart(base, {"tests/data/sum.json": "6\n", "README.md": "b\n"})
    assert [(each.rule, each.file) for each in found] == [("changed-assertion", "tests/data/sum.json")]


def test_a_file_that_kills_the_process_is_named_and_the_rest_is_read(monkeypatch, tmp_path):
    """As a parser would that crashes on `bad.py`."""
    program = """
import os, runpy, sys
import ralph.checks.proof.tamper.judging as judging
read = judging._read
def crash(change):
    if change.path == "bad.py" and change.head:
        os.abort()
    return read(change)
judging._read = crash
runpy.run_module("ralph.checks.proof.tamper", run_name="__main__")
"""
    scripted(monkeypatch, program)
    found = look_apart(PYTEST, {"bad.py": "exit()\n", **EXIT})
    assert [(each.rule, each.level, each.file) for each in found] == [
        ("unreadable", "block", "bad.py"),
        ("exit", "block", "calc.py"),
    ]


@pytest.mark.e2e
def test_a_file_that_stalls_the_process_is_named(monkeypatch):
    monkeypatch.setattr("ralph.checks.proof.tamper.apart.PATIENCE", 1.0)
    scripted(monkeypatch, """import time; print('{"type":"at","path":"calc.py"}', flush=True); time.sleep(60)""")
    found = look_apart(PYTEST, EXIT)
    assert [(each.level, each.file) for each in found] == [("block", ""), ("block", "calc.py")]
    assert {each.rule for each in found} == {"unreadable"}


def test_a_process_that_dies_while_it_compares_blocks(monkeypatch):
    scripted(monkeypatch, """print('{"type":"at","path":""}', flush=True); import os; os.abort()""")
    found = look_apart(PYTEST, EXIT)
    assert [(each.rule, each.level) for each in found] == [("unreadable", "block")]


def test_a_process_that_cannot_start_is_an_error_and_no_clean_bill(monkeypatch):
    scripted(monkeypatch, "import sys; sys.exit('no module named x')")
    with pytest.raises(StateError, match="no module named x"):
        look_apart(PYTEST, EXIT)


def test_a_grammar_that_cannot_be_loaded_is_an_error(monkeypatch, tmp_path):
    (tmp_path / "tree_sitter_python.py").write_text("raise ImportError('damaged')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("ralph.checks.proof.tamper.apart.PROGRAM", own_module("ralph.checks.proof.tamper"))
    with pytest.raises(StateError, match=r"grammar of python cannot be loaded .*damaged"):
        look_apart(PYTEST, EXIT)


def test_a_grammar_without_its_function_is_an_error(monkeypatch):
    monkeypatch.setitem(GRAMMARS, "other", ("json", "language"))
    with pytest.raises(StateError, match="grammar of other cannot be loaded"):
        Parsed("other", b"")


def test_modules_of_the_project_do_not_stand_in_for_those_of_ralph(monkeypatch, tmp_path):
    (tmp_path / "msgspec.py").write_text("raise SystemExit('hijacked')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert [each.rule for each in look_apart(PYTEST, EXIT)] == ["exit"]


def test_a_cancelled_look_ends_its_process(monkeypatch):
    scripted(monkeypatch, """import time; print('{"type":"at","path":"calc.py"}', flush=True); time.sleep(600)""")

    async def cancelled():
        trees, arguments = asked(PYTEST, EXIT)
        task = asyncio.create_task(tampering(*trees, **arguments))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    began = time.monotonic()
    asyncio.run(cancelled())
    assert time.monotonic() - began < 30


CODE = (".py", ".js", ".ts", ".tsx", ".go")
ROWS = [
    row
    for module in (test_python, test_javascript, test_golang)
    for test in (module.test_an_attack_is_found, module.test_honest_work_passes)
    for row in test.pytestmark[0].args[1]
    if all(path.endswith(CODE) for path in row.edits)
]


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_leaving_out_what_both_versions_have_changes_nothing(row):
    trees, arguments = asked(row.project, row.edits, **row.options)
    changes = asyncio.run(gather(*trees, **arguments)).changes
    files = [read_whole(change) for change in changes]
    pairing = Pairing(places(files, is_base=True), places(files, is_base=False))
    assert seen(findings(changes)) == seen([*weighed(pairing), *new_hits(files, pairing)])


def read_whole(change):
    base, head = sources(change)
    sheets = [language_of(source).read(source) if source else Sheet() for source in (base, head)]
    return Versions(change, *sheets, base, head)


def seen(found):
    return {(each.rule, each.level, each.file, each.line) for each in found}


def test_no_parser_is_loaded_before_there_is_something_to_parse():
    program = (
        "import sys; import ralph.checks.proof.tamper; print([m for m in sys.modules if m.startswith('tree_sitter')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def many_files(lines):
    """100 files of the product and 100 of tests, in three languages."""
    python = "\n\n".join(
        f"def f{n}(a, b):\n    value = compute(a, b, {n})\n    return value + other(a)\n" for n in range(lines // 5)
    )
    checks = "\n\n".join(
        f"def test_{n}(tmp_path):\n    value = f{n}(1, 2)\n    assert value == {n}\n" for n in range(lines // 5)
    )
    script = "\n\n".join(
        f"export function f{n}(a, b) {{\n  const value = compute(a, b, {n});\n  return value;\n}}\n"
        for n in range(lines // 6)
    )
    specs = "\n\n".join(
        f"test('case {n}', () => {{\n  const value = f(1, {n});\n  expect(value).toBe({n});\n}});\n"
        for n in range(lines // 6)
    )
    golang = "package x\n\n" + "\n\n".join(
        f"func F{n}(a int) int {{\n\tb := compute(a, {n})\n\treturn b\n}}\n" for n in range(lines // 6)
    )
    go_tests = "package x\n\n" + "\n\n".join(
        f"func Test{n}(t *testing.T) {{\n\tif F(1) != {n} {{\n\t\tt.Fatal({n})\n\t}}\n}}\n" for n in range(lines // 7)
    )
    return {
        **{f"src/m{n}.py": python for n in range(50)},
        **{f"tests/test_m{n}.py": checks for n in range(50)},
        **{f"web/m{n}.js": script for n in range(25)},
        **{f"web/m{n}.test.js": specs for n in range(25)},
        **{f"go/m{n}.go": golang for n in range(25)},
        **{f"go/m{n}_test.go": go_tests for n in range(25)},
    }


def test_200_files_of_300_lines_take_less_than_a_second_and_a_half():
    base = many_files(300)
    edits = {
        path: content.replace("compute(a", "calculate(a", 9)
        .replace("f1(1, 2)", "f1(1, 3)")
        .replace("f(1, 1)", "f(2, 1)")
        for path, content in base.items()
    }
    edits["src/m0.py"] += "\nimport os\n\nos._exit(0)\n"
    began, before = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    found = look_apart(base, edits)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # The time that it works: the machine may be busy with others.
    apart = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert [each.file for each in found if each.level == "block"] == ["src/m0.py"]
    assert time.process_time() - began + apart < 1.5
