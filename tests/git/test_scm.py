import asyncio

import pytest

from ralph.git.scm import ScmCommand
from ralph.kernel.actions.commands import Staged
from ralph.model.errors import ConfigError
from ralph.store.state_dir import StateDir
from ralph.testing import TempRepo, temp_repo
from ralph.workbench.bench import Workbench


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"kept.txt": "1\n", "gone.txt": "1\n", ".gitignore": "*.o\n"})


def scm(repo, command="git"):
    return ScmCommand(command, Workbench(repo.path, repo.env, "run.1.1"))


def staged(repo):
    return asyncio.run(scm(repo).stage())


def task(repo, name, message="", command="git"):
    return asyncio.run(scm(repo, command).run_task(name, message))


def test_new_changed_and_deleted_files_are_staged(repo):
    repo.write("new/file.txt", "x")
    repo.write("kept.txt", "2\n")
    (repo.path / "gone.txt").unlink()
    assert staged(repo) == Staged(pending=True)
    assert set(repo.git("diff", "--cached", "--name-status").splitlines()) == {
        "A\tnew/file.txt",
        "M\tkept.txt",
        "D\tgone.txt",
    }


def test_ignored_files_and_ralphs_own_state_are_not(repo):
    StateDir(repo.path).create()
    for path in ("made.o", ".ralph/lock", ".ralph/runs/r/iteration-1/stream.ndjson", ".ralph/guardrail_1_x.log"):
        repo.write(path, "x")
    repo.write(".ralph/settings.local.json", "{}")
    assert staged(repo) == Staged(pending=False)


def test_settings_and_specs_are_the_users_to_commit(repo):
    StateDir(repo.path).create()
    repo.write(".ralph/settings.json", "{}")
    repo.write(".ralph/specs/s/spec.md", "# S\n")
    assert staged(repo).pending
    assert repo.git("diff", "--cached", "--name-only").splitlines() == [
        ".ralph/settings.json",
        ".ralph/specs/s/spec.md",
    ]


def test_a_repository_that_ignores_all_of_ralphs_folder_is_fine(repo):
    repo.write(".gitignore", ".ralph/\n")
    repo.write(".ralph/runs/r/x", "x")
    assert staged(repo) == Staged(pending=True)


def test_nothing_to_commit_is_not_a_problem(repo):
    assert staged(repo) == Staged(pending=False)


def test_a_repository_without_a_commit_can_have_its_first(tmp_path):
    repo = TempRepo(tmp_path)
    repo.path.mkdir()
    repo.home.mkdir()
    repo.git("init", "--quiet", "--initial-branch=main")
    repo.git("config", "user.name", "Test")
    repo.git("config", "user.email", "test@example.invalid")
    repo.write("first.txt", "1")
    assert staged(repo).pending
    assert task(repo, "commit", "Begin").passed
    assert repo.log() == ["Begin"]


def test_commit_uses_the_message_as_it_is(repo):
    repo.write("kept.txt", "2\n")
    seen = task(repo, "commit", 'Fix "it" $(now) -- --amend')
    assert (seen.passed, seen.check) == (True, "git commit")
    assert repo.log() == ["base", 'Fix "it" $(now) -- --amend']


def test_a_commit_that_was_made_already_is_not_an_error(repo):
    """A resumed run makes the commit again if ralph was killed before it could note the first one."""
    repo.write("kept.txt", "2\n")
    assert task(repo, "commit", "Fix it").passed
    again = task(repo, "commit", "Fix it")
    assert (again.passed, again.reason) == (True, "nothing to commit")
    assert repo.log() == ["base", "Fix it"]


def test_a_commit_that_fails_with_changes_left_is_an_error(repo):
    repo.write("kept.txt", "2\n")
    repo.git("config", "user.name", "")
    seen = task(repo, "commit", "Fix it")
    assert not seen.passed
    assert "name" in seen.reason


def test_a_task_may_have_arguments(repo):
    assert task(repo, "tag -a v1 -m 'one two'").passed
    assert repo.git("tag", "-n").split(maxsplit=1) == ["v1", "one two\n"]


def test_a_failed_task_says_what_the_program_said(repo):
    seen = task(repo, "push")
    assert (seen.passed, seen.check) == (False, "git push")
    assert "No configured push destination" in seen.reason
    assert seen.exit_code == 128


def test_the_time_of_a_task_is_kept(repo):
    assert task(repo, "status").duration > 0


def test_a_program_that_is_missing_fails_the_task_with_words(repo):
    seen = task(repo, "commit", "x", command="no-such-scm")
    assert not seen.passed
    assert "no-such-scm is not on PATH" in seen.reason


def test_another_program_gets_the_tasks_as_git_would(repo):
    tool = repo.write("tool", '#!/bin/sh\nfor word; do echo "<$word>"; done >> calls\n')
    tool.chmod(0o755)
    assert asyncio.run(scm(repo, str(tool)).stage()).pending
    task(repo, "commit", "Do it", command=str(tool))
    task(repo, "push", command=f"{tool} --quiet")
    assert repo.read("calls").split() == ["<commit>", "<-am>", "<Do", "it>", "<--quiet>", "<push>"]


def test_a_hook_that_an_agent_may_have_written_is_not_run(repo):
    hook = repo.write(".git/hooks/pre-commit", "#!/bin/sh\ntouch ran\nexit 1\n")
    hook.chmod(0o755)
    repo.write("kept.txt", "2\n")
    assert task(repo, "commit", "Fix it").passed
    assert not (repo.path / "ran").exists()


@pytest.mark.parametrize("command", ["git", "/usr/bin/git"])
def test_only_git_needs_a_git_repository(tmp_path, command):
    repo = TempRepo(tmp_path)
    repo.path.mkdir()
    repo.home.mkdir()
    with pytest.raises(ConfigError, match="is not a git repository"):
        asyncio.run(scm(repo, command).require_repository())
    assert asyncio.run(scm(repo, "hg").require_repository()) is None


def test_a_git_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match="cannot be started"):
        asyncio.run(ScmCommand("/nowhere/git", Workbench(tmp_path, {}, "run.1.1")).require_repository())


def test_a_folder_inside_a_repository_will_do(repo):
    (repo.path / "sub").mkdir()
    assert (
        asyncio.run(ScmCommand("git", Workbench(repo.path / "sub", repo.env, "run.1.1")).require_repository()) is None
    )


def test_a_lock_that_a_killed_git_left_is_dropped(repo):
    (repo.path / ".git/index.lock").touch()
    repo.write("new.txt", "1\n")
    killed = scm(repo, "git")
    # Git's advice is long, and must not push out the name of the file that it is about.
    assert f"{repo.path}/.git/index.lock': File exists." in asyncio.run(killed.stage()).problem
    asyncio.run(killed.drop_stale_lock())
    assert asyncio.run(killed.stage()).pending
