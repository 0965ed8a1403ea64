"""Text that fits a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.cli.display.fitting import wrapped


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("twenty columns is all", ["twenty columns is", "  all"]),
        ("  ✗ a check that failed", ["  ✗ a check that", "    failed"]),
        ("- an item of a list it is", ["- an item of a list", "  it is"]),
        ("12. an item of a list", ["12. an item of a", "    list"]),
        ("[12:30:59]   ✓ it works", ["[12:30:59]   ✓ it", "      works"]),
        ("see /a/path/that/is/longer/than/it now", ["see /a/path/that/is/longer/than/it", "  now"]),
        ("日本語の文章 日本語の文章", ["日本語の文章", "  日本語の文章"]),
        ("⚠️ " + "a" * 17, ["⚠️ " + "a" * 17]),
        ("⚠️ ab " + "a" * 15, ["⚠️ ab", "   " + "a" * 15]),
        ("\tif indented: return", ["        if indented:", "      return"]),
        ("exactly twenty ones.", ["exactly twenty ones."]),
        ("ends with blanks     ", ["ends with blanks"]),
    ],
)
def test_it_breaks_between_words_and_goes_on_below_its_text(line, rows):
    assert wrapped(line, 20).split("\n") == rows


def test_lines_stay_lines_and_hang_as_wanted():
    assert wrapped("one\n\n  two three words", 15, hanging=3) == "one\n\n  two three\n     words"


def test_a_line_of_nothing_but_marks_takes_no_longer_than_another():
    assert wrapped("[ " * 200_000, 80).count("\n") > 4000


def test_without_a_width_nothing_changes():
    assert wrapped("a\tb " * 100, 0) == "a\tb " * 100


@given(st.text(alphabet="ab -✓日\u0301", max_size=80), st.integers(8, 40))
def test_every_word_is_whole_and_every_row_that_can_fits(line, width):
    rows = wrapped(line, width).split("\n")
    assert [word for row in rows for word in row.split(" ") if word] == [word for word in line.split(" ") if word]
    for row in rows:
        longest = max((len(word) for word in row.split(" ")), default=0)
        assert sum(2 if sign == "日" else sign != "\u0301" for sign in row) <= width or longest * 3 > width
