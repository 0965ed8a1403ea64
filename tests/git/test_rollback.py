import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from ralph.git.repository import Repository
from ralph.git.rollback import attempt_ref, discard
from ralph.git.rules import record_rules
from ralph.git.worktree import prepare
from ralph.model.errors import StateError
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench

REF = attempt_ref("r1", "T-1", 1)


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"a.txt": "1\n", "b/c.txt": "2\n", ".gitignore": "*.o\n"})


def repository(repo):
    return Repository(Workbench(repo.path, repo.env, "run.1.1"))


def begin(repo):
    """A task's worktree, with what git was told before an agent came."""

    async def begun():
        made = await prepare(repository(repo), project=repo.path, spec="s", task="T-1")
        return replace(made, git=await record_rules(repository(repo).at(Path(made.path)), made.base))

    return asyncio.run(begun())


def save(repo, worktree):
    inside = repository(repo).at(Path(worktree.path))
    return asyncio.run(inside.commit_all("attempt", rules=worktree.git)).commit


def take_back(repo, worktree, commit, ref=REF):
    return asyncio.run(discard(repository(repo), worktree, ref=ref, commit=commit))


def inside(repo, worktree, *args):
    return repo.git("-C", worktree.path, *args)


def files(worktree):
    top = Path(worktree.path)
    return {str(path.relative_to(top)): path.read_text() for path in top.rglob("*") if path.is_file()} | {".git": ""}


def head(repo, name):
    return repo.git("rev-parse", name).strip()


def test_the_worktree_is_as_the_work_began_and_the_attempt_stays_reachable(repo):
    worktree = begin(repo)
    before = files(worktree)
    top = Path(worktree.path)
    (top / "a.txt").write_text("changed\n")
    (top / "b/c.txt").unlink()
    (top / "new/deep").mkdir(parents=True)
    (top / "new/deep/x.txt").write_text("x\n")
    commit = save(repo, worktree)
    assert take_back(repo, worktree, commit) == REF
    assert files(worktree) == before
    assert head(repo, REF) == commit
    assert head(repo, worktree.branch) == worktree.base
    assert inside(repo, worktree, "status", "--porcelain") == ""
    assert repo.git("show", f"{REF}:new/deep/x.txt") == "x\n"


def test_done_again_after_a_kill_it_comes_to_the_same(repo):
    worktree = begin(repo)
    (Path(worktree.path) / "a.txt").write_text("changed\n")
    commit = save(repo, worktree)
    repo.git("update-ref", REF, commit)
    assert take_back(repo, worktree, commit) == REF
    # The process that is to do it again knows nothing of the index that was kept.
    (Path(worktree.path) / "a.txt").write_text("half way\n")
    assert take_back(repo, worktree, commit) == REF
    assert files(worktree)["a.txt"] == "1\n"
    assert repo.git("for-each-ref", "--format=%(refname)", "refs/ralph/discarded").split() == [REF]


def test_another_attempt_under_the_same_name_is_not_overwritten(repo):
    worktree = begin(repo)
    repo.git("update-ref", REF, worktree.base)
    (Path(worktree.path) / "a.txt").write_text("changed\n")
    commit = save(repo, worktree)
    assert take_back(repo, worktree, commit) == f"{REF}.2"
    assert (head(repo, REF), head(repo, f"{REF}.2")) == (worktree.base, commit)


def test_an_attempt_without_a_change_needs_no_ref(repo):
    worktree = begin(repo)
    (Path(worktree.path) / "junk.txt").write_text("never committed\n")
    assert take_back(repo, worktree, worktree.base) == ""
    assert "junk.txt" not in files(worktree)
    assert repo.git("for-each-ref", "refs/ralph/discarded") == ""


def test_what_git_ignores_stays_as_it_is_needed_again(repo):
    worktree = begin(repo)
    (Path(worktree.path) / "cache.o").write_text("built\n")
    (Path(worktree.path) / "a.txt").write_text("changed\n")
    take_back(repo, worktree, save(repo, worktree))
    assert files(worktree)["cache.o"] == "built\n"


def test_what_only_the_attempt_ignored_goes(repo):
    worktree = begin(repo)
    (Path(worktree.path) / ".gitignore").write_text("*.o\nhidden/\n")
    (Path(worktree.path) / "hidden").mkdir()
    (Path(worktree.path) / "hidden/x").write_text("x\n")
    take_back(repo, worktree, save(repo, worktree))
    assert "hidden/x" not in files(worktree)


class TestNeverTheUsersTree:
    def test_neither_the_project_itself(self, repo):
        worktree = begin(repo)
        repo.write("a.txt", "the user's\n")
        with pytest.raises(StateError, match="not a worktree of ralph's"):
            take_back(repo, replace(worktree, path=str(repo.path)), worktree.base)
        assert repo.read("a.txt") == "the user's\n"

    def test_nor_a_worktree_of_theirs(self, repo, tmp_path):
        worktree = begin(repo)
        theirs = tmp_path / "theirs"
        repo.git("worktree", "add", "--quiet", "-b", "feature", str(theirs))
        (theirs / "a.txt").write_text("the user's\n")
        with pytest.raises(StateError, match="not a worktree of ralph's"):
            take_back(repo, replace(worktree, path=str(theirs)), worktree.base)
        assert (theirs / "a.txt").read_text() == "the user's\n"

    def test_nor_what_an_agent_has_put_in_the_place(self, repo):
        worktree = begin(repo)
        top = Path(worktree.path)
        (top / ".git").unlink()
        (top / ".git").write_text(f"gitdir: {repo.path}/.git\n")
        repo.write("a.txt", "the user's\n")
        with pytest.raises(StateError, match="not a worktree of ralph's"):
            take_back(repo, worktree, worktree.base)
        assert repo.read("a.txt") == "the user's\n"

    def test_nor_where_an_agent_says_that_the_worktree_is(self, repo):
        worktree = begin(repo)
        repo.write("a.txt", "the user's\n")
        repo.write("untracked.txt", "the user's\n")
        repo.git("config", "core.worktree", str(repo.path))
        (Path(worktree.path) / "a.txt").write_text("changed\n")
        commit = save(repo, worktree)
        take_back(repo, worktree, commit)
        assert (repo.read("a.txt"), repo.read("untracked.txt")) == ("the user's\n", "the user's\n")
        assert files(worktree)["a.txt"] == "1\n"


class TestHostile:
    def test_files_that_git_was_told_to_overlook_are_put_back(self, repo):
        worktree = begin(repo)
        for flag, name in (("--skip-worktree", "a.txt"), ("--assume-unchanged", "b/c.txt")):
            inside(repo, worktree, "update-index", flag, name)
            (Path(worktree.path) / name).write_text("hidden\n")
        take_back(repo, worktree, worktree.base)
        assert (files(worktree)["a.txt"], files(worktree)["b/c.txt"]) == ("1\n", "2\n")

    def test_an_exclude_of_the_agents_keeps_nothing(self, repo):
        worktree = begin(repo)
        repo.write(".git/info/exclude", "kept*\n")
        (Path(worktree.path) / "kept.txt").write_text("for the next attempt\n")
        take_back(repo, worktree, worktree.base)
        assert "kept.txt" not in files(worktree)

    def test_a_branch_of_the_agents_and_an_unfinished_merge_are_left(self, repo):
        worktree = begin(repo)
        inside(repo, worktree, "checkout", "--quiet", "-b", "mine")
        (Path(worktree.path) / "a.txt").write_text("mine\n")
        inside(repo, worktree, "commit", "--quiet", "-am", "mine")
        commit = head(repo, "mine")
        git_dir = Path(inside(repo, worktree, "rev-parse", "--absolute-git-dir").strip())
        (git_dir / "MERGE_HEAD").write_text(f"{commit}\n")
        (git_dir / "index.lock").touch()
        assert take_back(repo, worktree, commit) == REF
        assert inside(repo, worktree, "branch", "--show-current").strip() == worktree.branch
        assert not (git_dir / "MERGE_HEAD").exists()
        assert files(worktree)["a.txt"] == "1\n"

    def test_a_repository_in_the_worktree_and_a_filter_do_not_stay(self, repo):
        worktree = begin(repo)
        top = Path(worktree.path)
        inside(repo, worktree, "init", "--quiet", "nested")
        (top / "nested/x.txt").write_text("x\n")
        repo.git("config", "filter.evil.smudge", "echo smudged")
        repo.write(".git/info/attributes", "a.txt filter=evil\n")
        (top / "a.txt").write_text("changed\n")
        take_back(repo, worktree, save(repo, worktree))
        assert files(worktree)["a.txt"] == "1\n"
        assert not (top / "nested").exists()


def test_a_submodule_has_the_commit_of_the_base_again(repo, tmp_path):
    library = temp_repo(tmp_path / "library", {"lib.txt": "old\n"})
    allow = ("-c", "protocol.file.allow=always")
    repo.git(*allow, "submodule", "--quiet", "add", str(library.path), "lib")
    repo.git("commit", "--quiet", "-am", "with a library")
    worktree = begin(repo)
    inside(repo, worktree, *allow, "submodule", "--quiet", "update", "--init")
    within = Path(worktree.path) / "lib"
    (within / "lib.txt").write_text("new\n")
    someone = ("-c", "user.name=s", "-c", "user.email=s@localhost")
    repo.git("-C", str(within), *someone, "commit", "--quiet", "-am", "new")
    take_back(repo, worktree, save(repo, worktree))
    assert (within / "lib.txt").read_text() == "old\n"
    assert inside(repo, worktree, "status", "--porcelain") == ""


def test_a_submodule_that_leads_to_the_users_repository_is_left_alone(repo, tmp_path):
    library = temp_repo(tmp_path / "library", {"lib.txt": "old\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
    repo.git("commit", "--quiet", "-am", "with a library")
    worktree = begin(repo)
    (Path(worktree.path) / "lib/.git").write_text(f"gitdir: {repo.path}/.git\n")
    take_back(repo, worktree, worktree.base)
    assert repo.git("branch", "--show-current").strip() == "main"


def test_the_project_may_be_a_part_of_its_repository(repo):
    part = repo.path / "b"

    async def taken_back():
        own = Repository(Workbench(part, repo.env, "run.1.1"))
        made = await prepare(own, project=part, spec="s", task="T-1")
        made = replace(made, git=await record_rules(own.at(Path(made.folder)), made.base))
        (Path(made.path) / "a.txt").write_text("above the project\n")
        commit = (await own.at(Path(made.folder)).commit_all("attempt", rules=made.git)).commit
        await discard(own, made, ref=REF, commit=commit)
        return made

    assert files(asyncio.run(taken_back()))["a.txt"] == "1\n"
