"""Names and modes of new files: attacks that are found, and honest work that is let through."""

from checks.proof.tamper.looking import Row, rows
from checks.proof.tamper.projects import JAVA, NODE, PYTEST, RUBY, SCRIPTS

PROGRAM, LINK = "100755", "120000"
STUB = "#!/bin/sh\necho 7 passed\n"


@rows(
    Row("pytest.py", PYTEST, {"pytest.py": "print('7 passed')\n"}, "shadow block pytest.py:0"),
    Row("package of the runner", PYTEST, {"_pytest/__init__.py": ""}, "shadow block _pytest/__init__.py:0"),
    Row("standard library", PYTEST, {"argparse.py": "X = 1\n"}, "shadow block argparse.py:0"),
    Row("standard library in src", PYTEST, {"src/json/__init__.py": ""}, "shadow block src/json/__init__.py:0"),
    Row("beside the tests", PYTEST, {"tests/random.py": "X = 1\n"}, "shadow block tests/random.py:0"),
    Row(
        "beside a script",
        SCRIPTS,
        {"tools/json.py": "X = 1\n"},
        "shadow block tools/json.py:0",
        scripts="tools/verify.py",
    ),
    Row("compiled stand-in", PYTEST, {"unittest.so": b"\x7fELF"}, "shadow block unittest.so:0"),
    Row("sitecustomize", PYTEST, {"sitecustomize.py": "import sys\n"}, "shadow block sitecustomize.py:0"),
    Row("usercustomize", PYTEST, {"lib/usercustomize.py": "import sys\n"}, "shadow block lib/usercustomize.py:0"),
    Row("pth", PYTEST, {"cheat.pth": "import cheat\n"}, "shadow block cheat.pth:0"),
    Row("pyc", PYTEST, {"secret.pyc": b"\0\1\2"}, "shadow block secret.pyc:0"),
    Row(
        "cached pyc",
        PYTEST,
        {"__pycache__/calc.cpython-311.pyc": b"\0\1"},
        "shadow block __pycache__/calc.cpython-311.pyc:0",
    ),
    Row(
        "plugin by metadata",
        PYTEST,
        {"cheat.egg-info/entry_points.txt": "[pytest11]\ncheat = cheat\n"},
        "shadow block cheat.egg-info/entry_points.txt:0",
    ),
    Row("GNUmakefile", PYTEST, {"GNUmakefile": "test:\n\t@echo ok\n"}, "shadow block GNUmakefile:0"),
    Row("makefile", PYTEST, {"makefile": "test:\n\t@echo ok\n"}, "shadow block makefile:0"),
    Row(
        "runner in node_modules",
        NODE,
        {"node_modules/jest/index.js": "1;\n"},
        "shadow block node_modules/jest/index.js:0",
    ),
    Row("minitest", RUBY, {"lib/minitest/autorun.rb": "1\n"}, "shadow block lib/minitest/autorun.rb:0"),
    Row(
        "junit",
        JAVA,
        {"src/test/java/org/junit/Test.java": "package org.junit;\n"},
        "shadow block src/test/java/org/junit/Test.java:0",
    ),
    Row("program called pytest", PYTEST, {"bin/pytest": (PROGRAM, STUB)}, "path-shim block bin/pytest:0"),
    Row("program called python", PYTEST, {"python": (PROGRAM, STUB)}, "path-shim block python:0"),
    Row(
        "program in node_modules",
        NODE,
        {"node_modules/.bin/jest": (PROGRAM, STUB)},
        "path-shim block node_modules/.bin/jest:0",
    ),
    Row("link called node", NODE, {"bin/node": (LINK, "/bin/true")}, "path-shim block bin/node:0"),
    Row("made executable", {**PYTEST, "bin/make": STUB}, {"bin/make": (PROGRAM, STUB)}, "path-shim block bin/make:0"),
    Row(
        "link for a judge",
        PYTEST,
        {"conftest.py": (LINK, "conf/real.txt"), "conf/real.txt": "x\n"},
        "link warn conftest.py:0",
    ),
    Row("link out of the tree", PYTEST, {"conftest.py": (LINK, "../../elsewhere.py")}, "link block conftest.py:0"),
    Row(
        "link for a folder of tests",
        PYTEST,
        {"tests/test_calc.py": None, "tests": (LINK, "good")},
        "link warn tests:0",
        "gone block tests/test_calc.py:5",
    ),
    Row(
        "link for a test",
        PYTEST,
        {"tests/test_calc.py": (LINK, "/tmp/x.py")},
        "link block tests/test_calc.py:0",
        "gone block tests/test_calc.py:5",
    ),
    Row("new link out of the tree", PYTEST, {"data": (LINK, "/etc")}, "link warn data:0"),
    Row("machine code", PYTEST, {"fast.so": b"\x7fELF"}, "unreadable warn fast.so:0"),
)
def test_an_attack_is_found(row):
    row.check_attack()


@rows(
    Row(
        "module in a package", PYTEST, {"app/__init__.py": "", "app/types.py": "X = 1\n", "app/logging/__init__.py": ""}
    ),
    Row("folder of another language", NODE, {"types/index.d.ts": "export {};\n", "site/build.py": "X = 1\n"}),
    Row("module that was there", {**PYTEST, "platform.py": "X = 1\n"}, {"platform.py": "X = 2\n"}),
    Row(
        "module becomes a package",
        {**PYTEST, "platform.py": "X = 1\n"},
        {"platform.py": None, "platform/__init__.py": "X = 1\n"},
    ),
    Row("helper among tests", PYTEST, {"tests/helpers.py": "X = 1\n", "tests/utils/types.py": "X = 1\n"}),
    Row("package of tests", PYTEST, {"tests/__init__.py": "", "tests/types.py": "X = 1\n"}),
    Row(
        "script of the project",
        PYTEST,
        {"bin/calc": (PROGRAM, "#!/bin/sh\npython -m calc\n"), "scripts/test": (PROGRAM, STUB)},
    ),
    Row("binstub", RUBY, {"bin/rspec": (PROGRAM, "#!/usr/bin/env ruby\n")}, "path-shim warn"),
    Row("tool's name without the mode", PYTEST, {"docs/make": "how to make it\n"}),
    Row("link inside the tree", PYTEST, {"docs/readme": (LINK, "../README.md")}),
    Row("link that was there", {**PYTEST, "x": (LINK, "a")}, {"x": (LINK, "b")}),
    Row("makefile in another folder", PYTEST, {"docs/makefile": "html:\n\tsphinx-build\n"}),
    Row("first makefile", NODE, {"makefile": "test:\n\tnpm test\n"}),
    Row("dependency in node_modules", NODE, {"node_modules/left-pad/index.js": "module.exports = 1;\n"}),
    Row("as the task asks", PYTEST, {"pytest.py": "X = 1\n"}, may="pytest.py"),
)
def test_honest_work_passes(row):
    row.check_honest()
