"""Chunks that a person edits, drops, merges, splits and moves: the dependencies follow."""

import msgspec
import pytest

from ralph.kernel.chunk_edits import BadEdit, changed, dropped, merged, moved, split
from ralph.kernel.plan_forms import ChunkDraft
from spec_plans import chunk


def made(*needs):
    """T001 and on, each with what it depends on."""
    return [
        msgspec.convert(chunk(number, dependsOn=[f"T00{each}" for each in names]), ChunkDraft)
        for number, names in enumerate(needs, 1)
    ]


def ids(chunks):
    return {each.id: each.depends_on for each in chunks}


CHAIN = ("", "1", "2", "3")


def test_what_depended_on_a_dropped_chunk_depends_on_what_that_depended_on():
    assert ids(dropped(made(*CHAIN), "T002")) == {"T001": [], "T003": ["T001"], "T004": ["T003"]}


def test_merged_chunks_are_one_under_the_first_id_with_everything_of_all():
    both = merged(made(*CHAIN), ["T002", "T003"])
    assert ids(both) == {"T001": [], "T002": ["T001"], "T004": ["T002"]}
    assert both[1].title == "Write part 2 and Write part 3"
    assert "Write part 2." in both[1].description
    assert "Write part 3." in both[1].description
    assert len(both[1].acceptance_criteria) == 4


def test_chunks_that_would_wait_for_each_other_are_not_merged():
    with pytest.raises(BadEdit, match="would wait for each other"):
        merged(made(*CHAIN), ["T001", "T003"])


def test_criteria_for_roles_are_kept_by_a_merge_and_two_sets_of_them_are_not_joined():
    coder = {"coder": {"promise": "MADE"}}
    first, second = made("", "")
    one = merged([first, msgspec.structs.replace(second, criteria=coder)], ["T001", "T002"])
    assert one[0].criteria == coder
    both = [msgspec.structs.replace(each, criteria=coder) for each in (first, second)]
    with pytest.raises(BadEdit, match="T001, T002 have criteria for roles"):
        merged(both, ["T001", "T002"])


def test_a_split_chunk_is_two_the_second_after_the_first_and_others_wait_for_the_second():
    parts = split(made(*CHAIN), "T002", ("Read", "Write"), {2}, {2}, "it is written")
    assert ids(parts) == {"T001": [], "T002": ["T001"], "T002-2": ["T002"], "T003": ["T002-2"], "T004": ["T003"]}
    assert [each.title for each in parts[1:3]] == ["Read", "Write"]
    assert [each.description for each in parts[1:3]] == ["1. Read app.py.", "2. Write part 2."]
    assert parts[1].acceptance_criteria == [{"check": "test -e part2.txt", "text": ""}]
    assert parts[2].acceptance_criteria == ["it says hello"]
    assert parts[2].outcome == "it is written"


@pytest.mark.parametrize(("lines", "criteria"), [(set(), {1}), ({1, 2}, {1}), ({1}, set()), ({1}, {1, 2})])
def test_each_part_of_a_split_needs_a_step_and_a_criterion(lines, criteria):
    with pytest.raises(BadEdit, match="Each part needs"):
        split(made(""), "T001", ("a", "b"), lines, criteria, "")


def test_a_chunk_moves_but_not_before_what_it_depends_on():
    assert list(ids(moved(made("", "", "1"), "T002", 3))) == ["T001", "T003", "T002"]
    with pytest.raises(BadEdit, match="T003 depends on T001"):
        moved(made("", "", "1"), "T003", 1)
    with pytest.raises(BadEdit, match="no place 4"):
        moved(made("", "", "1"), "T003", 4)


def test_an_edited_chunk_may_have_another_id():
    [first, *others] = made(*CHAIN)
    new = changed([first, *others], "T001", msgspec.structs.replace(first, id="START"))
    assert ids(new)["T002"] == ["START"]
    with pytest.raises(BadEdit, match="no chunk 'T9'"):
        dropped(new, "T9")
