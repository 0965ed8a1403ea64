import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.proof.memory_tree import LINK, PROGRAM, MemoryTree
from ralph.checks.proof.scripts import MOST_FILES, named_files

SHELL = "#!/bin/sh\ntrue\n"
CALC = "def add(a, b):\n    return a - b\n"
CHAIN = {
    "calc.py": CALC,
    "Makefile": "include build/rules.mk\n",
    "build/rules.mk": "check:\n\tsh scripts/check.sh\n",
    "scripts/check.sh": (PROGRAM, "#!/bin/sh\nset -e\n. scripts/lib.sh\nrun_checks\n"),
    "scripts/lib.sh": "run_checks() {\n  python tools/verify.py\n}\n",
    "tools/verify.py": "import sys\nsys.path.insert(0, '.')\nfrom calc import add\nfrom tools_lib import need\n",
    "tools/tools_lib.py": "def need(a, b):\n    pass\n",
}


def scripts_of(command, tree):
    return asyncio.run(named_files(command, tree)).scripts


def named(command, files):
    return scripts_of(command, MemoryTree({"calc.py": CALC, **files}))


def test_a_chain_of_scripts_is_followed_to_its_end():
    assert named("make check", CHAIN) == {
        "Makefile": "the check",
        "build/rules.mk": "Makefile",
        "scripts/check.sh": "Makefile",
        "scripts/lib.sh": "scripts/check.sh",
        "tools/verify.py": "scripts/lib.sh",
        "tools/tools_lib.py": "tools/verify.py",
    }


RUN = [
    ("sh verify.sh", {"verify.sh": "true\n"}, ["verify.sh"]),
    ("bash -eu ./ci/all.sh", {"ci/all.sh": "true\n"}, ["ci/all.sh"]),
    ("bash -o pipefail ci/all.sh", {"ci/all.sh": "true\n"}, ["ci/all.sh"]),
    ("sh steps", {"steps": "true\n"}, ["steps"]),
    ("sh 'ci/a'#b.sh", {"ci/a#b.sh": "", "ci/a": ""}, ["ci/a#b.sh"]),
    (". ./env && pytest", {"env": "A=1\n"}, ["env"]),
    ("source env; pytest", {"env": "A=1\n"}, ["env"]),
    ("./go", {"go": (PROGRAM, SHELL)}, ["go"]),
    ("./all.py", {"all.py": (PROGRAM, "#!/usr/bin/env python\n")}, ["all.py"]),
    ("python check_all.py", {"check_all.py": ""}, ["check_all.py"]),
    ("python3.12 -u scripts/lint.py --fast", {"scripts/lint.py": ""}, ["scripts/lint.py"]),
    ("/usr/bin/env python tools/a.py", {"tools/a.py": ""}, ["tools/a.py"]),
    (".venv/bin/python tools/a.py", {"tools/a.py": ""}, ["tools/a.py"]),
    ("python -m quality.verify", {"quality/verify.py": ""}, ["quality/verify.py"]),
    ("python -m ci", {"ci/__main__.py": ""}, ["ci/__main__.py"]),
    ("python -m coverage run tools/a.py", {"tools/a.py": ""}, ["tools/a.py"]),
    ("coverage run tools/a.py", {"tools/a.py": ""}, ["tools/a.py"]),
    ("python -c 'import tools.a'", {"tools/a.py": ""}, ["tools/a.py"]),
    ("node scripts/check", {"scripts/check.mjs": ""}, ["scripts/check.mjs"]),
    ("node --import ./tools/hook.mjs run.js", {"tools/hook.mjs": "", "run.js": ""}, ["tools/hook.mjs", "run.js"]),
    ("ruby bin/verify.rb", {"bin/verify.rb": ""}, ["bin/verify.rb"]),
    (
        "go run ./tools/check",
        {"tools/check/main.go": "", "tools/check/more.go": ""},
        ["tools/check/main.go", "tools/check/more.go"],
    ),
    ("bash -c 'cd x; python tools/a.py && sh b.sh'", {"tools/a.py": "", "b.sh": ""}, ["tools/a.py", "b.sh"]),
    ("bash -lc \"sh -c 'sh b.sh'\"", {"b.sh": ""}, ["b.sh"]),
    ("cd sub && ./run.sh", {"sub/run.sh": (PROGRAM, SHELL)}, ["sub/run.sh"]),
    ("A=1 B='x y' timeout -k 5 60s nice -n 5 ./run", {"run": (PROGRAM, SHELL)}, ["run"]),
    ("uv run python tools/a.py", {"tools/a.py": ""}, ["tools/a.py"]),
    ("uv run check.py", {"check.py": ""}, ["check.py"]),
    ("docker run --rm image bash scripts/ci.sh", {"scripts/ci.sh": ""}, ["scripts/ci.sh"]),
    ("if ! sh a.sh; then exit 1; fi", {"a.sh": ""}, ["a.sh"]),
    (
        'out=$(sh ci/a.sh) && echo "$(sh ci/b.sh)" && `sh ci/c.sh`',
        {"ci/a.sh": "", "ci/b.sh": "", "ci/c.sh": ""},
        ["ci/c.sh", "ci/a.sh", "ci/b.sh"],
    ),
    ("P=python3; $P tools/a.py", {"tools/a.py": ""}, ["tools/a.py"]),
    ("CMD='python tools/a.py'; $CMD", {"tools/a.py": ""}, ["tools/a.py"]),
    ("${PYTHON:-python3} tools/a.py", {"tools/a.py": ""}, ["tools/a.py"]),
    ("(sh a.sh) && { sh b.sh; }", {"a.sh": "", "b.sh": ""}, ["a.sh", "b.sh"]),
    ("sh tests/run.sh", {"tests/run.sh": ""}, ["tests/run.sh"]),
    ("python tests/run.py", {"tests/run.py": ""}, ["tests/run.py"]),
]


@pytest.mark.parametrize(("command", "files", "scripts"), RUN, ids=[row[0] for row in RUN])
def test_what_a_command_runs(command, files, scripts):
    found = named(command, files)
    assert sorted(found) == sorted(scripts)
    assert all(by.startswith("the check") or by in found for by in found.values())


NOT_SCRIPTS = [
    ("python calc.py", {}),
    ("python -m calc", {}),
    ("node server.js", {"server.js": "listen()\n"}),
    ("python src/run.py", {"src/run.py": "#!/usr/bin/env python\n"}),
    ("python main.py", {"main.py": (PROGRAM, "print(1)\n")}),
    ("shellcheck scripts/deploy.sh", {"scripts/deploy.sh": SHELL}),
    ("ruff check . tools/a.py", {"tools/a.py": ""}),
    ("rm -f tools/a.sh; cp tools/a.sh b; echo sh tools/a.sh", {"tools/a.sh": ""}),
    ("pytest tests/test_calc.py", {"tests/test_calc.py": ""}),
    ("python tests/test_calc.py", {"tests/test_calc.py": ""}),
    ("node --test test/calc.test.js", {"test/calc.test.js": ""}),
    ("sh ../outside.sh; sh /etc/profile", {"outside.sh": "", "etc": ""}),
    ("sh missing.sh", {}),
    ("go test ./...", {"test/run.go": ""}),
    ("# sh a.sh", {"a.sh": ""}),
    ("node_modules/.bin/jest", {"node_modules/.bin/jest": (PROGRAM, SHELL)}),
    ("", {}),
]


@pytest.mark.parametrize(("command", "files"), NOT_SCRIPTS, ids=[row[0] for row in NOT_SCRIPTS])
def test_what_is_no_judging_script(command, files):
    assert named(command, files) == {}


def test_scripts_are_found_from_the_folder_of_the_script_that_names_them():
    files = {
        "check.sh": (PROGRAM, '#!/bin/sh\nset -e\nD=$(dirname "$0")\n. "$D/inner/lib.sh"\n. "$(dirname "$0")/b.sh"\n'),
        "inner/lib.sh": "sh more.sh\n",
        "inner/more.sh": "true\n",
        "b.sh": 'HERE=$(cd "$(dirname "$0")" && pwd)\nsh $HERE/c.sh\n',
        "c.sh": "true\n",
    }
    assert named("./check.sh", files) == {
        "check.sh": "the check",
        "inner/lib.sh": "check.sh",
        "b.sh": "check.sh",
        "inner/more.sh": "inner/lib.sh",
        "c.sh": "b.sh",
    }


def test_patterns_in_loops_say_so():
    files = {"check.sh": "for f in checks/*; do sh $f; done\n", "checks/a": "true\n", "checks/b.sh": "true\n"}
    by = "check.sh, by checks/*"
    assert named("sh check.sh", files) == {"check.sh": "the check", "checks/a": by, "checks/b.sh": by}


def test_words_in_loops_are_each_run():
    files = {"all.sh": "for f in one.sh two.sh; do\n  sh $f\ndone\n", "one.sh": "", "two.sh": "", "three.sh": ""}
    assert list(named("sh all.sh", files)) == ["all.sh", "one.sh", "two.sh"]


def test_what_a_script_finds_with_find():
    files = {
        "a.sh": "for f in $(find steps -name '*.sh'); do bash $f; done\n",
        "steps/x/one.sh": "",
        "steps/two.sh": "",
    }
    assert list(named("sh a.sh", files)) == ["a.sh", "steps/two.sh", "steps/x/one.sh"]


def test_a_program_on_a_path_inside_the_tree():
    files = {"bin/pytest": (PROGRAM, SHELL), "bin/other": (PROGRAM, SHELL)}
    assert named("PATH=$PWD/bin:$PATH pytest -q", files) == {"bin/pytest": "the check, by pytest"}
    assert named("pytest -q", files) == {}


MAKEFILE = """\
PYTHON ?= python3
TOOLS := tools
.PHONY: test deploy
test: lint
\t@$(PYTHON) -m pytest
\t-$(PYTHON) $(TOOLS)/verify.py \\
\t  --strict
lint: ; sh scripts/lint.sh
deploy:
\tsh scripts/deploy.sh
fmt:
\t@for f in $$(ls fmt/*.sh); do sh $$f; done
ci:
\t$(MAKE) -C sub check
"""
MADE = {
    "Makefile": MAKEFILE,
    "tools/verify.py": "",
    "scripts/lint.sh": "",
    "scripts/deploy.sh": "",
    "fmt/a.sh": "",
    "sub/Makefile": "check:\n\t./own.sh\n",
    "sub/own.sh": (PROGRAM, SHELL),
}


@pytest.mark.parametrize(
    ("command", "scripts"),
    [
        ("make test", ["tools/verify.py", "scripts/lint.sh"]),
        ("make", ["tools/verify.py", "scripts/lint.sh"]),
        ("make -j4 lint V=1", ["scripts/lint.sh"]),
        ("make -f Makefile deploy", ["scripts/deploy.sh"]),
        ("make fmt", ["fmt/a.sh"]),
        ("make ci", ["sub/Makefile", "sub/own.sh"]),
        (
            "make unknown",
            ["tools/verify.py", "scripts/lint.sh", "scripts/deploy.sh", "fmt/a.sh", "sub/Makefile", "sub/own.sh"],
        ),
    ],
)
def test_of_a_makefile_only_what_is_reached_counts(command, scripts):
    assert sorted(named(command, MADE)) == sorted(["Makefile", *scripts])


def test_a_makefile_that_calls_itself_is_read_once_for_each_task():
    tree = MemoryTree({"Makefile": "a:\n\t$(MAKE) b\nb:\n\t$(MAKE) a\n\tsh x.sh\n", "x.sh": "make a b\n"})
    assert list(scripts_of("make a", tree)) == ["Makefile", "x.sh"]
    assert len(tree.reads) < 20


def test_a_makefile_with_windows_line_ends():
    files = {"Makefile": "test:\r\n\tsh a.sh \\\r\n\t x\r\n", "a.sh": ""}
    assert list(named("make test", files)) == ["Makefile", "a.sh"]


def test_makefiles_that_include_each_other():
    files = {
        "Makefile": "include mk/*.mk\n-include $(wildcard local/*.mk) Makefile\n",
        "mk/a.mk": "include mk/b.mk\ncheck: other\n",
        "mk/b.mk": "include mk/a.mk\nother:\n\tsh x.sh\n",
        "local/own.mk": "",
        "x.sh": "",
    }
    found = named("make check", files)
    assert sorted(found) == ["Makefile", "local/own.mk", "mk/a.mk", "mk/b.mk", "x.sh"]


PACKAGE = """{"scripts": {
  "test": "run-s unit:* && npm run -s verify",
  "pretest": "node scripts/prepare.js",
  "unit:a": "node scripts/a.mjs",
  "verify": "./tools/verify.sh",
  "deploy": "sh scripts/deploy.sh"
}}"""


@pytest.mark.parametrize("command", ["npm test", "npm run test", "yarn test --silent", "pnpm -s test"])
def test_scripts_of_a_package(command):
    files = dict.fromkeys(["scripts/prepare.js", "scripts/a.mjs", "scripts/deploy.sh"], "")
    files |= {"package.json": PACKAGE, "tools/verify.sh": (PROGRAM, SHELL)}
    assert sorted(named(command, files)) == ["scripts/a.mjs", "scripts/prepare.js", "tools/verify.sh"]


TASK_FILES = [
    ("just check", "justfile", "check: lint\n  python tools/a.py\nlint:\n  true\ndeploy:\n  sh d.sh\n", ["tools/a.py"]),
    ("just check", "justfile", "import 'more.just'\n", ["more.just", "tools/a.py"]),
    (
        "tox -e py,lint",
        "tox.ini",
        "[testenv:lint]\ncommands = python tools/a.py\n[testenv:d]\ncommands=sh d.sh\n",
        ["tools/a.py"],
    ),
    ("tox", "tox.ini", "[testenv]\ncommands =\n  python tools/a.py\n", ["tools/a.py"]),
    ("task check", "Taskfile.yml", "tasks:\n  check:\n    cmds:\n      - python tools/a.py\n", ["tools/a.py"]),
    ("mise run check", "mise.toml", '[tasks.check]\nrun = "python tools/a.py"\n', ["tools/a.py"]),
    (
        "pre-commit run -a",
        ".pre-commit-config.yaml",
        "repos:\n- repo: local\n  hooks:\n  - id: x\n    entry: python tools/a.py\n",
        ["tools/a.py"],
    ),
    (
        "nox -s lint",
        "noxfile.py",
        'import nox\n\ndef lint(session):\n    session.run("python", "tools/a.py")\n',
        ["tools/a.py"],
    ),
    ("inv check", "tasks.py", 'def check(c):\n    c.run("python tools/a.py")\n', ["tools/a.py"]),
]


@pytest.mark.parametrize(
    ("command", "path", "text", "scripts"), TASK_FILES, ids=[f"{row[0]}: {row[1]}" for row in TASK_FILES]
)
def test_task_files(command, path, text, scripts):
    files = {path: text, "tools/a.py": "", "d.sh": "", "more.just": "check:\n  python tools/a.py\n"}
    assert sorted(named(command, files)) == sorted([path, *scripts])


def test_tasks_of_a_project_file_are_followed_but_it_is_no_script():
    text = '[tool.poe.tasks]\ncheck = "python tools/a.py"\n'
    assert list(named("poe check", {"pyproject.toml": text, "tools/a.py": ""})) == ["tools/a.py"]


def test_modules_beside_a_script():
    files = {
        "quality/verify.py": "from calc import add\nfrom lib import need\nfrom . import more\nimport a, other as o\n",
        "quality/lib.py": "",
        "quality/more.py": "",
        "quality/other.py": "",
        "quality/unused.py": "",
    }
    expected = ["quality/lib.py", "quality/more.py", "quality/other.py", "quality/verify.py"]
    assert sorted(named("python -m quality.verify", files)) == expected


def test_a_product_package_with_a_module_called_check_keeps_its_other_modules():
    files = {"shop/__init__.py": "", "shop/check.py": "from shop.cart import total\n", "shop/cart.py": ""}
    assert list(named("python -m shop.check", files)) == ["shop/check.py"]


@pytest.mark.parametrize("name", ["checkout", "runtime", "runner", "linter", "verify", "test"])
def test_a_product_that_a_script_imports_or_reads_stays_the_product(name):
    files = {"scripts/check.py": f"import {name}\nopen('{name}.py')\n", f"{name}.py": ""}
    assert list(named("python scripts/check.py", files)) == ["scripts/check.py"]


@pytest.mark.parametrize("name", ["checkout.py", "runtime.js", "testimony.py", "linters.rb", "verifying.py"])
def test_names_that_only_begin_like_a_script(name):
    assert named(f"python {name}; node {name}; ruby {name}", {name: "print(1)\n"}) == {}


@pytest.mark.parametrize("name", ["check.py", "checkAll.js", "run_tests.py", "runtests.py", "lint-all.py", "test.py"])
def test_names_of_scripts(name):
    expected = [] if name == "test.py" else [name]  # that is a test
    assert list(named(f"python {name}", {name: "print(1)\n"})) == expected


def test_what_a_script_reads_beside_itself():
    files = {
        "tools/verify.mjs": "import { need } from './lib/need.mjs'\n"
        "read('limits.json'); read('data.json'); read('package.json')\n",
        "tools/lib/need.mjs": "",
        "tools/limits.json": "{}",
        "tools/package.json": "{}",
        "data.json": "{}",
    }
    assert sorted(named("node tools/verify.mjs", files)) == [
        "tools/lib/need.mjs",
        "tools/limits.json",
        "tools/verify.mjs",
    ]


def test_scripts_that_a_program_starts():
    files = {
        "tools/a.py": "import subprocess\nsubprocess.run(['sh', 'ci/b'])\nos.system('sh c && make x')\n",
        "ci/b": "true\n",
        "c": "true\n",
    }
    assert sorted(named("python tools/a.py", files)) == ["c", "ci/b", "tools/a.py"]


JUDGED = [
    "./greet | grep -q hello",
    "sh greet | grep -q hello",
    'test "$(./greet bob)" = "hello bob"',
    'out=$(./greet) && [ "$out" = hello ]',
    "out=`./greet`",
    "./greet > out.txt && diff out.txt expected.txt",
    "sh tests/smoke.sh",
    "python tests/run.py",
    "./greet --version; ./greet | grep -q hello",
]


@pytest.mark.parametrize("command", JUDGED)
@pytest.mark.parametrize("folder", ["", "bin/"])
def test_a_program_whose_output_is_looked_at_is_judged(command, folder):
    greet = f"{folder}greet"
    files = {
        greet: (PROGRAM, "#!/bin/sh\n. ./words\necho $WORD\n"),
        "words": "WORD=hello\n",
        "tests/smoke.sh": f"./{greet} | grep -q hello\n",
        "tests/run.py": f"import subprocess\nassert subprocess.check_output(['{greet}']) == b'hello'\n",
    }
    found = named(command.replace("./greet", f"./{greet}").replace("sh greet", f"sh {greet}"), files)
    assert set(found) <= {"tests/smoke.sh", "tests/run.py"}


@pytest.mark.parametrize(
    "command",
    ["./gate", "./gate --all 2>&1", "./gate | tee log", "./gate > /dev/null", "./gate || exit 1", "./gate >log 2>&1"],
)
def test_a_program_whose_end_decides_judges(command):
    assert list(named(command, {"gate": (PROGRAM, "#!/bin/sh\ntrue\n")})) == ["gate"]


@pytest.mark.parametrize("path", ["scripts/all", "check", "ci/deep/x.sh", "verify.sh"])
def test_a_script_by_its_folder_or_name_judges_although_its_output_is_looked_at(path):
    assert list(named(f"sh {path} | grep -q OK", {path: "echo OK\n"})) == [path]


def test_links_lead_to_the_script():
    files = {"check": (LINK, "ci/real"), "ci/real": "sh lib.sh\n", "scripts": (LINK, "ci"), "ci/lib.sh": ""}
    assert sorted(named("sh check; sh scripts/lib.sh", files)) == ["check", "ci/lib.sh", "ci/real"]


@pytest.mark.parametrize("target", ["check", "../out", "/etc/passwd", "", "a/b"])
def test_links_that_lead_nowhere(target):
    assert named("sh check", {"check": (LINK, target)}) == {"check": "the check"}


def test_scripts_that_name_each_other():
    files = {"a.sh": "sh b.sh; sh a.sh", "b.sh": "sh a.sh"}
    assert named("sh a.sh", files) == {"a.sh": "the check", "b.sh": "a.sh"}


def test_the_number_of_files_is_bounded():
    files = {f"scripts/{number}.sh": f"sh scripts/{number + 1}.sh\nsh scripts/*.sh\n" for number in range(500)}
    assert len(named("sh scripts/0.sh", files)) == MOST_FILES


def test_a_huge_script_counts_but_is_not_read():
    files = {"big.sh": "sh other.sh\n" + "#" * 1_000_001, "other.sh": ""}
    assert list(named("sh big.sh", files)) == ["big.sh"]


HOSTILE = [
    "\0\0", "'", '"', "$(", "`", "$((((", "for", "for f in", "A=$A; $A x", "A=$B B=$A; sh $A", "cd", "-c", "sh -c",
    "sh", "python -m", "python -c", "make -f", "${", "$" * 5000, "(" * 5000, "\\", "sh *", "sh [", "sh **",
    "make" * 3000, "A=x; " * 2000 + "$A", "'" + '"' * 4999, "for f in " + "$f " * 500 + "; do sh $f; done",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_no_error(text):
    files = {"a.sh": text, "Makefile": text, "package.json": text, "tox.ini": text, "tools/a.py": text}
    began = time.process_time()
    named(text, files)
    assert "a.sh" in named("sh a.sh; make; npm test; tox; python tools/a.py", files)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"scripts": 1}', '{"scripts": {"test": [1, {"a": "sh a.sh"}]}}', "[" * 9999]
)
def test_a_package_that_is_no_package(content):
    assert set(named("npm test", {"package.json": content, "a.sh": ""})) <= {"a.sh"}


@given(st.text(), st.text())
def test_any_text_is_no_error(command, script):
    named(f"{command}\nsh a.sh; make", {"a.sh": script, "Makefile": script})


def test_invalid_utf_8_is_no_error():
    assert list(named("sh a.sh", {"a.sh": b"\xff\xfe sh b.sh\nsh b.sh\n", "b.sh": b"\xff"})) == ["a.sh", "b.sh"]


def test_a_large_tree_is_quick():
    files = {f"src/package_{number % 100}/module_{number}.py": "" for number in range(50_000)}
    tree = MemoryTree({**files, **CHAIN})
    began = time.process_time()
    found = scripts_of("make check && for f in scripts/*.sh; do sh $f; done", tree)
    assert time.process_time() - began < 0.5
    assert len(found) == 6
    assert not any(path.startswith("src/") for path in tree.reads)


USES_A = "const { add } = require('../a');\n"
MOSTLY = {"test_a.py": "", "test_b.py": "", "util.py": "", "out.txt": ""}
BESIDE = {"cart.py": "", "test_cart.py": "", "test_more.py": "", "test_other.py": ""}
TOLD = [
    (
        "mocha 'specs/**/*.js'",
        {"specs/a.js": USES_A, "specs/x/b.js": USES_A, "a.js": ""},
        ["specs/a.js", "specs/x/b.js"],
    ),
    ("mocha specs", {"specs/a_test.js": "", "specs/data.txt": ""}, ["specs/data.txt"]),
    ("python -m pytest -q cases/calc.py::test_a", {"cases/calc.py": "import calc\n"}, ["cases/calc.py"]),
    ("node --test acceptance/all.mjs", {"acceptance/all.mjs": USES_A, "a.js": ""}, ["acceptance/all.mjs"]),
    (
        "npm test",
        {"package.json": '{"scripts": {"test": "tap cases/*.js"}}', "cases/b.js": USES_A, "a.js": ""},
        ["cases/b.js"],
    ),
    ("pytest", {"pytest.ini": "[pytest]\npython_files = check_*.py\n", "x/check_a.py": ""}, ["x/check_a.py"]),
    ("pytest", {"pytest.ini": "[pytest]\ntestpaths = testing\n"}, ["testing/out.txt", "testing/util.py"]),
    ("pytest", {"pyproject.toml": "[tool.pytest]\ntestpaths = ['testing']"}, ["testing/out.txt", "testing/util.py"]),
    ("pytest testing", {}, ["testing/out.txt", "testing/util.py"]),
]
NOT_TOLD = [
    ("pytest calc.py", {}),
    ("pytest week1/sum.py", {"week1/sum.py": "import os\n\ndef test_add():\n    assert add(1, 1) == 2\n"}),
    ("pytest src/calc.py", {"src/calc.py": ""}),
    ("pytest src", {"src/calc.py": "", "src/more.py": "", "src/test_calc.py": ""}),
    ("pytest shop", {}),
    ("pytest --doctest-modules shop/cart.py", {"shop/cart.py": "import calc\n"}),
    ("pytest area", {"area/a.py": "", "area/b.py": "", "area/test_all.py": ""}),
    ("pytest .", {}),
    ("pytest", {"pytest.ini": "[pytest]\ntestpaths = .\npython_files = *.py\n"}),
    ("pytest", {"pytest.ini": "[pytest]\ntestpaths = shop\n"}),
    ("pytest", {"pyproject.toml": "tool = 1"}),
    ("pytest", {"pyproject.toml": "[tool.pytest]\nini_options = 3\n"}),
    ("pytest", {"pyproject.toml": "[[["}),
]


@pytest.mark.parametrize(("command", "files", "tests"), [*TOLD, *((*row, []) for row in NOT_TOLD)])
def test_tests_that_only_the_runner_knows(command, files, tests):
    folders = {f"testing/{name}": text for name, text in MOSTLY.items()}
    folders |= {f"shop/{name}": text for name, text in BESIDE.items()}
    found = asyncio.run(named_files(command, MemoryTree({"calc.py": CALC, **folders, **files})))
    assert sorted(found.tests) == tests
