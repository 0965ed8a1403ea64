"""The checkout that a reviewer reads in: it cannot be written, or it is thrown away."""

import asyncio
import shutil
import stat

import pytest

from ralph.git.read_only import ReadOnlyCheckout
from ralph.git.repository import Repository
from ralph.git.verification import VerificationWorktree
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"a.py": "a\n", "sub/b.sh": "b\n", ".gitignore": ".ralph\n*.o\n"})


def lent(repo, work, *trees):
    """What was found touched after each use."""

    async def use():
        repository = Repository(Workbench(repo.path, repo.env, "r"))
        checkout = ReadOnlyCheckout(await VerificationWorktree.open(repository, repo.path, "review-1"))
        found = []
        for tree in trees or ("HEAD",):
            async with checkout.at(tree) as one:
                work(one.folder)
            found.append(one.touched)
        await checkout.close()
        return found

    return asyncio.run(use())


def modes(folder):
    paths = [folder, *(path for path in folder.rglob("*"))]
    return {stat.S_IMODE(path.stat().st_mode) & 0o222 for path in paths}


def test_nothing_in_it_can_be_written_while_it_is_used_and_all_of_it_deleted_afterwards(repo):
    seen = []

    def look(folder):
        seen.append((folder, modes(folder), (folder / "a.py").read_text()))

    assert lent(repo, look) == [[]]
    [(folder, while_used, content)] = seen
    assert (while_used, content) == ({0}, "a\n")
    assert not folder.exists(), "it is put away into the git directory"
    [admin] = (repo.path / ".git/worktrees").iterdir()
    assert 0 not in {stat.S_IMODE(path.stat().st_mode) & 0o200 for path in admin.rglob("*") if path.is_dir()}
    shutil.rmtree(admin)


def test_it_moves_from_tree_to_tree(repo):
    repo.write("a.py", "new\n")
    repo.write("c/d.py", "d\n")
    (repo.path / "sub/b.sh").unlink()
    repo.commit_all("change")
    seen = []
    work = lambda folder: seen.append(sorted(str(each.relative_to(folder)) for each in folder.rglob("*.*")))  # noqa: E731
    assert lent(repo, work, "HEAD~1", "HEAD", "HEAD~1") == [[], [], []]
    assert seen == [
        [".git", ".gitignore", "a.py", "sub/b.sh"],
        [".git", ".gitignore", "a.py", "c/d.py"],
        [".git", ".gitignore", "a.py", "sub/b.sh"],
    ]


def test_who_writes_into_it_all_the_same_is_told_and_the_next_one_finds_a_clean_one(repo):
    """Root is kept from nothing by modes, and anybody may change those of their own files."""
    contents = []

    def attack(folder):
        contents.append((folder / "a.py").read_text())
        folder.chmod(0o755)
        (folder / "a.py").chmod(0o644)
        (folder / "a.py").write_text("print('I was here')\n")
        (folder / "left.py").write_text("x\n")

    assert lent(repo, attack, "HEAD", "HEAD") == [["a.py", "left.py"]] * 2
    assert contents == ["a\n", "a\n"]
    assert repo.git("status", "--porcelain") == ""
    assert repo.read("a.py") == "a\n"


def test_a_commit_in_it_moves_nobodys_branch(repo):
    before = repo.git("for-each-ref")

    def commit(folder):
        repo.git("-C", str(folder), "commit", "-q", "--allow-empty", "-m", "mine")

    lent(repo, commit)
    assert repo.git("for-each-ref") == before
