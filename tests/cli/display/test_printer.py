"""A slow terminal must not slow the agent down."""

import os
import threading
from pathlib import Path

from loops import wait_until
from ralph.cli.display.printer import BACKLOG, BACKLOG_CHARACTERS, Printer, Written


def test_jobs_are_done_in_order():
    done, printer = [], Printer()
    for number in range(100):
        printer.put(lambda number=number: done.append(number))
    printer.drain()
    assert done == list(range(100))


def test_a_terminal_that_is_stuck_loses_offers_but_no_caller_waits():
    stuck, printer, done = threading.Event(), Printer(), []
    printer.put(stuck.wait)
    for number in range(3 * BACKLOG):
        printer.offer(lambda number=number: done.append(number))
    printer.put(lambda: done.append("status"))
    assert printer.dropped >= 2 * BACKLOG - 1
    assert done == []
    stuck.set()
    printer.drain()
    assert done[-1] == "status"
    assert len(done) == 3 * BACKLOG - printer.dropped + 1


def test_a_reader_that_has_gone_does_not_stop_the_others():
    done, printer = [], Printer()

    def broken():
        raise BrokenPipeError

    printer.put(broken)
    printer.put(lambda: done.append(1))
    printer.drain()
    assert done == [1]


def test_what_came_while_it_was_writing_is_written_at_once_and_in_order(tmp_path):
    begun, held, printer = threading.Event(), threading.Event(), Printer()
    with (tmp_path / "one").open("w") as one, (tmp_path / "two").open("w") as two:
        writes = []

        class Counted:
            encoding = "utf-8"

            def __init__(self, file, name):
                self._file, self._name = file, name

            def fileno(self):
                writes.append(self._name)
                return self._file.fileno()

        first, second = Counted(one, "one"), Counted(two, "two")
        printer.put(lambda: begun.set() or held.wait())
        assert begun.wait(30)
        for number in range(100):
            printer.offer(Written(first, f"{number}\n"))
        printer.put(Written(second, "between\n"))
        printer.put(Written(first, "last\n"))
        held.set()
        printer.drain()
    assert writes == ["one", "two", "one"]
    assert (tmp_path / "one").read_text().split() == [*map(str, range(100)), "last"]


def test_a_terminal_that_is_stuck_holds_no_more_text_than_a_little(tmp_path):
    stuck, printer = threading.Event(), Printer()
    with (tmp_path / "file").open("w") as file:
        printer.put(stuck.wait)
        for _ in range(100):
            printer.offer(Written(file, "x" * (BACKLOG_CHARACTERS // 10)))
        assert not printer.has_room
        assert printer.dropped == 90
        stuck.set()
        printer.drain()
        wait_until(lambda: printer.has_room, "there is no room again")


def test_a_pipe_with_room_is_written_at_once_and_without_a_thread():
    read, write = os.pipe()
    before, printer = threading.active_count(), Printer()
    with os.fdopen(read, "rb") as reader, os.fdopen(write, "w", encoding="utf-8") as stream:
        printer.put(Written(stream, "é one\n"))
        printer.put(Written(stream, "two\n"))
        assert reader.read1() == "é one\ntwo\n".encode()
        assert threading.active_count() == before


def test_a_full_pipe_gets_the_rest_later_and_in_order():
    read, write = os.pipe()
    text = "".join(f"{number}\n" for number in range(50_000))
    printer = Printer()
    with os.fdopen(read, "rb") as reader, os.fdopen(write, "w", encoding="utf-8") as stream:
        printer.put(Written(stream, text))
        printer.put(Written(stream, "last\n"))
        seen = b""
        while not seen.endswith(b"last\n"):
            seen += reader.read1()
        printer.drain()
    assert seen.decode() == f"{text}last\n"


def test_what_goes_nowhere_needs_no_thread():
    before, printer = threading.active_count(), Printer()
    with Path(os.devnull).open("w", encoding="utf-8") as stream:
        printer.put(Written(stream, "x" * 1_000_000))
    assert threading.active_count() == before


def test_a_pipe_that_somebody_filled_halfway_is_never_waited_for():
    read, write = os.pipe()
    os.write(write, b"x" * 40_000)
    printer = Printer()
    with os.fdopen(read, "rb") as reader, os.fdopen(write, "w", encoding="utf-8") as stream:
        printer.put(Written(stream, "y" * 60_000))
        seen = b""
        while len(seen) < 100_000:
            seen += reader.read1()
        printer.drain()
    assert seen == b"x" * 40_000 + b"y" * 60_000
