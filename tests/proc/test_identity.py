import os
import subprocess
import time

from ralph.proc.identity import lives, started


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
