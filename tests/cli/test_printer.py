"""A slow terminal must not slow the agent down."""

import threading

from ralph.cli.printer import BACKLOG, Printer


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
