"""The rows of the speed table: each measures both sides in turn and says what must be reached."""

import sys
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from measure import interleaved, median, own_peak
from workshop import FIRST, LAST, LONG, MEGABYTE, RALPH, SHORT, TEN_SECRETS, USUAL, Workshop

FEW, MANY = 20, 820
FEW_SHOWN, MANY_SHOWN = 10, 210
LONG_LINE = 300 * MEGABYTE
UNLIMITED = float("inf")
"""Printed, not promised."""
FLOOD = 100
GIGABYTE = 1000
FLAT = 8.0
"""Megabytes by which a stream ten times as long may differ."""


class Row(NamedTuple):
    what: str
    ralph: str
    other: str
    value: float
    limit: float
    unit: str
    samples: dict[str, list[float]]

    @property
    def ok(self) -> bool:
        return self.value <= self.limit


def iteration(shop: Workshop) -> list[Row]:
    """One more iteration: the difference between many and few, so that start-up does not count."""
    program = shop.agent(SHORT)
    sides: dict[str, Callable[[int], float]] = {
        "agent": lambda n: shop.bare_loop(program, iterations=n).cpu,
        "bash": lambda n: shop.bash_loop(program, iterations=n, expect=1).cpu,
        "ralph": lambda n: shop.ralph(program, iterations=n, expect=1).cpu,
    }
    samples = interleaved(
        {f"{name} {n}": _with_room(shop, partial(loop, n)) for n in (FEW, MANY) for name, loop in sides.items()},
        rounds=7,
    )
    # What disturbs a measurement only adds to it, so the least of several is the nearest to the truth.
    agent, bash, ralph = (
        (min(samples[f"{name} {MANY}"]) - min(samples[f"{name} {FEW}"])) / (MANY - FEW) * 1000 for name in sides
    )
    return [compared("CPU per iteration", ralph - agent, bash - agent, 0.35, samples)]


def shown(shop: Workshop) -> list[Row]:
    """One more iteration as people run it: display on into a pipe, a git repository, 40 kB of stream."""
    return [_shown(shop, "CPU per iteration, display on, in memory", 0.6, min)]


def shown_on_disk(shop: Workshop) -> list[Row]:
    return [_shown(shop, "CPU per iteration, display on, on disk", 0.9, median)]


def _shown(shop: Workshop, what: str, limit: float, of_several: Callable[[list[float]], float]) -> Row:
    shop.make_repository()
    program = shop.agent(USUAL)
    sides: dict[str, Callable[[int], float]] = {
        "agent": lambda n: shop.bare_loop(program, iterations=n).cpu,
        "bash": lambda n: shop.bash_loop(program, iterations=n, expect=1).cpu,
        "ralph": lambda n: shop.ralph_shown(program, iterations=n, expect=1).cpu,
    }
    samples = interleaved(
        {
            f"{name} {n}": _with_room(shop, partial(loop, n))
            for n in (FEW_SHOWN, MANY_SHOWN)
            for name, loop in sides.items()
        },
        rounds=5,
    )
    agent, bash, ralph = (
        (of_several(samples[f"{name} {MANY_SHOWN}"]) - of_several(samples[f"{name} {FEW_SHOWN}"]))
        / (MANY_SHOWN - FEW_SHOWN)
        * 1000
        for name in sides
    )
    return compared(what, ralph - agent, bash - agent, limit, samples)


def restart(shop: Workshop) -> list[Row]:
    """A supervised command.

    Starting ralph costs as much as hundreds of restarts, and varies by dozens. So a loop is measured while it is under
    way, and not against a shorter one.
    """

    def one_more(loop: Callable[[str], object]) -> Callable[[], float]:
        def measure() -> float:
            command = shop.restless()
            loop(command)
            return shop.used(command) / (LAST - FIRST) * 1000

        return measure

    sides = {
        "agent": one_more(lambda command: shop.bare_loop(command, iterations=LAST)),
        "bash": one_more(lambda command: shop.bash_loop(command, iterations=LAST, expect=1)),
        "ralph": one_more(shop.supervise),
    }
    samples = interleaved(sides, rounds=7)
    shop.make_room()
    agent, bash, ralph = (min(samples[name]) for name in sides)
    return [compared("CPU per restart", ralph - agent, bash - agent, 0.35, samples)]


def flood(shop: Workshop) -> list[Row]:
    """A long stream: what it costs above the same run with an empty one, and above the agent that prints it."""
    full, empty = shop.agent(LONG, FLOOD), shop.agent(LONG, 0)

    def marginal(run: Callable[[str], float]) -> Callable[[], float]:
        return _with_room(shop, lambda: (run(full) - run(empty)) * 1000)

    samples = interleaved(
        {
            # Its reader is this process, whose time is not counted.
            "agent": marginal(lambda agent: shop.run(agent, through_pipe=True).cpu),
            "bash": marginal(lambda agent: shop.bash_loop(agent, iterations=1, expect=0).cpu),
            "quiet": marginal(lambda agent: shop.ralph(agent, iterations=1, expect=0).cpu),
            "shown": marginal(lambda agent: shop.ralph_shown(agent, iterations=1, expect=0).cpu),
            "secrets": marginal(lambda agent: shop.ralph(agent, iterations=1, expect=0, env=TEN_SECRETS).cpu),
        },
        rounds=9,
    )
    agent, bash, quiet, on, secrets = (median(samples[name]) for name in samples)
    return [
        compared("CPU for a stream of 100 MB, display on", on - agent, bash - agent, 1.5, samples),
        compared("the same, --quiet", quiet - agent, bash - agent, 1.0, {}),
        compared("the same, --quiet, ten secret variables set", secrets - agent, bash - agent, UNLIMITED, {}),
    ]


def memory(shop: Workshop) -> list[Row]:
    def peak(megabytes: int) -> Callable[[], float]:
        agent = shop.agent(LONG, megabytes)
        return _with_room(shop, lambda: shop.ralph(agent, iterations=1, expect=0).peak / MEGABYTE)

    long_line = shop.one_line(LONG_LINE)
    samples = interleaved(
        {
            "empty": peak(0),
            "100 MB": peak(FLOOD),
            "1 GB": peak(GIGABYTE),
            "line": _with_room(shop, lambda: shop.ralph_shown(long_line, iterations=1, expect=0).peak / MEGABYTE),
        },
        rounds=3,
    )
    if own_peak() / MEGABYTE >= min(samples["empty"]):
        raise SystemExit("the benchmark itself takes more memory than ralph: its peaks would hide ralph's")
    idle, large, huge, line = (median(values) for values in samples.values())
    return [
        Row("peak memory at 100 MB", f"{large:.1f} MB", f"idle {idle:.1f} MB", large - idle, 60, "MB", samples),
        Row("peak memory at 1 GB", f"{huge:.1f} MB", f"idle {idle:.1f} MB", huge - idle, 60, "MB", {}),
        Row("peak memory, one line of 300 MB", f"{line:.1f} MB", f"idle {idle:.1f} MB", line - idle, 60, "MB", {}),
        Row(
            "a stream of any length, flat",
            f"{huge:.1f} MB",
            f"100 MB {large:.1f} MB",
            abs(huge - large),
            FLAT,
            "MB",
            {},
        ),
    ]


def start(shop: Workshop) -> list[Row]:
    def cpu(*argv: str) -> Callable[[], float]:
        return lambda: shop.run(*argv).cpu * 1000

    samples = interleaved(
        {
            "python": cpu(sys.executable, "-I", "-c", "pass"),
            "version": cpu(str(RALPH), "--version"),
            "help": cpu(str(RALPH), "run", "--help"),
        },
        rounds=41,
    )
    python, version, usage = (median(samples[name]) for name in ("python", "version", "help"))
    return [
        compared("ralph --version", version, python, 1.5, samples),
        compared("ralph run --help", usage, python, 6, {}),
    ]


def _with_room(shop: Workshop, measure: Callable[[], float]) -> Callable[[], float]:
    def and_clear() -> float:
        measured = measure()
        shop.make_room()
        return measured

    return and_clear


def compared(what: str, ralph: float, other: float, limit: float, samples: dict[str, list[float]]) -> Row:
    return Row(what, f"{ralph:.2f} ms", f"{other:.2f} ms", ralph / other, limit, "x", samples)


QUICK = (start, iteration, shown, restart)
HEAVY = (flood, memory, shown_on_disk)
"""These print to the disk more than memory may hold."""
