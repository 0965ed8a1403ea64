"""Shell scripts, makefiles, justfiles and workflows: attacks that are found with their line, and honest work."""

from checks.proof.tamper.looking import Row, add, rows, sub
from checks.proof.tamper.projects import JUDGES, PYTEST, SCRIPTS

SH = "scripts/check.sh"
CI = ".github/workflows/ci.yml"


def make(name, new, *expected, old="\tpython -m pytest\n"):
    return Row(name, PYTEST, {"Makefile": sub(old, new)}, *expected)


def check(name, edit, *expected):
    return Row(name, SCRIPTS, {SH: edit}, *expected, scripts=JUDGES)


def script(name, path, edit, *expected):
    return Row(name, SCRIPTS, {path: edit}, *expected, scripts=JUDGES)


@rows(
    # Makefiles
    make("true", "\ttrue\n", "no-op block Makefile:2", old="\tpython -m pytest\n"),
    Row("only a summary", PYTEST, {"Makefile": "test:\n\t@echo '7 passed in 0.03s'\n"}, "no-op block Makefile:1"),
    Row("no recipe", PYTEST, {"Makefile": "test:\n"}, "no-op block Makefile:1"),
    make("or true", "\tpython -m pytest || true\n", "no-op block Makefile:3"),
    make("or colon", "\tpython -m pytest || :\n", "no-op block Makefile:3"),
    make("then true", "\tpython -m pytest; true\n", "no-op block Makefile:3"),
    make("or echo", "\tpython -m pytest || echo failed\n", "no-op block Makefile:3"),
    make("over two lines", "\tpython -m pytest \\\n\t  || true\n", "no-op block Makefile:3"),
    make(
        "no tests are fine",
        "\tpython -m pytest -k nothing || [ $$? -eq 5 ]\n",
        "no-op block Makefile:3",
        "narrowed block Makefile:3",
    ),
    make("hidden behind a quoted sign", "\tpython -m pytest '-k #' || true\n", "no-op block Makefile:3"),
    make("two before the end", "\tpython -m pytest -m fast\n\tpython -m pytest || true\n", "no-op block Makefile:4"),
    make("dash", "\t-python -m pytest\n", "no-op block Makefile:3"),
    make("quiet dash", "\t@-python -m pytest\n", "no-op block Makefile:3"),
    make("ignore", ".IGNORE:\n.PHONY: test\n", "no-op block Makefile:1", old=".PHONY: test\n"),
    make("shell", "SHELL = /bin/true\n.PHONY: test\n", "no-op block Makefile:1", old=".PHONY: test\n"),
    make("flags", "MAKEFLAGS += -i\n.PHONY: test\n", "no-op block Makefile:1", old=".PHONY: test\n"),
    make("stand-in by variable", "PYTEST := true\n.PHONY: test\n", "no-op block Makefile:1", old=".PHONY: test\n"),
    make(
        "path",
        "export PATH := $(CURDIR)/bin:$(PATH)\n.PHONY: test\n",
        "path-shim warn Makefile:1",
        old=".PHONY: test\n",
    ),
    make(
        "options by environment",
        "export PYTEST_ADDOPTS=-k extra\n.PHONY: test\n",
        "narrowed block Makefile:1",
        old=".PHONY: test\n",
    ),
    make("collect only", "\tpython -m pytest --collect-only\n", "no-op block Makefile:3"),
    make("deselect", "\tpython -m pytest --deselect tests/test_calc.py::test_add\n", "narrowed block Makefile:3"),
    make("by keyword", "\tpytest -q -k 'not add'\n", "narrowed block Makefile:3"),
    make("a part", "\tpython -m pytest tests/test_extra.py\n", "narrowed warn Makefile:2"),
    make("one runner less", "test:\n", "narrowed warn Makefile:2", old="test: lint\n"),
    Row("justfile", SCRIPTS, {"justfile": "test:\n    -cargo test\n"}, "no-op block justfile:2"),
    Row("justfile skips", SCRIPTS, {"justfile": "test:\n    cargo test -- --skip adds\n"}, "narrowed block justfile:2"),
    # Shell
    check("exit 0", "#!/bin/sh\nexit 0\n", f"no-op block {SH}:1"),
    check("early exit", sub("run_checks\n", "exit 0\nrun_checks\n"), f"no-op block {SH}:4"),
    check("bare exit", sub("run_checks\n", "exit\nrun_checks\n"), f"no-op block {SH}:4"),
    check(
        "exit 0 at the end of what goes on", "#!/bin/sh\n. scripts/lib.sh\nrun_checks\nexit 0\n", f"no-op block {SH}:4"
    ),
    check("or true", sub("run_checks\n", "run_checks || true\n"), f"no-op block {SH}:4"),
    check("or exit 0", sub("run_checks\n", "run_checks || exit 0\n"), f"no-op block {SH}:4"),
    check("set +e", sub("set -e", "set +e"), f"no-op block {SH}:2"),
    check("trap", sub("set -e\n", "set -e\ntrap 'exit 0' EXIT\n"), f"no-op block {SH}:3"),
    check("background", sub("run_checks\n", "make test &\n"), f"no-op block {SH}:4"),
    check("pipe", sub("run_checks\n", "python tools/verify.py | tee log\n"), f"no-op warn {SH}:4"),
    check("alias", sub("run_checks\n", "alias python=true\nrun_checks\n"), f"no-op block {SH}:4"),
    check("path", sub("run_checks\n", "export PATH=$PWD/bin:$PATH\nrun_checks\n"), f"path-shim warn {SH}:4"),
    script("function emptied", "scripts/lib.sh", "run_checks() {\n  :\n}\n", "no-op block scripts/lib.sh:1"),
    script(
        "function emptied in one line", "scripts/lib.sh", "run_checks() { true; }\n", "no-op block scripts/lib.sh:1"
    ),
    # Judges in Python
    script("script prints", "tools/verify.py", "print('ok')\n", "no-op block tools/verify.py:1"),
    script(
        "script exits first",
        "tools/verify.py",
        sub("need(add", "sys.exit(0)\nneed(add"),
        "exit block tools/verify.py:5",
    ),
    script("library emptied", "tools/tools_lib.py", sub("assert a == b", "pass"), "no-op block tools/tools_lib.py:4"),
    Row(
        "library that exits is emptied",
        {"tools/lib.py": "import sys\n\n\ndef need(a, b):\n    if a != b:\n        sys.exit(1)\n"},
        {"tools/lib.py": "def need(a, b):\n    pass\n"},
        "no-op block tools/lib.py:1",
        scripts="tools/lib.py",
    ),
    Row(
        "library in JavaScript is emptied",
        {"tools/lib.js": "function need(a, b) {\n  if (a !== b) process.exit(1);\n}\n"},
        {"tools/lib.js": "function need(a, b) {\n}\n"},
        "no-op block tools/lib.js:1",
        scripts="tools/lib.js",
    ),
    Row(
        "script without a name that tells",
        {"checks/a": "make x\n"},
        {"checks/a": ":\n"},
        "no-op block checks/a:1",
        scripts="checks/a",
    ),
    # Workflows
    script("workflow or true", CI, sub("run: npm test", "run: npm test || true"), f"no-op warn {CI}:6"),
    script("workflow does nothing", CI, sub("run: npm test", "run: echo ok"), f"no-op warn {CI}:6"),
    script(
        "workflow goes on",
        CI,
        sub("run: npm test", "run: npm test\n        continue-on-error: true"),
        f"no-op warn {CI}:7",
    ),
    script("workflow never", CI, sub("  test:\n", "  test:\n    if: false\n"), f"no-op warn {CI}:4"),
)
def test_an_attack_is_found(row):
    row.check_attack()


@rows(
    Row("new target", PYTEST, {"Makefile": add("\nfmt:\n\truff format .\n")}),
    Row("new target that prints", PYTEST, {"Makefile": add("\nhelp:\n\t@echo 'make test'\n")}),
    Row(
        "new target that cleans",
        PYTEST,
        {"Makefile": add("\nclean:\n\t-rm -rf build\n\trm -f x || true\n\tdocker rm x || true\n")},
    ),
    Row(
        "new target for some tests",
        PYTEST,
        {"Makefile": add("\nunit:\n\tpytest -m unit\nslow:\n\t-pytest -k slow || true\n")},
    ),
    make("some tests first", "\tpython -m pytest -m fast\n\tpython -m pytest\n"),
    make("linter ignores", "\tpython -m pytest\n\tflake8 --ignore=E501\n"),
    make("flags of the runner", "\tpython -m pytest -x --durations=3\n"),
    make("module and options", "\tpython -m pytest -n 2 -p xdist\n"),
    make("bash", "SHELL := /bin/bash\n.PHONY: test\n", old=".PHONY: test\n"),
    make("env bash", "SHELL := /usr/bin/env bash\n.PHONY: test\n", old=".PHONY: test\n"),
    make("switch", "VERBOSE := true\n.PHONY: test\n", old=".PHONY: test\n"),
    make("comment", "# pytest || true\n.PHONY: test\n", old=".PHONY: test\n"),
    make("reported failure", "\tpython -m pytest || (echo failed; exit 1)\n"),
    make("continued", "\tpython \\\n\t  -m pytest\n"),
    make("one more", "test: lint types\n", old="test: lint\n"),
    check("one more", add("ruff check .\n")),
    check("cleans up", sub("run_checks\n", "trap 'rm -rf \"$tmp\"' EXIT\nrun_checks\n")),
    check("may fail", sub("run_checks\n", "rm -r build || true\nkill $pid || true\nrun_checks\n")),
    check("help", sub("run_checks\n", 'if [ "$1" = -h ]; then\n  exit 0\nfi\nrun_checks\n'), "no-op warn"),
    check("exit 0 at the end", add("exit 0\n")),
    check("looks at the code", sub("run_checks\n", "set +e\nrun_checks\ncode=$?\nset -e\nexit $code\n"), "no-op warn"),
    check("fails with a message", sub("run_checks\n", "run_checks || { echo failed; exit 1; }\n")),
    check("pipe that fails", "#!/bin/bash\nset -eo pipefail\npython tools/verify.py | tee log\n"),
    script("no judge", "scripts/deploy.sh", "#!/bin/sh\nset +e\nrsync -a . host: || true\nexit 0\necho\n"),
    script("check extended", "tools/verify.py", add("need(add(1, 1), 2)\n")),
    script("last line of a script", "tools/verify.py", add("sys.exit(0)\n"), "exit warn"),
    script("computed code", "tools/verify.py", add("sys.exit(len(failed))\n")),
    script("new step", CI, add("      - run: make lint\n")),
    script("honest workflow", CI, sub("run: npm test", "run: npm ci && npm test")),
    Row("just with a new recipe", SCRIPTS, {"justfile": add("\nfmt:\n    cargo fmt\n")}),
)
def test_honest_work_passes(row):
    row.check_honest()
