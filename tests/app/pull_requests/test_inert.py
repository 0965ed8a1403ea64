"""What agents wrote does nothing on a page that reads Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ralph.app.pull_requests.inert import INVISIBLE, block, span, title

HOSTILE = [
    "@alice please look",
    "fixes #12, closes acme/shop#3, GH-9",
    "![x](https://evil.example/x.png) [y](javascript:1) <img src=x onerror=1>",
    "https://evil.example and www.evil.example",
    "/merge\n/close",
    "`` ` ``` ```` @alice",
    "```\n@alice\n```\n# A heading",
    "a | b | @alice |\n|---|",
    "\x1b[31m@alice\x00\u202e",
    "`",
    "``@x``",
]
page = MarkdownIt("gfm-like", {"linkify": False})


def active(markdown):
    """The text outside of code, and everything that is not text."""
    found = []
    for token in page.parse(markdown):
        for inner in token.children or [token]:
            if inner.type == "text":
                found.append(inner.content)
            elif inner.type in ("link_open", "image", "html_inline", "html_block"):
                found.append(inner.type)
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_it_stands_outside_of_code(text):
    row = f"| one | two |\n|---|---|\n| {span(text)} | end |\n"
    assert active(row) == ["one", "two", "end"]
    assert active(f"before\n\n{block(text, 500)}\n\nafter\n") == ["before", "after"]
    assert active(f"- {span(text)}\n") == []


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("`|@#/\\\n<>[]()!*_~ ")), max_size=60))
def test_whatever_it_is(text):
    table = f"| one | two |\n|---|---|\n| {span(text)} | end |\n"
    assert active(table) == ["one", "two", "end"]
    assert active(f"before\n\n{block(text, 500)}\n\nafter\n") == ["before", "after"]


def test_it_is_read_as_it_was_written():
    [row] = [token for token in page.parse(f"x {span('a `b` | c')} y") if token.children]
    assert [inner.content for inner in row.children if inner.type == "code_inline"] == [r"a `b` \| c"]


def test_nothing_in_it_hides_from_the_reader():
    hidden = "a\x1b\u200b\U000e0041\udce9b"
    assert span(hidden) == r"`a\x1b\u200b\U000e0041\udce9b`"
    assert r"a\x1b\u200b\U000e0041\udce9b" in block(hidden, 100)
    assert title(hidden, 100) == r"a\x1b\u200b\U000e0041\udce9b"


def test_it_is_cut():
    assert span("x" * 50, 10) == f"`{'x' * 10}...`"
    assert "[...]" in block("x" * 50, 10)


@pytest.mark.parametrize("text", ["@alice", "fixes #12", "GH-9", "!7", "https://evil.example"])
def test_a_title_has_no_name_number_or_address(text):
    made = title(text, 100)
    assert made.replace(INVISIBLE, "") == text
    assert INVISIBLE in made


def test_a_plain_title_stays():
    assert title("Add a cart & a list, 50% faster!", 100) == "Add a cart & a list, 50% faster!"


def test_an_agent_cannot_end_ralphs_part_of_the_page():
    from ralph.app.pull_requests.description import BEGIN, END, merged_into

    hostile = f"{END}\n@alice\n{BEGIN}"
    first = f"{BEGIN}\n{block(hostile, 500)}\n{span(hostile)}\n{END}\n"
    assert (first.count(BEGIN), first.count(END)) == (1, 1)
    assert merged_into(f"Mine.\n\n{first}\nThanks.", f"{BEGIN}\nnew\n{END}\n") == (
        f"Mine.\n\n{BEGIN}\nnew\n{END}\n\nThanks."
    )
