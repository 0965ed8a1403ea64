import re
from base64 import b64encode
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.agents.redact import MASK, Redactor, needles

few_letters = st.lists(st.sampled_from([b"a", b"b", b"c", b"\n"]), max_size=40).map(b"".join)
secrets = st.lists(st.text(alphabet="abc", min_size=1, max_size=6).map(str.encode), max_size=4, unique=True)
cuts = st.lists(st.integers(0, 40), max_size=8)


def fed(redactor, data, at):
    edges = sorted({0, len(data), *(cut for cut in at if cut < len(data))})
    pieces = [data[begin:end] for begin, end in pairwise(edges)]
    return b"".join([redactor.feed(piece) for piece in pieces] + [redactor.rest()])


def masked_at_once(hidden, data):
    longest_first = sorted(hidden, key=len, reverse=True)
    return re.sub(b"|".join(map(re.escape, longest_first)), MASK, data) if hidden else data


@given(secrets, few_letters, cuts)
def test_cuts_change_nothing(hidden, data, at):
    assert fed(Redactor(hidden), data, at) == masked_at_once(hidden, data)


@given(st.binary(max_size=60), cuts)
def test_without_secrets_every_byte_comes_through(data, at):
    assert fed(Redactor(()), data, at) == data


@given(few_letters, few_letters, cuts)
def test_a_secret_never_comes_through(before, after, at):
    secret = b"s3cret-value"
    out = fed(Redactor([secret]), before + secret + after, at)
    assert out == before + MASK + after


def test_what_cannot_be_a_secret_is_not_held_back():
    redactor = Redactor([b"s3cret-value"])
    assert redactor.feed(b"a line\n") == b"a line\n"
    assert redactor.feed(b"ends with s3cr") == b"ends with "
    assert redactor.feed(b"ew") == b"s3crew"


def test_a_secret_that_begins_like_a_longer_one_waits_for_it():
    redactor = Redactor([b"token-1234", b"token-1234-5678"])
    assert redactor.feed(b"token-1234") == b""
    assert redactor.feed(b"-5678 and token-1234.") == MASK + b" and " + MASK + b"."


@pytest.mark.parametrize("form", [b"pa:ss/word+1", b64encode(b"pa:ss/word+1").rstrip(b"="), b"pa%3Ass%2Fword%2B1"])
def test_a_secret_is_known_as_it_is_in_base64_and_url_encoded(form):
    redactor = Redactor(needles(["pa:ss/word+1"]))
    assert redactor.feed(b"<" + form + b">") == b"<" + MASK + b">"
