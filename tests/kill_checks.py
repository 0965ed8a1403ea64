"""What must hold after processes were killed at random moments."""

import asyncio
import json
from collections import Counter
from contextlib import suppress

import msgspec
import psutil

from kill_scene import COST, ITERATIONS, TASKS
from loops import wait_until
from ralph.loop.drive import Driver
from ralph.loop.plan import stored_plan
from ralph.loop.stop import Stop
from ralph.store.journal import Journal, check_chain, rows_of
from ralph.store.runs import tree_of


def what_others_wrote_is_there(scene, crowd):
    """Of what ralph said it had written nothing is missing. One that was killed may have written, or not."""
    assert crowd.problems == [], crowd.problems
    _, out, _ = scene.ralph("task", "list", "--json")
    tasks = Counter(task["id"] for task in json.loads(out))
    assert set(tasks.values()) == {1}
    assert not set(crowd.created) - set(tasks)
    _, out, err = scene.ralph("bus", "read", "--task-dir", str(crowd.bus), "--json")
    assert err == ""
    assert sorted(message["id"] for message in json.loads(out)) == sorted(crowd.posted)


def each_follower_saw_each_row_once_and_in_order(scene, followers):
    there = [(row["id"], row["run_id"], row["n"]) for row in scene.rows()]
    for follower in followers:
        seen = follower.seen()
        ids = [row for row, _, _ in seen]
        assert ids == sorted(set(ids))
        assert [each for each in seen if each[1] not in scene.forgotten] == there


def each_task_was_delivered_once(scene):
    """One commit each, on the branch of its spec, and none of what was killed is left."""
    for spec in scene.specs:
        names = [f"{spec}-{name}" for name in TASKS]
        log = scene.repo.git("log", "--reverse", "--format=%(trailers:key=Ralph-Task,valueonly)", f"main..ralph/{spec}")
        assert log.split() == names
        for name in names:
            assert scene.repo.git("show", f"ralph/{spec}:{name}.txt") == "good\n"
    worktrees = scene.repo.git("worktree", "list").splitlines()
    assert len([each for each in worktrees if "/.verify-" not in each]) == 1
    _, out, _ = scene.ralph("task", "list", "--json")
    assert all(task["status"] == "completed" for task in json.loads(out) if task["specId"] in scene.specs)


def each_spec_ended_as_the_one_that_was_left_in_peace(scene):
    """The first one was not killed: each has the same actions, ended once each."""
    first, *others = (_ends(scene, spec) for spec in scene.specs)
    assert set(first.values()) == {1}
    for each in others:
        assert each == first


def _ends(scene, spec):
    run_id, _ = scene.run_of(spec)
    rows = [row for row in scene.rows() if row["what"] == "ended" and row["run_id"].startswith(run_id)]
    named = (f"{row['run_id'].removeprefix(run_id)} {row['key']}" for row in rows)
    return Counter(name.replace(f"{spec}-", "").replace(f"{spec}_", "") for name in named)


def money_is_exact(scene, store):
    """Each end of an agent's work was counted once, in its run and in all above it; no run was made twice."""
    for spec in scene.specs:
        run_id, _ = scene.run_of(spec)
        runs = {run.id: run for run in tree_of(store, run_id)}
        tasks = [f"{run_id}.{spec}-{name}" for name in TASKS]
        stages = [f"{task}.coder" for task in tasks]
        assert sorted(runs) == sorted([run_id, *tasks, *stages])
        assert {run.verdict for run in runs.values()} == {"verified"}
        for each in stages:
            assert (len(_paid(store, each)), runs[each].cost_usd) == (ITERATIONS, ITERATIONS * COST)
        # A task asks a model for a summary of its work, too.
        below = {task: _paid(store, task) + _paid(store, f"{task}.coder") for task in tasks}
        assert {task: runs[task].cost_usd for task in tasks} == {task: len(ends) * COST for task, ends in below.items()}
        assert (runs[run_id].cost_usd, runs[run_id].iterations) == (
            sum(len(ends) for ends in below.values()) * COST,
            ITERATIONS * len(TASKS),
        )


def _paid(store, run_id):
    """What ended of the work of agents and models."""
    rows = [row for row in rows_of(store, run_id) if row.what == "ended"]
    return [row for row in rows if row.name.kind in ("run-agent", "ask-model")]


def agents_were_started_only_after_it_was_written_down(scene):
    """A kill between the row and the start leaves an attempt without a start, never the other way round."""
    rows = [row for row in scene.rows() if row["what"] == "begun"]
    begun = {f"{row['run_id']}/{row['key']}.{row['attempt']}" for row in rows}
    # Between the mark of the process that drove it and the number of the program.
    starts = [start.env["RALPH_ATTEMPT_ID"].partition(".")[2].rpartition(".")[0] for start in scene.agent.starts]
    assert not set(starts) - begun
    assert len(set(starts)) == len(starts)
    assert any(row["attempt"] > 1 for row in rows), "no action was killed: this tests nothing"


def nobody_lost_a_run_that_it_had(scene, refused):
    """Who is alive keeps its run: a process is refused only when it comes."""
    owners = {json.loads(row["body"])["pid"] for row in scene.rows() if row["what"] == "taken"}
    assert not owners & refused


def chains_are_whole(scene, store):
    for spec in scene.specs:
        for run in tree_of(store, scene.run_of(spec)[0]):
            assert check_chain(store, run.id) == len(rows_of(store, run.id))


def no_process_is_left(scene):
    wait_until(lambda: not _ours(scene), f"still there: {_ours(scene)}")


def _ours(scene):
    """Processes that know of the place where all this happened, the tests' own apart."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            told = [*process.cmdline(), *process.environ().values(), process.cwd()]
            if any(str(scene.root) in each for each in told) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.cmdline())
    return found


def the_database_is_sound(store):
    """As SQLite itself sees it."""
    assert store.read("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert not store.read("SELECT * FROM pragma_foreign_key_check")


def replays_perform_nothing(store):
    """A new generator, given what the journal holds, comes to the same verdict, and leaves nothing over."""
    for row in store.read("SELECT id FROM runs ORDER BY id"):
        closed = rows_of(store, row["id"])[-1]
        assert closed.what == "closed"
        journal = Journal.take(store, row["id"], go_on=True)
        assert msgspec.json.encode(asyncio.run(_replayed(store, journal))) == closed.body
        assert not journal.past_ends


async def _replayed(store, journal):
    async def perform(begun):
        raise AssertionError(f"a replay asks for {begun.key}")

    plan = stored_plan(journal.run_id, journal.recipe, journal.options)
    return await Driver(store, journal, perform, Stop()).drive(plan.kind.generator(plan.loop))
