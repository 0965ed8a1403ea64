import errno
import os
import pwd
import signal
import subprocess
import sys
import time

import pytest

from ralph.proc.identity import lives, owner, send, started


@pytest.fixture(params=["with a handle", "without", "not by the handle"])
def handle(request, monkeypatch):
    """Old kernels, some containers and a process that has no descriptor left give no handle for a process."""

    def refused(_):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    def not_permitted(*_):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    if request.param == "without":
        monkeypatch.setattr(os, "pidfd_open", refused)
    if request.param == "not by the handle":
        monkeypatch.setattr(signal, "pidfd_send_signal", not_permitted)


def test_this_process_lives():
    assert 0 < started() <= time.time()
    assert lives(os.getpid(), started())


def test_a_process_that_has_ended_does_not():
    with subprocess.Popen(["sleep", "600"]) as process:
        since = started(process.pid)
        assert lives(process.pid, since)
        process.kill()
    assert not lives(process.pid, since)
    assert started(process.pid) == 0.0


def test_another_process_of_the_same_pid_is_another_process():
    assert not lives(os.getpid(), started() - 3600)
    assert not lives(os.getpid(), started() + 3600)


@pytest.mark.usefixtures("handle")
def test_a_zombie_does_not_live():
    with subprocess.Popen(["sleep", "600"]) as process:
        since = started(process.pid)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not lives(process.pid, since)
        assert not send(process.pid, since, signal.SIGTERM)


@pytest.mark.usefixtures("handle")
def test_a_signal_reaches_this_very_process():
    with subprocess.Popen(["sleep", "600"]) as process:
        assert send(process.pid, started(process.pid), signal.SIGTERM)
        assert process.wait(30) == -signal.SIGTERM


@pytest.mark.usefixtures("handle")
def test_a_signal_does_not_reach_another_process_of_the_same_pid():
    with subprocess.Popen(["sleep", "600"]) as process:
        assert not send(process.pid, started(process.pid) - 60, signal.SIGKILL)
        assert process.poll() is None
        process.kill()


@pytest.mark.usefixtures("handle")
def test_a_signal_to_a_process_that_is_gone_is_no_error():
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert not send(process.pid, 1.0, signal.SIGTERM)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the clock is asked")
def test_a_start_is_not_told_by_the_clock_which_may_be_stepped():
    assert started() < time.clock_gettime(time.CLOCK_BOOTTIME)


def test_the_owner_of_a_process_has_a_name():
    assert owner(os.getpid()) == pwd.getpwuid(os.geteuid()).pw_name
