"""Data outside of the tests' folders that tests compare with."""

import asyncio

import pytest

from checks.proof.memory_tree import MemoryTree
from ralph.checks.proof.expectations import changed_expectations

DATA = "name,total\nempty,0\nsmall,5\n"
BASE = {
    "examples/totals.csv": DATA,
    "examples/notes.md": "notes\n",
    "shop.py": "rates = open('rates.json')\n",
    "rates.json": "{}\n",
    "tests/test_shop.py": "rows = open('examples/totals.csv')\n",
}


def found(change, base=BASE, scripts=()):
    head = {path: text for path, text in {**base, **change}.items() if text is not None}
    findings = asyncio.run(changed_expectations(MemoryTree(base), MemoryTree(head), sorted(change), scripts))
    return [(each.rule, each.level, each.file, each.line) for each in findings]


def test_another_result_is_told_with_its_line():
    changed = {"examples/totals.csv": DATA.replace("small,5", "small,3")}
    assert found(changed) == [("expectation", "warn", "examples/totals.csv", 3)]
    assert found({"examples/totals.csv": DATA + "small,3\n"}) == [("expectation", "warn", "examples/totals.csv", 4)]
    assert found({"examples/totals.csv": None}) == [("expectation", "warn", "examples/totals.csv", 0)]


def test_a_pattern_for_the_files_of_a_folder_names_them_all():
    base = {**BASE, "tests/test_shop.py": "for file in Path('examples').glob('*.csv'): ...\n"}
    assert found({"examples/totals.csv": ""}, base) == [("expectation", "warn", "examples/totals.csv", 1)]
    assert found({"rates.json": "[]\n"}, base) == []


@pytest.mark.parametrize(
    "change",
    [
        {"examples/totals.csv": DATA + "large,300\n"},
        {"examples/totals.csv": DATA.replace("empty", "none,0\nempty")},
        {"rates.json": "[]\n", "examples/notes.md": "more\n", "shop.py": ""},
        {"examples/new.csv": "totals.csv\n"},
    ],
    ids=["a line more", "a line in between", "no test names it", "new"],
)
def test_what_changes_no_result_is_silent(change):
    assert found(change) == []


def test_what_a_script_that_judges_reads_is_told():
    base = {**BASE, "scripts/lint.py": "rules = open('rates.json')\n"}
    assert found({"rates.json": "[]\n"}, base, ["scripts/lint.py"]) == [("expectation", "warn", "rates.json", 1)]
    assert found({"rates.json": "[]\n"}, base) == []


def test_settings_that_a_script_in_shell_reads_are_told():
    base = {**BASE, "scripts/lint.sh": "word=$(sed -n s/^bad=//p setup.cfg)\n", "setup.cfg": "[lint]\nbad=eval\n"}
    change = {"setup.cfg": "[lint]\nbad=exec\n"}
    assert found(change, base, ["scripts/lint.sh"]) == [("expectation", "warn", "setup.cfg", 2)]
    assert found({"setup.cfg": "[metadata]\nname = calc\n[lint]\nbad=eval\n"}, base, ["scripts/lint.sh"]) == []


def test_a_copied_library_has_data_of_its_own():
    base = {**BASE, "vendor/x/totals.csv": DATA}
    assert found({"vendor/x/totals.csv": ""}, base) == []


@pytest.mark.parametrize(
    ("script", "is_told"),
    [
        ("set -e\ntest -f rates.json && grep -q right ./rates.json\n", False),
        ("diff rates.json <(python shop.py)\n", True),
        ("grep -q right rates.json && python shop.py\n", True),
        ('grep -q "$(cat rates.json)" examples/totals.csv\n', True),
    ],
)
def test_the_one_file_that_a_script_looks_at_is_the_work_itself(script, is_told):
    told = found({"rates.json": "[]\n"}, {**BASE, "check.sh": script}, ["check.sh"])
    assert bool(told) == is_told
