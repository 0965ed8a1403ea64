"""Boxes of Markdown: which lines are one, which are text, and what a tick changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.app.exchange.boxes import tick
from ralph.app.exchange.checklist import checklist_entries
from ralph.app.exchange.formats import marked_done
from ralph.app.exchange.markdown import marked
from ralph.app.exchange.plan import Origin


def boxes(text):
    return [(box.text, box.is_done) for box in marked(text).boxes]


@pytest.mark.parametrize("mark", ["~", "", " x", "x ", "-", " ", "  ", "/", "✓", "?"])
def test_only_x_is_done_and_every_other_marker_is_open(mark):
    assert boxes(f"- [{mark}] write it\n") == [("write it", False)]


@pytest.mark.parametrize("mark", ["x", "X"])
def test_x_in_upper_and_lower_case_is_done(mark):
    assert boxes(f"- [{mark}] write it\n") == [("write it", True)]


@pytest.mark.parametrize(
    "text",
    [
        "```\n- [ ] a\n```\n",
        "~~~md\n- [ ] a\n~~~\n",
        "````\n```\n- [ ] a\n```\n````\n",
        "- item\n  ```\n  - [ ] a\n  ```\n",
        "<!--\n- [ ] a\n-->\n",
        "Use - [ ] for open ones.\n",
        "- [a link](https://example.invalid)\n- [ ](empty)\n- [x][ref]\n- [x]: https://example.invalid\n",
    ],
    ids=["backticks", "tildes", "longer fence", "in a list", "comment", "prose", "links"],
)
def test_boxes_in_code_fences_comments_and_prose_are_text(text):
    assert boxes(text) == []


def test_a_box_after_a_closed_fence_counts():
    assert boxes("```\n- [ ] no\n```\n* [ ] yes\n1. [x] too\n+ [ ] three\n") == [
        ("yes", False), ("too", True), ("three", False),
    ]  # fmt: skip


def test_code_within_a_line_opens_no_fence():
    assert boxes("```code``` in a line\n- [ ] yes\n") == [("yes", False)]


def test_a_fence_that_is_never_closed_is_said():
    found = marked("- [ ] a\n\n```\n- [ ] b\n")
    assert [box.text for box in found.boxes] == ["a"]
    assert found.notes == ("the code fence that begins at line 3 is never closed: boxes after it are text",)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_counts_as_one(end):
    assert boxes(end.join(["# A", "- [ ] one", "- [x] two"])) == [("one", False), ("two", True)]


TEXTS = st.lists(
    st.sampled_from(["- [ ] a", "- [x] b", "  - [~] c", "- [] d", "```", "# H", "", "text \x0b \u2028 é", "- [ x] e"]),
    max_size=12,
)


@given(TEXTS, st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_tick_changes_nothing_but_the_marks(lines, end):
    text = end.join(lines)
    found = marked(text).boxes
    entries = checklist_entries(text)
    origins = [
        Origin(format="checklist", source="f", id=each.item.id, fingerprint=each.item.fingerprint) for each in entries
    ]
    made, answers = marked_done(text, entries, origins)
    assert not [each.problem for each in answers if each.problem]
    after = marked(made).boxes
    assert len(after) == len(found)
    assert all(box.is_done for box in after)
    assert [box.text for box in after] == [box.text for box in found]
    without = made
    for old, new in zip(reversed(found), reversed(after), strict=True):
        without = without[: new.place] + old.mark + without[new.place + len(new.mark) :]
    assert without == text


def test_a_ticked_box_is_left_as_it_is():
    assert tick(marked("- [X] a\n").boxes) == ()
