import asyncio
from pathlib import Path

import pytest

from ralph.git.delivery import deliver, with_trailers
from ralph.git.repository import Repository
from ralph.git.worktree import prepare, remove
from ralph.kernel.actions.tasks import Delivered
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench

LINES = "".join(f"{number}\n" for number in range(20))


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"a.txt": LINES, "b.txt": LINES})


def repository(repo, attempt="run.1.1"):
    return Repository(Workbench(repo.path, repo.env, attempt))


def open_task(repo, task="T-1", **more):
    return asyncio.run(prepare(repository(repo), project=repo.path, spec="s", task=task, **more))


def work(repo, worktree, **files):
    for name, text in files.items():
        (Path(worktree.path) / f"{name}.txt").write_text(text)
    return asyncio.run(repository(repo).at(Path(worktree.path)).commit_all("a step")).commit


def give(repo, worktree, message="Do it"):
    """As a task does it: what was merged is checked again, and then delivered."""
    return asyncio.run(given(repository(repo), worktree, message))


async def given(repository, worktree, message):
    done = await deliver(repository, worktree, message=message)
    while done.moved_to:
        assert not done.commit
        done = await deliver(repository, worktree, message=message)
    return done


def take_away(repo, worktree):
    assert asyncio.run(remove(repository(repo), worktree)) == ""


def head(repo, name):
    return repo.git("rev-parse", name).strip()


def subjects(repo, branch="ralph/s"):
    return repo.git("log", "--reverse", "--format=%s", branch).splitlines()


class TestOneTask:
    def test_all_its_commits_become_one(self, repo):
        task = open_task(repo)
        work(repo, task, a="new\n")
        tip = work(repo, task, c="c\n")
        done = give(repo, task, "Do it\n\nBecause it was to be done.")
        assert done == Delivered(head(repo, "ralph/s"))
        assert subjects(repo) == ["base", "Do it"]
        assert head(repo, "ralph/s^{tree}") == head(repo, f"{tip}^{{tree}}")
        assert repo.git("log", "-1", "--format=%B", "ralph/s").strip() == (
            "Do it\n\nBecause it was to be done.\n\nRalph-Task: T-1"
        )

    def test_the_users_files_branch_and_index_stay_as_they_were(self, repo):
        task = open_task(repo)
        work(repo, task, a="new\n")
        repo.write("a.txt", "the user's\n")
        index = (repo.path / ".git/index").read_bytes()
        give(repo, task)
        assert repo.read("a.txt") == "the user's\n"
        assert (repo.path / ".git/index").read_bytes() == index
        assert repo.log() == ["base"]

    def test_nothing_changed_is_no_commit_and_no_problem(self, repo):
        task = open_task(repo)
        assert give(repo, task) == Delivered("")
        work(repo, task, a="new\n")
        work(repo, task, a=LINES)
        assert give(repo, task) == Delivered("")
        assert subjects(repo) == ["base"]

    def test_no_hook_runs_and_nothing_is_signed(self, repo):
        repo.git("config", "commit.gpgSign", "true")
        repo.git("config", "gpg.program", "false")
        repo.write(".git/hooks/reference-transaction", "#!/bin/sh\nexit 1\n").chmod(0o755)
        task = open_task(repo)
        work(repo, task, a="new\n")
        assert give(repo, task).commit == head(repo, "ralph/s")

    def test_without_an_identity_ralph_is_the_author(self, repo):
        repo.git("config", "--unset", "user.name")
        task = open_task(repo)
        work(repo, task, a="new\n")
        give(repo, task)
        assert repo.git("log", "-1", "--format=%an %cn", "ralph/s").strip() == "ralph ralph"

    def test_an_agent_that_went_to_a_branch_of_its_own_has_its_work_delivered(self, repo):
        task = open_task(repo)
        repo.git("-C", task.path, "checkout", "--quiet", "-b", "feature")
        work(repo, task, a="new\n")
        give(repo, task)
        assert repo.git("show", "ralph/s:a.txt") == "new\n"

    def test_an_agent_that_began_a_history_of_its_own_has_its_work_delivered(self, repo):
        task = open_task(repo)
        repo.git("-C", task.path, "checkout", "--quiet", "--orphan", "own")
        repo.git("-C", task.path, "commit", "--quiet", "--allow-empty", "--message", "own")
        work(repo, task, c="c\n")
        assert give(repo, task).problem == ""
        assert repo.git("show", "ralph/s:c.txt") == "c\n"
        assert subjects(repo) == ["base", "Do it"]

    def test_a_spec_branch_that_was_deleted_begins_again_where_the_task_began(self, repo):
        task = open_task(repo)
        work(repo, task, a="new\n")
        repo.git("branch", "--quiet", "-D", "ralph/s")
        give(repo, task)
        assert subjects(repo) == ["base", "Do it"]

    def test_a_spec_branch_that_is_checked_out_is_not_moved_under_its_user(self, repo):
        task = open_task(repo)
        work(repo, task, a="new\n")
        repo.git("checkout", "--quiet", "ralph/s")
        done = give(repo, task)
        assert done.commit == ""
        assert f"ralph/s is checked out in {repo.path}" in done.problem
        assert subjects(repo) == ["base"]
        repo.git("checkout", "--quiet", "main")
        assert give(repo, task).problem == ""

    def test_a_folder_that_is_not_the_worktree_any_more_is_a_problem(self, repo):
        task = open_task(repo)
        (Path(task.path) / ".git").unlink()
        assert "is no longer the worktree" in give(repo, task).problem


class TestMovedSpec:
    def test_the_change_is_merged(self, repo):
        one, two = open_task(repo, "T-1"), open_task(repo, "T-2")
        work(repo, one, a=LINES.replace("3\n", "three\n", 1))
        work(repo, two, a=LINES + "more\n", b="b\n")
        give(repo, one, "One")
        moved = asyncio.run(deliver(repository(repo), two, message="Two"))
        assert (moved.commit, moved.moved_to) == ("", head(repo, "ralph/s"))
        assert subjects(repo) == ["base", "One"]
        assert moved.merged == repo.git("-C", two.path, "rev-parse", "HEAD").strip()
        done = give(repo, two, "Two")
        assert done.commit == head(repo, "ralph/s")
        assert subjects(repo) == ["base", "One", "Two"]
        merged = repo.git("show", "ralph/s:a.txt")
        assert ("three\n" in merged, merged.endswith("more\n")) == (True, True)
        assert repo.git("rev-list", "--merges", "ralph/s") == ""

    def test_a_conflict_names_the_files_and_loses_nothing(self, repo):
        one, two = open_task(repo, "T-1"), open_task(repo, "T-2")
        work(repo, one, a="one\n", b="one\n")
        tip = work(repo, two, a="two\n", b="two\n", c="fine\n")
        first = give(repo, one).commit
        done = give(repo, two)
        why = "other work on the spec's branch conflicts with it in a.txt, b.txt"
        assert done == Delivered("", why, conflict=True)
        assert head(repo, "ralph/s") == first
        assert head(repo, two.branch) == tip

    def test_the_same_change_twice_is_nothing_more(self, repo):
        one, two = open_task(repo, "T-1"), open_task(repo, "T-2")
        work(repo, one, a="same\n")
        work(repo, two, a="same\n")
        give(repo, one, "One")
        assert give(repo, two, "Two") == Delivered("")
        assert subjects(repo) == ["base", "One"]

    def test_an_agent_that_merged_the_spec_itself_delivers_only_its_own(self, repo):
        one, two = open_task(repo, "T-1"), open_task(repo, "T-2")
        work(repo, one, a="one\n")
        work(repo, two, a="two\n")
        give(repo, one, "One")
        assert repo.run("git", "-C", two.path, "merge", "ralph/s").returncode == 1
        work(repo, two, a="one and two\n")
        assert give(repo, two, "Two").problem == ""
        assert subjects(repo) == ["base", "One", "Two"]
        assert repo.git("show", "ralph/s:a.txt") == "one and two\n"

    def test_many_at_once_all_arrive(self, repo):
        tasks = [open_task(repo, f"T-{number}") for number in range(5)]
        for number, task in enumerate(tasks):
            work(repo, task, **{f"file{number}": "1\n"})

        async def all_at_once():
            return await asyncio.gather(
                *(given(repository(repo, f"r.{each.branch}"), each, each.branch) for each in tasks)
            )

        assert all(done.commit for done in asyncio.run(all_at_once()))
        assert sorted(subjects(repo)) == ["base", *(task.branch for task in tasks)]
        assert repo.git("ls-tree", "--name-only", "ralph/s").split() == [
            "a.txt",
            "b.txt",
            *(f"file{number}.txt" for number in range(5)),
        ]

    def test_a_git_that_cannot_merge_beside_a_working_tree_says_so(self, repo, tmp_path):
        one, two = open_task(repo, "T-1"), open_task(repo, "T-2")
        work(repo, one, a="one\n")
        work(repo, two, b="two\n")
        give(repo, one)
        old = tmp_path / "old/git"
        old.parent.mkdir()
        git = repo.run("which", "git").stdout.strip()
        old.write_text(
            '#!/bin/sh\ncase " $* " in *" merge-tree "*) echo "usage: git merge-tree" >&2; exit 129;; '
            f'*" version "*) echo git version 2.25.1; exit;; esac\nexec {git} "$@"\n'
        )
        old.chmod(0o755)
        with_old = Repository(Workbench(repo.path, {**repo.env, "PATH": f"{old.parent}:{repo.env['PATH']}"}, "r"))
        done = asyncio.run(deliver(with_old, two, message="Two"))
        assert "git version 2.25.1 cannot merge" in done.problem
        assert give(repo, two).problem == ""


class TestCalledAgain:
    """As it is after a kill: ralph cannot know how far it came."""

    def test_before_the_branch_was_moved(self, repo):
        """The commit was made and nothing leads to it."""
        task = open_task(repo)
        tip = work(repo, task, a="new\n")
        lost = asyncio.run(repository(repo).commit_tree(f"{tip}^{{tree}}", task.base, "Do it\n\nRalph-Task: T-1\n"))
        done = give(repo, task)
        assert done.commit == head(repo, "ralph/s")
        assert subjects(repo) == ["base", "Do it"]
        assert repo.git("cat-file", "-t", lost).strip() == "commit"

    def test_after_the_branch_was_moved(self, repo):
        task = open_task(repo)
        work(repo, task, a="new\n")
        first = give(repo, task)
        assert give(repo, task) == first
        assert subjects(repo) == ["base", "Do it"]

    def test_after_the_branch_was_moved_and_checked_out(self, repo):
        task = open_task(repo)
        work(repo, task, a="new\n")
        first = give(repo, task)
        repo.git("checkout", "--quiet", "ralph/s")
        assert give(repo, task) == first

    @pytest.mark.parametrize("removed", [True, False])
    def test_after_others_delivered_before_and_behind_it(self, repo, removed):
        tasks = [open_task(repo, f"T-{number}") for number in range(3)]
        for task, name in zip(tasks, "abc", strict=True):
            work(repo, task, **{name: f"{name}\n"})
        done = [give(repo, task, task.branch) for task in tasks]
        if removed:
            take_away(repo, tasks[1])
        assert give(repo, tasks[1], tasks[1].branch) == done[1]
        assert len(subjects(repo)) == 4

    def test_after_the_worktree_was_removed_though_nothing_had_changed(self, repo):
        task = open_task(repo)
        take_away(repo, task)
        assert give(repo, task) == Delivered("")

    def test_a_commit_of_the_task_with_another_change_is_another_commit(self, repo):
        task = open_task(repo)
        work(repo, task, a="new\n")
        give(repo, task, "First")
        work(repo, task, c="more\n")
        assert give(repo, task, "Second").commit == head(repo, "ralph/s")
        assert subjects(repo) == ["base", "First", "Second"]

    def test_a_task_that_runs_again_later_delivers_again(self, repo):
        for text in ("one\n", "two\n"):
            task = open_task(repo)
            work(repo, task, a=text)
            assert give(repo, task, text).commit == head(repo, "ralph/s")
            take_away(repo, task)
        assert subjects(repo) == ["base", "one", "two"]

    def test_a_branch_that_is_gone_with_its_work_is_a_problem(self, repo):
        task = open_task(repo)
        repo.git("worktree", "remove", task.path)
        repo.git("branch", "--quiet", "-D", task.branch)
        assert give(repo, task) == Delivered("", "the branch ralph/s--T-1 is gone")


@pytest.mark.parametrize(
    ("message", "whole"),
    [
        ("Do it", "Do it\n\nRalph-Task: T-1\nRalph-Run: r\n"),
        ("Do it\n\nWhy: because.\n", "Do it\n\nWhy: because.\n\nRalph-Task: T-1\nRalph-Run: r\n"),
        ("Do it\n\nRalph-Task: T-9", "Do it\n\nRalph-Task: T-9\n\nRalph-Task: T-1\nRalph-Run: r\n"),
    ],
)
def test_the_trailers_have_a_paragraph_of_their_own(message, whole):
    assert with_trailers(message, "T-1", "r") == whole


def test_a_summary_cannot_forge_a_trailer(repo):
    task = open_task(repo)
    work(repo, task, a="1\n")
    asyncio.run(deliver(repository(repo), task, message="Do it\n\nAll done.\n\nRalph-Task: T-9", run="r"))
    format_ = "--format=%(trailers:key=Ralph-Task,valueonly)%(trailers:key=Ralph-Run,valueonly)"
    assert repo.git("log", "-1", format_, "ralph/s").split() == ["T-1", "r"]
