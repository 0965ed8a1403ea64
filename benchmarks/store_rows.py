"""The rows of the speed table about the store: commands that look, large histories, a single action."""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from measure import interleaved, median
from rows import Row, compared
from workshop import RALPH, USUAL, Workshop

FEW, MANY, ROWS_EACH = 100, 10_000, 100
TASKS = 400
SPEC = "0b0b0b0b"
ROUNDS = 21
LATEST = "0a0a0a0a"
"""The run of the history that the others are copies of."""
LOOKING = (
    "runs",
    "status",
    f"show {LATEST}",
    "logs",
    "task list",
    "task show TASK-0001",
    "spec list",
    "spec show big",
    "spec graph big",
    "spec preview big",
    "spec config big",
    "project list",
    "project show",
    "config show --origin",
    "config get maximumIterations",
    "config check",
)
"""Every kind of command that only looks. Commands that start other programs are not here (`agents`, `doctor`, `proof`),
nor those that write out what they read (`export`)."""
POST, READ = ("bus", "post", "--task-dir", "task", "--type", "FACT", "It is so."), "bus read --task-dir task"
SUMS = "cost"
"""It adds up every call of every run, so it cannot cost the same with more of them."""
START, SAME = 9.0, 1.2
BESIDE = Path(__file__).parent


def commands(shop: Workshop) -> list[Row]:
    """Commands that look, in a project with few runs and in one with many: what is old must not cost."""
    few, many = (_with_history(shop, f"{size}-runs", "runs", size) for size in (FEW, MANY))
    for each in (few, many):
        # The run whose logs are read.
        each.ralph(each.agent(USUAL), iterations=1, expect=1)
    (few.project / "task").mkdir()
    asked = {name: name.split() for name in (*LOOKING, SUMS, READ)} | {"bus post": POST}
    measures = {"python": partial(_cpu, few, sys.executable, "-I", "-c", "pass")}
    measures |= {name: partial(_cpu, few, str(RALPH), *argv) for name, argv in asked.items()}
    measures |= {f"{name}, many": partial(_cpu, many, str(RALPH), *name.split()) for name in LOOKING}
    samples = interleaved(measures, ROUNDS)
    took = {name: median(values) for name, values in samples.items()}
    shown = iter([samples])
    started = [compared(f"ralph {name}", took[name], took["python"], START, next(shown, {})) for name in asked]
    many_words = f"with {MANY:,} runs, {MANY * ROWS_EACH:,} rows"
    grown = [compared(f"{name} {many_words}", took[f"{name}, many"], took[name], SAME, {}) for name in LOOKING]
    return [*started, *grown]


def spec(shop: Workshop) -> list[Row]:
    """A spec of 400 tasks with four stages each: 2,001 runs."""
    large = _with_history(shop, "spec", "spec", TASKS)
    samples = interleaved({name: partial(_cpu, large, str(RALPH), name, SPEC) for name in ("show", "status")}, 7)
    return [_in_ms(f"{name} of a spec of {TASKS} tasks", samples[name], 300, "CPU, 2,001 runs") for name in samples]


def look(shop: Workshop) -> list[Row]:
    samples = [each / 1000 for each in _inside(shop, "look")["look"]]
    return [_in_ms("one look of logs -f, 2,000 iterations", samples, 20, "CPU, one more iteration each")]


def action(shop: Workshop) -> list[Row]:
    samples = _inside(shop, "action")
    bare, ralph = (median(samples[name]) for name in ("bare", "ralph"))
    ratio = median(one / other for one, other in zip(samples["ralph"], samples["bare"], strict=True))
    what = "an action with an effect, beside two bare inserts"
    return [Row(what, f"{ralph:.1f} us", f"{bare:.1f} us", ratio, 7, "x", samples)]


def _cpu(shop: Workshop, *argv: str) -> float:
    return shop.run(*argv).cpu * 1000


def _in_ms(what: str, samples: list[float], limit: float, beside: str) -> Row:
    took = median(samples)
    return Row(what, f"{took:.1f} ms", beside, took, limit, "ms", {"ralph": samples})


def _with_history(shop: Workshop, name: str, what: str, size: int) -> Workshop:
    (shop.root / name).mkdir()
    made = Workshop(shop.root / name)
    program("history.py", str(made.home), str(made.project), what, str(size))
    return made


def _inside(shop: Workshop, what: str) -> dict[str, list[float]]:
    return json.loads(program("inside.py", what, str(shop.root / what)))


def program(name: str, *args: str) -> Any:
    return subprocess.run([sys.executable, BESIDE / name, *args], check=True, stdout=subprocess.PIPE).stdout


STORE: tuple[Callable[[Workshop], list[Row]], ...] = (action, look, commands, spec)
