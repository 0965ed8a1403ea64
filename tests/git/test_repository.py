import asyncio
import os
import re
import signal
from pathlib import Path

import pytest

from ralph.git.repository import Repository
from ralph.model.errors import ConfigError, StateError
from ralph.store.state_dir import StateDir
from ralph.testing import TempRepo, temp_repo
from ralph.workbench.bench import Workbench


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"kept.txt": "1\n", "gone.txt": "1\n", ".gitignore": "*.o\n"})


@pytest.fixture
def no_repo(tmp_path):
    repo = TempRepo(tmp_path)
    repo.path.mkdir()
    repo.home.mkdir()
    return repo


def repository(repo, **env):
    return Repository(Workbench(repo.path, {**repo.env, **env}, "run.1.1"))


def ask(repo, method, *arguments, **named):
    return asyncio.run(getattr(repository(repo), method)(*arguments, **named))


def files_of(repo, tree):
    return repo.git("ls-tree", "-r", "-z", "--name-only", tree).split("\0")[:-1]


def refusal(repo, **env):
    with pytest.raises(ConfigError) as caught:
        asyncio.run(repository(repo, **env).require())
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    return caught.value


def test_a_commit_that_git_was_told_to_read_as_another_one_is_what_it_was(repo):
    head, tree = repo.git("rev-parse", "HEAD", "HEAD^{tree}").split()
    repo.git("rm", "--quiet", "kept.txt")
    weak = repo.git("commit-tree", "-m", "base", repo.git("write-tree").strip()).strip()
    repo.git("replace", head, weak)
    assert repo.git("rev-parse", "HEAD^{tree}").strip() != tree, "git itself believes it"
    assert ask(repo, "look").tree == tree
    assert ask(repo, "resolve", "HEAD^{tree}", f"{head}^{{tree}}") == [tree, tree]


class TestRequire:
    def test_a_repository_with_a_commit_will_do(self, repo):
        assert ask(repo, "require").head == repo.git("rev-parse", "HEAD").strip()

    def test_a_folder_without_git_is_refused(self, no_repo):
        assert "is not a git repository" in refusal(no_repo).message

    def test_a_repository_without_a_commit_is_refused(self, no_repo):
        no_repo.git("init", "--quiet")
        refused = refusal(no_repo)
        assert "has no commit yet" in refused.message
        assert "Make the first commit" in refused.hint

    def test_a_bare_repository_is_refused(self, no_repo):
        no_repo.git("init", "--quiet", "--bare")
        assert "bare repository" in refusal(no_repo).message

    def test_the_git_directory_is_refused(self, repo):
        with pytest.raises(ConfigError, match=r"inside a \.git directory"):
            asyncio.run(repository(repo).at(repo.path / ".git").require())

    def test_a_git_that_is_not_there_is_named(self, repo, tmp_path):
        assert "git cannot be started" in refusal(repo, PATH=str(tmp_path)).message

    def test_a_folder_that_is_gone_is_named(self, repo):
        with pytest.raises(ConfigError, match="is gone"):
            asyncio.run(repository(repo).at(repo.path / "no").require())

    def test_a_repository_that_git_cannot_read_is_refused_in_its_words(self, repo):
        repo.write(".git/config", "[core\n")
        assert "bad config" in refusal(repo).message


class TestLook:
    def test_top_head_and_branch(self, repo):
        (repo.path / "sub").mkdir()
        seen = asyncio.run(repository(repo).at(repo.path / "sub").look())
        assert (seen.top, seen.prefix, seen.branch) == (repo.path.resolve(), "sub/", "main")
        assert (seen.head, seen.tree) == tuple(repo.git("rev-parse", "HEAD", "HEAD^{tree}").split())
        assert seen.git_dir == seen.common_dir == (repo.path / ".git").resolve()

    def test_a_detached_head_has_no_branch(self, repo):
        repo.git("checkout", "--quiet", "--detach")
        seen = ask(repo, "look")
        assert (seen.branch, seen.head) == ("", repo.git("rev-parse", "main").strip())

    def test_a_branch_that_an_agent_has_named_head_is_not_mistaken_for_what_is_checked_out(self, repo):
        head = repo.git("rev-parse", "HEAD").strip()
        repo.write("kept.txt", "2\n")
        repo.commit_all("later")
        repo.git("update-ref", "refs/heads/HEAD", head)
        seen = ask(repo, "look")
        assert (seen.branch, seen.head) == ("main", repo.git("rev-parse", "refs/heads/main").strip())

    def test_a_file_that_is_named_like_a_question_is_no_answer(self, repo):
        repo.git("checkout", "--quiet", "--orphan", "own")
        repo.write("HEAD^{commit}", "x")
        repo.write("HEAD^{tree}", "x")
        seen = ask(repo, "look")
        assert (seen.head, seen.tree, seen.branch) == ("", "", "own")

    def test_the_environment_of_a_git_hook_does_not_lead_to_another_repository(self, repo, tmp_path):
        other = temp_repo(tmp_path / "other")
        env = {"GIT_DIR": str(other.path / ".git"), "GIT_WORK_TREE": str(other.path), "GIT_INDEX_FILE": "/nowhere"}
        hooked = repository(repo, **env)
        assert asyncio.run(hooked.look()).top == repo.path.resolve()
        repo.write("new.txt", "1")
        assert asyncio.run(hooked.commit_all("In the right place")).changed
        assert other.log() == ["base"]

    def test_uncommitted_counts_changed_deleted_staged_and_new_files_but_not_ignored_ones(self, repo):
        assert ask(repo, "uncommitted") == 0
        repo.write("kept.txt", "2\n")
        (repo.path / "gone.txt").unlink()
        repo.write("new/one.txt", "1")
        repo.write("new/two words é.txt", "1")
        repo.write("staged.txt", "1")
        repo.git("add", "staged.txt")
        repo.write("made.o", "1")
        assert ask(repo, "uncommitted") == 5

    def test_uncommitted_does_not_count_ralphs_state_even_where_nothing_ignores_it(self, repo):
        repo.write(".ralph/runs/r/iteration-1/stream.ndjson", "x")
        repo.write("packages/a/.ralph/lock", "x")
        repo.write(".ralph/settings.json", "{}")
        assert ask(repo, "uncommitted") == 1

    def test_a_user_who_hides_untracked_files_does_not_hide_them_from_ralph(self, repo):
        repo.git("config", "status.showUntrackedFiles", "no")
        repo.write("new.txt", "1")
        assert ask(repo, "uncommitted") == 1

    def test_looking_changes_nothing(self, repo):
        repo.write("kept.txt", "2\n")
        index = (repo.path / ".git/index").read_bytes()
        ask(repo, "uncommitted")
        ask(repo, "snapshot")
        assert (repo.path / ".git/index").read_bytes() == index


class TestSnapshot:
    def test_it_is_the_tree_of_all_that_is_not_ignored(self, repo):
        repo.write("kept.txt", "2\n")
        (repo.path / "gone.txt").unlink()
        repo.write("new.txt", "1")
        repo.write("made.o", "1")
        tree = ask(repo, "snapshot")
        assert files_of(repo, tree) == [".gitignore", "kept.txt", "new.txt"]
        assert repo.git("show", f"{tree}:kept.txt") == "2\n"
        assert repo.git("status", "--porcelain").splitlines() == [" D gone.txt", " M kept.txt", "?? new.txt"]

    def test_of_a_clean_tree_it_is_the_tree_of_the_commit(self, repo):
        assert ask(repo, "snapshot") == repo.git("rev-parse", "HEAD^{tree}").strip()

    def test_it_is_what_a_commit_would_hold(self, repo):
        repo.write("new.txt", "1")
        repo.write(".ralph/runs/x", "1")
        tree = ask(repo, "snapshot")
        assert ask(repo, "commit_all", "All").tree == tree

    def test_a_change_of_the_same_size_at_the_same_moment_is_seen(self, repo):
        """Git trusts the times of files it knows, and the copy of its index must not look newer than they are."""
        repo.git("config", "core.trustctime", "false")
        file, index = repo.path / "kept.txt", repo.path / ".git/index"
        moment = (1_000_000_000_000_000_000,) * 2
        os.utime(file, ns=moment)
        repo.git("update-index", "--refresh")
        file.write_text("2\n")
        os.utime(file, ns=moment)
        os.utime(index, ns=moment)
        assert repo.git("show", f"{ask(repo, 'snapshot')}:kept.txt") == "2\n"

    def test_it_is_what_git_would_add_whatever_became_of_files_and_folders(self, repo, tmp_path):
        names = ("was/a.txt", "was/b.txt", "linked/a.txt", "one.txt", "run.sh", "*.txt")
        for name in names:
            repo.write(name, "1\n")
        repo.commit_all("more")
        for name in ("was", "linked"):
            (repo.path / name).rename(tmp_path / name)
        repo.write("was", "a file now\n")
        (repo.path / "linked").symlink_to(tmp_path / "linked")
        (repo.path / "one.txt").unlink()
        repo.write("one.txt/inside.txt", "a folder now\n")
        (repo.path / "run.sh").chmod(0o755)
        (repo.path / "*.txt").unlink()
        tree = ask(repo, "snapshot")
        repo.git("add", "--all")
        assert tree == repo.git("write-tree").strip()

    def test_a_split_index_will_do(self, repo):
        repo.git("update-index", "--split-index")
        repo.write("new.txt", "1")
        assert "new.txt" in files_of(repo, ask(repo, "snapshot"))

    def test_no_index_at_all_will_do(self, repo):
        (repo.path / ".git/index").unlink()
        assert ask(repo, "snapshot") == repo.git("rev-parse", "HEAD^{tree}").strip()


class TestCommitAll:
    def test_new_changed_and_deleted_files_are_committed(self, repo):
        repo.write("kept.txt", "2\n")
        (repo.path / "gone.txt").unlink()
        repo.write("sub/new.txt", "1")
        repo.write("made.o", "1")
        made = ask(repo, "commit_all", "Fix it\n\nBecause.")
        assert made.changed
        assert made.commit == repo.git("rev-parse", "HEAD").strip()
        assert files_of(repo, made.tree) == [".gitignore", "kept.txt", "sub/new.txt"]
        assert repo.git("log", "-1", "--format=%B").strip() == "Fix it\n\nBecause."
        assert repo.git("status", "--porcelain") == ""

    def test_from_a_folder_inside_the_whole_tree_is_committed(self, repo):
        repo.write("sub/new.txt", "1")
        repo.write("outside.txt", "1")
        asyncio.run(repository(repo).at(repo.path / "sub").commit_all("All"))
        assert repo.git("status", "--porcelain") == ""

    def test_nothing_to_commit_is_not_an_error(self, repo):
        head = repo.git("rev-parse", "HEAD").strip()
        seen = ask(repo, "commit_all", "Nothing")
        assert (seen.commit, seen.changed) == (head, False)
        assert repo.log() == ["base"]

    @pytest.mark.parametrize("created", [True, False])
    def test_ralphs_state_is_never_committed(self, repo, created):
        if created:
            StateDir(repo.path).create()
        for path in (".ralph/runs/r/x", ".ralph/lock", "sub/.ralph/run.lock", ".ralph/worktrees/t/x"):
            repo.write(path, "x")
        repo.write(".ralph/settings.json", "{}")
        assert files_of(repo, ask(repo, "commit_all", "All").tree) == [
            ".gitignore",
            ".ralph/settings.json",
            "gone.txt",
            "kept.txt",
        ]

    def test_not_even_if_an_agent_has_added_it_by_force(self, repo):
        StateDir(repo.path).create()
        repo.write(".ralph/runs/r/x", "x")
        repo.git("add", "--force", ".ralph/runs/r/x")
        repo.write("new.txt", "1")
        assert ".ralph/runs/r/x" not in files_of(repo, ask(repo, "commit_all", "All").tree)

    def test_what_a_user_no_longer_wants_to_track_of_it_stays_as_it_is(self, repo):
        repo.write(".ralph/runs/r/x", "x")
        repo.commit_all("state by mistake")
        repo.git("rm", "--quiet", "--cached", ".ralph/runs/r/x")
        assert not ask(repo, "commit_all", "All").changed

    @pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
    def test_an_agent_cannot_hide_a_change_from_the_commit(self, repo, flag):
        """It would be verified with the file as it lies there, and delivered without it."""
        repo.git("update-index", flag, "kept.txt")
        repo.write("kept.txt", "2\n")
        tree = ask(repo, "snapshot")
        made = ask(repo, "commit_all", "All")
        assert (made.changed, made.tree) == (True, tree)
        assert repo.git("show", "HEAD:kept.txt") == "2\n"

    def test_what_a_sparse_checkout_leaves_out_is_not_deleted(self, repo):
        repo.git("update-index", "--skip-worktree", "gone.txt")
        (repo.path / "gone.txt").unlink()
        assert not ask(repo, "commit_all", "All").changed

    def test_a_hook_that_would_refuse_is_not_run(self, repo):
        for name in ("pre-commit", "commit-msg", "prepare-commit-msg", "post-commit"):
            repo.write(f".git/hooks/{name}", "#!/bin/sh\ntouch ran\nexit 1\n").chmod(0o755)
        repo.write("new.txt", "1")
        assert ask(repo, "commit_all", "All").changed
        assert not (repo.path / "ran").exists()

    def test_a_user_who_signs_is_not_asked_for_a_key(self, repo):
        repo.git("config", "commit.gpgSign", "true")
        repo.git("config", "gpg.program", "false")
        repo.write("new.txt", "1")
        assert ask(repo, "commit_all", "All").changed

    def test_without_an_identity_ralph_is_the_author(self, repo):
        repo.git("config", "--unset", "user.name")
        repo.git("config", "--unset", "user.email")
        repo.write("new.txt", "1")
        ask(repo, "commit_all", "All")
        assert repo.git("log", "-1", "--format=%an <%ae> %cn").strip() == "ralph <ralph@localhost> ralph"

    def test_with_one_the_user_is(self, repo):
        repo.write("new.txt", "1")
        ask(repo, "commit_all", "All")
        assert repo.git("log", "-1", "--format=%an <%ae>").strip() == "Test <test@example.invalid>"

    @pytest.mark.parametrize("value", ["true", "input"])
    def test_line_endings_are_the_users_choice_and_no_reason_to_fail(self, repo, value):
        repo.git("config", "core.autocrlf", value)
        repo.git("config", "core.safecrlf", "true")
        (repo.path / "mixed.txt").write_bytes(b"a\r\nb\nc\r\n")
        made = ask(repo, "commit_all", "All")
        assert repo.git("cat-file", "blob", f"{made.commit}:mixed.txt") == "a\nb\nc\n"
        assert ask(repo, "uncommitted") == 0

    def test_any_name_will_do(self, repo):
        names = ["a b.txt", "-rf", "HEAD", "naïve 文.txt", ":(exclude)x", "new\nline", '"quoted"', "*", "x" * 250]
        for name in names:
            repo.write(name, "1")
        Path(os.fsdecode(os.fsencode(repo.path) + b"/not-\xff-utf8")).write_text("1")
        assert ask(repo, "uncommitted") == len(names) + 1
        made = ask(repo, "commit_all", "All")
        assert set(names) < set(files_of(repo, made.tree))
        assert repo.git("status", "--porcelain") == ""

    @pytest.mark.parametrize("message", ["", "# not a comment", "-F/etc/passwd", "a\0b", "long\n\n" + "x" * 300_000])
    def test_any_message_will_do(self, repo, message):
        repo.write("new.txt", "1")
        ask(repo, "commit_all", message)
        assert repo.git("log", "-1", "--format=%B").strip() == message.replace("\0", "")

    def test_a_lock_that_a_killed_git_left_is_removed_only_on_demand(self, repo):
        repo.write("new.txt", "1")
        (repo.path / ".git/index.lock").touch()
        with pytest.raises(StateError, match=r"index\.lock") as caught:
            ask(repo, "commit_all", "All")
        assert "remove that file" in caught.value.hint
        assert (repo.path / ".git/index.lock").exists()
        assert ask(repo, "commit_all", "All", again=True).changed

    def test_the_locks_of_a_git_that_was_killed_while_it_moved_the_branch_are_removed_too(self, repo):
        repo.write("new.txt", "1")
        (repo.path / ".git/HEAD.lock").touch()
        (repo.path / ".git/refs/heads/main.lock").touch()
        assert ask(repo, "commit_all", "All", again=True).changed

    def test_a_merge_that_an_agent_left_in_conflict_is_committed_as_it_stands(self, repo):
        repo.git("checkout", "--quiet", "-b", "other")
        repo.write("kept.txt", "other\n")
        repo.commit_all("other")
        repo.git("checkout", "--quiet", "main")
        repo.write("kept.txt", "main\n")
        repo.commit_all("main")
        assert repo.run("git", "merge", "other").returncode == 1
        assert ask(repo, "commit_all", "As it is").changed
        assert "<<<<<<<" in repo.git("show", "HEAD:kept.txt")
        assert repo.git("status", "--porcelain") == ""

    def test_git_says_why_it_cannot(self, repo):
        repo.write("new.txt", "1")
        (repo.path / ".git/objects").rename(repo.path / ".git/elsewhere")
        with pytest.raises(StateError, match="git ") as caught:
            ask(repo, "commit_all", "All")
        assert "\n" not in str(caught.value)
        # Two sentences: what git says, and what to do.
        assert re.search(r"[^.]\. Restore ", str(caught.value))


class TestEmbeddedRepository:
    """An agent that starts a project with a generator gets a `.git` in it."""

    @pytest.mark.parametrize("committed", [True, False])
    def test_its_files_are_part_of_the_work(self, repo, committed):
        repo.git("init", "--quiet", "app")
        repo.write("app/main.py", "1")
        repo.write("app/.gitignore", "build/\n")
        repo.write("app/build/x", "1")
        repo.git("init", "--quiet", "app/inner")
        repo.write("app/inner/deep.py", "1")
        if committed:
            repo.git("-C", "app", "add", "main.py")
            repo.git("-C", "app", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "x")
        made = ask(repo, "commit_all", "All")
        app = [name for name in files_of(repo, made.tree) if name.startswith("app/")]
        assert app == ["app/.gitignore", "app/inner/deep.py", "app/main.py"]
        assert (repo.path / "app/.git").is_dir()
        assert ask(repo, "uncommitted") == 0

    def test_an_empty_one_is_nothing(self, repo):
        repo.git("init", "--quiet", "empty")
        assert ask(repo, "uncommitted") == 0
        assert not ask(repo, "commit_all", "All").changed

    @pytest.mark.parametrize("commit", [True, False])
    def test_one_that_the_agent_has_added_as_it_is_gets_its_files_back(self, repo, commit):
        repo.git("init", "--quiet", "app")
        repo.write("app/main.py", "1")
        repo.git("-C", "app", "add", "main.py")
        repo.git("-C", "app", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "x")
        repo.git("add", "app")
        if commit:
            repo.git("commit", "--quiet", "--message", "by the agent")
        assert "app/main.py" in files_of(repo, ask(repo, "commit_all", "All").tree)

    def test_a_submodule_stays_one(self, repo, tmp_path):
        library = temp_repo(tmp_path / "library", {"lib.py": "1"})
        repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
        made = ask(repo, "commit_all", "All")
        assert repo.git("ls-tree", made.commit, "lib").startswith("160000 commit ")


class TestRestore:
    @pytest.fixture
    def worktree(self, repo):
        repo.git("worktree", "add", "--quiet", ".ralph/worktrees/t", "-b", "t")
        return repo.path / ".ralph/worktrees/t"

    def test_the_last_commit_is_there_again_and_ignored_files_stay(self, repo, worktree):
        (worktree / "kept.txt").write_text("2\n")
        (worktree / "gone.txt").unlink()
        (worktree / "new").mkdir()
        (worktree / "new/x").write_text("1")
        (worktree / "made.o").write_text("1")
        asyncio.run(repository(repo).at(worktree).restore())
        assert sorted(path.name for path in worktree.iterdir()) == [
            ".git",
            ".gitignore",
            "gone.txt",
            "kept.txt",
            "made.o",
        ]
        assert (worktree / "kept.txt").read_text() == "1\n"

    def test_the_users_own_tree_is_never_restored(self, repo):
        repo.write("kept.txt", "2\n")
        with pytest.raises(StateError, match="nothing in it is discarded"):
            ask(repo, "restore")
        assert repo.read("kept.txt") == "2\n"

    @pytest.mark.parametrize("method", ["restore", "snapshot", "uncommitted", "look", "commit_all"])
    def test_a_worktree_that_lost_its_link_is_not_taken_for_the_project_around_it(self, repo, worktree, method):
        (worktree / ".git").unlink()
        (worktree / "sub").mkdir()
        repo.write("kept.txt", "the user's\n")
        for folder in (worktree, worktree / "sub"):
            with pytest.raises(StateError, match="not a git repository"):
                asyncio.run(getattr(repository(repo).at(folder), method)(*(["x"] if method == "commit_all" else [])))
        assert repo.read("kept.txt") == "the user's\n"


def test_what_runs_beside_git_in_the_same_attempt_is_not_ended_with_it(repo):
    bench = Workbench(repo.path, repo.env, "run.1.1")

    async def both():
        async with bench.start(["sleep", "60"], stdout=lambda _: None) as beside:
            # A git that leaves an orphan behind, as one with a background job would.
            alias = "alias.leave=!sh -c 'sleep 60 >/dev/null 2>&1 &'"
            await Repository(bench).git.run("-c", alias, "leave")
            assert beside.exit_code is None
            os.kill(beside.pid, signal.SIGTERM)
            return await beside.wait(limit=10), beside.exit_code

    assert asyncio.run(both()) == ("exited", -signal.SIGTERM)
