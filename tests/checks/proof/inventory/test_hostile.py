"""The tested code knows where the runners report, and writes there what it likes."""

import json
import os
import time

import pytest

from ralph.checks.proof.inventory import breaks, collected, prepared

SECONDS = 1.0


@pytest.fixture
def folder(project):
    """As it is when a trial has begun and nothing has reported."""
    project.start("true")
    return project.folder


@pytest.fixture
def inventory(project, folder):
    return lambda: collected(folder, project.log, project.path)


def lines(*lists):
    return "".join(json.dumps(each) + "\n" for each in lists)


BEGUN, ENDED = ["begun", "pytest", "/"], ["ended"]


def report(folder, text, name="pytest-1.jsonl"):
    (folder / "reports" / name).write_text(text)


def test_a_report_that_is_a_pipe_is_not_waited_for(folder, inventory):
    os.mkfifo(folder / "reports/pytest-1.jsonl")
    os.mkfifo(folder / "reports/pytest.xml")
    seen = inventory()
    assert (seen.runners, seen.tests, seen.ended) == (("pytest",), {}, False)


def test_a_report_that_is_a_link_is_not_followed(folder, inventory, tmp_path):
    (tmp_path / "real").write_text(lines(BEGUN, ["test", "a.py", "test_a", "passed"], ENDED))
    (folder / "reports/pytest-1.jsonl").symlink_to(tmp_path / "real")
    (folder / "reports/pytest.xml").symlink_to(tmp_path / "nowhere")
    seen = inventory()
    assert (seen.tests, seen.ended) == ({}, False)


def test_a_folder_that_became_a_link_has_no_reports(folder, inventory, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "pytest-1.jsonl").write_text(lines(BEGUN, ["test", "a.py", "test_a", "passed"], ENDED))
    (folder / "reports").rmdir()
    (folder / "reports").symlink_to(elsewhere)
    assert inventory().runners == ()


@pytest.mark.parametrize("name", ["pytest-1.jsonl", "pytest.xml"])
def test_a_report_of_a_gigabyte_is_not_read(folder, inventory, name):
    with (folder / "reports" / name).open("wb") as file:
        file.truncate(1 << 30)
    began = time.process_time()
    seen = inventory()
    assert (seen.runners, seen.tests, seen.ended) == (("pytest",), {}, False)
    assert time.process_time() - began < SECONDS


def test_a_report_with_entities_is_refused(folder, inventory):
    bomb = '<!DOCTYPE x [<!ENTITY a "a">]><testsuites><testcase classname="x" name="&a;"/></testsuites>'
    report(folder, bomb, "pytest.xml")
    seen = inventory()
    assert (seen.tests, seen.ended) == ({}, False)


@pytest.mark.parametrize(
    "text",
    [
        "not json\n",
        lines(BEGUN, BEGUN, ENDED),
        lines(["test", "a.py", "a", "passed"]),
        lines(BEGUN, ["test", "a.py", "a", "splendid"], ENDED),
        lines(BEGUN, ["test", 1, "a", "passed"], ENDED),
        lines(BEGUN, ENDED, ENDED),
        lines(["begun", "jest", "/"], ENDED),
        lines({"begun": 1}),
        "[" * 100_000,
    ],
)
def test_what_no_runner_writes_is_no_end(folder, inventory, text):
    report(folder, text)
    assert (inventory().runners, inventory().ended) == (("pytest",), False)


def test_files_of_other_names_are_nobodys_reports(folder, inventory):
    report(folder, "no", "splendid-1.jsonl")
    report(folder, "no", "pytest-1.txt")
    assert (inventory().runners, inventory().ended) == ((), True)


def test_a_forged_report_does_not_better_a_real_one(folder, inventory):
    real = lines(BEGUN, ["test", "a.py", "test_a", "failed"], ["test", "a.py", "test_b", "skipped"], ENDED)
    forged = lines(BEGUN, ["test", "a.py", "test_a", "passed"], ["test", "a.py", "test_b", "passed"], ENDED)
    for first, second in ((real, forged), (forged, real), (real + forged, ""), (forged + real, "")):
        report(folder, first, "pytest-1.jsonl")
        report(folder, second, "pytest-2.jsonl")
        outcomes = set(inventory().tests.values())
        assert outcomes == {"failed", "skipped"}


def test_more_files_than_any_run_has_are_not_all_read(folder, inventory):
    for number in range(2_500):
        report(folder, lines(BEGUN, ENDED), f"pytest-{number}.jsonl")
    began = time.process_time()
    assert inventory().runners == ("pytest",)
    assert time.process_time() - began < SECONDS


def test_a_name_without_end_is_cut(folder, inventory):
    report(folder, lines(BEGUN, ["test", "a.py", "x" * 1_000_000, "passed"], ENDED))
    [name] = inventory().tests
    assert len(name) == 2_000


def test_without_the_stamp_no_report_of_the_tree_is_new(project, folder, inventory):
    text = '<testsuite><testcase classname="a" name="b"/></testsuite>'
    project.write({"junit.xml": text})
    assert inventory().runners == ("junit",)
    (folder / "began").unlink()
    assert inventory().runners == ()


@pytest.mark.e2e
@pytest.mark.parametrize(
    "line",
    [
        b"y\n",
        b"\n",
        b"test test test \n",
        b"=== RUN   TestA\n",
        b'{"Action":"run"',
        b"running 1 test\ntest a ... \n",
        b"1 passed " * 10,
        b"=",
        b" " * 100,
    ],
)
def test_an_output_of_any_size_takes_seconds(project, folder, line):
    with project.log.open("wb") as log:
        for _ in range(96):
            log.write(line * ((1 << 20) // len(line)))
    began = time.process_time()
    breaks(project.log, 1)
    seen = collected(folder, project.log, project.path)
    assert time.process_time() - began < 15
    assert seen.void == ("the output is too long to find all tests in it" if seen.runners else "")


def test_a_missing_log_has_no_tests(project, folder):
    assert collected(folder, project.place / "none.log", project.path).runners == ()


@pytest.mark.parametrize("writer", ["journal", "xml"])
def test_twenty_thousand_tests_take_less_than_a_second(folder, inventory, writer):
    if writer == "journal":
        tests = (["test", f"tests/test_{n % 200}.py", f"TestClass::test_{n}[{n}]", "passed"] for n in range(20_000))
        report(folder, lines(BEGUN, *tests, ENDED))
    else:
        cases = (
            f'<testcase classname="tests.test_{n % 200}.TestA" name="test_{n}[{n}]" file="tests/test_{n % 200}.py"/>'
            for n in range(20_000)
        )
        report(folder, f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>", "pytest.xml")
    began = time.process_time()
    assert len(inventory().tests) == 20_000
    assert time.process_time() - began < SECONDS


def test_forged_words_can_only_void(project):
    """Of all lines that make ralph try again, node's alone void an inventory, and only after two tries."""
    words = "must match the number of specified '--test-reporter-destination'"
    trial = project.try_out(f'echo "{words}"; exit 1')
    assert trial.tries == [frozenset(), {"node-default"}, {"node-default", "node"}]
    assert trial.inventory.void
    assert project.try_out(f'echo "{words}"').tries == [frozenset()]


def test_the_environment_holds_no_more_than_it_needs(project, tmp_path):
    env = prepared({"PATH": "/bin"}, tmp_path, worktree=project.path)
    assert sorted(env) == [
        "GOFLAGS",
        "NODE_OPTIONS",
        "PATH",
        "PYTEST_ADDOPTS",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONPATH",
        "RALPH_INVENTORY",
        "RALPH_INVENTORY_BEFORE",
        "RALPH_INVENTORY_TREE",
    ]
