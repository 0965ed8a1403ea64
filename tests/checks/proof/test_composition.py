import asyncio
import json
import time
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.proof.memory_tree import FILE, LINK, PROGRAM, SUBMODULE, MemoryTree
from ralph.checks.proof.composition import compose
from ralph.model.proof import NewFile, TreeEntry

BASE = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "conftest.py": "two = 2\n",
    "Makefile": "test:\n\tpython -m pytest\n",
    "pyproject.toml": '[project]\nname = "calc"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
    "tests/test_calc.py": "from calc import add\n",
    "tests/helper.py": "help = 1\n",
}
FIXED = {"calc.py": "def add(a, b):\n    return a + b\n"}


class Seen:
    """A composition with the two trees that it leads to."""

    def __init__(self, base, change, command="make test", **options):
        self.base = MemoryTree(base)
        self.head = MemoryTree({path: file for path, file in {**base, **change}.items() if file is not None})
        self.composition = asyncio.run(compose(self.base, self.head, command=command, **options))
        self.judges, self.tests = self.composition.judges, self.composition.tests
        self.with_base_judges = self.head.changed(self.composition.with_base_judges)
        self.base_with_change = self.base.changed(self.composition.base_with_change)


def test_a_plain_fix_touches_no_judge():
    seen = Seen(BASE, FIXED)
    assert (seen.judges, seen.tests, seen.composition.changed) == ((), (), ("calc.py",))
    assert seen.composition.with_base_judges == {}
    assert seen.composition.base_with_change == {}
    assert seen.composition.scripts == {"Makefile": "the check"}


def test_the_base_judges_with_its_own_files():
    change = {
        **FIXED,
        "conftest.py": "two = 3\n",
        "Makefile": None,
        "GNUmakefile": "test:\n\ttrue\n",
        "tests/test_calc.py": None,
        "tests/test_new.py": "new\n",
        "tests/helper.py": "help = 2\n",
        "docs.md": "more\n",
    }
    seen = Seen(BASE, change)
    assert seen.judges == ("GNUmakefile", "Makefile", "conftest.py")
    assert seen.tests == ("tests/helper.py", "tests/test_calc.py", "tests/test_new.py")
    assert seen.with_base_judges.files() == {**BASE, **FIXED, "docs.md": "more\n"}
    assert seen.base_with_change.files() == {
        "calc.py": BASE["calc.py"],
        "conftest.py": "two = 3\n",
        "GNUmakefile": "test:\n\ttrue\n",
        "pyproject.toml": BASE["pyproject.toml"],
        "tests/test_new.py": "new\n",
        "tests/helper.py": "help = 2\n",
    }


def test_a_file_that_keeps_make_from_working_judges():
    change = {**FIXED, "test": "notes\n", "docs/test/a.md": "more\n"}
    assert Seen(BASE, change).judges == ("test",)
    assert Seen(BASE, {"test/README.md": "notes\n", "testing/a.md": "more\n"}).judges == ("test/README.md",)
    phony = {**BASE, "Makefile": ".PHONY: all test\ntest: build\n\tpython -m pytest\nbuild:\n\ttrue\nlint:\n\ttrue\n"}
    assert Seen(phony, {"test": "a\n", "build/a.txt": "b\n", "lint/a.txt": "c\n"}).judges == ("build/a.txt",)
    there = {**BASE, "Makefile": "test: lib\n\tpython -m pytest\nlib:\n\tcc lib/*.c\n", "lib/a.c": ""}
    assert Seen(there, {"lib/b.c": ""}).judges == ()


def test_a_module_that_hides_one_of_a_script_judges():
    base = {
        **BASE,
        "Makefile": "check:\n\tpython tools/verify.py\n",
        "tools/verify.py": "import sys\n\nsys.path.insert(0, '.')\nfrom expect import expect\nfrom calc import add\n",
        "tools/expect.py": "def expect(seen, wanted):\n    assert seen == wanted\n",
    }
    for double in ("expect.py", "expect/__init__.py", "tools/expect/__init__.py"):
        seen = Seen(base, {**FIXED, double: "def expect(seen, wanted): ...\n", "other.py": ""}, "make check")
        assert seen.judges == (double,)
        assert seen.with_base_judges.files() == {**base, **FIXED, "other.py": ""}
    assert Seen(base, {"calc/__init__.py": "", "calc.py": None}, "make check").judges == ()


def test_examples_in_the_code_judge():
    code = 'def add(a, b):\n    """\n    >>> add(1, 1)\n    2\n    """\n    return a - b\n'
    base = {**BASE, "calc.py": code, "odd.py": b"# coding: latin-1\n\xe4 = '>>> 1'\n"}
    change = {"calc.py": code.replace("    2\n", "    0\n").replace("a - b", "a * b"), "odd.py": b"# \xe4\n"}
    seen = Seen(base, change)
    assert seen.judges == ("calc.py",)
    assert seen.with_base_judges.files()["calc.py"] == code.replace("a - b", "a * b")
    assert seen.base_with_change.files()["calc.py"] == code.replace("    2\n", "    0\n")
    assert "odd.py" not in seen.composition.with_base_judges
    assert Seen(base, {"calc.py": code.replace("a - b", "a + b")}).judges == ()


def test_examples_judge_in_a_source_that_got_another_name():
    code = 'def add(a, b):\n    """\n    >>> add(1, 1)\n    2\n    """\n    return a - b\n'
    change = {"calc.py": None, "sums.py": code.replace("    2\n", "    0\n")}
    seen = Seen({**BASE, "calc.py": code}, change, renames={"sums.py": "calc.py"})
    assert seen.judges == ("sums.py",)
    assert seen.with_base_judges.files() == {
        **{path: text for path, text in BASE.items() if path != "calc.py"},
        "sums.py": code,
    }
    assert seen.base_with_change.files() == {**BASE, "calc.py": code}


def test_settings_of_a_script_that_judges_are_those_of_the_base():
    script = "rules.read('setup.cfg')\nlongest = int(rules['lint']['longest'])\n"
    base = {
        "Makefile": "lint:\n\tpython scripts/lint.py\n",
        "scripts/lint.py": script,
        "setup.cfg": "[lint]\nlongest=79\n",
    }
    change = {"setup.cfg": "[lint]\nlongest=999\n\n[metadata]\nname = calc\n"}
    seen = Seen(base, change, "make lint")
    assert seen.judges == ("setup.cfg",)
    assert seen.with_base_judges.files()["setup.cfg"] == "[metadata]\nname = calc\n[lint]\nlongest=79\n"
    inline = """python -c "import lint; lint.read('setup.cfg')['lint']\""""
    assert Seen(base, change, inline).judges == ("setup.cfg",)
    assert Seen(base, change, "true").judges == ()
    assert Seen({**base, "scripts/lint.py": script.replace("lint'", "other'")}, change, "make lint").judges == ()


def test_existing_blobs_are_used_again():
    seen = Seen(BASE, {"conftest.py": "x\n", "tests/test_new.py": "new\n"})
    assert seen.composition.with_base_judges == {
        "conftest.py": seen.base.entries["conftest.py"],
        "tests/test_new.py": None,
    }
    assert seen.composition.base_with_change == {
        path: seen.head.entries[path] for path in ("conftest.py", "tests/test_new.py")
    }


def test_shared_files_are_merged_by_section():
    text = '[project]\nname = "calc"\ndependencies = ["x"]\n\n[tool.pytest.ini_options]\naddopts = "--collect-only"\n'
    seen = Seen(BASE, {**FIXED, "pyproject.toml": text})
    assert seen.judges == ("pyproject.toml",)
    [[path, file]] = seen.composition.with_base_judges.items()
    assert (path, file.mode) == ("pyproject.toml", FILE)
    assert tomllib.loads(file.content.decode()) == {
        "project": {"name": "calc", "dependencies": ["x"]},
        "tool": {"pytest": {"ini_options": {"addopts": "-q"}}},
    }
    [change] = seen.composition.base_with_change.values()
    assert tomllib.loads(change.content.decode()) == {
        "project": {"name": "calc"},
        "tool": {"pytest": {"ini_options": {"addopts": "--collect-only"}}},
    }


def test_a_shared_file_with_new_dependencies_only_is_no_judge_that_changed():
    text = BASE["pyproject.toml"].replace('"calc"\n', '"calc"\ndependencies = ["x"]\n')
    seen = Seen(BASE, {"pyproject.toml": text, "package.json": '{"dependencies": {"a": "1"}}'})
    assert seen.judges == ()
    assert seen.composition.with_base_judges == {}
    assert seen.composition.base_with_change == {}


def test_a_new_command_of_a_package_needs_no_other_tree():
    base = {"package.json": '{"scripts": {"test": "node --test"}}'}
    head = {"package.json": '{"scripts": {"test": "node --test", "fmt": "x"}}'}
    seen = Seen(base, head, "npm test")
    assert seen.judges == ("package.json",)
    assert seen.composition.with_base_judges == {}
    assert json.loads(seen.base_with_change.files()["package.json"]) == json.loads(head["package.json"])


def test_a_new_shared_file_loses_its_judging_part():
    seen = Seen(BASE, {"setup.cfg": "[metadata]\nname = x\n[tool:pytest]\naddopts = --collect-only\n"})
    assert seen.judges == ("setup.cfg",)
    assert seen.with_base_judges.files()["setup.cfg"] == "[metadata]\nname = x\n"
    assert seen.base_with_change.entries["setup.cfg"] == seen.head.entries["setup.cfg"]


def test_a_new_shared_file_that_cannot_be_read_is_left_out():
    seen = Seen(BASE, {"package.json": "{"})
    assert seen.judges == ("package.json",)
    assert seen.composition.with_base_judges == {"package.json": None}


def test_a_deleted_shared_file_comes_back_if_it_judges():
    seen = Seen({**BASE, "setup.cfg": "[metadata]\nname = x\n"}, {"pyproject.toml": None, "setup.cfg": None})
    assert seen.judges == ("pyproject.toml",)
    assert seen.with_base_judges.files()["pyproject.toml"] == BASE["pyproject.toml"]
    assert "setup.cfg" not in seen.with_base_judges.entries
    assert seen.base_with_change.files()["pyproject.toml"] == '[project]\nname = "calc"\n\n'


@pytest.mark.parametrize(
    "head", [b"\xff\xfe", b"[tool.pytest", (LINK, "config/real.toml"), (LINK, "a=1"), (SUBMODULE, "a" * 40)]
)
def test_a_shared_file_that_is_no_text_gives_way_to_the_base(head):
    seen = Seen(BASE, {"pyproject.toml": head})
    assert seen.judges == ("pyproject.toml",)
    assert seen.with_base_judges.files() == BASE
    assert seen.base_with_change.entries["pyproject.toml"] == seen.head.entries["pyproject.toml"]


def test_a_base_that_is_no_text_judges_as_it_is():
    seen = Seen({"pyproject.toml": b"\xff"}, {"pyproject.toml": BASE["pyproject.toml"]})
    assert seen.with_base_judges.entries == seen.base.entries


def test_shared_files_among_tests_are_tests():
    seen = Seen({"tests/data/package.json": "{}"}, {"tests/data/package.json": '{"name": "x"}'})
    assert (seen.judges, seen.tests) == ((), ("tests/data/package.json",))
    assert seen.with_base_judges.entries == seen.base.entries


# ------------------------------------------------------------------ mayChange, protectedPaths, renames
def test_what_may_change_is_the_changes_own_everywhere():
    change = {
        "tests/test_calc.py": "changed\n",
        "tests/test_new.py": "new\n",
        "tests/helper.py": None,
        "conftest.py": "two = 3\n",
        "pyproject.toml": "[tool.pytest.ini_options]\n",
    }
    seen = Seen(BASE, change, may_change=["tests/**", "pyproject.toml"])
    assert (seen.judges, seen.tests) == (("conftest.py",), ())
    assert seen.composition.with_base_judges == {"conftest.py": seen.base.entries["conftest.py"]}
    assert seen.base_with_change.files() == seen.head.files()


@pytest.mark.parametrize(
    ("glob", "tests"),
    [
        ("tests/**", ()),
        ("tests/", ()),
        ("tests", ()),
        ("tests/*", ()),
        ("*.py", ()),
        ("tests/test_calc.py", ("tests/unit/test_more.py",)),
        ("/test_calc.py", ("tests/test_calc.py", "tests/unit/test_more.py")),
        ("unit/", ("tests/test_calc.py",)),
        ("**/test_more.py", ("tests/test_calc.py",)),
        ("!tests/**", ("tests/test_calc.py", "tests/unit/test_more.py")),
    ],
)
def test_globs_of_may_change(glob, tests):
    change = {"tests/test_calc.py": "changed\n", "tests/unit/test_more.py": "new\n"}
    assert Seen(BASE, change, may_change=[glob]).tests == tests


def test_a_rename_counts_as_its_old_path():
    change = {"tests/test_calc.py": None, "tests/test_arith.py": BASE["tests/test_calc.py"]}
    renames = {"tests/test_arith.py": "tests/test_calc.py"}
    seen = Seen(BASE, change, may_change=["tests/test_calc.py"], renames=renames)
    assert (seen.tests, seen.composition.with_base_judges) == ((), {})
    seen = Seen(BASE, change, may_change=["tests/test_arith.py"], renames=renames)
    assert seen.tests == ("tests/test_calc.py",)
    seen = Seen(BASE, change, renames=renames)
    assert seen.tests == ("tests/test_arith.py", "tests/test_calc.py")
    assert seen.with_base_judges.files() == BASE


def test_a_rename_makes_no_judge_the_changes_own():
    change = {"tests/test_calc.py": None, "tests/conftest.py": BASE["tests/test_calc.py"]}
    renames = {"tests/conftest.py": "tests/test_calc.py"}
    seen = Seen(BASE, change, may_change=["tests/test_calc.py"], renames=renames)
    assert seen.judges == ("tests/conftest.py",)
    assert "tests/conftest.py" not in seen.with_base_judges.entries


@pytest.mark.parametrize(
    "change", [{"tests/helper.py": "x\n"}, {"tests/helper.py": "x\n", "tests/test_calc.py": "y\n"}]
)
def test_what_only_claims_to_be_a_rename_is_none(change):
    renames = {"tests/helper.py": "tests/test_calc.py"}
    seen = Seen(BASE, change, may_change=["tests/test_calc.py"], renames=renames)
    assert seen.tests == ("tests/helper.py",)


def test_an_honest_refactoring_is_only_composed():
    change = {
        "calc.py": None,
        "arith.py": FIXED["calc.py"],
        "tests/test_calc.py": None,
        "tests/test_arith.py": "from arith import add\n",
    }
    seen = Seen(BASE, change, renames={"arith.py": "calc.py", "tests/test_arith.py": "tests/test_calc.py"})
    with_base = seen.with_base_judges.files()
    assert with_base["arith.py"] == FIXED["calc.py"]
    assert with_base["tests/test_calc.py"] == "from calc import add\n"
    assert "calc.py" not in with_base
    assert "tests/test_arith.py" not in with_base


def test_protected_paths_are_judges():
    change = {"data/limits.json": "2", "data/new.json": "3", "package.json": '{"dependencies": {"x": "1"}}'}
    base = {**BASE, "data/limits.json": "1", "package.json": "{}"}
    seen = Seen(base, change, protected=["data/", "package.json"])
    assert seen.judges == ("data/limits.json", "data/new.json", "package.json")
    assert seen.with_base_judges.files() == base


# ------------------------------------------------------------------ scripts
SCRIPTS = {
    "calc.py": BASE["calc.py"],
    "Makefile": "check:\n\tsh scripts/check.sh\ndeploy:\n\tsh scripts/deploy.sh\n",
    "scripts/check.sh": (PROGRAM, "for f in steps/*.sh; do sh $f; done\npython tools/verify.py\n"),
    "scripts/deploy.sh": "true\n",
    "steps/a.sh": "true\n",
    "tools/verify.py": "from need import need\nimport json\n",
    "tools/need.py": "def need(): pass\n",
}


def test_scripts_that_the_check_runs_judge():
    change = {
        "scripts/check.sh": "exit 0\n",
        "tools/need.py": "",
        "scripts/deploy.sh": "false\n",
        "steps/a.sh": None,
        "steps/b.sh": "cp good.py calc.py\n",
        "tools/json.py": "raise SystemExit(0)\n",
        "tools/unrelated.py": "",
    }
    seen = Seen(SCRIPTS, change, "make check")
    assert seen.judges == ("scripts/check.sh", "steps/a.sh", "steps/b.sh", "tools/json.py", "tools/need.py")
    kept = {"scripts/deploy.sh": "false\n", "tools/unrelated.py": ""}
    assert seen.with_base_judges.files() == {**seen.base.files(), **kept}
    assert seen.with_base_judges.entries["scripts/check.sh"].mode == PROGRAM


def test_a_new_script_that_the_command_itself_names_is_what_was_asked_for():
    change = {"verify.sh": "sh lib.sh\n", "lib.sh": "true\n"}
    seen = Seen(BASE, change, "sh verify.sh")
    assert seen.judges == ()
    assert seen.composition.with_base_judges == {}


def test_new_files_of_a_pattern_in_the_command_judge():
    change = {"steps/b.sh": "true\n"}
    seen = Seen(SCRIPTS, change, "for f in steps/*.sh; do sh $f; done")
    assert seen.judges == ("steps/b.sh",)


def test_what_only_new_files_name_is_no_judge():
    base = {**SCRIPTS, "other.sh": "true\n"}
    seen = Seen(base, {"steps/b.sh": "sh other.sh\n", "other.sh": "false\n"}, "make check")
    assert seen.judges == ("steps/b.sh",)
    assert seen.with_base_judges.files()["other.sh"] == "false\n"


def test_a_program_that_the_change_puts_on_the_path_judges():
    seen = Seen(BASE, {"bin/pytest": (PROGRAM, "#!/bin/sh\necho 7 passed\n")}, "PATH=$PWD/bin:$PATH pytest")
    assert seen.judges == ("bin/pytest",)
    assert seen.with_base_judges.files() == BASE


def test_a_mode_is_a_change_too():
    seen = Seen(SCRIPTS, {"scripts/check.sh": SCRIPTS["scripts/check.sh"][1]}, "make check")
    assert seen.judges == ("scripts/check.sh",)
    assert seen.composition.with_base_judges == {"scripts/check.sh": seen.base.entries["scripts/check.sh"]}


def test_tests_in_a_layout_of_their_own():
    base = {
        "calc.js": "",
        "specs/calc.js": "require('../calc')\n",
        "package.json": '{"scripts": {"test": "mocha specs/*.js"}}',
    }
    seen = Seen(base, {"specs/calc.js": "", "specs/new.js": "require('../calc')\n"}, "npm test")
    assert seen.tests == ("specs/calc.js", "specs/new.js")
    assert seen.composition.named_tests == {"specs/calc.js", "specs/new.js"}
    assert seen.with_base_judges.files() == base


# ------------------------------------------------------------------ links, submodules, files and folders
def test_a_link_in_the_place_of_the_tests():
    change = dict.fromkeys(["tests/test_calc.py", "tests/helper.py"])
    change |= {"tests": (LINK, "good"), "good/test_calc.py": "pass\n"}
    seen = Seen(BASE, change)
    assert seen.tests == ("good/test_calc.py", "tests", "tests/helper.py", "tests/test_calc.py")
    assert seen.with_base_judges.files() == BASE
    assert seen.base_with_change.entries["tests"] == seen.head.entries["tests"]
    assert "tests/helper.py" not in seen.base_with_change.entries


def test_a_submodule_in_the_place_of_the_tests():
    change = dict.fromkeys(["tests/test_calc.py", "tests/helper.py"]) | {"tests": (SUBMODULE, "b" * 40)}
    seen = Seen(BASE, change)
    assert "tests" in seen.tests
    assert seen.with_base_judges.files() == BASE


def test_a_submodule_of_tests_keeps_its_commit():
    seen = Seen({"tests/suite": (SUBMODULE, "a" * 40)}, {"tests/suite": (SUBMODULE, "b" * 40)})
    assert seen.tests == ("tests/suite",)
    assert seen.composition.with_base_judges == {"tests/suite": seen.base.entries["tests/suite"]}


def test_a_file_in_the_place_of_the_tests():
    change = dict.fromkeys(["tests/test_calc.py", "tests/helper.py"]) | {"tests": "no tests\n"}
    assert Seen(BASE, change).with_base_judges.files() == BASE


def test_a_folder_in_the_place_of_a_judge():
    seen = Seen(BASE, {"Makefile": None, "Makefile/sub/x.txt": "x\n", "conftest.py": None, "conftest.py/x": "y"})
    assert seen.with_base_judges.files() == BASE


def test_a_product_that_takes_the_place_of_tests_makes_room():
    base = {**BASE, "e2e/login.js": "x\n"}
    seen = Seen(base, {"e2e/login.js": None, "e2e": "a program\n"})
    assert seen.with_base_judges.files() == base
    assert seen.base_with_change.files() == BASE


def test_the_changes_own_keeps_its_place():
    change = dict.fromkeys(["tests/test_calc.py", "tests/helper.py"]) | {"tests": "mine\n"}
    seen = Seen(BASE, change, may_change=["/tests"])
    assert seen.with_base_judges.files() == seen.head.files()
    base = {**BASE, "tests/golden": "one file\n"}
    seen = Seen(
        base, {"tests/golden": None, "tests/golden/a": "mine\n", "tests/golden/b": "b\n"}, may_change=["tests/golden/a"]
    )
    assert seen.with_base_judges.files() == {**BASE, "tests/golden/a": "mine\n"}


def test_what_a_judges_link_leads_to_judges():
    base = {"conftest.py": (LINK, "conf/first"), "conf/first": (LINK, "../real.txt"), "real.txt": "two = 2\n"}
    seen = Seen({**BASE, **base}, {"real.txt": "import calc\n"})
    assert seen.judges == ("real.txt",)
    assert seen.with_base_judges.files()["real.txt"] == "two = 2\n"


def test_a_shared_file_behind_a_link_is_merged_by_section():
    base = {**BASE, "pyproject.toml": (LINK, "conf/py.txt"), "conf/py.txt": BASE["pyproject.toml"]}
    text = '[project]\nname = "new"\n[tool.pytest.ini_options]\naddopts = "--collect-only"\n'
    seen = Seen(base, {"conf/py.txt": text})
    assert seen.judges == ("conf/py.txt",)
    found = tomllib.loads(seen.with_base_judges.files()["conf/py.txt"])
    assert found == {"project": {"name": "new"}, "tool": {"pytest": {"ini_options": {"addopts": "-q"}}}}


@pytest.mark.parametrize("target", ["conftest.py", "../outside", "/etc/passwd", "missing", "", "x" * 5000])
def test_links_that_lead_nowhere(target):
    base = {"calc.py": "", "conftest.py": (LINK, target)}
    assert Seen(base, {"calc.py": "1\n"}).judges == ()


def test_a_judge_that_becomes_a_link():
    change = {"conftest.py": (LINK, "conf/real.txt"), "conf/real.txt": "import calc\n"}
    seen = Seen(BASE, change)
    assert seen.judges == ("conftest.py",)
    assert seen.with_base_judges.files() == {**BASE, "conf/real.txt": "import calc\n"}


# ------------------------------------------------------------------ any trees
PATHS = [
    "a", "a/b", "a/b/c", "tests", "tests/x", "tests/x/y", "Makefile", "Makefile/z", "conftest.py", "own", "own/tests/t",
    "pyproject.toml", "pyproject.toml/k", "test_a.py", "lib/test_b.py", "lib", "package.json",
]  # fmt: skip
CONTENTS = st.one_of(
    st.sampled_from(["1", "2", "[tool.ruff]\na = 1\n", '{"scripts": {"test": "x"}}']),
    st.tuples(st.sampled_from([PROGRAM, LINK]), st.sampled_from(["a", "tests", "../x"])),
    st.tuples(st.just(SUBMODULE), st.sampled_from(["a" * 40, "b" * 40])),
)


def possible(files):
    """Only the files that one tree can hold together."""
    return {path: file for path, file in files.items() if not any(other.startswith(f"{path}/") for other in files)}


TREES = st.dictionaries(st.sampled_from(PATHS), CONTENTS, max_size=8).map(possible)


@given(TREES, TREES, st.lists(st.sampled_from(["own/", "tests/x", "lib", "/a", "Makefile"]), max_size=2))
def test_any_two_trees_can_be_composed(base_files, head_files, may_change):
    base, head = MemoryTree(base_files), MemoryTree(head_files)
    found = asyncio.run(compose(base, head, command="make test; npm test; sh a/b", may_change=may_change))
    with_base, with_change = head.changed(found.with_base_judges), base.changed(found.base_with_change)
    assert not set(found.judges) & set(found.tests)
    for tree, origin, other in ((with_base, head, base), (with_change, base, head)):
        for path, entry in tree.entries.items():
            is_merged = path in {"pyproject.toml", "package.json"}
            assert is_merged or entry in {origin.entries.get(path), other.entries.get(path)}
    if not may_change:
        for path in (*found.judges, *found.tests):
            if path not in {"pyproject.toml", "package.json"}:
                assert with_base.entries.get(path) == base.entries.get(path)
                assert with_change.entries.get(path) == head.entries.get(path)


def test_equal_trees_need_nothing():
    seen = Seen(BASE, {})
    assert seen.composition.changed == ()
    assert seen.composition.with_base_judges == seen.composition.base_with_change == {}


def test_entries_are_those_of_git():
    seen = Seen(BASE, {"conftest.py": "x\n", "pyproject.toml": "[tool.ruff]\nx = 1\n"})
    assert {type(file) for file in seen.composition.with_base_judges.values()} == {TreeEntry, NewFile}


def test_fifty_thousand_files_with_ten_changed():
    files = {f"src/package_{number % 100}/module_{number}.py": f"x = {number}\n" for number in range(50_000)}
    base = MemoryTree({**files, **BASE, **SCRIPTS})
    head = MemoryTree({**files, **BASE, **SCRIPTS, **FIXED, "conftest.py": "", "tests/test_new.py": ""})
    head.entries |= MemoryTree({f"src/package_{number}/module_{number}.py": "" for number in range(7)}).entries
    began = time.process_time()
    found = asyncio.run(
        compose(base, head, command="make check && make test", may_change=["docs/**"], protected=["x/"])
    )
    assert time.process_time() - began < 0.3
    assert (found.judges, found.tests, len(found.changed)) == (("conftest.py",), ("tests/test_new.py",), 10)
