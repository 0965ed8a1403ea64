import json

import msgspec
import pytest

from ralph.app.tasks.listing import list_specs, list_tasks, open_spec
from ralph.app.tasks.tasks import import_tasks
from ralph.app.tasks.view import open_task
from ralph.model.errors import ConfigError
from ralph.store.journal import Journal
from ralph.store.projects import find_project, project_at
from ralph.store.sqlite import SqliteStore
from ralph.store.tasks import set_status
from task_shell import add_stage, add_task_run, many, verified

RUNNING = 20
TASK_KEYS = (
    *("id", "specId", "title", "description", "status", "priority", "dependencies", "assignee", "createdAt"),
    *("updatedAt", "metadata", "iteration", "outcome", "acceptanceCriteria", "mayChange", "relevantFiles"),
    *("maxIterations", "summary", "error"),
)
ROLE_KEYS = (
    *("role", "given", "promise", "description", "verificationMethod", "verificationConfig", "maxIterations"),
    *("iterations", "status", "verdict", "reason", "runId"),
)


class Counting:
    """A store that counts what is asked of it."""

    def __init__(self, store):
        self._store = store
        self.reads = 0

    def read(self, text, **values):
        self.reads += 1
        return self._store.read(text, **values)

    def tuples(self, text, **values):
        self.reads += 1
        return self._store.tuples(text, **values)


@pytest.fixture
def store(tmp_path):
    with SqliteStore(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "project"
    path.mkdir()
    return path


def plain(value):
    return json.loads(msgspec.json.encode(value))


def test_look_at_an_unknown_project_finds_nothing_and_leaves_nothing(store, project):
    assert (list_tasks(store, project), list_specs(store, project)) == ([], [])
    for look in (open_spec, open_task, list_tasks):
        with pytest.raises(ConfigError, match=r"there is no (spec|task) 'x'"):
            look(store, project, "x")
    assert find_project(store, project) is None


def test_keys_of_the_json_forms(store, project):
    import_tasks(store, project, many(("A", {"metadata": {"snake_case": 1}}), ("B", {"dependencies": ["A"]})), "file")
    [first, second] = plain(list_tasks(store, project))
    assert tuple(first) == TASK_KEYS
    assert (first["metadata"], second["dependencies"], second["acceptanceCriteria"]) == (
        {"snake_case": 1},
        ["A"],
        ["c"],
    )
    [spec] = plain(list_specs(store, project))
    assert tuple(spec) == ("id", "title", "file", "config", "createdAt", "updatedAt", "tasks")
    assert (spec["file"], spec["tasks"]) == (None, [first, second])
    assert plain(open_spec(store, project, "auth")) == spec
    task = plain(open_task(store, project, "B").task)
    assert tuple(task) == (*TASK_KEYS, "roles", "lastReason")
    nothing = {"passed": None, "reason": "", "role": None, "runId": None}
    assert task["acceptanceCriteria"] == [{"criterion": "c", "kind": "judge", "command": "", **nothing}]
    assert task["roles"] == []
    assert open_task(store, project, "B").dependencies == {"A": "pending"}


def test_a_pipeline_has_all_its_roles_and_a_chunk_its_tries(store, project):
    role = {"outcome": "o", "acceptance_criteria": ["c"], "qa": {"promise": "OK"}}
    import_tasks(store, project, many(("A", {"completion": role}), ("B", {}), ("C", {"max_iterations": 3})), "file")
    pipeline = open_task(store, project, "A")
    assert ([each.role for each in pipeline.task.roles], pipeline.tries) == (
        ["coder", "reviewer", "tester", "qa"],
        None,
    )
    assert {tuple(role) for role in plain(pipeline.task)["roles"]} == {ROLE_KEYS}
    assert (open_task(store, project, "B").task.roles, open_task(store, project, "B").tries) == ([], 5)
    assert open_task(store, project, "C").tries == 3


def filled(store, project, size):
    """A project with so many tasks in two specs, some of which run at this moment."""
    for spec in ("one", "two"):
        tasks = [(f"{spec}-{number}", {}) for number in range(size)]
        import_tasks(store, project, many(*tasks, spec=spec), "file")
    name = project_at(store, project).id
    for number in range(min(size, RUNNING)):
        task = f"one-{number}"
        run = add_task_run(store, name, task)
        Journal.take(store, run)
        stage = Journal.take(store, add_stage(store, name, task, "coder", run))
        verified(stage)
        set_status(store, name, task, "running")
    return project


LOOKS = {
    "task list": list_tasks,
    "task list --spec": lambda store, project: list_tasks(store, project, "one"),
    "spec list": list_specs,
    "spec show": lambda store, project: open_spec(store, project, "one"),
    "task show": lambda store, project: open_task(store, project, "one-0"),
}


def test_as_few_statements_for_many_tasks_as_for_one(store, project, tmp_path):
    few, large = filled(store, project, 1), tmp_path / "large"
    filled(store, large, 400)
    for name, look in LOOKS.items():
        asked = []
        for where in (few, large):
            counting = Counting(store)
            look(counting, where)
            asked.append(counting.reads)
        assert asked[0] == asked[1] <= 7, name
    assert sum(task.status == "running" for task in list_tasks(store, large)) == RUNNING
