"""Settings of runners and linters: attacks that are found with their line, and honest work."""

from checks.proof.tamper.looking import Row, add, rows, sub
from checks.proof.tamper.projects import JEST, NODE, PYTEST, RUST

TOML = "pyproject.toml"


def toml(name, old, new, *expected):
    return Row(name, PYTEST, {TOML: sub(old, new)}, *expected)


def node(name, old, new, *expected):
    return Row(name, NODE, {"package.json": sub(old, new)}, *expected)


def jest(name, old, new, *expected):
    return Row(name, JEST, {"jest.config.js": sub(old, new)}, *expected)


@rows(
    toml("collect only", '"-q"', '"-q --collect-only"', f"no-op block {TOML}:6"),
    toml("by keyword", '"-q"', "\"-q -k 'not add'\"", f"narrowed block {TOML}:6"),
    toml("by mark", '"-q"', '"-q -m fast"', f"narrowed block {TOML}:6"),
    toml("in a list", '"-q"', '[\n  "-q",\n  "-k", "not add",\n]', f"narrowed block {TOML}:8"),
    toml("ignored", '"-q"', '"-q --ignore=tests/test_calc.py"', f"narrowed block {TOML}:6"),
    toml("no report", '"-q"', '"-q -p no:junitxml"', f"narrowed block {TOML}:6"),
    toml("fewer paths", '["tests"]', '["tests/test_extra.py"]', f"narrowed block {TOML}:7"),
    toml("other functions", "addopts", 'python_functions = ["test_[b-z]*"]\naddopts', f"narrowed warn {TOML}:6"),
    toml("lower coverage", "fail_under = 90", "fail_under = 10", f"narrowed warn {TOML}:10"),
    toml("more ignored", 'ignore = ["E501"]', 'ignore = ["E501", "F821"]', f"narrowed warn {TOML}:14"),
    toml("less selected", '["E", "F", "B"]', '["E"]', f"narrowed warn {TOML}:13"),
    toml(
        "plugin",
        "[tool.pytest",
        '[project.entry-points.pytest11]\ncheat = "cheat"\n\n[tool.pytest',
        f"hook block {TOML}:6",
    ),
    toml(
        "inline table",
        "[tool.coverage.report]\nfail_under = 90",
        "[tool.coverage]\nreport = {fail_under = 1}",
        f"narrowed warn {TOML}:10",
    ),
    Row("longer lines", PYTEST, {"setup.cfg": sub("79", "999")}, "narrowed warn setup.cfg:2"),
    Row(
        "new pytest.ini",
        PYTEST,
        {"pytest.ini": "[pytest]\naddopts = --deselect tests/test_calc.py::test_add\n"},
        "narrowed block pytest.ini:2",
    ),
    Row(
        "an option from another folder",
        {**PYTEST, "docs/pytest.ini": "[pytest]\naddopts = -k 'not slow'\n"},
        {"docs/pytest.ini": None, TOML: sub('"-q"', "\"-q -k 'not slow'\"")},
        f"narrowed block {TOML}:6",
    ),
    Row(
        "outcome ignored",
        {**PYTEST, "tox.ini": "[testenv]\ncommands = pytest\n"},
        {"tox.ini": add("ignore_outcome = true\n")},
        "no-op block tox.ini:3",
    ),
    Row(
        "tox does nothing",
        {**PYTEST, "tox.ini": "[testenv]\ncommands = pytest\n"},
        {"tox.ini": sub("pytest", "true")},
        "no-op block tox.ini:2",
    ),
    Row(
        "settings deleted",
        {**PYTEST, ".coveragerc": "[report]\nfail_under = 90\n"},
        {".coveragerc": None},
        "narrowed warn .coveragerc:0",
    ),
    node("script true", "node --test test/", "true", "no-op block package.json:5"),
    node("script prints", "node --test test/", "echo '# pass 2'", "no-op block package.json:5"),
    node("script exits", "node --test test/", "exit 0", "no-op block package.json:5"),
    node("by name", "node --test test/", "node --test --test-name-pattern=mul test/", "narrowed block package.json:5"),
    node("only", "node --test test/", "node --test --test-only test/", "narrowed block package.json:5"),
    node("pretest", '"test":', '"pretest": "cp good.js calc.js",\n    "test":', "hook block package.json:5"),
    Row("script shell", NODE, {".npmrc": "script-shell=/bin/true\n"}, "no-op block .npmrc:1"),
    Row(
        "no tests are fine",
        JEST,
        {"package.json": sub('"jest"', '"jest --passWithNoTests"')},
        "narrowed block package.json:2",
    ),
    Row("lower threshold", JEST, {"package.json": sub("80", "1")}, "narrowed warn package.json:3"),
    jest("fewer files", "'**/*.test.ts', ", "", "narrowed block jest.config.js:2"),
    jest("paths ignored", "bail", "testPathIgnorePatterns: ['calc'],\n  bail", "narrowed block jest.config.js:3"),
    jest("own reporter", "bail", "reporters: ['./quiet.js'],\n  bail", "hook block jest.config.js:3"),
    jest("own runner", "bail", "testRunner: './quiet.js',\n  bail", "hook block jest.config.js:3"),
    Row(
        "no harness",
        RUST,
        {"Cargo.toml": add('\n[[test]]\nname = "whole"\nharness = false\n')},
        "narrowed block Cargo.toml:9",
    ),
    Row("no tests in the library", RUST, {"Cargo.toml": add("\n[lib]\ntest = false\n")}, "narrowed block Cargo.toml:8"),
    Row(
        "cargo's runner",
        RUST,
        {".cargo/config.toml": '[target.x86_64-unknown-linux-gnu]\nrunner = "true"\n'},
        "hook block .cargo/config.toml:2",
    ),
)
def test_an_attack_is_found(row):
    row.check_attack()


@rows(
    toml("dependency", 'version = "1"', 'version = "1"\ndependencies = ["requests"]'),
    toml("plugin of the runner", '"-q"', '"-q -p xdist -n 1"'),
    toml("more paths", '["tests"]', '["tests", "more"]'),
    toml("higher coverage", "fail_under = 90", "fail_under = 95"),
    toml("more selected", '["E", "F", "B"]', '["E", "F", "B", "UP"]'),
    toml("less ignored", '["E501"]', "[]"),
    toml("python path", "addopts", 'pythonpath = ["src"]\naddopts'),
    toml("durations and colour", '"-q"', '"-q --durations=3 --color=no --cov=calc --strict-markers"'),
    Row("shorter lines", PYTEST, {"setup.cfg": sub("79", "72")}),
    Row(
        "an old option stays",
        {**PYTEST, TOML: PYTEST[TOML].replace('"-q"', '"-q --ignore=old"')},
        {TOML: sub("-q --ignore=old", "-q -ra --ignore=old")},
    ),
    toml("no cache", '"-q"', '"-q -p no:cacheprovider"'),
    Row(
        "an option moves to another file",
        {**PYTEST, TOML: PYTEST[TOML].replace('"-q"', "\"-q -k 'not slow'\"")},
        {TOML: sub("addopts = \"-q -k 'not slow'\"\n", ""), "pytest.ini": "[pytest]\naddopts = -q -k 'not slow'\n"},
    ),
    Row(
        "a library is copied",
        PYTEST,
        {
            "vendor/ticker/setup.cfg": "[tool:pytest]\naddopts = --collect-only\n",
            "vendor/ticker/ticker.py": "import os\n\n\ndef stop():\n    os._exit(0)\n",
        },
        "exit warn",
    ),
    Row("new settings", PYTEST, {"ruff.toml": "line-length = 100\n"}),
    Row(
        "new package",
        NODE,
        {"packages/a/package.json": '{"scripts": {"pretest": "tsc", "test": "jest"}, "jest": {"testRunner": "x"}}\n'},
    ),
    node("new script for some tests", '"lint"', '"unit": "node --test --test-name-pattern=x test/",\n    "lint"'),
    node("new script", '"lint"', '"fmt": "prettier -w .",\n    "lint"'),
    node("new script that prints", '"lint"', '"hello": "echo hello",\n    "lint"'),
    node("coverage", "node --test test/", "node --test --experimental-test-coverage test/"),
    node("reporter", "node --test test/", "node --test --test-reporter=tap test/"),
    node("dependency", '"version"', '"dependencies": {"left-pad": "1"},\n  "version"'),
    jest("more files", "'**/*.test.ts', ", "'**/*.test.ts', '**/*.spec.ts', "),
    jest("environment", "bail: false", "testEnvironment: 'jsdom',\n  setupFiles: ['./setup.js']"),
    Row("dependency in Rust", RUST, {"Cargo.toml": add('serde = "1"\n')}),
    Row("broken file", PYTEST, {TOML: "[tool.pytest\n"}),
    Row("other json", PYTEST, {"data.json": '{"exclude": ["a"], "ignore": true}\n'}),
)
def test_honest_work_passes(row):
    row.check_honest()
