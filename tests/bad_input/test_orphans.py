"""No orphan: whatever form a descendant of the agent takes, and however the run ends, nothing of it lives on."""

import signal
import sys
import time

import psutil
import pytest

from loops import PROMPT, is_alive, wait_until
from ralph.testing import done

pytestmark = pytest.mark.e2e

LONGEST = 10.0
STAYS = "echo $$ > {name}.new; mv {name}.new {name}; exec sleep 120"
DEAF = "trap '' TERM INT HUP; " + STAYS
BARE = "env -i PATH=$PATH"
SILENT = "> /dev/null 2>&1 < /dev/null"
FORMS = {
    "background": "sh -c '{stays}' &",
    "session": "setsid sh -c '{stays}' &",
    "group": "set -m; sh -c '{stays}' & set +m",
    "daemon": "(setsid sh -c '{stays}' {silent} &)",
    "deaf": 'sh -c "{deaf}" &',
    "deaf-daemon": '(setsid sh -c "{deaf}" {silent} &)',
    "bare": "{bare} setsid sh -c '{stays}' &",
    "bare-daemon": "({bare} setsid sh -c '{stays}' {silent} &)",
    "stopped": "sh -c '{stays}' & {there}; kill -STOP $!",
    "stopped-bare-daemon": "({bare} setsid sh -c '{stays}' {silent} &); {there}; kill -STOP $(cat {name})",
    "grandchild": "sh -c \"sh -c '{stays}' & wait\" &",
    "deaf-bare-daemon": '({bare} setsid sh -c "{deaf}" {silent} &)',
    "namespace": "unshare --user --pid --fork --kill-child=SIGCONT sh -c 'sleep 120' & echo $! > {name}",
}
CHAIN = """
import os, signal, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
os.environ.clear()
until = time.monotonic() + 40
links = 0
file = os.open("links", os.O_WRONLY | os.O_CREAT)
while time.monotonic() < until:
    if os.fork():
        os._exit(0)
    os.setsid()
    links += 1
    os.pwrite(file, b"%d" % links, 0)
"""


def starting(name):
    """A shell line that starts a descendant of this form and ends once its pid is in a file of that name."""
    there = f"while [ ! -e {name} ]; do sleep 0.01; done"
    parts = {
        "name": name,
        "stays": STAYS.format(name=name),
        "deaf": DEAF.format(name=name),
        "bare": BARE,
        "silent": SILENT,
        "there": there,
    }
    return f"{FORMS[name].format(**parts)}\n{there}"


ALL_FORMS = "exec > /dev/null 2>&1\n" + "\n".join(map(starting, FORMS)) + "\ntouch ready"
WAITS = f"{ALL_FORMS}; while [ ! -e go ]; do sleep 0.02; done"
LIMITED = {"is_error": 429, "final": "API Error: Request rejected (429) · rate limit", "exit": 1}
LIMIT = 15
"""Seconds that the agent may take where it is to reach its limit."""


def ended_by_itself(loop, running):
    (loop.repo.path / "go").touch()
    assert running.end().code == 0


def reaches_its_limit(_loop, running):
    assert running.end().code == 1


def cancelled(loop, running):
    assert loop.ralph("cancel", "--grace", "1", loop.show()["id"]).code == 0
    running.end()


def signalled_once(number):
    def end(loop, running):
        running.send_and_hear(number)
        (loop.repo.path / "go").touch()
        assert running.end().code in (0, 130)

    return end


def signalled_twice(_loop, running):
    running.send_and_hear()
    running.send()
    assert running.end().code == 130


def killed_by(number):
    def end(_loop, running):
        running.send(number)
        assert running.end().code == -number

    return end


def waits_for_quota(loop, running):
    (loop.repo.path / "go").touch()
    wait_until(lambda: loop.show()["status"] == "waiting", "it does not wait")


ENDS = {
    "normal": ended_by_itself,
    "timeout": reaches_its_limit,
    "cancel": cancelled,
    "Ctrl-C": signalled_once(signal.SIGINT),
    "Ctrl-C twice": signalled_twice,
    "SIGTERM": signalled_once(signal.SIGTERM),
    "SIGKILL": killed_by(signal.SIGKILL),
    "crash": killed_by(signal.SIGABRT),
    "quota wait": waits_for_quota,
}


HEADING = f"{'seconds':14}" + "".join(f"{form[:11]:>12}" for form in FORMS)


def line(name, gone):
    return f"{name:14}" + "".join(f"{gone[form]:>12.1f}" if form in gone else f"{'LEFT':>12}" for form in FORMS)


def when_gone(pids, began):
    """For each the seconds until it was gone; nothing for one that lives on."""
    gone = {}
    while len(gone) < len(pids) and time.time() < began + 2 * LONGEST:
        for form, pid in pids.items():
            if form not in gone and not is_alive(pid):
                gone[form] = max(time.time() - began, 0.0)
        time.sleep(0.02)
    return gone


@pytest.mark.parametrize("name", ENDS)
def test_no_descendant_of_any_form_lives_on(loop, record_property, name):
    loop.prepare({"run": WAITS} | (LIMITED if name == "quota wait" else done()), timeouts={"agent": LIMIT})
    with loop.start("run", "-p", PROMPT, "-m", "1") as running:
        running.wait_for("ready")
        pids = {form: int(loop.repo.read(form)) for form in FORMS}
        assert all(map(is_alive, pids.values()))
        began = time.time()
        if name == "timeout":
            began = psutil.Process(loop.agent.starts[0].pid).create_time() + LIMIT
        ENDS[name](loop, running)
        gone = when_gone(pids, began)
    record_property("table", [HEADING, line(name, gone)])
    assert set(FORMS) - set(gone) == set()
    assert max(gone.values()) < LONGEST


def test_a_chain_of_processes_ends_soon_after_the_limit(loop):
    """Each link starts the next, without its environment and in a session of its own, and goes; all are deaf."""
    program = loop.repo.home / "chain.py"
    program.write_text(CHAIN)
    loop.prepare({"run": f"{sys.executable} -S {program} & sleep 60"}, timeouts={"agent": 1})
    began = time.monotonic()
    assert loop.ralph("run", "-p", PROMPT, "-m", "1").code == 1
    assert time.monotonic() - began < 1 + LONGEST
    links = loop.repo.read("links")
    assert int(links) > 0
    time.sleep(0.3)  # another link would come within a millisecond
    assert loop.repo.read("links") == links
