"""Many processes write specs and tasks of one project at the same time."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph.app.tasks.followup import Wanted, follow_up
from ralph.app.tasks.listing import list_specs, list_tasks
from ralph.app.tasks.specs import create_spec, remove_spec
from ralph.app.tasks.tasks import import_tasks, remove_task, write_tasks
from ralph.kernel.task_rules import check_dependencies
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task
from ralph.store.projects import known_project
from ralph.store.sql import Sql
from ralph.store.tasks import tasks_of
from stores import Database
from task_shell import many

PROCESSES, ROUNDS = 8, 4
WRITER = """
import sys
from pathlib import Path
from ralph.app.tasks.specs import create_spec
from ralph.app.tasks.followup import Wanted, follow_up
from ralph.app.tasks.tasks import import_tasks
from ralph.model.errors import ConfigError
from ralph.store.open import open_store
from task_shell import many

project, me, rounds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
mine, theirs = ("A", "B") if me % 2 else ("B", "A")

def turn(waits_for):
    # Both at once would be a cycle.
    try:
        import_tasks(store, project, many((mine, {"dependencies": waits_for})), "turn", replace=True)
    except ConfigError as refused:
        assert "wait for each other" in str(refused), refused

def first(what, write):
    try:
        write()
        print("first", what, flush=True)
    except ConfigError as refused:
        assert f"there is a {what} already" in str(refused), refused

print("ready", flush=True)
sys.stdin.readline()
with open_store() as store:
    import_tasks(store, project, many(("A", {}), ("B", {})), "pair", replace=True)
    for number in range(rounds):
        name = f"{me}-{number}"
        import_tasks(store, project, many((f"{name}.a", {}), (f"{name}.b", {"dependencies": [f"{name}.a"]})), "two")
        turn([theirs])
        first(f"task same-{number}", lambda: import_tasks(store, project, many((f"same-{number}", {})), "same"))
        first(f"spec spec-{number}", lambda: create_spec(store, project, f"spec-{number}", None, f"# By {me}"))
        turn([])
    follow_up(store, project, "A", Wanted())
print("done", flush=True)
"""


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    environ = {"RALPH_HOME": str(tmp_path / "home")}
    if request.param == "postgres":
        environ["RALPH_DATABASE_URL"] = request.getfixturevalue("postgres")
    return Database(environ)


@pytest.fixture
def store(database):
    with database.open() as store:
        yield store


@pytest.fixture
def another(database):
    with database.open() as store:
        yield store


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "project"
    path.mkdir()
    return path


def together(database, project):
    """What the processes say, which all begin at the same moment with a database that nobody has made yet."""
    writers = [database.start(WRITER, project, number, ROUNDS) for number in range(PROCESSES)]
    try:
        assert [writer.stdout.readline() for writer in writers] == ["ready\n"] * PROCESSES
        for writer in writers:
            writer.stdin.write("go\n")
            writer.stdin.flush()
        return [writer.communicate(timeout=100)[0].splitlines() for writer in writers]
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()


@pytest.mark.e2e
def test_nothing_is_lost_and_nothing_is_doubled(database, project, tmp_path):
    said = together(database, project)
    assert [lines[-1:] for lines in said] == [["done"]] * PROCESSES
    with database.open() as store:
        tasks = tasks_of(store, known_project(store, project))
        specs = list_specs(store, project)
    own = {f"{me}-{number}.{part}" for me in range(PROCESSES) for number in range(ROUNDS) for part in "ab"}
    shared = {f"same-{number}" for number in range(ROUNDS)}
    followed = {f"A-{number}" for number in range(2, PROCESSES + 2)}
    assert {task.id for task in tasks} == {"A", "B", *own, *shared, *followed}
    check_dependencies(tasks)
    assert {spec.id for spec in specs} == {"auth", *(f"spec-{number}" for number in range(ROUNDS))}
    firsts = [line for lines in said for line in lines if line.startswith("first")]
    whats = [f"first {what}-{number}" for what in ("task same", "spec spec") for number in range(ROUNDS)]
    assert sorted(firsts) == sorted(whats)
    # The text that is there is that of the process whose spec it became.
    for me, lines in enumerate(said):
        for line in lines:
            if line.startswith("first spec"):
                name = line.split()[-1]
                assert Path(project, ".ralph/specs", name, "spec.md").read_text() == f"# By {me}"
                assert next(spec.title for spec in specs if spec.id == name) == f"By {me}"
    if not database.is_postgres:
        with closing(sqlite3.connect(tmp_path / "home/ralph.db")) as file:
            assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)


class Overtaken:
    """A store in front of which another process once writes, between the checks and the write."""

    def __init__(self, store, meanwhile):
        self._store = store
        self._meanwhile = [meanwhile]

    def read(self, text, **values):
        return self._store.read(text, **values)

    def tuples(self, text, **values):
        return self._store.tuples(text, **values)

    def write(self, *statements, sync=False):
        if self._meanwhile and len(statements) > 1:
            self._meanwhile.pop()()
        self._store.write(*statements, sync=sync)


def task(name, **changes):
    return Task(**{"id": name, "spec_id": "auth", "title": name, "created_at": 0.0, "updated_at": 0.0, **changes})


def ids(store, project):
    return [each.id for each in list_tasks(store, project)]


@pytest.fixture
def filled(store, project):
    import_tasks(store, project, many(("A", {}), ("B", {})), "file")
    return store


def overtaken(store, another, project, write, *args, **options):
    return Overtaken(store, lambda: write(another, project, *args, **options))


def test_task_that_came_meanwhile_is_not_written_over(filled, another, project):
    store = overtaken(filled, another, project, write_tasks, [task("C", title="theirs")])
    with pytest.raises(ConfigError, match="there is a task C already"):
        write_tasks(store, project, [task("C")])
    assert next(each.title for each in list_tasks(filled, project) if each.id == "C") == "theirs"


def test_dependency_that_went_meanwhile_is_missed(filled, another, project):
    store = overtaken(filled, another, project, remove_task, "A")
    with pytest.raises(ConfigError, match="'A', which is not a task"):
        write_tasks(store, project, [task("C", dependencies=("A",))])
    assert ids(filled, project) == ["B"]


def test_task_that_is_needed_meanwhile_stays(filled, another, project):
    store = overtaken(filled, another, project, write_tasks, [task("C", dependencies=("A",))])
    with pytest.raises(ConfigError, match="C depends on task A"):
        remove_task(store, project, "A")
    assert ids(filled, project) == ["A", "B", "C"]


def test_cycle_that_would_close_meanwhile_is_refused(filled, another, project):
    theirs = [task("B", dependencies=("A",))]
    store = overtaken(filled, another, project, write_tasks, theirs, replace=True)
    with pytest.raises(ConfigError, match="A -> B -> A"):
        write_tasks(store, project, [task("A", dependencies=("B",))], replace=True)
    assert next(each.dependencies for each in list_tasks(filled, project) if each.id == "A") == ()


def test_spec_that_went_meanwhile_is_made_again_by_an_import(filled, another, project):
    create_spec(filled, project, "other", None, None)
    store = overtaken(filled, another, project, remove_spec, "other", with_tasks=False)
    import_tasks(store, project, many(("C", {}), spec="other"), "file")
    assert [(spec.id, len(spec.tasks)) for spec in list_specs(filled, project)] == [("auth", 2), ("other", 1)]


def test_spec_that_got_tasks_meanwhile_stays(filled, another, project):
    create_spec(filled, project, "other", None, None)
    store = overtaken(filled, another, project, write_tasks, [task("C", spec_id="other")])
    with pytest.raises(ConfigError, match="spec other has tasks: C"):
        remove_spec(store, project, "other", with_tasks=False)
    assert ids(filled, project) == ["A", "B", "C"]


def test_followup_takes_the_next_id_that_is_still_free(filled, another, project):
    store = overtaken(filled, another, project, write_tasks, [task("A-2")])
    assert follow_up(store, project, "A", Wanted()).id == "A-3"


def test_followup_of_a_given_id_that_was_taken_meanwhile_is_refused(filled, another, project):
    store = overtaken(filled, another, project, write_tasks, [task("C")])
    with pytest.raises(ConfigError, match="there is a task C already"):
        follow_up(store, project, "A", Wanted(id="C"))


def test_text_of_a_spec_that_came_meanwhile_is_not_left_behind(filled, another, project):
    store = overtaken(filled, another, project, create_spec, "x", "Theirs", None)
    with pytest.raises(ConfigError, match="there is a spec x already"):
        create_spec(store, project, "x", None, "# Ours")
    assert not Path(project, ".ralph/specs/x/spec.md").exists()


def test_status_that_a_run_sets_meanwhile_is_kept(filled, another, project):
    def begun():
        another.write(Sql("UPDATE tasks SET status = 'completed', iteration = 3 WHERE id = 'A'"))

    write_tasks(Overtaken(filled, begun), project, [task("A", title="new")], replace=True)
    found = next(each for each in list_tasks(filled, project) if each.id == "A")
    assert (found.title, found.status, found.iteration) == ("new", "completed", 3)
