import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ralph.model.errors import ConfigError, StateError
from ralph.store.bus_format import Gap, Message, Scanner, check_word, is_id, iso, new_message, render

PAGE = Path(__file__).parents[2] / "docs/bus.md"
LOOK_ALIKES = [
    "---",
    "---\nid: 20260205T100000.123456Z\ntype: FACT\nts: 2026-02-05T10:00:00.123456Z\nrun: x\n---\n\nfake\n",
    "\\---\nid: \n\\\\---\nid: x\n---\nid: y",
    "<!-- end 20260205T100000.123456Z -->",
    "\n\n  \nx\n\n",
    "\r\n---\r\nid: x\r\n",
    "\u2028---\u2028id: x\x85\x0b",
]
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
bodies = st.one_of(texts, st.lists(st.sampled_from(LOOK_ALIKES) | texts).map("\n".join), st.binary().map(repr))
words = st.from_regex(r"[A-Za-z0-9_.-]{1,9}", fullmatch=True)

# A busy machine is slow, and that is no failure.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def numbered(number, body="body", kind="INFO", run=""):
    moment = datetime(2026, 2, 5, 10, 0, 0, number, UTC)
    return Message(f"{moment:%Y%m%dT%H%M%S.%f}Z", kind, moment.timestamp(), run, body)


def in_file(messages):
    return b"\n".join(render(message) for message in messages)


def scanned(data, *, whole=True):
    return list(Scanner().scan(data, whole=whole))


def messages_of(items):
    return [item for item in items if isinstance(item, Message)]


@patient
@given(st.lists(st.tuples(bodies, words, words | st.just("")), max_size=5))
@example([(body, "FACT", "") for body in LOOK_ALIKES])
def test_any_body_comes_back_as_it_was(parts):
    messages = [numbered(number, *part) for number, part in enumerate(parts)]
    assert scanned(in_file(messages)) == messages


@patient
@given(words, words | st.just(""), bodies)
def test_front_matter_is_yaml_that_says_the_same(kind, run, body):
    message = numbered(1, body, kind, run)
    front = yaml.safe_load(render(message).decode().split("---\n", 2)[1])
    assert front.pop("ts").timestamp() == message.ts
    assert front == {"id": message.id, "type": kind, "run": run}


@patient
@given(bodies)
def test_torn_message_takes_nothing_with_it(body):
    before, torn, after = numbered(1, "before"), render(numbered(2, body)), numbered(3, "after")
    for cut in range(torn.rindex(b" -->")):
        found = scanned(in_file([before]) + b"\n" + torn[:cut] + b"\n" + render(after))
        assert messages_of(found) == [before, after]
        assert len(found) - 2 == bool(torn[:cut].strip())


@patient
@given(st.lists(st.binary(), min_size=4, max_size=4))
@example([b"\xff\xfe", b"---\nid: 2026", b"---\n", render(numbered(9))[:-5]])
def test_garbage_between_messages_is_skipped(garbage):
    messages = [numbered(number) for number in (1, 2, 3)]
    pieces = [piece for pair in zip(garbage, map(render, messages), strict=False) for piece in pair]
    assert messages_of(scanned(b"\n".join([*pieces, garbage[3]]))) == messages


@patient
@given(st.lists(bodies, min_size=1, max_size=4), st.data())
def test_file_that_grows_shows_each_message_once(parts, data):
    messages = [numbered(number, body) for number, body in enumerate(parts)]
    text, scanner, found = in_file(messages), Scanner(), []
    for end in [*sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6))), len(text)]:
        found += scanner.scan(text[scanner.offset : end])
    assert found == messages


def test_body_that_quotes_the_whole_bus_is_one_message():
    first = numbered(1, "the first")
    second = numbered(2, in_file([first]).decode() * 2)
    assert scanned(in_file([first, second])) == [first, second]


def test_damaged_end_costs_only_its_own_message():
    damaged = render(numbered(2)).replace(b"<!-- end", b"<!-- emd")
    found = scanned(b"\n".join([render(numbered(1)), damaged, render(numbered(3))]))
    assert messages_of(found) == [numbered(1), numbered(3)]


def test_gap_says_where_it_is_and_what_it_was():
    text = render(numbered(1))
    torn = render(numbered(2, "a long body"))[:-20]
    stray = Gap(len(text) - 1, len(b"\nstray\n"), "text outside of any message")
    unfinished = Gap(len(text + b"stray\n"), len(torn), "an unfinished message")
    assert scanned(text + b"stray\n" + torn) == [numbered(1), stray, unfinished]


def test_unfinished_end_is_not_yet_a_gap_while_the_file_grows():
    text = render(numbered(1)) + render(numbered(2))[:-9]
    assert scanned(text, whole=False) == [numbered(1)]


@pytest.mark.parametrize("number", [1, 2])
def test_message_whose_id_does_not_come_after_the_one_before_is_skipped(number):
    found = scanned(in_file([numbered(2), numbered(number, "copied"), numbered(3)]))
    assert messages_of(found) == [numbered(2), numbered(3)]
    assert [item.problem for item in found if isinstance(item, Gap)] == ["a message whose id or time cannot be right"]


def test_message_of_an_impossible_time_is_skipped():
    wrong_id = render(numbered(1)).replace(b"20260205T", b"20261399T")
    wrong_ts = render(numbered(2)).replace(b"ts: 2026-02-05", b"ts: 2026-02-30")
    assert messages_of(scanned(b"\n".join([wrong_id, wrong_ts, render(numbered(3))]))) == [numbered(3)]


def test_body_that_is_not_utf8_is_read_with_marks_in_its_place():
    (message,) = scanned(render(numbered(1, "a?b")).replace(b"a?b", b"a\xffb"))
    assert message.body == "a\ufffdb"


def test_id_is_the_moment_of_posting():
    message = new_message("INFO", "x", "", after="")
    assert is_id(message.id)
    assert datetime.fromisoformat(message.id).timestamp() == message.ts
    assert iso(message.ts) == datetime.fromtimestamp(message.ts, UTC).isoformat().replace("+00:00", "Z")


def test_id_comes_after_the_last_one_when_the_clock_was_stepped_back():
    message = new_message("INFO", "x", "", after="29990101T000000.999999Z")
    assert message.id == "29990101T000001.000000Z"
    assert message.ts < datetime(2999, 1, 1, tzinfo=UTC).timestamp()


def test_end_of_all_ids_is_said_in_words():
    with pytest.raises(StateError, match="no message id comes after 9999"):
        new_message("INFO", "x", "", after="99991231T235959.999999Z")


def test_what_no_file_can_hold_is_replaced():
    assert new_message("INFO", "a\0b\udcffc", "", after="").body == "a\ufffdb\ufffdc"


@pytest.mark.parametrize("word", ["", "two words", "a\nb", "ERROR\n", "é", 'a"b', "a:b"])
def test_type_that_is_not_a_word_is_refused(word):
    with pytest.raises(ConfigError) as caught:
        check_word("type", word)
    assert "\n" not in str(caught.value)


def test_the_file_shown_in_the_documentation_is_read_as_it_says():
    (shown,) = re.findall(r"^````markdown\n(.*?)^````$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    first, second = scanned(shown.encode())
    assert (first.type, first.run, first.body) == ("FACT", "a1b2c3d4", "The parser accepts empty files.")
    assert (second.type, second.run) == ("wait_without_restart", "")
    assert "\n---\nid: " in second.body
    assert in_file([first, second]).decode() == shown
