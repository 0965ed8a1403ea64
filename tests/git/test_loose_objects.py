"""Objects are read from git's files if they are what their names say, and written as git writes them."""

import zlib

import pytest

from ralph.git import loose_objects
from ralph.git.loose_objects import empty_tree, read_loose, tree_in, write_loose
from ralph.model.errors import ConfigError


@pytest.fixture
def repo(empty_repo):
    empty_repo.write("a.txt", "1\n")
    empty_repo.commit_all("base")
    return empty_repo


def objects(repo):
    return repo.path / ".git/objects"


def name(repo, of):
    return repo.git("rev-parse", of).strip()


@pytest.mark.parametrize(("of", "kind"), [("HEAD", "commit"), ("HEAD^{tree}", "tree"), ("HEAD:a.txt", "blob")])
def test_an_object_is_read_as_git_reads_it(repo, of, kind):
    found = read_loose(objects(repo), name(repo, of))
    assert (found.kind, found.name) == (kind, name(repo, of))
    if kind != "tree":
        assert found.content.decode() == repo.git("cat-file", kind, of)


def test_what_is_packed_or_not_there_is_left_to_git(repo):
    assert read_loose(objects(repo), "f" * len(name(repo, "HEAD"))) is None
    assert read_loose(objects(repo), "HEAD") is None
    repo.git("gc", "--quiet")
    assert read_loose(objects(repo), name(repo, "HEAD")) is None


@pytest.mark.parametrize("data", [b"", b"x", zlib.compress(b"blob 5\0weak\n"), zlib.compress(b"blob 2\x001\n")[:-5]])
def test_a_file_that_is_not_what_its_name_says_does_not_count(repo, data):
    path = objects(repo) / name(repo, "HEAD:a.txt")[:2] / name(repo, "HEAD:a.txt")[2:]
    path.chmod(0o644)
    path.write_bytes(data)
    assert read_loose(objects(repo), name(repo, "HEAD:a.txt")) is None


def test_a_large_object_is_left_to_git(repo, monkeypatch):
    monkeypatch.setattr(loose_objects, "LARGEST", 100)
    for size in (100, 101, 1000, 1_000_000):
        made = write_loose(objects(repo), "blob", b"a" * size, name(repo, "HEAD"))
        assert bool(read_loose(objects(repo), made)) == (size == 100)
        assert repo.git("cat-file", "-s", made) == f"{size}\n"


def test_what_is_written_is_an_object_to_git(repo):
    made = write_loose(objects(repo), "blob", b"made\n", name(repo, "HEAD"))
    assert repo.git("cat-file", "blob", made) == "made\n"
    assert write_loose(objects(repo), "blob", b"made\n", made) == made
    repo.git("fsck", "--strict")
    path = objects(repo) / made[:2] / made[2:]
    assert path.stat().st_mode == (objects(repo) / name(repo, "HEAD")[:2] / name(repo, "HEAD")[2:]).stat().st_mode
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_an_object_that_was_rewritten_is_written_again(repo):
    made = write_loose(objects(repo), "blob", b"made\n", name(repo, "HEAD"))
    path = objects(repo) / made[:2] / made[2:]
    path.chmod(0o644)
    path.write_bytes(zlib.compress(b"blob 5\0weak\n"))
    write_loose(objects(repo), "blob", b"made\n", made)
    assert repo.git("cat-file", "blob", made) == "made\n"


def test_where_nothing_can_be_written_is_named(tmp_path):
    with pytest.raises(ConfigError, match="cannot write"):
        write_loose(tmp_path / "none", "blob", b"", "0" * 40)


def test_the_tree_of_a_commit_or_tree(repo):
    tree = name(repo, "HEAD^{tree}")
    assert (tree_in(objects(repo), name(repo, "HEAD")), tree_in(objects(repo), tree)) == (tree, tree)
    assert tree_in(objects(repo), name(repo, "HEAD:a.txt")) == ""
    assert tree_in(objects(repo), empty_tree(tree)) == empty_tree(tree)
    assert repo.run("git", "mktree", input="").stdout.strip() == empty_tree(tree)
