import os
import subprocess
import sys

import pytest

from ralph.model.errors import ConfigError, StateError
from ralph.store.state_dir import IGNORED, StateDir

HOLDS = """
import sys
from pathlib import Path
from ralph.store.state_dir import StateDir
with StateDir(Path(sys.argv[1])).locked():
    print("ready", flush=True)
    sys.stdin.readline()
"""


BUSY = """
import os, sys
from pathlib import Path
from ralph.store.lock_file import Held, LockFile
top, taken = Path(sys.argv[1]), 0
while taken < 300:
    try:
        lock = LockFile(top / "lock")
    except Held:
        continue
    mark = os.open(top / "alone", os.O_CREAT | os.O_EXCL)
    os.close(mark)
    (top / "alone").unlink()
    lock.close()
    taken += 1
"""


@pytest.fixture
def state(tmp_path):
    return StateDir(tmp_path)


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(tmp_path)], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def test_a_second_loop_is_refused_and_told_the_pid_of_the_first(state, holder):
    with pytest.raises(ConfigError, match=rf"another ralph loop runs in this directory \(pid {holder.pid}\)"):
        state.locked().__enter__()


def test_the_lock_goes_with_its_process_even_if_that_is_killed(state, holder):
    holder.kill()
    holder.wait()
    with state.locked():
        assert (state.root / "lock").read_text() == f"{os.getpid()}\n"


def test_the_lock_is_free_after_its_block(state):
    for _ in range(2):
        with state.locked():
            pass


def test_nothing_of_a_free_lock_is_left(state):
    with state.locked("verify-1.lock"):
        assert (state.root / "verify-1.lock").exists()
    assert not list(state.root.glob("*.lock"))


def test_what_killed_processes_left_of_their_locks_is_taken_away(state, holder):
    state.create()
    gone = subprocess.Popen(["true"])
    gone.wait()
    texts = {"verify-1.lock": f"{gone.pid}\n", "verify-2.lock": f"{holder.pid}\n", "other.lock": "a text\n"}
    for name, text in texts.items():
        (state.root / name).write_text(text)
    os.mkfifo(state.root / "pipe.lock")
    with state.locked("supervise.lock"):
        pass
    assert sorted(path.name for path in state.root.glob("*.lock")) == ["other.lock", "pipe.lock", "verify-2.lock"]


def test_a_lock_that_another_holds_stays(state, holder):
    with pytest.raises(ConfigError):
        state.locked().__enter__()
    assert (state.root / "lock").read_text() == f"{holder.pid}\n"


def test_what_somebody_put_in_the_place_of_the_lock_is_left_alone(state):
    with state.locked():
        (state.root / "lock").unlink()
        (state.root / "lock").write_text("mine")
    assert (state.root / "lock").read_text() == "mine"


def test_of_many_that_take_and_free_a_lock_at_once_one_has_it_at_a_time(tmp_path):
    """Who takes it just when it is freed does not hold a file that is gone."""
    busy = [subprocess.Popen([sys.executable, "-c", BUSY, str(tmp_path)]) for _ in range(4)]
    assert [process.wait(60) for process in busy] == [0] * 4
    assert not (tmp_path / "lock").exists()


def test_loops_of_other_names_do_not_exclude_each_other(state, holder):
    with state.locked("supervise.lock"):
        assert holder.poll() is None


def test_a_child_does_not_inherit_the_lock(state):
    with state.locked():
        child = subprocess.Popen(["sleep", "600"], close_fds=False)
    try:
        with state.locked():
            assert child.poll() is None
    finally:
        child.kill()
        child.wait()


def test_its_state_is_kept_out_of_git(state):
    state.create()
    assert tuple((state.root / ".gitignore").read_text().splitlines()) == IGNORED


def test_settings_are_left_alone_and_a_users_own_ignore_file_gets_what_it_lacks(state):
    state.root.mkdir()
    (state.root / ".gitignore").write_text("mine\n")
    (state.root / "settings.json").write_text("{}")
    state.create()
    assert (state.root / ".gitignore").read_text().splitlines() == ["mine", *IGNORED]
    state.create()
    assert (state.root / ".gitignore").read_text().splitlines() == ["mine", *IGNORED]
    assert (state.root / "settings.json").read_text() == "{}"


@pytest.mark.parametrize("place", [".ralph", ".ralph/runs", ".ralph/runs/abc"])
def test_a_link_in_the_place_of_a_directory_is_refused(state, tmp_path, place):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StateError, match="has become a symbolic link"):
        state.make(state.run_dir("abc") / "iteration-1")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("place", [".ralph", ".ralph/runs"])
def test_a_loop_does_not_begin_behind_a_link(state, tmp_path, place):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StateError, match="has become a symbolic link"):
        state.locked().__enter__()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_lock_that_is_a_link_is_refused(state, tmp_path):
    state.create()
    (tmp_path / "precious").write_text("precious")
    (state.root / "lock").symlink_to(tmp_path / "precious")
    with pytest.raises(ConfigError, match=r"cannot write .*\.ralph/lock"):
        state.locked().__enter__()
    assert (tmp_path / "precious").read_text() == "precious"


def test_a_file_in_the_place_of_the_directory_is_one_clear_error(state):
    state.root.write_text("")
    with pytest.raises(ConfigError, match=r"cannot write .*\.ralph: .* Run ralph in a directory that you may write"):
        state.locked().__enter__()


def test_an_attempts_directory_comes_back_if_the_agent_took_the_folder_away(state, tmp_path):
    assert state.make(state.run_dir("abc") / "iteration-1").is_dir()
    subprocess.run(["rm", "-rf", tmp_path / ".ralph"], check=True)
    path = state.make(state.run_dir("abc") / "iteration-2")
    assert path.is_dir()
    assert state.path(state.relative(path)) == path
