import msgspec
import pytest

from ralph.model.errors import ConfigError, StateError
from ralph.model.tasks import CompletionCriteria, Criterion, OutputSummary, Spec, Task, TaskCompletionSpec
from ralph.model.verdicts import Verified
from ralph.store import tasks as tasks_module
from ralph.store.projects import project_at
from ralph.store.runs import runs_under_way
from ralph.store.sql import Lost
from ralph.store.tasks import (
    add_spec,
    add_tasks,
    change,
    change_spec_config,
    change_tasks,
    delete_spec,
    delete_tasks,
    find_spec,
    get_spec,
    get_task,
    set_status,
    set_summary,
    specs_of,
    tasks_of,
)
from stores import change as change_run
from stores import new_run, taken

SPEC = Spec(id="auth", title="Auth", created_at=1.0, updated_at=1.0)
TASK = Task(
    id="TASK-001",
    spec_id="auth",
    title="Tokens ✓",
    description="One.\nTwo.\n",
    priority=-3,
    dependencies=("B", "A"),
    assignee="me",
    created_at=1.5,
    updated_at=2.5,
    metadata={"a": [1, {"b": None}]},
    completion_spec=TaskCompletionSpec(
        "It is so.",
        (Criterion("judge", "a"), Criterion("check", "b", command="make")),
        {"coder": CompletionCriteria("P", "D", "external", {"command": "true"}, 3)},
    ),
    may_change=("tests/old/**", "Makefile"),
    relevant_files=("src/a.py",),
    max_iterations=7,
)


SUMMARY = OutputSummary("Tokens.", ("a.py",), ("b.py",), ("login",), ("test_a",), ("POST /login answers",))


def plain(name, **changes):
    return Task(**{"id": name, "spec_id": "auth", "title": name, "created_at": 0.0, "updated_at": 0.0, **changes})


def put(store, project, *tasks):
    store.write(*add_tasks(project, tasks))


@pytest.fixture
def project(store, tmp_path):
    """One with a spec."""
    found = project_at(store, tmp_path / "here").id
    store.write(add_spec(found, SPEC))
    return found


@pytest.fixture
def elsewhere(store, tmp_path):
    return project_at(store, tmp_path / "there").id


def test_task_comes_back_as_it_was(store, project):
    put(store, project, TASK, plain("bare"))
    assert get_task(store, project, "TASK-001") == TASK
    assert get_task(store, project, "bare") == plain("bare")
    assert get_spec(store, project, "auth") == SPEC


def test_completion_is_kept_in_the_shape_of_files(store, project):
    put(store, project, TASK)
    [row] = store.read("SELECT completion_spec FROM tasks")
    data = msgspec.json.decode(row["completion_spec"])
    assert list(data) == ["outcome", "acceptance_criteria", "coder"]
    assert data["coder"]["verification_config"] == {"command": "true"}


def test_tasks_are_listed_by_id_and_by_spec(store, project):
    store.write(add_spec(project, Spec(id="other", title="", created_at=0.0, updated_at=0.0)))
    put(store, project, plain("b"), plain("a"), plain("c", spec_id="other"))
    assert [task.id for task in tasks_of(store, project)] == ["a", "b", "c"]
    assert [task.id for task in tasks_of(store, project, "other")] == ["c"]
    assert [spec.id for spec in specs_of(store, project)] == ["auth", "other"]


def test_projects_do_not_see_each_other(store, project, elsewhere):
    store.write(add_spec(elsewhere, SPEC))
    put(store, project, plain("a", title="here"))
    put(store, elsewhere, plain("a", title="there"))
    assert get_task(store, project, "a").title == "here"
    assert get_task(store, elsewhere, "a").title == "there"
    store.write(*delete_tasks(elsewhere, ["a"]), delete_spec(elsewhere, "auth"))
    assert tasks_of(store, elsewhere) == specs_of(store, elsewhere) == []
    assert len(tasks_of(store, project)) == len(specs_of(store, project)) == 1


def test_what_a_person_wrote_is_changed_and_what_ralph_knows_stays(store, project):
    put(store, project, TASK)
    set_status(store, project, "TASK-001", "failed", iteration=4, error="no test passed")
    set_summary(store, project, "TASK-001", SUMMARY)
    store.write(*change_tasks(project, [plain("TASK-001", updated_at=9.0)]))
    known = {"status": "failed", "iteration": 4, "error": "no test passed", "summary": SUMMARY}
    assert tasks_of(store, project) == [plain("TASK-001", **known, created_at=TASK.created_at, updated_at=9.0)]


def test_summary_and_error_are_kept_until_they_are_taken_back(store, project):
    put(store, project, plain("a"))
    set_summary(store, project, "a", SUMMARY)
    set_status(store, project, "a", "failed", error="no test passed")
    assert (get_task(store, project, "a").summary, get_task(store, project, "a").error) == (SUMMARY, "no test passed")
    set_status(store, project, "a", "running")
    set_summary(store, project, "a", None)
    assert (get_task(store, project, "a").summary, get_task(store, project, "a").error) == (None, "")


def test_overrides_of_a_spec_are_kept(store, project):
    config = {"defaults": {"executor": "codex"}, "rules": ["é"]}
    store.write(change_spec_config(project, "auth", config))
    assert get_spec(store, project, "auth").config == config
    assert specs_of(store, project)[0].updated_at > SPEC.updated_at
    with pytest.raises(Lost):
        store.write(change_spec_config(project, "gone", config))


@pytest.mark.parametrize("statements", [
    lambda project: add_tasks(project, [plain("a")]),
    lambda project: add_tasks(project, [plain("b", spec_id="nowhere")]),
    lambda project: [add_spec(project, SPEC)],
    lambda project: change_tasks(project, [plain("gone")]),
    lambda project: delete_tasks(project, ["gone"]),
    lambda project: [delete_spec(project, "gone")],
    lambda project: [delete_spec(project, "auth")],
])  # fmt: skip
def test_several_are_written_together_or_not_at_all(store, project, statements):
    put(store, project, plain("a", title="first"))
    with pytest.raises(Lost):
        store.write(*add_tasks(project, [plain("new")]), *statements(project))
    assert tasks_of(store, project) == [plain("a", title="first")]
    assert specs_of(store, project) == [SPEC]


def test_unknown_ones_are_told(store, project):
    for name in ("x", "x" * 1000, "\udcff", "é", ""):
        with pytest.raises(ConfigError, match="there is no task"):
            get_task(store, project, name)
        with pytest.raises(ConfigError, match="there is no spec"):
            get_spec(store, project, name)
        assert find_spec(store, project, name) is None


def test_status_changes_and_nothing_else(store, project):
    put(store, project, TASK)
    set_status(store, project, "TASK-001", "running")
    set_status(store, project, "TASK-001", "failed", iteration=4)
    now = get_task(store, project, "TASK-001")
    assert now.updated_at > TASK.updated_at
    assert msgspec.structs.replace(now, updated_at=TASK.updated_at) == msgspec.structs.replace(
        TASK, status="failed", iteration=4
    )
    set_status(store, project, "TASK-001", "completed")
    assert get_task(store, project, "TASK-001").iteration == 4


def test_status_of_a_task_that_is_gone_is_nobodys(store, project):
    put(store, project, plain("a"))
    set_status(store, project, "gone", "running")
    assert tasks_of(store, project) == [plain("a")]


def test_tasks_are_under_way_while_a_run_of_theirs_lives(store, project, elsewhere):
    live = taken(store, project=project, task_id="a")
    dead = taken(store, project=project, task_id="b").run_id
    taken(store, project=project, task_id="c").close(Verified(1))
    new_run(store, project=project, task_id="d")
    taken(store, project=project)
    taken(store, project=elsewhere, task_id="e")
    [row] = store.read("SELECT owner FROM runs WHERE id = :id", id=dead)
    owner = msgspec.json.decode(row["owner"])
    change_run(store, dead, owner=msgspec.json.encode({**owner, "since": owner["since"] + 9}).decode())
    assert runs_under_way(store, project) == {"a": live.run_id}
    part = taken(store, f"{live.run_id}.coder", project=project, task_id="a", is_part=True)
    assert runs_under_way(store, project) == {"a": live.run_id}
    live.close(Verified(1))
    assert runs_under_way(store, project) == {"a": part.run_id}


# Several processes


def test_what_was_decided_is_decided_again_if_another_was_faster(store, another, project):
    seen = []

    def decide():
        seen.append([task.id for task in tasks_of(store, project)])
        if len(seen) == 1:
            change(another, project, lambda: add_tasks(project, [plain("theirs")]))
        return add_tasks(project, [plain("ours")])

    change(store, project, decide)
    assert seen == [[], ["theirs"]]
    assert [task.id for task in tasks_of(store, project)] == ["ours", "theirs"]


def test_change_in_another_project_disturbs_nobody(store, another, project, elsewhere):
    seen = []

    def decide():
        seen.append(1)
        change(another, elsewhere, lambda: [add_spec(elsewhere, SPEC)])
        return add_tasks(project, [plain("ours")])

    change(store, project, decide)
    assert len(seen) == 1


def test_what_is_refused_is_not_tried_again(store, project):
    def decide():
        raise ConfigError("no")

    with pytest.raises(ConfigError, match="no"):
        change(store, project, decide)


def test_who_never_gets_a_turn_says_so(store, another, project, monkeypatch):
    monkeypatch.setattr(tasks_module, "TRIES", 3)
    names = iter("abc")

    def decide():
        change(another, project, lambda: add_tasks(project, [plain(next(names))]))
        return add_tasks(project, [plain("ours")])

    with pytest.raises(StateError, match="other processes keep changing the tasks"):
        change(store, project, decide)
    assert [task.id for task in tasks_of(store, project)] == ["a", "b", "c"]
