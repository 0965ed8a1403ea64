"""A signal in a callback, where Python ignores exceptions: imports have such callbacks."""

import subprocess
import sys

import pytest

IGNORED = """
import signal, time, weakref
from ralph.cli.interrupts import hear_interrupts

class Thing:
    pass

hear_interrupts()
thing = Thing()
callback = weakref.ref(thing, lambda _: signal.raise_signal(signal.{name}))
try:
    del thing
    time.sleep(30)
    print("went on")
except KeyboardInterrupt:
    print("ended")
"""

OTHER = """
from ralph.cli.interrupts import hear_interrupts

class Thing:
    def __del__(self):
        1 / 0

hear_interrupts()
Thing()
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_in_a_callback_is_not_lost(name):
    done = subprocess.run(
        [sys.executable, "-c", IGNORED.format(name=name)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "ended\n"
    assert done.stderr == ""


def test_other_ignored_errors_are_still_told():
    done = subprocess.run([sys.executable, "-c", OTHER], capture_output=True, text=True, timeout=60, check=True)
    assert "ZeroDivisionError" in done.stderr
