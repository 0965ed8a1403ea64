"""Where attempts lie: no two calls share a directory, and those of a task are numbered over all its runs."""

import pytest

from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.checks import AskModel
from ralph.model.errors import StateError
from ralph.store.attempt_folders import AttemptFolders, TaskFolders
from ralph.store.state_dir import StateDir

HOME = "specs/s/iterations/T-1"


@pytest.fixture
def state(tmp_path):
    return StateDir(tmp_path)


def task_folders(state, run_id="r1", earlier=0, known=()):
    return TaskFolders(state, HOME, run_id, "iteration", earlier, known)


def made(folders, iteration, attempt=1):
    """The directory of an agent's call, made."""
    return folders.made(folders.of(RunAgent(iteration, "p").key, attempt))


def test_no_two_calls_of_a_run_share_a_directory(state):
    calls = [
        RunAgent(1, "p"),
        RunAgent(2, "p"),
        AskModel(1, "commit-message", "p"),
        AskModel(1, "commit-message", "p", slug="commit_2"),
        AskModel(1, "judge", "p"),
        AskModel(1, "judge", "p", slug="acceptance"),
        AskModel(1, "judge", "p", slug="acceptance", retry=1),
        RunAgent(1, "p", retry=1),
        RunAgent(1, "p", retry=1, shortened=True),
        RunAgent(1, "p", shortened=True),
    ]
    folders = AttemptFolders(state, "runs/abc")
    places = [folders.of(call.key, attempt) for call in calls for attempt in (1, 2, 3)]
    assert len(set(places)) == len(places)
    assert [each.relative_to(state.root / "runs/abc").name for each in places[:2]] == ["iteration-1", "iteration-1.2"]


def test_numbers_of_a_task_go_on_over_its_runs(state):
    first = task_folders(state)
    assert [made(first, number).name for number in (1, 2)] == ["iteration-1", "iteration-2"]
    second = task_folders(state, "r2")
    assert [made(second, number).name for number in (1, 2)] == ["iteration-3", "iteration-4"]


def test_what_other_machines_have_made_counts(state):
    assert made(task_folders(state, earlier=7), 1).name == "iteration-8"


def test_an_attempt_repeated_after_a_kill_keeps_its_number(state):
    first = task_folders(state)
    made(first, 1)
    made(first, 2)
    resumed = task_folders(
        state, known=[("run-agent/1", f".ralph/{HOME}/iteration-1"), ("run-agent/2", f".ralph/{HOME}/iteration-2")]
    )
    assert made(resumed, 2, attempt=2).name == "iteration-2.2"
    assert made(resumed, 3).name == "iteration-3"


def test_an_older_run_that_goes_on_later_takes_no_number_of_another(state):
    made(task_folders(state, "r1"), 1)
    made(task_folders(state, "r2"), 1)
    resumed = task_folders(state, "r1", known=[("run-agent/1", f".ralph/{HOME}/iteration-1")])
    assert made(resumed, 2).name == "iteration-3"


def test_what_is_asked_and_logged_lies_with_the_latest_attempt(state):
    folders = task_folders(state)
    made(folders, 1)
    made(folders, 1, attempt=2)
    asked = folders.of(AskModel(1, "judge", "p", slug="criteria").key)
    assert asked.relative_to(state.root / HOME).parts == ("iteration-1.2", "judge-criteria")
    assert folders.log(1, "verify").relative_to(state.root / HOME).parts == ("iteration-1.2", "verify")


def test_what_comes_before_the_first_iteration_has_the_runs_name(state):
    assert task_folders(state, "r1").log(0).name == "setup-r1"


def test_numbers_that_an_agent_made_up_are_none(state):
    (state.root / HOME / "iteration-99999999999999999999").mkdir(parents=True)
    (state.root / HOME / "iteration-x").mkdir()
    assert made(task_folders(state), 1).name == "iteration-1"


@pytest.mark.parametrize("place", ["specs", "specs/s", "specs/s/iterations", HOME])
def test_a_link_in_the_place_of_a_directory_is_refused(state, tmp_path, place):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (state.root / place).parent.mkdir(parents=True)
    (state.root / place).symlink_to(elsewhere)
    with pytest.raises(StateError, match="has become a symbolic link"):
        made(task_folders(state), 1)
    assert list(elsewhere.iterdir()) == []
