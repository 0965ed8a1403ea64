"""Objects that an agent has rewritten, or taken away, are found."""

import asyncio
import sys
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ralph.git.proven_index import ProvenIndex
from ralph.git.repository import Repository
from ralph.git.sealed import seal
from ralph.model.errors import StateError
from ralph.model.git_rules import GitRules
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench

FILES = {"a.py": "a\n", "sub/b.py": "b\n", "sub/deep/c.py": "c\n"}


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, FILES)


def prove(repo, tree=""):
    """Write the files of the tree into an empty folder, as before a check."""
    repository = Repository(Workbench(repo.path, repo.env, "r"))
    with TemporaryDirectory() as directory:
        top, tree = Path(directory, "top"), tree or name(repo, "HEAD^{tree}")
        top.mkdir()
        env = seal(Path(directory, "git"), GitRules(), repo.path / ".git", top, tree)
        index = ProvenIndex(Path(directory, "index"), repository.git.at(top))
        try:
            asyncio.run(index.fill(repository, tree, env))
        finally:
            assert (index.tree == tree) == (sys.exc_info()[0] is None)


def name(repo, of):
    return repo.git("rev-parse", of).strip()


def stored(repo, of):
    found = name(repo, of)
    return repo.path / ".git/objects" / found[:2] / found[2:]


def test_what_git_wrote_is_fine(repo):
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},library")
    repo.git("commit", "--quiet", "--message", "a submodule that is not there")
    prove(repo)


@pytest.mark.parametrize("of", ["HEAD:a.py", "HEAD:sub/deep/c.py"])
def test_a_file_that_was_rewritten_is_named(repo, of):
    stored(repo, of).chmod(0o644)
    stored(repo, of).write_bytes(zlib.compress(b"blob 5\0weak\n"))
    with pytest.raises(StateError, match=f"the object {name(repo, of)} of git is not what its name says"):
        prove(repo)


@pytest.mark.parametrize("of", ["HEAD^{tree}", "HEAD:sub", "HEAD:sub/deep"])
def test_a_folder_that_was_rewritten_is_named(repo, of):
    rewritten = name(repo, of)
    path = stored(repo, of)
    entry = b"100644 x.py\0" + bytes.fromhex(name(repo, "HEAD:a.py"))
    path.chmod(0o644)
    path.write_bytes(zlib.compress(b"tree %d\0" % len(entry) + entry))
    # Of the top git says it by itself.
    with pytest.raises(StateError, match=rewritten):
        prove(repo, _tree(repo))


def _tree(repo):
    """Of the commit, as it names it: git itself would read the folder."""
    return repo.git("cat-file", "commit", "HEAD").split()[1]


def test_a_folder_that_holds_itself_has_an_end(repo):
    """With the hash that it has it cannot be made, so its content is not what its name says."""
    itself = name(repo, "HEAD:sub")
    entry = b"40000 sub\0" + bytes.fromhex(itself)
    path = stored(repo, "HEAD:sub")
    path.chmod(0o644)
    path.write_bytes(zlib.compress(b"tree %d\0" % len(entry) + entry))
    with pytest.raises(StateError):
        prove(repo)


@pytest.mark.parametrize("of", ["HEAD:a.py", "HEAD:sub/deep"])
def test_what_is_gone_is_an_error(repo, of):
    tree, gone = _tree(repo), stored(repo, of)
    gone.chmod(0o644)
    gone.unlink()
    with pytest.raises(StateError):
        prove(repo, tree)
