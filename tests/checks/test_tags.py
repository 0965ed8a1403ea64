"""Which tags of a final message count: the agent's own word, said now, and not talk about the tag or an echo."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.checks.tag_shape import LONGEST, Shape
from ralph.checks.tags import any_tag, first_tag, first_tag_with

DONE = "<response>DONE</response>"
IN_A_SENTENCE = "Make the tests pass.\nWhen they do, answer <response>DONE</response> and nothing else."
ON_ITS_LINE = "Make the tests pass. Then end with\n<response>DONE</response>"
IN_A_FENCE = (
    f"# Fix it\n\n**To signal completion, output:**\n```\n{DONE}\n```\n\n- [ ] Bad input is refused\n- Be careful"
)
AT_THE_END = "Make the tests pass, and at the end say <response>DONE</response>"
AT_THE_BEGINNING = "<response>DONE</response> is what you say at the end."
PROMPTS = {
    "in a sentence": IN_A_SENTENCE,
    "on its line": ON_ITS_LINE,
    "in a fence": IN_A_FENCE,
    "at the end": AT_THE_END,
    "at the beginning": AT_THE_BEGINNING,
}


def spoken(text, prompt=""):
    """What the first tag says that counts."""
    return first_tag(text, "response", prompt=prompt)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (DONE, "DONE"),
        ("<RESPONSE>done</Response>", "done"),
        ("<response>\n  DONE \n</response>", "DONE"),
        ("<response></response>", ""),
        ("<response>NOT DONE</response>", "NOT DONE"),
        ("<response>größer</response>", "größer"),
        ("<response>DONE", None),
        ("DONE</response>", None),
        ("<response >DONE</response>", None),
        ("<re\u017fponse>DONE</re\u017fponse>", None),
        ("&lt;response&gt;DONE&lt;/response&gt;", None),
        ("", None),
    ],
)
def test_what_a_tag_is(text, word):
    assert spoken(text) == word


@pytest.mark.parametrize(
    "text",
    [
        f"All tests pass.\n{DONE}",
        f"All tests pass.\r\n{DONE}\r\n",
        f"{DONE}\n\nWhat I did:\n- the parser\n- its tests",
        f"**{DONE}**\nThat is all.",
        f"  `{DONE}`  \nThat is all.",
        f"__{DONE}__\nThat is all.",
        f"```\n{DONE}\n```\nThat is all.",
        f"```{DONE}```\nThat is all.",
        f"\x1b[1;32m{DONE}\x1b[0m\ntokens used: 1234",
        "It is over.\n<response>\n  DONE\n</response>\nBye.",
        f"{DONE} <promise>MADE</promise>\nBye.",
        f"I answer {DONE}",
        f"I answer {DONE}.",
        f"So my answer is **{DONE}**!",
        f"- {DONE}",
        f"> {DONE}",
        f"Status: {DONE}\n",
        f"The tests pass when they are run with make. {DONE}",
        f"Once I had fixed the import, all tests passed.\n{DONE}",
        f"What it does now:\n- returns 401 if the token is expired\n\n{DONE}",
        f"- returns 401 if the token is expired\n{DONE}",
        f"It now also works when the list is empty\n{DONE}",
        f"There is no failing test left. {DONE}",
        f"It works when it is run.{DONE}",
        f"The server will now return 401\n{DONE}",
        f"Let me know if you want anything else\n\n{DONE}",
        f"If you have any questions, ask me!\n\n{DONE}",
        f"I did not need to add anything: {DONE}",
        f"I did not find anything else to change, so I answer {DONE}",
        f"I end with a `<response>` tag, as you asked.\n{DONE}",
    ],
)
def test_a_tag_that_stands_alone_or_ends_the_message_counts(text):
    assert spoken(text) == "DONE"


@pytest.mark.parametrize(
    "text",
    [
        f"I was asked for {DONE} but the tests fail.",
        f"The tag {DONE} is what you want.",
        f"well {DONE} then",
        f"When they pass I will answer {DONE}",
        f"When they pass I will answer {DONE}.",
        f"I'll answer {DONE}",
        f"I\u2019ll answer {DONE} ",
        f"I shall answer {DONE}",
        f"I would answer {DONE}",
        f"I'd answer {DONE}",
        f"Once the build is green: {DONE}",
        f"If you run it again, {DONE}",
        f"Not until then {DONE}",
        f"Two tests fail. Unless they are flaky I won't say {DONE}",
        f"Two tests fail.\nWhen they pass\nI answer {DONE}",
        f"Two tests fail. Once they pass I will answer:\n\n{DONE}",
        f"Two tests fail. Once they pass I will answer\n```\n{DONE}\n```",
        f"The tests still fail, so I cannot answer {DONE}",
        f"The tests still fail, so I can't honestly say {DONE}.",
        f"I am not able to say {DONE}",
        f"My answer is not {DONE}",
        f"It is <response>NOT DONE</response>, not {DONE}",
        f'{{"answer": "{DONE}"}}',
        f"> {DONE}\nThis is what I was asked to say.",
        f"│ {DONE} │\n╰──────╯",
        f"| {DONE} |\n| --- |",
        f"  7\t{DONE}\n  8\tBe careful.",
        f"+{DONE}\n+Be careful.",
    ],
)
def test_a_tag_that_is_only_talked_about_or_announced_does_not_count(text):
    assert spoken(text) is None


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("<response>A</response><response>B</response>", "A"),
        ("<response>A</response> <response>B</response>", "A"),
        ("<response>A</response>\n<response>B</response>", "A"),
        ("So I say <response>A</response> <response>B</response>", "A"),
        ("So I say <response>A</response>\n\n<response>B</response>", "A"),
        ("<response>A</response> and <response>B</response>", "A"),
        ("It is <response>A</response>, or <response>B</response>", "A"),
        ("It is <response>A</response> rather than <response>B</response>", None),
        ("Instead of <response>A</response> I say <response>B</response>", None),
        ("I was asked for <response>A</response> but.\n<response>B</response>", "B"),
        ("When all is green I will say <response>A</response>\n<response>B</response>", "B"),
    ],
)
def test_of_those_that_count_the_first_decides(text, word):
    assert spoken(text) == word


def numbered(prompt, form):
    return "\n".join(form.format(number, line) for number, line in enumerate(prompt.split("\n"), start=1))


def dressed(before, after=""):
    return lambda prompt: "\n".join(f"{before}{line}{after}" for line in prompt.split("\n"))


ECHOES = {
    "plain": str,
    "twice": lambda prompt: f"{prompt}\n{prompt}",
    "cat -n": lambda prompt: numbered(prompt, "{:6}\t{}"),
    "numbers and arrows": lambda prompt: numbered(prompt, "{}→{}"),
    "grep -n": lambda prompt: numbered(prompt, "PROMPT.md:{}:{}"),
    "added": dressed("+"),
    "removed": dressed("-"),
    "quoted": dressed("> "),
    "coloured": dressed("\x1b[2m", "\x1b[0m"),
    "bullets": dressed("- "),
    "a box": dressed("│ ", "   │"),
    "an ASCII box": dressed("| ", "   |"),
    "a clock": dressed("[12:00:01] "),
    "a date": dressed("2026-01-02T12:00:01.123Z "),
    "a log": dressed("12:00:01,123 INFO "),
    "JSON": json.dumps,
    "JSON in an object": lambda prompt: json.dumps({"role": "user", "prompt": prompt}),
    "JSON that was cut": lambda prompt: json.dumps(prompt).removesuffix('"'),
    "a JSON list": lambda prompt: json.dumps(prompt.split("\n"), indent=1),
    "one word a line": lambda prompt: prompt.replace(" ", "\n"),
    "a speaker": "User: {}".format,
    "what was asked": "You asked: {}".format,
    "a fence": "Prompt:\n```\n{}\n```\nworking...".format,
}


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
def test_what_a_message_repeats_of_the_prompt_does_not_count(echo, prompt):
    assert spoken(echo(prompt), prompt) is None
    assert spoken(f"{echo(prompt)}\n\nI could not do it.", prompt) is None
    assert spoken(f"Sure.\n\n{echo(prompt)}", prompt) is None
    assert spoken(f"{echo(prompt)}\n\nAll tests pass now.\n{DONE}\n", prompt) == "DONE"


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        (DONE, DONE),
        (f"All is well.\n{DONE}", DONE),
        (DONE, ON_ITS_LINE),
        (f"All tests pass.\n\n{DONE}", ON_ITS_LINE),
        (f"{IN_A_SENTENCE}\n{DONE}", IN_A_SENTENCE),
        (f"{IN_A_FENCE}\n{DONE}", IN_A_FENCE),
        (f"Acceptance:\n- [x] Bad input is refused\n\n{DONE}", IN_A_FENCE),
        (f"- Bad input is refused\n\n{DONE}", IN_A_FENCE),
        (f"I made the tests pass, and at the end I say {DONE}", AT_THE_END),
    ],
)
def test_a_line_that_is_only_the_tag_counts_unless_the_line_beside_it_is_one_of_the_prompt(text, prompt):
    assert spoken(text, prompt) == "DONE"


@pytest.mark.parametrize(
    "text",
    [
        f"To signal completion, output:\n{DONE}",
        f"To signal completion, output:\n\n\n  {DONE}\n\nbut there is more to do.",
        f"{DONE}\n- [ ] Bad input is refused",
        f"5:{DONE}\n9:- Be careful",
    ],
)
def test_a_part_of_the_prompt_is_an_echo_too(text):
    assert spoken(text, IN_A_FENCE) is None


words = st.text(alphabet="ab c\n", min_size=3, max_size=30).filter(str.strip)


@given(words, words, words, words)
def test_an_echo_is_never_an_answer_whatever_stands_around_it(before, after, prefix, suffix):
    prompt = f"{before}{DONE}{after}"
    assert spoken(f"{prefix}\n{prompt}\n{suffix}", prompt) is None


@given(st.text(), st.text())
def test_nothing_that_is_said_or_asked_raises_anything(text, prompt):
    spoken(f"{text}{DONE}", f"{prompt}{DONE}{prompt}")


def test_half_a_character_stands_as_a_replacement():
    """Half an emoji, as JavaScript cuts them, can be in a decoded JSON string."""
    assert spoken("\ud83d <response>D\ud83dNE</response>") == "D?NE"


def test_a_tag_that_is_never_closed_hides_no_later_one():
    assert spoken("<response>" + "x" * (LONGEST + 1) + DONE) == "DONE"


def test_a_tag_is_found_behind_any_amount_of_output():
    assert spoken("." * 3_000_000 + DONE) == "DONE"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("line", [f"{DONE}\n", f"see {DONE} there\n", f"{DONE} ", "12:00:01 - - -\n"])
def test_a_flood_of_tags_is_compared_with_the_prompt_in_seconds(line):
    prompt = f"{IN_A_FENCE}\n" * 20
    assert spoken(line * (1_000_000 // len(line)) + "\nNo.\n<response>NO</response>", prompt) in ("DONE", "NO")


def test_a_tag_with_an_attribute_counts_by_the_same_rule():
    def rejected(text):
        return first_tag_with(text, "reject", "stage")

    assert rejected('Not yet.\n<reject stage="coder">no tests</reject>') == ("coder", "no tests")
    assert rejected('<promise>MADE</promise> <reject stage="coder">no tests</reject>') == ("coder", "no tests")
    assert rejected('I use no <reject stage="coder">why</reject> here, since it is good.') is None


def test_any_tag_is_found_wherever_it_stands():
    assert any_tag(f"Here it is: {DONE}, as you asked.", "response") == "DONE"
    assert any_tag("nothing", "response") is None


pieces = st.sampled_from(["<promise>", "</promise>", "<PROMISE>", "x", " ", "x" * LONGEST, "x" * (LONGEST - 8), "<"])


@given(st.lists(pieces, max_size=12))
def test_what_is_found_is_what_one_pattern_for_the_whole_would_find(said):
    text = "".join(said)
    pattern = f"<promise>((?:(?!<promise>).){{0,{LONGEST}}})</promise>"
    whole = re.search(pattern.replace("})", "}?)"), text, re.IGNORECASE | re.DOTALL)
    found = next(Shape("promise").all_in(text), None)
    assert (found and found.text) == (whole and whole[1].strip())
