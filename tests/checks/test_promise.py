import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.agents.run import CONTEXT, OUTPUT, STREAM
from ralph.checks.promise import LONGEST_REJECTION, LONGEST_WHY, read_claim
from ralph.checks.tags import LONGEST, first_tag
from ralph.kernel.actions import Claim

PROMPT = """\
# T-1: Sign in

**To signal completion, output:**
```
<promise>AUTH_DONE</promise>
```

If an earlier stage is not good enough, send it back with `<reject stage="coder">why</reject>`. Earlier: coder."""
HUNDRED_MEGABYTES = 100_000_000


@pytest.fixture
def claim(tmp_path):
    """What is read from an agent that said this: as its final message, or as all of its plain output."""

    def read(answer, *, plain=False, prompt=PROMPT):
        (tmp_path / CONTEXT).write_text(prompt)
        (tmp_path / (STREAM if plain else OUTPUT)).write_bytes(answer if isinstance(answer, bytes) else answer.encode())
        return read_claim(tmp_path, plain=plain)

    return read


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(
    ("answer", "promise"),
    [
        ("<promise>AUTH_DONE</promise>", "AUTH_DONE"),
        ("All is there.\n<PROMISE>\n  Auth_Done \n</Promise>\n", "Auth_Done"),
        ("<promise>all   tests\n\tpass</promise>", "all tests pass"),
        ("<promise>ONE</promise> and <promise>TWO</promise>", "ONE"),
        ("<promise>größer</promise>", "größer"),
        ("<promise></promise>", None),
        ("<promise> \n </promise>", None),
        ("<promise>AUTH_DONE", None),
        ("AUTH_DONE", None),
        ("&lt;promise&gt;AUTH_DONE&lt;/promise&gt;", None),
        ('<promise kind="x">AUTH_DONE</promise>', None),
        ("", None),
        ("<promise>A<promise>B</promise></promise>", "A<promise>B"),
    ],
)
def test_the_first_promise_as_it_was_said(claim, answer, promise, plain):
    assert claim(answer, plain=plain) == Claim(promise)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(
    ("answer", "stage", "why"),
    [
        ('<reject stage="coder">no tests</reject>', "coder", "no tests"),
        ("<reject stage='coder'>no tests</reject>", "coder", "no tests"),
        ("<reject stage=coder>no tests</reject>", "coder", "no tests"),
        ('<REJECT severity="3 > 2" Stage = " coder " >\n no\n tests \n</Reject>', "", ""),
        ('<REJECT severity="3" Stage = " coder " >\n no\n tests \n</Reject>', "coder", "no\n tests"),
        ('<reject note="stage=qa" stage="coder">no</reject>', "coder", "no"),
        ('<reject backstage="qa" stage="coder">no</reject>', "coder", "no"),
        ('<reject stage="coder"></reject>', "coder", ""),
        ('<reject stage="">no</reject>', "", "no"),
        ("<reject>no tests</reject>", "", "no tests"),
        ('<reject level="3">no tests</reject>', "", ""),
        ('I use no <reject> lightly. <reject stage="coder">no tests</reject>', "coder", "no tests"),
        ('<reject stage="coder">A</reject><reject stage="tester">B</reject>', "coder", "A"),
        ('<reject stage="coder">A<reject stage="qa">B</reject></reject>', "coder", 'A<reject stage="qa">B'),
        ('<reject stage="coder">never closed', "", ""),
        ("<rejected stage=coder>no</rejected>", "", ""),
    ],
)
def test_the_first_rejection_names_a_stage_and_says_why(claim, answer, stage, why, plain):
    assert claim(answer, plain=plain) == Claim(reject_stage=stage, reject_why=why)


def test_a_promise_and_a_rejection_are_both_read(claim):
    said = claim('<promise>DONE</promise> <reject stage="coder">but no tests</reject>')
    assert said == Claim("DONE", "coder", "but no tests")


def test_of_many_words_the_beginning_is_kept(claim):
    said = claim(f'<reject stage="coder">{"ä" * 10_000}</reject>')
    assert said == Claim(reject_stage="coder", reject_why="ä" * LONGEST_WHY)


def test_a_rejection_that_is_closed_too_far_away_is_none(claim):
    assert claim(f'<reject stage="coder">{"x" * (LONGEST_REJECTION + 1)}</reject>') == Claim()


@pytest.mark.parametrize("echo", [PROMPT, "> " + PROMPT.replace("\n", "\n> "), f"```\n{PROMPT}\n```\nworking..."])
def test_what_stands_in_an_echo_of_the_prompt_is_not_the_agents(claim, echo):
    assert claim(echo, plain=True) == Claim()
    assert claim(f"{echo}\n<promise>AUTH_DONE</promise>", plain=True) == Claim("AUTH_DONE")
    rejected = claim(f'{echo}\n<reject stage="coder">why</reject>', plain=True)
    assert rejected == Claim(reject_stage="coder", reject_why="why")


def test_a_structured_final_message_may_repeat_the_prompts_words(claim):
    assert claim("output:\n```\n<promise>AUTH_DONE</promise>\n```").promise == "AUTH_DONE"


def test_only_the_final_message_of_a_structured_agent_is_read(claim, tmp_path):
    (tmp_path / STREAM).write_text('{"tool_result": "<promise>AUTH_DONE</promise> <reject stage=coder>x</reject>"}')
    assert claim("I am still thinking.") == Claim()


def test_no_final_message_is_no_claim(tmp_path):
    assert read_claim(tmp_path, plain=False) == Claim()


@pytest.mark.parametrize(
    "unit",
    [
        b"<promise>",
        b'<reject stage="coder">',
        *(
            pytest.param(unit, marks=pytest.mark.e2e)
            for unit in (b"</promise>", b"<reject stage=", b"<promise>" + b"x" * 5000)
        ),
    ],
)
@pytest.mark.timeout(60)
def test_a_hundred_megabytes_of_tags_are_read_in_seconds(claim, unit):
    flood = unit * (HUNDRED_MEGABYTES // len(unit))
    assert claim(flood) == Claim()
    assert claim(flood + b"." * LONGEST_REJECTION + b"<promise>DONE</promise>") == Claim("DONE")


pieces = st.sampled_from(["<promise>", "</promise>", "<PROMISE>", "x", " ", "x" * LONGEST, "x" * (LONGEST - 8), "<"])


@given(st.lists(pieces, max_size=12))
def test_what_is_found_is_what_one_pattern_for_the_whole_would_find(tmp_path_factory, said):
    text = "".join(said)
    path = tmp_path_factory.getbasetemp() / "said"
    path.write_text(text)
    whole = re.search(f"<promise>(.{{0,{LONGEST}}}?)</promise>", text, re.IGNORECASE | re.DOTALL)
    assert first_tag(path, "promise") == (whole and whole[1].strip())


def test_bytes_that_are_not_utf_8_do_not_hide_the_promise(claim):
    assert claim(b"\xff\xfe <promise>DONE</promise> \xff").promise == "DONE"
