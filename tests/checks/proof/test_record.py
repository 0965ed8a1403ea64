"""The record of a proof: in-toto statements that fit together, or do not."""

import json

import pytest
from msgspec.structs import replace

from ralph.checks.proof.record import (
    PROOF,
    STATEMENT,
    TEST_RESULT,
    VERDICT,
    BadRecord,
    CheckRecord,
    CriterionRecord,
    Environment,
    Predicate,
    Record,
    Subject,
    lines_of,
    read_record,
)
from ralph.model.proof import Finding, TrialSeen
from ralph.model.verification import External

TREE, COMMIT = "a" * 40, "b" * 40
UNIT = CheckRecord(
    "unit",
    External("make test"),
    passed=True,
    reason="exit code 0, as expected",
    exit_code=0,
    output_digest="c" * 64,
    tests={"t::one": "passed", "t::two": "failed", "t::three": "skipped", "t::four": "failed"},
    flaky=("t::two",),
    trials=(TrialSeen("commit", TREE, passed=True, exit_code=0, tests=3),),
)
LINT = CheckRecord("lint", External("make lint"), passed=True, reason="so", findings=(Finding("rule", "warn", "look"),))
PREDICATE = Predicate(
    run="r1",
    recipe="task",
    proof="warned",
    base="d" * 40,
    checks=(UNIT, LINT),
    environment=Environment("1.2.3", "Linux x86_64", {"make": "GNU Make 4"}),
    task="T-1",
    criteria=(CriterionRecord("it is good", ("unit",)),),
    rules={"tamper": "block", "mayChange": []},
)
RECORD = Record(Subject("repo", TREE, COMMIT), PREDICATE, "2026-01-02T03:04:05Z")


def test_every_line_is_a_statement_about_the_same_commit_and_tree():
    statements = [json.loads(line) for line in lines_of(RECORD)]
    assert [each["predicateType"] for each in statements] == [TEST_RESULT, TEST_RESULT, PROOF, VERDICT]
    assert {each["_type"] for each in statements} == {STATEMENT}
    subject = [{"name": "repo", "digest": {"gitCommit": COMMIT, "gitTree": TREE}}]
    assert all(each["subject"] == subject for each in statements)


def test_the_results_of_the_tests_are_told_as_the_format_wants_them():
    unit, lint = (json.loads(line)["predicate"] for line in lines_of(RECORD)[:2])
    assert (unit["result"], lint["result"]) == ("PASSED", "WARNED")
    assert (unit["passedTests"], unit["failedTests"], unit["warnedTests"]) == (["t::one"], ["t::four"], ["t::two"])
    assert unit["configuration"][0]["annotations"] == {"command": "make test"}
    failed = replace(RECORD, predicate=replace(PREDICATE, checks=(replace(UNIT, passed=False),)))
    assert json.loads(lines_of(failed)[0])["predicate"]["result"] == "FAILED"


def test_the_verdict_says_when_by_whom_and_what():
    verdict = json.loads(lines_of(RECORD)[-1])["predicate"]
    assert verdict["verifier"]["id"] == "urn:ralph-engine:ralph"
    assert verdict["timeVerified"] == "2026-01-02T03:04:05Z"
    assert verdict["properties"] == ["RALPH_PROVEN_WITH_WARNINGS"]
    assert verdict["policies"][0]["annotations"] == PREDICATE.rules


def test_a_record_is_read_as_it_was_written():
    assert read_record(lines_of(RECORD)) == RECORD


def test_a_tree_without_a_commit_is_a_subject_too():
    record = replace(RECORD, subject=Subject("repo", TREE))
    assert json.loads(lines_of(record)[0])["subject"][0]["digest"] == {"gitTree": TREE}
    assert read_record(lines_of(record)) == record


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("old", [TREE, COMMIT])
def test_a_statement_about_something_else_does_not_fit(number, old):
    lines = lines_of(RECORD)
    lines[number] = lines[number].replace(old.encode(), b"e" * 40)
    with pytest.raises(BadRecord, match="does not fit the others"):
        read_record(lines)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"make test", b"true"),
        (b'"PASSED"', b'"FAILED"'),
        (b'"t::one":"passed"', b'"t::one":"failed"'),
        (b'"exitCode":0', b'"exitCode":1'),
        (b"c" * 64, b"f" * 64),
        (b"RALPH_PROVEN_WITH_WARNINGS", b"RALPH_PROVEN"),
        (b'"proof":"warned"', b'"proof":"checked"'),
        (b'"level":"warn"', b'"level":"note"'),
        (b"it is good", b"it is bad."),
    ],
)
def test_any_other_byte_that_matters_does_not_fit(old, new):
    lines = lines_of(RECORD)
    changed = [line.replace(old, new, 1) for line in lines]
    assert changed != lines
    for number, line in enumerate(changed):
        if line != lines[number]:
            with pytest.raises(BadRecord):
                read_record([*lines[:number], line, *lines[number + 1 :]])


def test_every_single_byte_of_the_evidence_is_sealed():
    lines = lines_of(RECORD)
    proof = lines[2]
    for place in range(0, len(proof), 7):
        other = proof[:place] + bytes([proof[place] ^ 1]) + proof[place + 1 :]
        with pytest.raises(BadRecord):
            read_record([*lines[:2], other, lines[3]])


def test_a_statement_that_is_missing_or_twice_there_is_noticed():
    lines = lines_of(RECORD)
    for others in (
        lines[1:],
        lines[:-1],
        [*lines[:2], *lines[3:]],
        [*lines, lines[0]],
        [lines[1], lines[0], *lines[2:]],
    ):
        with pytest.raises(BadRecord):
            read_record(others)


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'"x"', b"\xff"])
def test_what_is_no_record_is_told_so(data):
    with pytest.raises(BadRecord):
        read_record([data])
