import time

import pytest

from loops import is_alive
from ralph.proc.capture import LONGEST, Captured, capture
from survivors import IS_THERE, KINDS


@pytest.fixture
def take(tmp_path):
    return lambda command, limit=30.0: capture(["sh", "-c", command], timeout=limit, cwd=tmp_path)


def test_both_streams_and_the_exit_code(take):
    done = take("echo out; sleep 0.05; echo err >&2; exit 3")
    assert done == Captured(3, "out\nerr\n")


def test_a_death_by_signal_is_a_negative_code(take):
    assert take("kill -SEGV $$").code == -11


def test_the_beginning_of_long_output_is_kept_and_the_rest_is_drained(take):
    done = take(f"head -c {LONGEST * 20} /dev/zero | tr '\\0' x; exit 4")
    assert done == Captured(4, "x" * LONGEST)


def test_bytes_that_are_not_utf8_are_replaced(take):
    assert take(r"printf 'a\377b'").output == "a\N{REPLACEMENT CHARACTER}b"


def test_one_that_does_not_end_in_time_has_no_code(take):
    began = time.monotonic()
    done = take("echo begun; exec sleep 600", 0.3)
    assert done == Captured(None, "begun\n")
    assert time.monotonic() - began < 10


def test_what_it_started_ends_with_it_after_a_timeout(take, survivor):
    take(f"{KINDS['in the background']}\n{IS_THERE}; sleep 600", 2.5)
    assert not is_alive(survivor())


def test_a_child_that_holds_the_output_open_does_not_block(take):
    began = time.monotonic()
    assert take("sleep 600 & echo said") == Captured(0, "said\n")
    assert time.monotonic() - began < 10


def test_a_missing_program_has_no_code():
    assert capture(["no-such-program"], timeout=5) == Captured(None, "")
