import asyncio
from pathlib import Path

import pytest

from ralph.git.local_files import LocalFiles, copy_local_files
from ralph.git.repository import Repository
from ralph.git.worktree import prepare, remove
from ralph.model.errors import ConfigError, StateError
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"a.txt": "1\n", ".env.example": "A=\n", ".gitignore": ".env\nsecret/\n"})


@pytest.fixture
def worktree(repo):
    return asyncio.run(
        prepare(Repository(Workbench(repo.path, repo.env, "r")), project=repo.path, spec="s", task="T-1")
    )


def lend(repo, worktree, *patterns):
    return asyncio.run(copy_local_files(Path(worktree.folder), repo.path, list(patterns)))


def inside(repo, worktree):
    return Repository(Workbench(Path(worktree.path), repo.env, "r"))


def test_files_are_copied_with_their_mode(repo, worktree):
    repo.write(".env", "A=1\n").chmod(0o600)
    repo.write("config/.env.test", "B=1\n")
    repo.write("config/run me é.sh", "#!/bin/sh\n").chmod(0o755)
    assert lend(repo, worktree, ".env", "config/.env.*", "./config/*.sh").copied == (
        ".env",
        "config/.env.test",
        "config/run me é.sh",
    )
    copied = Path(worktree.path)
    assert (copied / ".env").read_text() == "A=1\n"
    assert (copied / ".env").stat().st_mode & 0o777 == 0o600
    assert (copied / "config/run me é.sh").stat().st_mode & 0o777 == 0o755


def test_a_folder_stands_for_its_files_and_two_stars_for_any_depth(repo, worktree):
    repo.write("secret/deep/key", "1")
    repo.write("secret/other", "1")
    repo.write("x/y/local.json", "1")
    repo.write("local.json", "1")
    assert lend(repo, worktree, "secret", "**/local.json").copied == (
        "local.json",
        "secret/deep/key",
        "secret/other",
        "x/y/local.json",
    )


def test_what_git_put_there_is_never_overwritten(repo, worktree):
    repo.write("a.txt", "the user's\n")
    repo.write(".env.example", "the user's\n")
    assert lend(repo, worktree, "*.txt", ".env*") == LocalFiles()
    assert (Path(worktree.path) / "a.txt").read_text() == "1\n"


def test_called_again_it_copies_only_what_is_missing(repo, worktree):
    repo.write(".env", "A=1\n")
    lend(repo, worktree, ".env")
    (Path(worktree.path) / ".env").write_text("A=2\n")
    assert lend(repo, worktree, ".env") == LocalFiles()
    assert (Path(worktree.path) / ".env").read_text() == "A=2\n"


def test_a_pattern_that_matches_nothing_is_fine(repo, worktree):
    assert lend(repo, worktree, ".env", "no/such/*", "a.txt/x") == LocalFiles()


@pytest.mark.parametrize("pattern", ["/etc/passwd", "../x", "config/../../x", "", ".", "a\0b"])
def test_a_pattern_that_is_no_path_inside_the_project_is_refused(repo, worktree, pattern):
    with pytest.raises(ConfigError, match=r"worktree\.copy") as caught:
        lend(repo, worktree, ".env", pattern)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("pattern", [".git", ".git/config", ".ralph", ".ralph/*", "**", "*/config", ".*"])
def test_neither_git_nor_ralph_is_ever_copied(repo, worktree, pattern):
    repo.write("sub/.git/config", "x")
    repo.write("sub/.ralph/config", "x")
    (repo.path / "link").symlink_to(".git/config")
    lend(repo, worktree, pattern)
    assert (Path(worktree.path) / ".git").is_file()
    names = {path.name for path in Path(worktree.path).rglob("*")}
    assert names <= {".git", ".gitignore", ".env.example", "a.txt"}


def test_links_are_followed_inside_the_project_and_named_if_they_lead_out(repo, worktree, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/key").write_text("secret")
    repo.write(".env", "A=1\n")
    (repo.path / "inner.env").symlink_to(".env")
    (repo.path / "outer.env").symlink_to(tmp_path / "outside/key")
    (repo.path / "broken.env").symlink_to("nowhere")
    (repo.path / "folder").symlink_to(tmp_path / "outside")
    (repo.path / "loop").symlink_to(repo.path)
    assert lend(repo, worktree, "*.env", "folder/key", "**/key") == LocalFiles(
        copied=(".env", "inner.env"), skipped=("broken.env", "folder/key", "outer.env")
    )
    assert (Path(worktree.path) / "inner.env").read_text() == "A=1\n"
    assert not (Path(worktree.path) / "inner.env").is_symlink()


def test_a_link_that_an_agent_put_into_the_worktree_is_not_followed(repo, worktree, tmp_path):
    (tmp_path / "outside").mkdir()
    (Path(worktree.path) / "config").symlink_to(tmp_path / "outside")
    repo.write("config/.env", "A=1\n")
    assert lend(repo, worktree, "config/.env").skipped == ("config/.env",)
    assert list((tmp_path / "outside").iterdir()) == []


def test_what_was_lent_is_not_part_of_the_work_even_where_git_would_not_ignore_it(repo, worktree):
    repo.write("local settings.json", "secret")
    repo.write("[odd]*.json", "secret")
    lend(repo, worktree, "*.json")
    work = inside(repo, worktree)
    assert asyncio.run(work.uncommitted()) == 0
    assert asyncio.run(work.snapshot()) == repo.git("rev-parse", "HEAD^{tree}").strip()
    assert not asyncio.run(work.commit_all("Nothing")).changed
    (Path(worktree.path) / "odd.json").write_text("of the agent")
    assert asyncio.run(work.commit_all("Work")).changed
    assert repo.git("ls-tree", "--name-only", "-r", worktree.branch, "odd.json").strip() == "odd.json"
    asyncio.run(work.restore())
    assert (Path(worktree.path) / "local settings.json").read_text() == "secret"
    assert asyncio.run(remove(Repository(Workbench(repo.path, repo.env, "r")), worktree)) == ""


def test_in_a_part_of_a_repository_the_patterns_are_those_of_the_part(repo):
    project = repo.write("app/x.py", "1").parent
    repo.commit_all("app")
    repo.write("app/local.json", "secret")
    repo.write("local.json", "not asked for")
    made = asyncio.run(prepare(Repository(Workbench(project, repo.env, "r")), project=project, spec="s", task="T-1"))
    assert asyncio.run(copy_local_files(Path(made.folder), project, ["local.json"])).copied == ("local.json",)
    assert (Path(made.path) / "app/local.json").read_text() == "secret"
    assert not (Path(made.path) / "local.json").exists()
    assert asyncio.run(Repository(Workbench(Path(made.folder), repo.env, "r")).uncommitted()) == 0


def test_a_copy_that_a_kill_cut_short_is_made_again(repo, worktree):
    repo.write(".env", "A=1\n").chmod(0o400)
    git_dir = Path(repo.git("-C", worktree.path, "rev-parse", "--absolute-git-dir").strip())
    (git_dir / "ralph-being-copied").write_text("A")
    (git_dir / "ralph-being-copied").chmod(0o400)
    assert lend(repo, worktree, ".env").copied == (".env",)
    assert (Path(worktree.path) / ".env").read_text() == "A=1\n"


def test_a_folder_that_is_no_worktree_is_refused(repo, tmp_path):
    (tmp_path / "plain").mkdir()
    with pytest.raises(StateError, match="is not in a worktree"):
        asyncio.run(copy_local_files(tmp_path / "plain", repo.path, [".env"]))
