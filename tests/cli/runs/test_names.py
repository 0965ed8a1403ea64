"""How lists and screens name runs, and how they fit a terminal."""

import json

import pytest

from loops import NAMED
from many_runs import spec_of
from ralph.app.runs.telling import told
from ralph.app.runs.tree import forest
from ralph.cli.runs.watch_text import WatchText
from ralph.model.tasks import Spec, Task
from ralph.store.projects import project_at
from ralph.store.tasks import add_spec, add_tasks
from ralph.testing import done, says
from stored_runs import StoredRuns
from terminals import Terminal

WHEN = {"created_at": 0.0, "updated_at": 0.0}
TITLE = "Add a login page with a form and a reset link"


@pytest.fixture
def store(loop):
    return StoredRuns(loop.repo.home / ".ralph")


@pytest.fixture
def spec(loop, store):
    """A spec of eight tasks: six are over, the seventh runs."""
    path = loop.repo.path
    ids = [f"T-{number}" for number in range(1, 9)]
    with store.open() as opened:
        project = project_at(opened, path).id
        opened.write(add_spec(project, Spec(id="shop", title="Shop", **WHEN)))
        tasks = [Task(id=each, spec_id="shop", title=f"{TITLE} {each}", **WHEN) for each in ids]
        opened.write(*add_tasks(project, tasks))
    loop_of = {"spec": "shop", "tasks": [{"loop": {"task": {"id": each}}} for each in ids]}
    options = json.dumps({"settings": {}, "loop": loop_of}).encode()
    top = store.unfinished(path, recipe="spec", label="shop", options=options, age=900)
    for number, each in enumerate(ids[:6]):
        store.add(path, parent=top, part=each, task=each, recipe="task", label=each, age=800 - number)
    part = {"part": "T-7", "task": "T-7", "recipe": "task", "label": "T-7"}
    task = store.unfinished(path, parent=top, age=100, **part)
    stage = {"part": "coder", "task": "T-7", "recipe": "stage", "label": "T-7 coder"}
    store.unfinished(path, parent=task, age=50, doing="agent", doing_iteration=2, last_reason="make: 1 failed", **stage)
    return top


def test_what_is_watched_fits_80_by_24_with_what_runs_first(loop, store, spec):
    with store.open() as opened:
        lines = WatchText({}, here=None).lines(told(opened, forest(opened, loop.repo.path)), 23)
    text = "\n".join(lines)
    assert len(lines) <= 23
    assert lines[0].endswith(f"{spec} · spec shop · {loop.repo.path.name}")
    assert lines[1].startswith("  task 7 of 8")
    assert "  task T-7: Add a login page with a form and a reset link… · task 7 of 8" in text.replace("\x1b[0m", "")
    assert "stage T-7 coder" in text
    assert "last: make: 1 failed" in text
    assert lines[-1] == "  6 parts ended: 6 verified"


def test_a_small_terminal_says_how_much_is_left_out(loop, store, spec):
    with store.open() as opened:
        lines = WatchText({}, here=None).lines(told(opened, forest(opened, loop.repo.path)), 4)
    assert (len(lines), lines[-1][:2]) == (4, "… ")


def test_runs_name_prompts_and_tasks_and_put_parents_before_parts(loop, store, spec):
    listed = loop.ralph("runs").out.splitlines()
    assert [line.split("  ")[0].rpartition(".")[2] for line in listed[:2]] == [spec, "T-1"]
    assert f"  task T-1: {TITLE}…"[:30] in listed[1]
    assert listed[-1].startswith(f"{spec}.T-7.coder  running")
    few = loop.ralph("runs", "-n", "3").out.splitlines()
    assert [line.split("  ")[0] for line in few] == [spec, f"{spec}.T-6", f"{spec}.T-7"]


def test_show_names_the_prompt(loop):
    loop(says("hm") | done())
    assert f" · {NAMED} · verified: " in loop.ralph("show").out.splitlines()[0]


@pytest.mark.parametrize("command", ["runs", "show"])
def test_no_word_is_broken_at_80_columns(loop, store, command):
    reason = "the guardrail said that many things are wrong with the work, word after word after word, and more"
    store.add(loop.repo.path, reason=reason)
    with Terminal(loop.repo.path, {**loop.repo.env, "COLUMNS": "80"}, command) as terminal:
        terminal.end()
    lines = terminal.screen.splitlines()
    assert max(map(len, lines)) <= 80
    assert reason in " ".join(terminal.screen.split())


def test_logs_of_a_spec_name_task_and_role(loop, store):
    with store.open() as opened:
        spec = spec_of(opened, loop.repo.path, tasks=1)
    loop.repo.write(f".ralph/runs/{spec}.T-0.coder/iteration-1/stream.ndjson", "I code\n")
    assert "── iteration 1 · stage T-0 coder ──\nI code\n" in loop.ralph("logs", spec).out
