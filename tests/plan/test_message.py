"""What is taken from a final message, however the agent wrote it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.plan.message import words_of

SUMMARY = "Created the login endpoint."
STEPS = ("Run `npm test`", "POST /login returns a token")


@pytest.mark.parametrize(
    "message",
    [
        """\
All done!

## Summary
Created the login endpoint.

## Files created/modified
- src/login.ts does the work here.

## New exports/functions available
- `login` is the handler of it

## How to verify it works
1. Run `npm test`
2. POST /login returns a token
""",
        """\
1. **Summary of what you accomplished**: Created the login endpoint.
2. **Files created/modified**:
   - `src/login.ts` (new file with the code)
3. **New exports/functions available**: `login`
4. **How to verify it works**:
   - Run `npm test`
   - POST /login returns a token
""",
        """\
**Summary:** Created the login endpoint.

**Files:** src/login.ts

**Verification:**
* Run `npm test`
* [ ] POST /login returns a token""",
        """\
1. Summary of what you accomplished
Created the login endpoint.

2. Files created/modified
src/login.ts

4. How to verify it works
Run `npm test`
POST /login returns a token""",
        """\
### 1. Summary

Created the [login](src/login.ts) **endpoint**.

### 4. How to verify

- Run `npm test`
- POST /login returns a token

<promise>IMPLEMENTATION_COMPLETE</promise>""",
        """\
What I did: Created the login endpoint.
Files changed: src/login.ts
How to verify:
Run `npm test`
POST /login returns a token""",
    ],
    ids=["headings", "numbers in bold", "bold", "plain lines", "numbered headings", "colons"],
)
def test_the_parts_that_were_asked_for_are_found_in_every_form(message):
    assert words_of(message) == (SUMMARY, STEPS)


@pytest.mark.parametrize(
    ("message", "summary"),
    [
        ("I've added a login endpoint. It uses argon2.", "I've added a login endpoint. It uses argon2."),
        ("Added login.ts with the handler", "Added login.ts with the handler."),
        ("- Added the login handler\n- Added a test of it", "Added the login handler. Added a test of it."),
        ("# Login\n\nThe handler is new.\n\n```ts\nconst a = 1;\n```\n| a | b |\n|---|---|", "The handler is new."),
        ("One is here now. Two is here now. Three is here now. Four is here now.", None),
        ("Der Login ist jetzt da und wird getestet.", "Der Login ist jetzt da und wird getestet."),
        ("添加了登录端点。", "添加了登录端点。"),
        ("Version 1.2.3 is e.g. out now. It works with node.js too.", None),
    ],
)
def test_without_parts_the_prose_is_the_summary(message, summary):
    found = words_of(message).summary
    if summary is None:
        assert message.startswith(found)
        assert found.count("here now") in (0, 3)
    else:
        assert found == summary


@pytest.mark.parametrize(
    "message",
    [
        "",
        "   \n\n",
        "Done.",
        "All done!",
        "The task is complete.",
        "I have completed the task successfully.",
        "Everything is implemented and works.",
        "<promise>IMPLEMENTATION_COMPLETE</promise>",
        "Done. <response>DONE</response>",
        "ok",
        "```\nmake test && echo this is a command line\n```",
        "Here is the summary:",
        "| file | what was done in it |\n|---|---|",
        '<reject stage="coder">the tests are missing here</reject>',
    ],
)
def test_what_only_says_that_it_is_done_is_no_summary(message):
    assert words_of(message) == ("", ())


def test_a_sentence_that_uses_the_words_of_a_title_is_no_title():
    assert words_of("Verify that the handler is called twice before it answers.").summary
    assert words_of("Files are now read in small pieces.").summary
    assert words_of("**Login** works with every provider now.").summary == "Login works with every provider now."
    steps = words_of("## How to verify\n1. Verify that the login works\n2. Files are there").steps
    assert steps == ("Verify that the login works", "Files are there")


def test_commands_in_a_block_of_code_are_steps():
    assert words_of("## Verification\nIn a shell:\n```sh\nnpm ci\n\nnpm test\n```\n").steps == (
        "In a shell",
        "`npm ci`",
        "`npm test`",
    )


def test_what_stands_in_code_is_no_title():
    message = "```\n## Summary\nNot this one here.\n```\nThis is the one that counts."
    assert words_of(message).summary == "This is the one that counts."


@given(st.text(alphabet="#*_`-1.: \n<>/abSummaryverifyFiles|[](){}。", max_size=400))
def test_no_message_breaks_it(message):
    words = words_of(message)
    assert "\n" not in words.summary
    assert not any("\n" in step for step in words.steps)


@pytest.mark.parametrize(
    "piece", ["* ", "**", "<promise", "_a", "[a](", "# ", "- ", ". A", "`", "<promise>x", "1. **a", "|", "`" * 3 + "\n"]
)
def test_a_long_and_odd_message_is_read(piece):
    """As long as a message may be, and made of what patterns look for."""
    words_of(piece * (100_000 // len(piece)))
