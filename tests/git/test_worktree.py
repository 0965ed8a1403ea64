import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest

from ralph.git.repository import Repository
from ralph.git.worktree import prepare, relink, remove
from ralph.model.errors import ConfigError, StateError
from ralph.testing import TempRepo, temp_repo
from ralph.workbench.bench import Workbench


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"a.txt": "1\n", ".gitignore": "*.o\n"})


def repository(repo, folder=None, attempt="run.1.1"):
    return Repository(Workbench(folder or repo.path, repo.env, attempt))


def open_task(repo, task="T-1", *, spec="s", project=None, **more):
    project = project or repo.path
    return asyncio.run(prepare(repository(repo, project), project=project, spec=spec, task=task, **more))


def refusal(repo, **more):
    with pytest.raises(ConfigError) as caught:
        open_task(repo, **more)
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    return caught.value


def take_away(repo, worktree):
    return asyncio.run(remove(repository(repo), worktree))


def commit(repo, worktree, name="work.txt", text="work\n", message="work"):
    (Path(worktree.path) / name).write_text(text)
    return asyncio.run(repository(repo).at(Path(worktree.path)).commit_all(message)).commit


def head(repo, name="HEAD"):
    return repo.git("rev-parse", name).strip()


def refs(repo, prefix="refs/ralph/"):
    return repo.git("for-each-ref", "--format=%(refname)", prefix).split()


def listed(repo):
    return [
        line[9:] for line in repo.git("worktree", "list", "--porcelain").splitlines() if line.startswith("worktree ")
    ]


def names(folder):
    return sorted(path.name for path in Path(folder).iterdir())


class TestNew:
    def test_it_lies_in_the_project_on_a_branch_beside_that_of_the_spec(self, repo):
        made = open_task(repo)
        assert made.path == made.folder == str(repo.path / ".ralph/worktrees/T-1")
        assert (made.branch, made.spec_branch, made.reused) == ("ralph/s--T-1", "ralph/s", False)
        assert made.base == head(repo) == head(repo, "ralph/s") == head(repo, "ralph/s--T-1")
        assert names(made.path) == [".git", ".gitignore", "a.txt"]
        assert repo.git("-C", made.path, "branch", "--show-current").strip() == made.branch

    def test_the_users_tree_stays_as_it_was(self, repo):
        repo.write("a.txt", "the user's\n")
        repo.write("staged.txt", "1")
        repo.git("add", "staged.txt")
        repo.write("new file ü.txt", "1")
        index = (repo.path / ".git/index").read_bytes()
        made = open_task(repo)
        assert (repo.path / ".git/index").read_bytes() == index
        assert repo.read("a.txt") == "the user's\n"
        assert repo.git("branch", "--show-current").strip() == "main"
        assert asyncio.run(repository(repo).uncommitted()) == 3
        assert (Path(made.path) / "a.txt").read_text() == "1\n"
        assert repo.git("status", "--porcelain", "-z").split("\0")[:-1] == [
            " M a.txt",
            "A  staged.txt",
            "?? new file ü.txt",
        ]

    def test_it_begins_where_the_branch_of_the_spec_is_not_where_the_user_is(self, repo):
        repo.git("branch", "ralph/s")
        repo.write("a.txt", "2\n")
        repo.commit_all("later")
        assert open_task(repo).base == head(repo, "HEAD~1")

    def test_the_branch_of_the_spec_may_begin_elsewhere(self, repo):
        repo.git("tag", "v1")
        repo.write("a.txt", "2\n")
        repo.commit_all("later")
        assert open_task(repo, start="v1").base == head(repo, "v1")

    @pytest.mark.parametrize("start", ["nowhere", "--all", "HEAD:a.txt"])
    def test_a_start_that_is_no_commit_is_refused(self, repo, start):
        assert repr(start) in refusal(repo, start=start).message
        assert repo.git("branch", "--list", "ralph/*") == ""

    def test_a_detached_head_will_do(self, repo):
        repo.git("checkout", "--quiet", "--detach")
        assert open_task(repo).base == head(repo)

    def test_a_repository_without_a_commit_is_refused_and_stays_as_it_was(self, tmp_path):
        repo = TempRepo(tmp_path)
        repo.path.mkdir()
        repo.home.mkdir()
        repo.git("init", "--quiet")
        assert "no commit yet" in refusal(repo).message
        assert names(repo.path) == [".git"]

    def test_a_project_that_is_a_folder_of_its_repository_is_worked_on_in_that_folder(self, repo):
        repo.write("packages/my app é/x.py", "1")
        repo.commit_all("app")
        project = repo.path / "packages/my app é"
        made = open_task(repo, project=project)
        assert made.path == str(project / ".ralph/worktrees/T-1")
        assert made.folder == f"{made.path}/packages/my app é"
        assert names(made.folder) == ["x.py"]
        assert repo.git("status", "--porcelain") == ""

    def test_a_project_folder_that_git_does_not_know_is_made_in_the_worktree(self, repo):
        repo.write("new/x.py", "1")
        made = open_task(repo, project=repo.path / "new")
        assert names(made.folder) == []

    def test_a_repository_whose_path_has_blanks_and_unicode_will_do(self, tmp_path):
        repo = temp_repo(tmp_path / "my projects é 文", {"a.txt": "1\n"})
        made = open_task(repo)
        assert open_task(repo).reused
        commit(repo, made)
        assert take_away(repo, made) == ""

    def test_a_worktree_of_the_users_own_can_be_the_project(self, repo, tmp_path):
        repo.git("worktree", "add", "--quiet", "-b", "mine", str(tmp_path / "mine"))
        made = open_task(repo, project=tmp_path / "mine")
        assert made.path == str(tmp_path / "mine/.ralph/worktrees/T-1")
        assert open_task(repo, project=tmp_path / "mine").reused

    def test_hooks_are_not_run(self, repo):
        repo.write(".git/hooks/post-checkout", f"#!/bin/sh\ntouch {repo.path}/ran\nexit 1\n").chmod(0o755)
        repo.write(".git/hooks/reference-transaction", "#!/bin/sh\nexit 1\n").chmod(0o755)
        open_task(repo)
        assert not (repo.path / "ran").exists()

    def test_line_endings_are_those_of_the_user_and_no_change(self, repo):
        repo.git("config", "core.autocrlf", "true")
        made = open_task(repo)
        assert (Path(made.path) / "a.txt").read_bytes() == b"1\r\n"
        assert asyncio.run(repository(repo).at(Path(made.path)).uncommitted()) == 0

    def test_submodules_do_no_harm(self, repo, tmp_path):
        library = temp_repo(tmp_path / "library", {"lib.py": "1"})
        allow = ("-c", "protocol.file.allow=always")
        repo.git(*allow, "submodule", "--quiet", "add", str(library.path), "lib")
        repo.commit_all("with a library")
        repo.git("config", "submodule.recurse", "true")
        made = open_task(repo)
        repo.git("-C", made.path, *allow, "submodule", "--quiet", "update", "--init")
        commit(repo, made)
        assert take_away(repo, made) == ""
        assert not Path(made.path).exists()

    def test_two_tasks_at_once(self, repo):
        async def both():
            return await asyncio.gather(
                *(
                    prepare(repository(repo, attempt=f"run.{n}.1"), project=repo.path, spec="s", task=f"T-{n}")
                    for n in range(5)
                )
            )

        made = asyncio.run(both())
        assert [each.branch for each in made] == [f"ralph/s--T-{n}" for n in range(5)]
        assert all(names(each.path) == [".git", ".gitignore", "a.txt"] for each in made)

    def test_another_git_that_is_about_to_make_a_worktree_is_waited_for(self, repo):
        """Git dies of an entry that another git has begun and not yet written to."""
        entry = repo.path / ".git/worktrees/other"
        entry.mkdir(parents=True)
        (entry / "gitdir").write_text(f"{repo.path}/other/.git\n")
        (entry / "HEAD").write_text("ref: refs/heads/other\n")
        (entry / "commondir").touch()
        with pytest.raises(AssertionError, match="failed to read"):
            repo.git("worktree", "list")

        async def both():
            asyncio.get_running_loop().call_later(0.1, (entry / "commondir").write_text, "../..\n")
            return await prepare(repository(repo), project=repo.path, spec="s", task="T-1")

        assert "a.txt" in names(asyncio.run(both()).path)

    def test_a_spec_that_would_look_like_a_task_of_another_is_refused(self, repo):
        assert "'--'" in refusal(repo, spec="s--T-1").message

    def test_a_branch_in_the_way_is_named(self, repo):
        repo.git("branch", "ralph")
        assert "the branch 'ralph' blocks the creation" in refusal(repo).message


class TestLargeFiles:
    FAKE = '#!/bin/sh\n[ "$1" = clean ] && exec cat\n[ -n "$GIT_LFS_SKIP_SMUDGE" ] && exec cat\nexit 2\n'

    @pytest.fixture
    def repo(self, repo):
        repo.write(".gitattributes", "*.bin filter=lfs\n")
        repo.write("x.bin", "version 1\n")
        repo.commit_all("large")
        for what in ("smudge", "clean"):
            repo.git("config", f"filter.lfs.{what}", f"git-lfs {what} -- %f")
        repo.git("config", "filter.lfs.required", "true")
        return repo

    def test_where_the_program_is_missing_they_stay_pointers(self, repo):
        made = open_task(repo)
        assert (Path(made.path) / "x.bin").read_text() == "version 1\n"
        commit(repo, made)

    def test_what_cannot_be_fetched_now_stays_a_pointer(self, repo, tmp_path):
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin/git-lfs").write_text(self.FAKE)
        (tmp_path / "bin/git-lfs").chmod(0o755)
        env = {**repo.env, "PATH": f"{tmp_path}/bin:{repo.env['PATH']}"}
        made = asyncio.run(prepare(Repository(Workbench(repo.path, env, "r")), project=repo.path, spec="s", task="t"))
        assert (Path(made.path) / "x.bin").read_text() == "version 1\n"


class TestFoundAgain:
    def test_the_work_of_an_earlier_run_is_kept(self, repo):
        first = open_task(repo)
        tip = commit(repo, first)
        (Path(first.path) / "unfinished.txt").write_text("1")
        again = open_task(repo)
        assert again.reused
        assert (again.base, again.path) == (first.base, first.path)
        assert head(repo, first.branch) == tip
        assert names(again.path) == [".git", ".gitignore", "a.txt", "unfinished.txt", "work.txt"]

    def test_the_base_stays_where_the_work_began_though_the_spec_moved_on(self, repo):
        first = open_task(repo)
        commit(repo, first)
        other = open_task(repo, "T-2")
        repo.git("update-ref", "refs/heads/ralph/s", commit(repo, other, text="other\n"))
        assert open_task(repo).base == first.base

    def test_deleted_by_hand_it_is_made_again_from_its_branch(self, repo):
        first = open_task(repo)
        tip = commit(repo, first)
        shutil.rmtree(first.path)
        again = open_task(repo)
        assert not again.reused
        assert head(repo, again.branch) == tip
        assert "work.txt" in names(again.path)

    def test_one_that_is_locked_and_gone_is_made_again_too(self, repo):
        first = open_task(repo)
        repo.git("worktree", "lock", first.path)
        shutil.rmtree(first.path)
        assert names(open_task(repo).path) == [".git", ".gitignore", "a.txt"]

    def test_the_users_own_worktrees_that_are_not_there_now_stay_known(self, repo, tmp_path):
        repo.git("worktree", "add", "--quiet", "-b", "mine", str(tmp_path / "disk"))
        (tmp_path / "disk").rename(tmp_path / "unplugged")
        shutil.rmtree(open_task(repo).path)
        open_task(repo)
        open_task(repo, fresh=True)
        assert str(tmp_path / "disk") in listed(repo)

    def test_a_branch_without_a_worktree_gets_one(self, repo):
        first = open_task(repo)
        commit(repo, first)
        repo.git("worktree", "remove", first.path)
        again = open_task(repo)
        assert not again.reused
        assert "work.txt" in names(again.path)

    def test_an_agents_own_branch_becomes_the_tasks_branch(self, repo):
        first = open_task(repo)
        repo.git("-C", first.path, "checkout", "--quiet", "-b", "feature/x")
        tip = commit(repo, first)
        again = open_task(repo)
        assert again.reused
        assert head(repo, first.branch) == tip
        assert repo.git("-C", first.path, "branch", "--show-current").strip() == first.branch
        assert repo.git("-C", first.path, "status", "--porcelain") == ""

    def test_what_an_agent_rewrote_is_kept_aside(self, repo):
        first = open_task(repo)
        before = commit(repo, first)
        repo.git("-C", first.path, "checkout", "--quiet", "--detach", first.base)
        after = commit(repo, first, text="other\n")
        open_task(repo)
        assert head(repo, first.branch) == after
        assert head(repo, "refs/ralph/discarded/T-1/1") == before

    def test_an_agent_that_began_a_branch_without_a_commit_loses_nothing(self, repo):
        first = open_task(repo)
        tip = commit(repo, first)
        repo.git("-C", first.path, "checkout", "--quiet", "--orphan", "empty")
        assert open_task(repo).reused
        assert head(repo, first.branch) == tip
        assert "work.txt" in names(first.path)

    def test_a_link_that_an_agent_deleted_is_made_again(self, repo):
        first = open_task(repo)
        commit(repo, first)
        (Path(first.path) / ".git").unlink()
        (Path(first.path) / "new.txt").write_text("1")
        assert open_task(repo).reused
        assert repo.git("-C", first.path, "status", "--porcelain") == "?? new.txt\n"

    @pytest.mark.parametrize("harm", ["rm .git", "echo gitdir: /nowhere > .git", "rm .git; ln -s /nowhere .git"])
    def test_a_link_that_was_broken_while_the_agent_worked_is_made_again_or_refused_by_name(self, repo, harm):
        first = open_task(repo)
        subprocess.run(["sh", "-c", harm], cwd=first.path, check=True)
        if "ln -s" in harm:
            with pytest.raises(StateError, match=r"T-1/\.git is not the one that ralph made"):
                asyncio.run(relink(repository(repo), Path(first.path)))
            return
        asyncio.run(relink(repository(repo), Path(first.path)))
        assert repo.git("-C", first.path, "branch", "--show-current").strip() == first.branch

    def test_an_empty_git_folder_in_the_project_is_not_its_repository(self, repo):
        project = repo.path / "sub"
        repo.write("sub/b.txt", "2\n")
        repo.commit_all("sub")
        (project / ".git").mkdir()
        first = open_task(repo, project=project)
        asyncio.run(relink(repository(repo, project), Path(first.path)))
        assert repo.git("-C", first.path, "branch", "--show-current").strip() == first.branch

    def test_a_link_to_another_repository_is_refused(self, repo, tmp_path):
        first = open_task(repo)
        repo.git("init", "--quiet", str(tmp_path / "theirs"))
        (Path(first.path) / ".git").write_text(f"gitdir: {tmp_path}/theirs/.git\n")
        with pytest.raises(StateError, match="Move it away"):
            asyncio.run(relink(repository(repo), Path(first.path)))

    def test_an_empty_folder_in_its_place_is_no_hindrance(self, repo):
        (repo.path / ".ralph/worktrees/T-1").mkdir(parents=True)
        assert not open_task(repo).reused
        shutil.rmtree(repo.path / ".ralph/worktrees/T-1")
        (repo.path / ".ralph/worktrees/T-1").mkdir()
        assert names(open_task(repo).path) == [".git", ".gitignore", "a.txt"]

    def test_after_the_project_was_moved_the_work_is_found(self, repo, tmp_path):
        first = open_task(repo)
        commit(repo, first)
        (Path(first.path) / "unfinished.txt").write_text("1")
        repo.path.rename(tmp_path / "moved")
        moved = TempRepo(tmp_path)
        moved.path = tmp_path / "moved"
        again = open_task(moved)
        assert again.reused
        assert again.path == str(tmp_path / "moved/.ralph/worktrees/T-1")
        assert moved.git("-C", again.path, "status", "--porcelain") == "?? unfinished.txt\n"

    def test_a_copy_of_a_project_leaves_the_worktree_of_the_first_alone(self, repo, tmp_path):
        first = open_task(repo)
        shutil.copytree(repo.path, tmp_path / "copy", symlinks=True)
        copy = TempRepo(tmp_path)
        copy.path = tmp_path / "copy"
        assert "it is something else" in refusal(copy).message
        assert first.path in listed(repo)
        assert open_task(repo).reused


class TestKilled:
    @pytest.fixture
    def repo(self, repo):
        """Git dies while it writes the files of the first worktree."""
        repo.write(".gitattributes", "a.txt filter=deadly\n")
        repo.commit_all("deadly")
        marker = f"{repo.path}/.git/killed"
        repo.git("config", "filter.deadly.smudge", f"test -e '{marker}' && cat || {{ touch '{marker}'; kill -9 0; }}")
        return repo

    def test_a_half_made_worktree_is_made_again(self, repo):
        with pytest.raises(StateError, match="git worktree add"):
            open_task(repo)
        assert (repo.path / ".ralph/worktrees/T-1/.git").is_file()
        assert not (repo.path / ".ralph/worktrees/T-1/a.txt").exists()
        made = open_task(repo)
        assert not made.reused
        assert names(made.path) == [".git", ".gitattributes", ".gitignore", "a.txt"]
        assert repo.git("-C", made.path, "status", "--porcelain") == ""
        assert names(repo.path / ".ralph/worktrees") == ["T-1"]

    @pytest.mark.parametrize("left", [(), ("gitdir", "locked"), ("gitdir", "locked", "commondir")])
    def test_whatever_had_been_made_of_it(self, repo, left):
        with pytest.raises(StateError):
            open_task(repo)
        for path in (repo.path / ".git/worktrees/T-1").iterdir():
            if path.name not in left:
                path.unlink() if path.is_file() else shutil.rmtree(path)
        shutil.rmtree(repo.path / ".ralph/worktrees/T-1")
        assert "a.txt" in names(open_task(repo).path)


class TestSomethingElse:
    def test_a_file(self, repo):
        repo.write(".ralph/worktrees/T-1", "mine")
        refused = refusal(repo)
        assert str(repo.path / ".ralph/worktrees/T-1") in refused.message
        assert "Move it away" in refused.hint
        assert repo.read(".ralph/worktrees/T-1") == "mine"

    def test_a_folder_with_files(self, repo):
        repo.write(".ralph/worktrees/T-1/x", "mine")
        assert "it is something else" in refusal(repo).message
        assert repo.read(".ralph/worktrees/T-1/x") == "mine"

    def test_another_repository(self, repo):
        temp_repo(repo.path / ".ralph/worktrees/x")
        shutil.move(repo.path / ".ralph/worktrees/x/repo", repo.path / ".ralph/worktrees/T-1")
        assert "it is something else" in refusal(repo).message

    def test_the_worktree_in_which_an_agent_made_another_repository(self, repo):
        first = open_task(repo)
        (Path(first.path) / ".git").unlink()
        repo.git("init", "--quiet", first.path)
        assert "it is something else" in refusal(repo).message
        assert "is no longer the worktree" in take_away(repo, first)
        assert (Path(first.path) / "a.txt").exists()

    def test_a_link(self, repo, tmp_path):
        (repo.path / ".ralph/worktrees").mkdir(parents=True)
        (tmp_path / "elsewhere").mkdir()
        (repo.path / ".ralph/worktrees/T-1").symlink_to(tmp_path / "elsewhere")
        assert "it is something else" in refusal(repo).message

    def test_a_link_in_place_of_all_worktrees(self, repo, tmp_path):
        (repo.path / ".ralph").mkdir()
        (repo.path / ".ralph/worktrees").symlink_to(tmp_path)
        assert "is a symbolic link" in refusal(repo).message

    def test_the_branch_is_checked_out_elsewhere(self, repo, tmp_path):
        first = open_task(repo)
        repo.git("worktree", "remove", first.path)
        repo.git("worktree", "add", "--quiet", str(tmp_path / "my look"), first.branch)
        refused = refusal(repo)
        assert f"is checked out in {tmp_path / 'my look'}" in refused.message
        assert f"git -C '{tmp_path / 'my look'}' switch" in refused.hint
        shutil.rmtree(tmp_path / "my look")
        assert refusal(repo).hint == "Run: git worktree prune"

    def test_the_branch_is_checked_out_by_the_user(self, repo):
        repo.git("checkout", "--quiet", "-b", "ralph/s--T-1")
        assert f"is checked out in {repo.path}" in refusal(repo).message


class TestFresh:
    def test_it_begins_anew_and_the_old_work_is_kept_committed_or_not(self, repo):
        first = open_task(repo)
        tip = commit(repo, first)
        (Path(first.path) / "unfinished.txt").write_text("1")
        again = open_task(repo, fresh=True)
        assert not again.reused
        assert again.base == first.base == head(repo, first.branch)
        assert names(again.path) == [".git", ".gitignore", "a.txt"]
        assert refs(repo) == ["refs/ralph/discarded/T-1/1"]
        assert head(repo, "refs/ralph/discarded/T-1/1~1") == tip
        assert repo.git("show", "refs/ralph/discarded/T-1/1:unfinished.txt") == "1"

    def test_each_attempt_has_a_number(self, repo):
        tips = []
        for text in ("one", "two"):
            tips.append(commit(repo, open_task(repo), text=text))
            open_task(repo, fresh=True)
        assert [head(repo, ref) for ref in refs(repo)] == tips
        assert refs(repo) == ["refs/ralph/discarded/T-1/1", "refs/ralph/discarded/T-1/2"]

    def test_where_nothing_was_done_nothing_is_kept(self, repo):
        open_task(repo)
        assert not open_task(repo, fresh=True).reused
        assert refs(repo) == []

    def test_a_task_that_never_ran_can_be_fresh(self, repo):
        assert open_task(repo, fresh=True).base == head(repo)

    def test_a_branch_without_a_worktree_is_kept_too(self, repo):
        first = open_task(repo)
        tip = commit(repo, first)
        shutil.rmtree(first.path)
        open_task(repo, fresh=True)
        assert head(repo, "refs/ralph/discarded/T-1/1") == tip


class TestRemove:
    def test_its_commits_stay_reachable_and_nothing_else_stays(self, repo):
        made = open_task(repo)
        tip = commit(repo, made)
        (Path(made.path) / "ignored.o").write_text("1")
        assert take_away(repo, made) == ""
        assert head(repo, "refs/ralph/done/T-1") == tip
        assert repo.git("branch", "--list", made.branch) == ""
        assert names(repo.path / ".ralph/worktrees") == []
        assert listed(repo) == [str(repo.path)]

    def test_it_may_be_gone_already_in_whole_or_in_part(self, repo):
        made = open_task(repo)
        tip = commit(repo, made)
        shutil.rmtree(made.path)
        assert take_away(repo, made) == ""
        assert take_away(repo, made) == ""
        assert head(repo, "refs/ralph/done/T-1") == tip
        assert listed(repo) == [str(repo.path)]

    @pytest.mark.parametrize("name", ["a.txt", "new.txt"])
    def test_uncommitted_work_is_not_removed(self, repo, name):
        made = open_task(repo)
        (Path(made.path) / name).write_text("unfinished")
        assert take_away(repo, made) == f"{made.path} has uncommitted work: 1 file."
        assert (Path(made.path) / name).read_text() == "unfinished"
        assert head(repo, made.branch) == made.base

    def test_what_a_kill_left_half_deleted_is_deleted_the_next_time(self, repo):
        made = open_task(repo)
        commit(repo, made)
        left = repo.path / ".ralph/worktrees/.gone-T-1-1234"
        Path(made.path).rename(left)
        (left / "a.txt").unlink()
        assert take_away(repo, made) == ""
        assert names(repo.path / ".ralph/worktrees") == []

    def test_commits_on_no_branch_are_kept(self, repo):
        made = open_task(repo)
        repo.git("-C", made.path, "checkout", "--quiet", "--detach")
        tip = commit(repo, made)
        assert take_away(repo, made) == ""
        assert head(repo, "refs/ralph/done/T-1") == tip

    def test_the_commits_of_an_earlier_time_stay_reachable(self, repo):
        tips = []
        for text in ("one", "two"):
            made = open_task(repo)
            tips.append(commit(repo, made, text=text))
            take_away(repo, made)
        assert {ref: head(repo, ref) for ref in refs(repo)} == {
            "refs/ralph/discarded/T-1/1": tips[0],
            "refs/ralph/done/T-1": tips[1],
        }
