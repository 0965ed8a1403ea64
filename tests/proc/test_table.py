import os
import signal
import subprocess
import sys

import pytest

from ralph.proc.table import ListedProcess, below, entry_of, read_table, send


@pytest.fixture
def sleeping():
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def test_the_table_has_a_process_and_its_parent(sleeping):
    table = read_table()
    assert table[sleeping.pid].parent == os.getpid()
    assert sleeping.pid in below(table, [os.getpid()])


def test_a_signal_reaches_the_process_that_is_listed(sleeping):
    send(entry_of(sleeping.pid), signal.SIGTERM)
    assert sleeping.wait(30) == -signal.SIGTERM


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere `ps` has no start time to compare")
def test_a_signal_does_not_reach_another_process_that_got_the_pid(sleeping):
    listed = entry_of(sleeping.pid)
    send(ListedProcess(listed.pid, listed.parent, listed.start - 1), signal.SIGKILL)
    send(listed, signal.SIGTERM)
    assert sleeping.wait(30) == -signal.SIGTERM


def test_a_process_that_is_gone_is_not_listed_and_no_error(sleeping):
    listed = entry_of(sleeping.pid)
    sleeping.kill()
    sleeping.wait()
    assert entry_of(sleeping.pid) is None
    send(listed, signal.SIGKILL)
