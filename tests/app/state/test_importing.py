"""What `ralph state import` writes: all that the files tell, by one write."""

import asyncio
import json

import pytest

from ralph.app.state.importing import import_state
from ralph.app.tasks.listing import list_specs
from ralph.model.errors import ConfigError, StateError
from ralph.model.verdicts import Verified
from ralph.store.history import reviews_of_parts
from ralph.store.journal import check_chain, rows_of
from ralph.store.projects import project_at
from ralph.store.runs import list_runs, runs_of_task
from ralph.store.sql import Sql
from ralph.store.tasks import definitions_digest
from ralph.testing import temp_repo
from stores import count, opened, taken

VERIFIED = [{"step": "Made", "command": "true", "passed": True, "output": "fine", "duration": 10}]
SUMMARY = {"summary": "It is there.", "filesCreated": ["one.txt"]}


@pytest.fixture
def repo(tmp_path, monkeypatch):
    repo = temp_repo(tmp_path)
    for name, value in repo.env.items():
        monkeypatch.setenv(name, value)
    return repo


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path / "store") as store:
        yield store


def write_state(repo, spec="s", tasks=("T-1", "T-2"), attempts=2, **more):
    """The state directory of a spec, as it comes from another machine. Each task depends on the one before."""
    before = dict(zip(tasks[1:], tasks, strict=False))
    chunks = [
        {"id": each, "title": f"Make {each}", "dependencies": [before[each]] if each in before else []}
        for each in tasks
    ]
    where = f".ralph/specs/{spec}"
    repo.write(f"{where}/chunks.json", json.dumps({"spec": {"id": spec, "title": "A spec"}, "chunks": chunks, **more}))
    for task in tasks:
        for number in range(1, attempts + 1):
            at = f"{where}/iterations/{task}/iteration-{number}"
            repo.write(f"{at}/context.md", f"Do {task}.")
            repo.write(f"{at}/output.md", "x" * 5000)
            repo.write(f"{at}/verification.json", json.dumps(VERIFIED))
            repo.write(f"{at}/summary.json", json.dumps(SUMMARY))


def deliver(repo, task, branch="ralph/s"):
    repo.git("branch", branch)
    repo.git("switch", "--quiet", branch)
    repo.git("commit", "--quiet", "--allow-empty", "-m", f"Make it\n\nRalph-Task: {task}\nRalph-Run: 0123abcd")
    repo.git("switch", "--quiet", "main")


def imported(store, repo, *specs):
    return asyncio.run(import_state(store, repo.path, specs))


def statuses(store, repo):
    return {task.id: task.status for spec in list_specs(store, repo.path) for task in spec.tasks}


LAST_ROWS = {
    "the first task": ("tasks", "NEW.id = 'T-1'"),
    "the last attempt of the first task": ("journal", "NEW.key LIKE 'run-agent/2%'"),
    "the end of the last run": ("journal", "NEW.what = 'closed' AND (SELECT count(*) FROM runs) = 4"),
}


@pytest.mark.parametrize(("table", "when"), LAST_ROWS.values(), ids=LAST_ROWS)
def test_an_import_that_ends_in_the_middle_leaves_nothing(store, repo, table, when):
    write_state(repo, "s")
    write_state(repo, "t", ("U-1", "U-2"))
    stop = f"CREATE TRIGGER stop BEFORE INSERT ON {table} WHEN {when} BEGIN SELECT RAISE(ABORT, 'no more'); END"
    store.write(Sql(stop))
    with pytest.raises(StateError, match="no more"):
        imported(store, repo)
    left = ("specs", "tasks", "runs", "journal", "blobs")
    assert [count(store, each) for each in left] == [0] * len(left)
    store.write(Sql("DROP TRIGGER stop"))
    assert [(each.spec, each.attempts) for each in imported(store, repo)] == [("s", 4), ("t", 4)]
    assert [count(store, each) for each in ("specs", "tasks", "runs")] == [2, 4, 4]


def test_what_was_restored_is_a_whole_journal_that_says_it_was_imported(store, repo):
    write_state(repo)
    imported(store, repo)
    runs = list_runs(store)
    assert [(run.verdict, run.status, run.iterations, run.agent) for run in runs] == [
        ("imported", "ended", 2, "imported")
    ] * 2
    assert all(check_chain(store, run.id) > 8 for run in runs)


def test_a_second_import_brings_nothing_twice(store, repo):
    write_state(repo)
    assert [each.attempts for each in imported(store, repo)] == [4]
    write_state(repo, attempts=3)
    assert [each.attempts for each in imported(store, repo)] == [2]
    assert [each.attempts for each in imported(store, repo)] == [0]


def test_only_the_branch_says_that_a_task_is_completed(store, repo):
    write_state(repo)
    deliver(repo, "T-2")
    [done] = imported(store, repo)
    assert done.completed == ("T-2",)
    assert statuses(store, repo) == {"T-1": "pending", "T-2": "completed"}
    [spec] = list_specs(store, repo.path)
    assert [task.summary and task.summary.files_created for task in spec.tasks] == [None, ("one.txt",)]


def test_the_state_of_a_task_that_the_store_has_stays(store, repo):
    write_state(repo)
    imported(store, repo)
    deliver(repo, "T-2")
    [done] = imported(store, repo)
    assert done.completed == ()
    assert statuses(store, repo) == {"T-1": "pending", "T-2": "pending"}


def test_specs_that_come_together_do_not_share_an_id(store, repo):
    write_state(repo, "s", ("T-1",))
    write_state(repo, "t", ("T-1", "T-2"))
    deliver(repo, "T-1", "ralph/t")
    first, second = imported(store, repo)
    assert (first.tasks, first.renamed) == (("T-1",), {})
    assert (second.tasks, second.renamed) == (("t-T-1", "T-2"), {"T-1": "t-T-1"})
    # The commit on the branch of the second one is that of its own task, which was called so there.
    assert statuses(store, repo) == {"T-1": "pending", "t-T-1": "completed", "T-2": "pending"}
    assert (first.attempts, second.attempts) == (2, 4)


def test_a_file_whose_ids_are_others_here_is_not_one_that_ralph_may_write_over(store, repo):
    write_state(repo, "s", ("T-1",))
    write_state(repo, "t", ("T-1",))
    imported(store, repo)
    project = list_runs(store)[0].project
    assert [bool(definitions_digest(store, project, each)) for each in ("s", "t")] == [True, False]


def actions(store, kind):
    """The actions of this kind that were restored, by their keys, as they were begun."""
    rows = [row for run in list_runs(store) for row in rows_of(store, run.id)]
    return {row.key: json.loads(row.body) for row in rows if row.what == "begun" and row.name.kind == kind}


def test_the_spec_keeps_its_own_settings(store, repo):
    write_state(repo, config={"defaults": {"maxIterations": 2}})
    imported(store, repo)
    [spec] = list_specs(store, repo.path)
    assert spec.config == {"defaults": {"maxIterations": 2}}


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"agent": {"command": "x"}}, "a spec cannot set 'agent'"),
        ({"defaults": {"quickReviewer": "nobody"}}, "names 'nobody', which is not a reviewer"),
    ],
)
def test_settings_that_no_run_could_use_are_refused_before_anything_is_written(store, repo, config, told):
    write_state(repo, "a", ("A-1",))
    write_state(repo, "s", config=config)
    with pytest.raises(ConfigError, match=told):
        imported(store, repo)
    assert [count(store, each) for each in ("projects", "specs", "tasks", "runs")] == [0] * 4


def test_dependencies_follow_a_task_that_has_another_id_here(store, repo):
    write_state(repo, "s", ("T-1",))
    write_state(repo, "t", ("T-1", "T-2"))
    imported(store, repo)
    tasks = {task.id: task.dependencies for spec in list_specs(store, repo.path) for task in spec.tasks}
    assert tasks == {"T-1": (), "t-T-1": (), "T-2": ("t-T-1",)}


def test_an_attempt_that_was_repeated_stays_one_of_its_own(store, repo):
    write_state(repo, tasks=("T-1",), attempts=1)
    repo.write(".ralph/specs/s/iterations/T-1/iteration-1.2/context.md", "Once more.")
    [done] = imported(store, repo)
    assert done.attempts == 2
    assert [each["prompt"] for each in actions(store, "run-agent").values()] == ["Do T-1.", "Once more."]


def test_a_role_has_a_run_of_its_own(store, repo):
    write_state(repo, tasks=("T-1",), attempts=1)
    repo.write(".ralph/specs/s/iterations/T-1/coder/iteration-1/context.md", "Code it.")
    imported(store, repo)
    assert sorted((run.recipe, run.label) for run in list_runs(store)) == [("chunk", "T-1"), ("stage", "T-1 coder")]


def test_a_review_comes_back_as_one_that_was_imported_and_blocks_with_what_blocked(store, repo):
    issue = {"file": "a.py", "lines": [1, 1], "type": "logic_bug", "severity": "high", "description": "it is wrong"}
    issues = [issue | {"suggestion": "", "agentPrompt": ""}]
    issues.append(issues[0] | {"description": "it is old", "passedOver": "it was there before"})
    counts = {"total": 2, "high": 2, "medium": 0, "low": 0}
    decided = {"decision": "REVISE", "issues": issues, "summary": counts}
    one = {"tier": "quick", "reviewer": "sonnet", **decided, "answers": {"F1": "not fixed"}, "unseen": ["b.bin"]}
    write_state(repo, tasks=("T-1",), attempts=1)
    text = json.dumps({**decided, "reviews": [one]})
    repo.write(".ralph/specs/s/iterations/T-1/iteration-1/review.json", text)
    [done] = imported(store, repo)
    assert done.problems == ()
    [run] = list_runs(store)
    [review] = [json.loads(row.body) for row in reviews_of_parts(store, run.id)]
    assert review["reviewer"] == "sonnet (imported)"
    assert [each["description"] for each in review["blocking"]] == ["it is wrong"]
    assert [each["description"] for each in review["recorded"]] == ["it is old"]
    assert (review["answers"], review["unseen"]) == ({"F1": "not fixed"}, ["b.bin"])


def test_attempts_of_no_task_are_told(store, repo):
    write_state(repo, tasks=("T-1",))
    repo.write(".ralph/specs/s/iterations/T-9/iteration-1/context.md", "Do it.")
    [done] = imported(store, repo)
    assert done.problems == (".ralph/specs/s/iterations/T-9 belongs to no task of chunks.json",)


def test_a_link_and_a_very_large_file_are_not_read(store, repo, tmp_path):
    write_state(repo, tasks=("T-1",), attempts=2)
    (tmp_path / "secret").write_text("a secret of the user's")
    linked, large = (repo.path / f".ralph/specs/s/iterations/T-1/iteration-{number}/context.md" for number in (1, 2))
    linked.unlink()
    linked.symlink_to(tmp_path / "secret")
    large.write_bytes(b" " * 8_000_001)
    imported(store, repo)
    assert [each["prompt"] for each in actions(store, "run-agent").values()] == ["", ""]


def test_what_was_done_here_is_the_latest_of_a_task_also_if_history_comes_after_it(store, repo):
    write_state(repo, tasks=("T-1",), attempts=0)
    imported(store, repo)
    project = project_at(store, repo.path).id
    done = taken(store, project=project, task_id="T-1", recipe="chunk")
    done.close(Verified(1, "checked"))
    write_state(repo, tasks=("T-1",), attempts=1)
    assert [each.attempts for each in imported(store, repo)] == [1]
    assert [run.verdict for run in runs_of_task(store, project, "T-1")] == ["imported", "verified"]
