"""The rows of the speed table about orphans: how long a run takes to end what its agent left behind."""

import sys
import time
from collections.abc import Callable

from measure import median
from rows import Row
from workshop import LONG, Workshop

MANY = 1000
ROUNDS = 5
SOON = 1.0
"""Seconds from the agent's end to the end of the run, whatever it left behind."""
LIMIT, WITHIN = 1, 10.0
"""Seconds that an agent may take, and the seconds within which its run must have ended."""
SHORT_LIVED, LIVING = 0.01, 60
SWARM = """
import os, sys, time
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(float(sys.argv[2]))
        os._exit(0)
    os.wait()
"""
CHAIN = """
import os, signal, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
until = time.monotonic() + 40
while time.monotonic() < until:
    if os.fork():
        os._exit(0)
    os.setsid()
"""


def orphans(shop: Workshop) -> list[Row]:
    """On the clock: a person waits for it."""
    alone, short, living = (
        _several(lambda count=count, lives=lives: _after_the_agent(shop, count, lives))
        for count, lives in ((0, SHORT_LIVED), (MANY, SHORT_LIVED), (MANY, LIVING))
    )
    chain = _several(lambda: _endless_chain(shop))
    beside = f"without any {median(alone):.2f} s"
    return [
        _row(f"the end of a run after {MANY:,} short-lived orphans", short, beside, SOON),
        _row(f"the end of a run after {MANY:,} living orphans", living, beside, SOON),
        _row(f"a run with a chain of forks, limit {LIMIT} s", chain, "", WITHIN),
    ]


def _after_the_agent(shop: Workshop, count: int, lives: float) -> float:
    """The seconds between the agent's end and the end of ralph. The orphans do not hold the agent's output: what does
    gets a second more to finish it.
    """
    ended = shop.root / "ended"
    swarm = _program(shop, "swarm.py", SWARM)
    agent = _agent(
        shop, f"{swarm} {count} {lives} > /dev/null 2>&1\ncat {shop.root / LONG}\nexec date +%s.%N > {ended}"
    )
    shop.ralph(agent, iterations=1, expect=0)
    return time.time() - float(ended.read_text())


def _endless_chain(shop: Workshop) -> float:
    agent = _agent(shop, f"{_program(shop, 'chain.py', CHAIN)} &\nexec sleep 60")
    began = time.monotonic()
    shop.ralph(agent, iterations=1, expect=1, env={"RALPH_TIMEOUTS__AGENT": str(LIMIT)})
    return time.monotonic() - began


def _program(shop: Workshop, name: str, text: str) -> str:
    (shop.root / name).write_text(text)
    return f"{sys.executable} -IS {shop.root / name}"


def _agent(shop: Workshop, script: str) -> str:
    program = shop.root / "leaving" / "claude"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


def _several(measure: Callable[[], float]) -> list[float]:
    return [measure() for _ in range(ROUNDS)]


def _row(what: str, seconds: list[float], beside: str, limit: float) -> Row:
    value = median(seconds)
    return Row(what, f"{value:.2f} s", beside, value, limit, "s", {"seconds": seconds})


ORPHANS: tuple[Callable[[Workshop], list[Row]], ...] = (orphans,)
