import pytest
from msgspec.structs import replace

from ralph.checks.promise import LONGEST_REJECTION, LONGEST_WHY, read_claim
from ralph.kernel.actions.agent import Claim, Said

PROMPT = """\
# T-1: Sign in

**To signal completion, output:**
```
<promise>AUTH_DONE</promise>
```

If an earlier stage is not good enough, send it back with `<reject stage="coder">why</reject>`. Earlier: coder."""
TEN_MEGABYTES = 10_000_000
"""Far more than is kept of a final message."""


def claim(answer, *, plain=False, expected="AUTH_DONE", earlier=("coder",)):
    """What is read from an agent that said this: as its final message, or as all of its plain output."""
    return read_claim(Said(answer, PROMPT if plain else ""), expected, earlier)


def found(answer, *, plain=False):
    """The same, whatever it is worth."""
    return replace(claim(answer, plain=plain), problem="")


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(
    ("answer", "promise"),
    [
        ("<promise>AUTH_DONE</promise>", "AUTH_DONE"),
        ("All is there.\n<PROMISE>\n  Auth_Done \n</Promise>\n", "Auth_Done"),
        ("<promise>all   tests\n\tpass</promise>", "all tests pass"),
        ("<promise>ONE</promise> <promise>TWO</promise>", "ONE"),
        ("<promise>ONE</promise> and <promise>TWO</promise>", "ONE"),
        ("I will give my <promise>AUTH_DONE</promise> later.", None),
        ("When the tests pass I will say <promise>AUTH_DONE</promise>", None),
        ("<promise>größer</promise>", "größer"),
        ("<promise></promise>", None),
        ("<promise> \n </promise>", None),
        ("<promise>AUTH_DONE", None),
        ("AUTH_DONE", None),
        ("&lt;promise&gt;AUTH_DONE&lt;/promise&gt;", None),
        ('<promise kind="x">AUTH_DONE</promise>', None),
        ("", None),
        ("<promise>A<promise>B</promise></promise>", None),
    ],
)
def test_the_first_promise_that_counts_as_it_was_said(answer, promise, plain):
    assert found(answer, plain=plain) == Claim(promise)


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
def test_the_first_rejection_names_a_stage_and_says_why(answer, stage, why, plain):
    assert found(answer, plain=plain) == Claim(reject_stage=stage, reject_why=why)


def test_a_promise_and_a_rejection_are_both_read():
    said = found('<promise>DONE</promise> <reject stage="coder">but no tests</reject>')
    assert said == Claim("DONE", "coder", "but no tests")


def test_of_many_words_the_beginning_is_kept():
    said = claim(f'<reject stage="coder">{"ä" * 10_000}</reject>')
    assert said == Claim(reject_stage="coder", reject_why="ä" * LONGEST_WHY)


def test_a_rejection_that_is_closed_too_far_away_is_none():
    assert found(f'<reject stage="coder">{"x" * (LONGEST_REJECTION + 1)}</reject>') == Claim()


@pytest.mark.parametrize("echo", [PROMPT, "> " + PROMPT.replace("\n", "\n> "), f"```\n{PROMPT}\n```\nworking..."])
def test_what_stands_in_an_echo_of_the_prompt_is_not_the_agents(echo):
    assert found(echo, plain=True) == Claim()
    assert claim(f"{echo}\n<promise>AUTH_DONE</promise>", plain=True) == Claim("AUTH_DONE")
    rejected = claim(f'{echo}\n<reject stage="coder">why</reject>', plain=True)
    assert rejected == Claim(reject_stage="coder", reject_why="why")


def test_a_promise_in_a_fence_of_its_own_counts():
    assert claim("As asked:\n```\n<promise>AUTH_DONE</promise>\n```", plain=True).promise == "AUTH_DONE"


def test_no_final_message_is_no_claim():
    assert claim("") == Claim(problem="no completion promise found")


def test_a_promise_that_was_asked_for_has_no_problem():
    assert claim("<promise>AUTH_DONE</promise>") == Claim("AUTH_DONE")


@pytest.mark.parametrize("said", ["AUTH_DONE", "auth_done", "Auth_Done", " auth_done\n"])
def test_promises_are_compared_without_regard_to_case(said):
    assert claim(f"<promise>{said}</promise>") == Claim(said.strip())
    assert claim(f"<promise>{said}</promise>", expected="Auth_done").problem == ""


def test_a_promise_that_is_only_talked_about_is_told_apart_from_none():
    said = claim("I was asked for <promise>AUTH_DONE</promise> but the tests fail.")
    assert said == Claim(
        problem="no completion promise stands alone on its line or ends the message as the agent's own word"
    )


@pytest.mark.parametrize("said", ["AUTH_DONE NOW", "NOT AUTH_DONE", "REVIEWED"])
def test_another_promise_is_the_wrong_one(said):
    problem = f"wrong promise: it said {said!r}, expected 'AUTH_DONE'"
    assert claim(f"<promise>{said}</promise>") == Claim(said, problem=problem)


def test_of_a_wrong_promise_only_the_beginning_is_shown():
    assert len(claim(f"<promise>{'x' * 4000}</promise>").problem) < 300


@pytest.mark.parametrize("earlier", [(), ("tester",)])
def test_a_task_cannot_be_sent_where_it_has_not_been(earlier):
    said = claim('<reject stage="coder">no</reject>', earlier=earlier)
    assert said == Claim(None, "coder", "no", "there is no earlier stage 'coder'")


def test_a_rejection_that_names_no_stage_sends_nothing_back():
    said = claim("<promise>AUTH_DONE</promise> <reject>no tests</reject>")
    assert said.problem == "a rejection must name the stage that is to work again"


def test_sending_back_outweighs_a_promise_and_has_no_problem():
    said = claim('<promise>WRONG</promise> <reject stage="coder">no tests</reject>')
    assert said == Claim("WRONG", "coder", "no tests")


@pytest.mark.parametrize(
    "unit",
    [
        "<promise>",
        '<reject stage="coder">',
        *(
            pytest.param(unit, marks=pytest.mark.e2e)
            for unit in ("</promise>", "<reject stage=", "<promise>" + "x" * 5000)
        ),
    ],
)
@pytest.mark.timeout(60)
def test_ten_megabytes_of_tags_are_read_in_seconds(unit):
    flood = unit * (TEN_MEGABYTES // len(unit))
    assert found(flood) == Claim()
    assert found(flood + "." * LONGEST_REJECTION + "<promise>DONE</promise>") == Claim("DONE")


def test_half_a_character_does_not_hide_the_promise():
    assert claim("\ud83d\n<promise>AUTH_DONE</promise>\n\ud83d") == Claim("AUTH_DONE")
