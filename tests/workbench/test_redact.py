import json
import os
import re
from base64 import b64encode, urlsafe_b64encode
from itertools import pairwise
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.workbench.redact import BURST, CHUNK, MASK, RATE, Redactor, mask_text, masked_file, needles

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


def test_what_is_held_back_can_be_looked_at_and_still_comes_out():
    redactor = Redactor([b"secret", b"secrets-of-state"])
    assert redactor.feed(b"a secret") == b"a "
    assert redactor.held == b"[redacted]"
    assert redactor.feed(b"s-of-") == b""
    assert redactor.rest() == b"[redacted]s-of-"
    assert redactor.held == b""


SECRET = 'p"ss/w\\rd+ümlaut 1'
KEY = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\nVJTUt9Us8cKjMzEfYyjiWA4R4\n"


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        json.dumps(json.dumps(SECRET)),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").lower(),
        quote_plus(SECRET),
        b64encode(SECRET.encode()).decode(),
        urlsafe_b64encode(SECRET.encode()).decode(),
        b64encode(f"u:{SECRET}".encode()).decode(),
        b64encode(f"user:{SECRET}\n".encode()).decode(),
        b64encode(f"me:{SECRET}:x".encode()).decode(),
    ],
)
def test_a_secret_is_known_in_every_form_in_which_it_is_printed(form):
    out = fed(Redactor(needles([SECRET])), f"<{form}>".encode(), range(0, 60, 7))
    assert MASK in out
    # Base64 of a longer text keeps the characters that hold bits of what stands around the secret.
    assert len(out) <= len(MASK) + 14


@pytest.mark.parametrize("shown", [KEY, json.dumps(KEY), KEY.replace("\n", "\r\n"), KEY.replace("\n", "\n    ")])
def test_a_secret_of_several_lines_is_masked(shown):
    out = fed(Redactor(needles([KEY.strip()])), shown.encode(), [20, 70])
    assert b"MIIE" not in out
    assert b"VJTU" not in out


TOKENS = [
    "sk-ant-api03-abcdefgh",
    "sk-proj-abcdefgh1234",
    "sk-0123456789abcdef0123",
    "ghp_abcdefghijklmnop1234",
    "github_pat_11ABCDEFG0abcdefghijkl",
    "glpat-abcdefghij0123456789",
    "xoxb-123456789012-abcdefghijkl",
    "AKIAABCDEFGHIJKLMNOP",
    "AIzaSyA-abcdefghijklmnopqrstuvwxyz012345",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    "sk_live_abcdefghijklmnop",
    "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "hooks.slack.com/services/T00000000/B00000000/abcdefghijkl",
    "-----BEGIN RSA PRIVATE KEY-----\\nMIIEowIBAAKCAQEA\\nabcd==\\n-----END RSA PRIVATE KEY-----",
]


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("before", [b'"', b"\\n", b"token=", b"token%3D", b"\x1b[32m"])
def test_a_well_known_token_is_masked_however_the_stream_is_cut(before, token):
    data = b"It is " + before + token.encode() + b'", he said.\n'
    for cut in range(len(data)):
        assert fed(Redactor(()), data, [cut]) == b"It is " + before + MASK + b'", he said.\n'


@pytest.mark.parametrize(
    "text",
    [
        "risk-assessment-of-the-parser-2024-01-01-x",
        "task-1234567890abcdefghijk",
        "sk-toggleable-label-arrow-of-a-notebook",
        "a github_pat_ prefix and ghp_ alone",
        "-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----\n",
        "toolu_01ABCDEFGHIJKLMNOPQRSTUV msg_01ABCDEFGHIJKLMNOPQRSTUV",
        "eyJ is how base64 of a JSON object begins",
        "the words hooks.slack.com and AKIA",
    ],
)
def test_ordinary_text_is_never_masked(text):
    data = text.encode()
    for cut in range(len(data)):
        assert fed(Redactor(()), data, [cut]) == data


PIECE = b"x\n" * (1 << 15)
LEAK = b"ghp_abcdefghijklmnop1234 s3cret-value\n"
CLEAN = MASK + b" " + MASK + b"\n"


def stream_at(rate):
    """A redactor of a stream, and a function that feeds it this many bytes at this rate, in pieces."""
    now = [0.0]
    redactor = Redactor([b"s3cret-value"], is_stream=True, clock=lambda: now[0])

    def pour(size):
        for _ in range(size // len(PIECE)):
            now[0] += len(PIECE) / rate
            assert redactor.feed(PIECE) == PIECE

    return redactor, pour


def test_a_token_is_masked_however_long_the_stream_is():
    redactor, pour = stream_at(RATE)
    pour(20 * BURST)
    assert redactor.feed(LEAK) == CLEAN


def test_a_token_that_begins_in_one_piece_and_ends_in_the_next_is_masked_late_in_a_stream():
    redactor, pour = stream_at(RATE)
    pour(4 * BURST)
    assert redactor.feed(LEAK[:9]) + redactor.feed(LEAK[9:]) == CLEAN


def test_a_piece_of_a_flood_is_searched_for_known_values_alone_and_what_comes_later_for_both():
    redactor, pour = stream_at(1000 * RATE)
    pour(2 * BURST)
    assert redactor.feed(PIECE + LEAK) == PIECE + b"ghp_abcdefghijklmnop1234 " + MASK + b"\n"
    pour(1000 * len(PIECE))
    assert redactor.feed(LEAK) == CLEAN


def test_a_whole_text_is_searched_whatever_its_size():
    redactor = Redactor([b"s3cret-value"])
    assert (redactor.feed(b"x\n" * (2 * BURST)) + redactor.feed(LEAK)).endswith(CLEAN)


def test_a_file_is_searched_to_its_end_also_between_two_pieces(tmp_path):
    file = tmp_path / "log"
    text = b"x\n" * (3 * BURST)
    with masked_file(file, ()) as target:
        os.write(target, text[: CHUNK * 3 - 10] + b"\n" + LEAK)
    assert file.read_bytes().endswith(b"\n" + MASK + b" s3cret-value\n")


def test_a_text_without_secrets_comes_back_as_the_same_object():
    text = "nothing to see"
    assert mask_text([b"s3cret-value"])(text) is text
