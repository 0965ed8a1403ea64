"""The change without the words by which it asks whether it is tested."""

import asyncio

import pytest

from checks.proof.memory_tree import PROGRAM, MemoryTree
from ralph.checks.proof.unasked import without_asking
from ralph.model.proof import Finding, NewFile

ASKING = {
    "python": ('x = 1\nif "PYTEST_CURRENT_TEST" in os.environ:\n', 'x = 1\nif "PYTESx_CURRENT_TESx" in os.environ:\n'),
    "modules": ("\nif 'pytest' in sys.modules:\r\n", "\nif 'pytesx' in sys.modules:\r\n"),
    "go": ('\nif flag.Lookup("test.v") != nil {', '\nif flag.Lookup("tesx.v") != nil {'),
    "jest": ("\nif (process.env.JEST_WORKER_ID)\n", "\nif (process.env.JESx_WORKER_ID)\n"),
}


def asks(path, line=2, level="block", rule="runner"):
    return Finding(rule, level, "the product asks", path, line)


def changed(files, *findings):
    return asyncio.run(without_asking(MemoryTree(files), findings))


@pytest.mark.parametrize("language", ASKING)
def test_the_words_are_taken_away_in_their_line_only(language):
    asking, unasked = ASKING[language]
    files = {"a": (PROGRAM, f"{asking}\n# test\n"), "b": "test\n"}
    assert changed(files, asks("a")) == {"a": NewFile(PROGRAM, f"{unasked}\n# test\n".encode())}


def test_all_places_are_changed_at_once():
    files = {"a": "test\ntest\n", "b": "test\n"}
    assert changed(files, asks("a", 1), asks("a", 2), asks("a", 2), asks("b", 1)) == {
        "a": NewFile("100644", b"tesx\ntesx\n"),
        "b": NewFile("100644", b"tesx\n"),
    }


@pytest.mark.parametrize(
    "findings",
    [
        (),
        (asks("a", level="warn"),),
        (asks("a", rule="patch"),),
        (asks("a", 1), asks("a", 2)),
        (asks("a", 1), asks("a", 9)),
        (asks("gone", 1), asks("a", 1)),
    ],
    ids=["nothing found", "a warning", "another rule", "other words", "no such line", "no such file"],
)
def test_nothing_is_tried_where_the_words_cannot_be_taken_away(findings):
    assert changed({"a": "test\nother words\n"}, *findings) == {}
