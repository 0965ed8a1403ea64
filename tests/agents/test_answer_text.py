"""What of a model's words is taken for its answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, json

from ralph.agents.answer_text import Unusable, read_answer


class Answer(Struct, frozen=True):
    ok: bool
    why: str = ""
    more: list[int] = []


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"ok": true}', Answer(ok=True)),
        (' \n{"ok": true}\n ', Answer(ok=True)),
        ('```json\n{"ok": true}\n```', Answer(ok=True)),
        ('```\n{"ok": true}\n```', Answer(ok=True)),
        ('Well {see below}, "quoted: {"ok": false, "why": "x {y} ```"} and so on', Answer(ok=False, why="x {y} ```")),
        ('{"ok": true, "more": [1, 2, ], }', Answer(ok=True, more=[1, 2])),
        ('{"ok": true, "why": "a,}",\n\n}', Answer(ok=True, why="a,}")),
        ('{"ok": true} and again: {"ok": true, "why": ""}', Answer(ok=True)),
        ('{"unrelated": 1} {"ok": true}', Answer(ok=True)),
        ('{"ok": true, "unknown": 1}', Answer(ok=True)),
    ],
)
def test_an_answer_is_found(text, answer):
    assert read_answer(text, Answer) == answer


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is empty"),
        ("true", "it contains no JSON object"),
        ('{"ok": true, "why": "\\ud800"}', "it contains half of a surrogate pair, which is not a character"),
        ('[{"ok": 1}]', "Expected `bool`, got `int` - at `$.ok`"),
        ("{}", "it has none of the fields more, ok, why"),
        ('{"x": {"ok": true}}', "it has none of the fields"),
        ('{"why": "because"}', "Object missing required field `ok`"),
        ('{"ok": true} or rather {"ok": false}', "it holds 2 different answers"),
        ("{'ok': true}", "it is not valid JSON: Expecting property name"),
        ('{"ok": true', "it is not valid JSON: Expecting ',' delimiter"),
        ('{"ok": False}', "it is not valid JSON: Expecting value"),
        ('{"ok": , }', "it is not valid JSON"),
        ("{" * 100_000, "it is not valid JSON"),
        ('{"a":' * 100_000, "it is not valid JSON"),
    ],
)
def test_what_is_no_answer_is_refused_with_the_reason(text, problem):
    with pytest.raises(Unusable) as refused:
        read_answer(text, Answer)
    assert problem in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"ok": false, "detail": {"ok": true}',
        '{"ok": false, "detail": {"ok": true} "why": ""}',
        "{'ok': false, 'detail': {\"ok\": true}}",
        '{"ok": false, "why": "so }", detail: {"ok": true}}',
        '{"ok": false, "more": [{"ok": true}, {"ok": tr',
    ],
)
def test_a_part_of_a_broken_answer_is_not_the_answer(text):
    with pytest.raises(Unusable, match="not valid JSON"):
        read_answer(text, Answer)


@given(st.builds(Answer, ok=st.booleans(), why=st.text(), more=st.lists(st.integers(-9, 9))), st.booleans())
def test_every_answer_is_read_as_it_was_given(answer, fenced):
    text = json.encode(answer).decode()
    assert read_answer(f"Here:\n```json\n{text}\n```\nDone." if fenced else text, Answer) == answer


@given(st.text(alphabet='{}[]",:\\ ok true1\n'))
def test_no_text_makes_it_crash(text):
    try:
        assert isinstance(read_answer(text, Answer), Answer)
    except Unusable as problem:
        assert str(problem)  # noqa: PT017 - both ends are right
