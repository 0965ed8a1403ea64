"""Findings as text, tests that were renamed, and what the rules are called."""

import re

from checks.proof.tamper.looking import look, sub
from checks.proof.tamper.projects import JEST, PYTEST
from ralph.checks.proof import tamper
from ralph.checks.proof.tamper import explain, renamed_tests
from ralph.model.proof import Finding

TEST = "tests/test_calc.py"


def test_the_block_has_the_exact_lines_and_the_gravest_first():
    edits = {
        TEST: sub("add(2, 3) == 5", "add(2, 3) == 6")(PYTEST[TEST]),
        "calc.py": "import os\n\nos._exit(0)  # done\n",
        "pytest.py": "",
    }
    assert explain(look(PYTEST, edits)) == (
        "- calc.py:3: os._exit ends the process without its runner [exit]\n"
        "      os._exit(0)  # done\n"
        "- pytest.py: stands in for the module pytest [shadow]\n"
        "- tests/test_calc.py:6: an assertion of test_add was changed [changed-assertion]\n"
        "      assert add(2, 3) == 6"
    )


def test_at_most_twenty_are_told():
    findings = [Finding("exit", "block", f"number {n}", "a.py", n + 1, "x") for n in range(50)]
    told = explain(findings).split("\n")
    assert len(told) == 41
    assert told[-1] == "and 30 more"


def test_notes_are_not_told():
    assert explain([Finding("renamed", "note", "test_a → test_b", "a.py", 1, "x")]) == ""
    assert explain([]) == ""


def test_a_finding_without_a_file():
    assert (
        explain([Finding("unreadable", "block", "the change cannot be read")])
        == "- the change cannot be read [unreadable]"
    )


def test_a_renamed_test_is_known_by_both_names():
    findings = look(PYTEST, {TEST: sub("def test_mul", "def test_product")(PYTEST[TEST])})
    assert renamed_tests(findings) == {"test_mul": "test_product"}
    assert [(each.rule, each.level, each.text, each.line) for each in findings] == [
        ("renamed", "note", "test_mul → test_product", 10)
    ]


def test_a_test_in_another_file_or_class_is_known():
    moved = "def test_mul():\n    assert mul(2, 3) == 6\n"
    findings = look(PYTEST, {TEST: sub(f"{moved}\n\n", "")(PYTEST[TEST]), "tests/test_new.py": moved})
    assert [(each.rule, each.text, each.file) for each in findings] == [
        ("renamed", "test_mul → test_mul", "tests/test_new.py")
    ]


def test_two_tests_that_change_their_names_are_told_apart_by_their_bodies():
    edit = PYTEST[TEST].replace("def test_add", "def test_x").replace("def test_mul", "def test_y")
    assert renamed_tests(look(PYTEST, {TEST: edit})) == {"test_add": "test_x", "test_mul": "test_y"}


def test_two_tests_with_the_same_body_keep_their_names():
    same = "def test_a():\n    assert f() == 1\n\n\ndef test_b():\n    assert f() == 1\n"
    findings = look({"tests/test_x.py": same}, {"tests/test_x.py": same.replace("test_a", "test_c")})
    assert renamed_tests(findings) == {"test_a": "test_c"}


def test_a_test_that_is_renamed_and_extended_is_no_loss():
    edit = sub("def test_mul():\n", "def test_product():\n    assert mul(1, 1) == 1\n")(PYTEST[TEST])
    findings = look(PYTEST, {TEST: edit})
    assert [(each.rule, each.text) for each in findings] == [("renamed", "test_mul → test_product")]


def test_a_test_is_not_renamed_to_one_that_checks_less():
    edit = sub("def test_add():\n    assert add(2, 3) == 5\n", "def test_sum():\n")(PYTEST[TEST])
    assert [(each.rule, each.level) for each in look(PYTEST, {TEST: edit})] == [("gone", "block")]


def test_a_renamed_test_in_javascript():
    edit = sub("it('adds',", "it('adds two numbers',")(JEST["src/calc.test.ts"])
    assert renamed_tests(look(JEST, {"src/calc.test.ts": edit})) == {"adds": "adds two numbers"}


def test_a_swap_of_bodies_is_seen():
    swapped = PYTEST[TEST].replace("test_add", "test_x").replace("test_mul", "test_add").replace("test_x", "test_mul")
    assert {each.rule for each in look(PYTEST, {TEST: swapped})} == {"changed-assertion"}


def test_a_skip_that_moves_to_another_test_is_new():
    skipped = PYTEST[TEST].replace("def test_mul", "@pytest.mark.skip\ndef test_mul")
    moved = PYTEST[TEST].replace("def test_add", "@pytest.mark.skip\ndef test_add")
    assert [(each.rule, each.line) for each in look({**PYTEST, TEST: skipped}, {TEST: moved})] == [("skip", 5)]


def test_one_more_of_the_same_is_new():
    base = {**PYTEST, "calc.py": "import os\nos._exit(0)\n"}
    found = look(base, {"calc.py": "import os\nos._exit(0)\nos._exit(0)\n"})
    assert [(each.rule, each.line) for each in found] == [("exit", 3)]


def test_every_rule_that_is_used_stands_in_the_documentation():
    documented = set(re.findall(r"^\| ([\w-]+) \| (?:block|warn|note)", tamper.__doc__, re.MULTILINE))
    assert documented >= {
        *("gone", "skip", "emptied", "hook", "exit", "no-op", "shadow", "path-shim", "runner", "patch"),
        *(
            "changed-assertion",
            "comparison",
            "stack",
            "link",
            "narrowed",
            "renamed",
            "new-skip",
            "unreadable",
            "disguise",
        ),
    }
