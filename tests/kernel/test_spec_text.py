"""The text of a spec: its id and title from what was said, and its answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.kernel.plan_options import Exchange
from ralph.kernel.spec_text import answer_line, answers_in, id_of, spec_text, title_of, with_answer, without_answers
from ralph.kernel.task_rules import check_id


@pytest.mark.parametrize(
    ("said", "title", "name"),
    [
        ("Search for orders!", "Search for orders!", "search-for-orders"),
        ("\n# A login.\nFor clerks", "A login", "a-login"),
        ("Die Bücher, größer", "Die Bücher, größer", "die-b-cher-gr-er"),
        ("検索", "検索", "spec"),
        ("a--b", "a--b", "a-b"),
        ("\x1b[2Jred", "[2Jred", "2jred"),
    ],
)
def test_title_and_id_come_from_what_was_said(said, title, name):
    assert (title_of(said), id_of(title_of(said))) == (title, name)


@given(st.text())
def test_every_intent_gives_a_valid_id(said):
    check_id("spec", id_of(title_of(said)))
    assert title_of(said) == "" or title_of(said).isprintable()


def test_a_long_intent_is_cut_at_a_word():
    long = "Clerks want to find the orders of a customer by any word " * 4
    assert len(title_of(long)) <= 80
    assert not title_of(long).endswith("b")
    assert id_of(title_of(long)) == "clerks-want-to-find-the-orders-of-a"


def test_answers_are_added_under_their_heading_once_and_the_rest_stays():
    line = answer_line(Exchange("Who\nsearches?", "Clerks"))
    text = with_answer("# Search\n\n## Intent\nFind it.\n", line)
    assert text == "# Search\n\n## Intent\nFind it.\n\n## Questions and answers\n- **Who searches?** Clerks\n"
    assert with_answer(text, line) == text
    later = with_answer(f"{text}\n## Later\nMore.\n", "- **B?** b")
    assert later.endswith("- **Who searches?** Clerks\n- **B?** b\n\n## Later\nMore.\n")
    assert answers_in(later) == ["- **Who searches?** Clerks", "- **B?** b"]
    assert without_answers(later) == "# Search\n\n## Intent\nFind it.\n\n## Later\nMore.\n"


def test_the_planners_own_title_and_answers_are_not_written_twice():
    body = "# Other\n\nText.\n\n## Questions and answers\n- **Invented?** yes\n"
    assert (
        spec_text("Search", "", body, ["- **Q?** a"]) == "# Search\n\nText.\n\n## Questions and answers\n- **Q?** a\n"
    )
