"""Words that must not be in a final message, nor in what was added to the files."""

import time

import pytest

from ralph.checks.diffs import LONGEST_LINE
from ralph.checks.patterns import Search
from ralph.model.verification import NegativePattern

DIFF = """\
diff --git a/src/auth.py b/src/auth.py
--- a/src/auth.py
+++ b/src/auth.py
@@ -10,3 +10,4 @@
 context TODO
-removed FIXME
+password  = "hunter2"
+token_todo = hardcodedness()
 end
"""


def forbidden(patterns, said, diff, size=1000):
    """What is found, in a message and in a diff that comes in pieces."""
    search = Search(patterns)
    search.look_at_message(said)
    for start in range(0, len(diff), size):
        search.look_at_diff(diff[start : start + size])
    search.look_at_diff("\n")
    return search.found


def word(text):
    return NegativePattern(text, word=True)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("TODO", "there is a todo left"),
        ("TODO", "# TODO: later"),
        ("security concern", "A security\n   concern remains."),
        ("  security   concern ", "a security concern"),
        ("password =", "user.password   = 1"),
        ("== 0", "if x ==  0"),
        ("(x)", "a(x)b"),
        ("$HOME", "cd $HOME/x"),
        ("größe", "Die Größe fehlt"),
        ("a.b", "see a.b"),
        ("TODO", "todos and more"),
        ("TODO", "my_TODO_list"),
        ("password =", "user_password = 1"),
        ("größe", "Größenwahn"),
        ("fail", "nothing failed"),
    ],
)
def test_a_negative_pattern_is_found_in_the_final_message(pattern, text):
    assert forbidden(("never", pattern), text, "") == f'found the negative pattern "{pattern}" in the final message'


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("password =", "password: 1"),
        ("a.b", "axb"),
        ("", "anything"),
        ("  ", "any thing"),
        (word("TODO"), "todos and TODO_LIST and mytodo"),
        (word("password ="), "user_password = 1"),
        (word("== 0"), "x == 01"),
        (word("größe"), "Größenwahn"),
        (word(" "), "any thing"),
    ],
)
def test_other_text_and_parts_of_words_where_whole_ones_are_meant_are_not_found(pattern, text):
    assert forbidden((pattern,), text, f"+++ b/x\n@@ -0,0 +1 @@\n+{text}\n") == ""


@pytest.mark.parametrize("text", ["a TODO here", "# todo: later", "(todo)"])
def test_a_whole_word_is_found_where_it_stands_alone(text):
    assert forbidden((word("TODO"),), text, "") == 'found the negative pattern "TODO" in the final message'


def test_a_negative_pattern_in_an_added_line_is_named_with_its_place():
    assert forbidden(("PASSWORD =",), "", DIFF) == 'found the negative pattern "PASSWORD =" in src/auth.py:11'


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_it_does_not_matter_how_a_diff_is_cut_into_pieces(size):
    assert forbidden(("hardcodedness",), "", DIFF, size) == (
        'found the negative pattern "hardcodedness" in src/auth.py:12'
    )


@pytest.mark.parametrize("pattern", ["context", "FIXME", "removed", "src", "diff"])
def test_only_added_lines_count_of_a_diff(pattern):
    assert forbidden((pattern,), "", DIFF) == ""


@pytest.mark.parametrize("before", [100, LONGEST_LINE - 3, LONGEST_LINE + 1, 3 * LONGEST_LINE])
def test_a_line_of_any_length_is_searched(before):
    line = "x" * before + " hunter2 " + "y" * LONGEST_LINE
    found = forbidden(("hunter2",), "", f"+++ b/x\n@@ -0,0 +1 @@\n+{line}\n", 1 << 17)
    assert found == 'found the negative pattern "hunter2" in x:1'


def test_the_first_that_is_found_is_told():
    diff = "+++ b/x\n@@ -0,0 +1,2 @@\n+two\n+one\n"
    assert forbidden(("one", "two"), "", diff) == 'found the negative pattern "two" in x:1'
    assert forbidden(("one", "two"), "one", diff) == 'found the negative pattern "one" in the final message'


def test_a_large_diff_is_searched_quickly():
    lines = "+an ordinary line of code, password: x\n" * 100_000
    patterns = [f"pattern {number} =" for number in range(5)]
    began = time.monotonic()
    assert forbidden(patterns, "", f"+++ b/x\n@@ -0,0 +1,100000 @@\n{lines}", 1 << 17) == ""
    assert time.monotonic() - began < 10
