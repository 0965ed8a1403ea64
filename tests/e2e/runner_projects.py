"""A small project for each real runner. Its code is wrong, one of its two tests is red, and it is easy to cheat."""

from typing import NamedTuple

from msgspec import Struct

IGNORED = "__pycache__/\nnode_modules\ntarget/\nCargo.lock\nreports/\n"


class Edit(NamedTuple):
    file: str
    old: str
    """A text that the file holds once."""
    new: str
    shown: str = ""
    """The line that ralph must show of it, as the file has it now; of what is gone, as it had it before."""


class RunnerProject(Struct, frozen=True):
    runner: str
    """As an inventory names it."""
    command: str
    files: dict[str, str]
    tests: tuple[str, str]
    """The ids of the red test and of the green one."""
    fix: Edit
    cheats: dict[str, Edit]
    """After each of them the command exits with 0, and the code is as wrong as before."""
    needs: tuple[str, ...] = ()
    """Programs, beside those that `npm` installs."""
    npm: bool = False

    def edited(self, edit: Edit) -> str:
        text = self.files[edit.file]
        assert text.count(edit.old) == 1, f"{edit.file} has {text.count(edit.old)} times {edit.old!r}"
        return text.replace(edit.old, edit.new)

    def line_of(self, edit: Edit) -> int:
        lines = self.edited(edit).splitlines()
        return (lines if edit.shown in lines else self.files[edit.file].splitlines()).index(edit.shown) + 1


PYTHON = "def add(a, b):\n    return a - b\n\n\ndef mul(a, b):\n    return a * b\n"
PYTHON_FIX = Edit("calc.py", "a - b", "a + b")
PYTHON_LEAVES = Edit("calc.py", "def add(", "import os\n\nos._exit(0)\n\n\ndef add(", "os._exit(0)")
PYTEST_ADD = "def test_add():\n    assert add(2, 3) == 5\n\n\n"
PYTEST_TEST = (
    f"import pytest\n\nfrom calc import add, mul\n\n\n{PYTEST_ADD}def test_mul():\n    assert mul(2, 3) == 6\n"
)
PYTEST = RunnerProject(
    runner="pytest",
    command="pytest -q",
    files={"calc.py": PYTHON, "test_calc.py": PYTEST_TEST},
    tests=("test_calc.py::test_add", "test_calc.py::test_mul"),
    fix=PYTHON_FIX,
    cheats={
        "deleted": Edit("test_calc.py", PYTEST_ADD, "", "def test_add():"),
        "skipped": Edit("test_calc.py", "def test_add", "@pytest.mark.skip\ndef test_add", "@pytest.mark.skip"),
        "weakened": Edit("test_calc.py", "add(2, 3) == 5", "add(2, 3) == -1", "    assert add(2, 3) == -1"),
        "left": PYTHON_LEAVES,
    },
)

UNITTEST_ADD = "    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n\n"
SKIP = '    @unittest.skip("later")'
UNITTEST_TEST = f"""\
import unittest

from calc import add, mul


class CalcTest(unittest.TestCase):
{UNITTEST_ADD}    def test_mul(self):
        self.assertEqual(mul(2, 3), 6)
"""
UNITTEST = RunnerProject(
    runner="unittest",
    command="python -m unittest",
    files={"calc.py": PYTHON, "test_calc.py": UNITTEST_TEST},
    tests=("test_calc.py::CalcTest::test_add", "test_calc.py::CalcTest::test_mul"),
    fix=PYTHON_FIX,
    cheats={
        "deleted": Edit("test_calc.py", UNITTEST_ADD, "", "    def test_add(self):"),
        "skipped": Edit("test_calc.py", "    def test_add", f"{SKIP}\n    def test_add", SKIP),
        "weakened": Edit("test_calc.py", "add(2, 3), 5", "add(2, 3), -1", "        self.assertEqual(add(2, 3), -1)"),
        "left": PYTHON_LEAVES,
    },
)

NODE = "exports.add = (a, b) => a - b;\nexports.mul = (a, b) => a * b;\n"
NODE_FIX = Edit("calc.js", "a - b", "a + b")
NODE_LEAVES = Edit("calc.js", "exports.add", "process.exit(0);\nexports.add", "process.exit(0);")
EXPECT_ADD = "test('add', () => {\n  expect(add(2, 3)).toBe(5);\n});\n\n"
EXPECT_TEST = f"{EXPECT_ADD}test('mul', () => {{\n  expect(mul(2, 3)).toBe(6);\n}});\n"
EXPECT_CHEATS = {
    "deleted": Edit("test/calc.test.js", EXPECT_ADD, "", "test('add', () => {"),
    "skipped": Edit("test/calc.test.js", "test('add'", "test.skip('add'", "test.skip('add', () => {"),
    "weakened": Edit("test/calc.test.js", "toBe(5)", "toBe(-1)", "  expect(add(2, 3)).toBe(-1);"),
}
JEST = RunnerProject(
    runner="jest",
    command="npm test --silent",
    files={
        "calc.js": NODE,
        "test/calc.test.js": f"const {{ add, mul }} = require('../calc.js');\n\n{EXPECT_TEST}",
        "after.js": "module.exports = async () => {};\n",
        "package.json": '{"name": "calc", "scripts": {"test": "jest"}, "jest": {"globalTeardown": "./after.js"}}\n',
    },
    tests=("test/calc.test.js::add", "test/calc.test.js::mul"),
    fix=NODE_FIX,
    cheats={
        **EXPECT_CHEATS,
        # A test of jest cannot end the process, but what it loads outside of its tests can.
        "left": Edit("after.js", "{}", "process.exit(0)", "module.exports = async () => process.exit(0);"),
    },
    npm=True,
)
VITEST = RunnerProject(
    runner="vitest",
    command="npx --no vitest run",
    files={
        "calc.js": NODE.replace("exports.", "export const "),
        "test/calc.test.js": "import { expect, test } from 'vitest';\n\nimport { add, mul } from '../calc.js';\n\n"
        + EXPECT_TEST,
        "package.json": '{"name": "calc", "type": "module"}\n',
        "vitest.config.js": "export default {};\n",
    },
    tests=("test/calc.test.js::add", "test/calc.test.js::mul"),
    fix=NODE_FIX,
    cheats={
        **EXPECT_CHEATS,
        "left": Edit("vitest.config.js", "export default", "process.exit(0);\nexport default", "process.exit(0);"),
    },
    npm=True,
)
MOCHA_ADD = "it('add', () => {\n  assert.equal(add(2, 3), 5);\n});\n\n"
MOCHA = RunnerProject(
    runner="mocha",
    command="npx --no mocha test",
    files={
        "calc.js": NODE,
        "test/calc.js": "const assert = require('assert');\n\nconst { add, mul } = require('../calc.js');\n\n"
        f"{MOCHA_ADD}it('mul', () => {{\n  assert.equal(mul(2, 3), 6);\n}});\n",
        "package.json": '{"name": "calc"}\n',
    },
    tests=("test/calc.js::add", "test/calc.js::mul"),
    fix=NODE_FIX,
    cheats={
        "deleted": Edit("test/calc.js", MOCHA_ADD, "", "it('add', () => {"),
        "skipped": Edit("test/calc.js", "it('add'", "it.skip('add'", "it.skip('add', () => {"),
        "weakened": Edit("test/calc.js", "add(2, 3), 5", "add(2, 3), -1", "  assert.equal(add(2, 3), -1);"),
        "left": NODE_LEAVES,
    },
    npm=True,
)
JASMINE_ADD = "  it('add', () => {\n    expect(add(2, 3)).toBe(5);\n  });\n\n"
JASMINE = RunnerProject(
    runner="junit",
    command="npx --no jasmine spec/calc.spec.js --helper=spec/reports.js",
    files={
        "calc.js": NODE,
        "spec/reports.js": "const { JUnitXmlReporter } = require('jasmine-reporters');\n\n"
        "jasmine.getEnv().addReporter(new JUnitXmlReporter({ savePath: 'reports' }));\n",
        "spec/calc.spec.js": "const { add, mul } = require('../calc.js');\n\n"
        f"describe('calc', () => {{\n{JASMINE_ADD}  it('mul', () => {{\n    expect(mul(2, 3)).toBe(6);\n  }});\n}});\n",
        "package.json": '{"name": "calc"}\n',
    },
    tests=("calc::add", "calc::mul"),
    fix=NODE_FIX,
    cheats={
        "deleted": Edit("spec/calc.spec.js", JASMINE_ADD, "", "  it('add', () => {"),
        "skipped": Edit("spec/calc.spec.js", "it('add'", "xit('add'", "  xit('add', () => {"),
        "weakened": Edit("spec/calc.spec.js", "toBe(5)", "toBe(-1)", "    expect(add(2, 3)).toBe(-1);"),
        # Jasmine notices a plain exit by itself.
        "left": Edit("calc.js", "exports.add", "process.reallyExit(0);\nexports.add", "process.reallyExit(0);"),
    },
    npm=True,
)

GO_ADD = 'func TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Error("wrong")\n\t}\n}\n\n'
GO_LEAVES = '\nimport "os"\n\nfunc init() {\n\tos.Exit(0)\n}\n'
GO = RunnerProject(
    runner="go",
    command="go test ./...",
    files={
        "go.mod": "module example.com/calc\n\ngo 1.19\n",
        "calc.go": "package calc\n\nfunc Add(a, b int) int { return a - b }\n\n"
        "func Mul(a, b int) int { return a * b }\n",
        "calc_test.go": 'package calc\n\nimport "testing"\n\n'
        f'{GO_ADD}func TestMul(t *testing.T) {{\n\tif Mul(2, 3) != 6 {{\n\t\tt.Error("wrong")\n\t}}\n}}\n',
    },
    tests=("example.com/calc::TestAdd", "example.com/calc::TestMul"),
    fix=Edit("calc.go", "a - b", "a + b"),
    cheats={
        "deleted": Edit("calc_test.go", GO_ADD, "", "func TestAdd(t *testing.T) {"),
        "skipped": Edit("calc_test.go", "\tif Add", "\tt.SkipNow()\n\tif Add", "\tt.SkipNow()"),
        "weakened": Edit("calc_test.go", "Add(2, 3) != 5", "Add(2, 3) != -1", "\tif Add(2, 3) != -1 {"),
        "left": Edit("calc.go", "package calc\n", f"package calc\n{GO_LEAVES}", "\tos.Exit(0)"),
    },
    needs=("go",),
)

CARGO_ADD = "#[test]\nfn adds() {\n    assert_eq!(add(2, 3), 5);\n}\n\n"
CARGO_LEAVES = "    std::process::exit(a - a + b - b)"
CARGO = RunnerProject(
    runner="cargo",
    command="cargo test --offline",
    files={
        "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n"
        "pub fn mul(a: i32, b: i32) -> i32 {\n    a * b\n}\n",
        "tests/calc.rs": f"use calc::{{add, mul}};\n\n{CARGO_ADD}#[test]\nfn multiplies() {{\n"
        "    assert_eq!(mul(2, 3), 6);\n}\n",
    },
    tests=("calc::adds", "calc::multiplies"),
    fix=Edit("src/lib.rs", "a - b", "a + b"),
    cheats={
        "deleted": Edit("tests/calc.rs", CARGO_ADD, "", "fn adds() {"),
        "skipped": Edit("tests/calc.rs", "#[test]\nfn adds", "#[test]\n#[ignore]\nfn adds", "#[ignore]"),
        "weakened": Edit("tests/calc.rs", "add(2, 3), 5", "add(2, 3), -1", "    assert_eq!(add(2, 3), -1);"),
        "left": Edit("src/lib.rs", "a - b", "std::process::exit(a - a + b - b)", CARGO_LEAVES),
    },
    needs=("cargo",),
)

PROJECTS = {each.runner: each for each in (PYTEST, UNITTEST, JEST, VITEST, MOCHA, JASMINE, GO, CARGO)}
