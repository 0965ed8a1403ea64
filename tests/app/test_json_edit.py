"""One place in a JSON file is changed, and every other byte stays."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.app.json_edit import cut, inserted, items

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
LAYOUTS = st.sampled_from([None, 0, 1, 2, 4, "\t"])
NEW = {"hooks": [{"command": "ralph guard", "timeout": 60}]}


def written(value, layout, ends):
    return json.dumps(value, indent=layout, ensure_ascii=False).replace("\n", ends)


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4), LAYOUTS, st.sampled_from(["\n", "\r\n"]))
def test_a_member_is_added_at_the_end_and_cut_again_without_a_trace(value, layout, ends):
    value.pop("new", None)
    text = written(value, layout, ends)
    longer = inserted(text, 0, NEW, "new")
    assert json.loads(longer) == {**value, "new": NEW}
    assert list(json.loads(longer)) == [*value, "new"]
    assert cut(longer, 0, len(value)) == text


@given(st.lists(VALUES, max_size=4), LAYOUTS)
def test_an_element_is_added_and_any_is_cut(value, layout):
    text = written(value, layout, "\n")
    longer = inserted(text, 0, NEW)
    assert json.loads(longer) == [*value, NEW]
    assert cut(longer, 0, len(value)) == text
    for number in range(len(value)):
        assert json.loads(cut(text, 0, number)) == [*value[:number], *value[number + 1 :]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}\n", '{\n  "a": [\n    1\n  ]\n}\n'),
        ('{"b": 1}', '{"b": 1, "a": [1]}'),
        ('{\n\t"b": {\n\t}\n}\n', '{\n\t"b": {\n\t},\n\t"a": [\n\t\t1\n\t]\n}\n'),
        (' {\r\n "b" : 1\r\n}', ' {\r\n "b" : 1,\r\n "a": [\r\n  1\r\n ]\r\n}'),
    ],
)
def test_it_is_written_as_the_file_is(text, expected):
    assert inserted(text, text.index("{"), [1], "a") == expected


def test_braces_and_commas_in_text_are_text():
    text = '{"a": "},{\\"", "b": ["]", "[,"]}'
    assert [item.key for item in items(text, 0)] == ["a", "b"]
    assert json.loads(cut(text, 0, 0)) == {"b": ["]", "[,"]}
