"""The entries of an index are those that git lists."""

import pytest

from ralph.git.index_files import entries_of

FILES = {f"{'d/' * (number % 4)}{'n' * number}.txt": f"{number}\n" for number in range(1, 30)}


@pytest.fixture
def repo(empty_repo):
    for path, text in FILES.items():
        empty_repo.write(path, text)
    empty_repo.commit_all("base")
    return empty_repo


def read(repo):
    return entries_of((repo.path / ".git/index").read_bytes(), repo.git("rev-parse", "HEAD").strip())


def listed(repo):
    return repo.git("ls-files", "-z", "--stage").encode().split(b"\0")[:-1]


def test_the_entries_are_those_that_git_lists(repo):
    (repo.path / "link").symlink_to("nowhere")
    (repo.path / "run.sh").write_text("")
    (repo.path / "run.sh").chmod(0o755)
    repo.git("add", "--all")
    assert read(repo) == listed(repo)
    assert len(read(repo)) == len(FILES) + 2


def test_flags_that_need_more_room_are_read(repo):
    """Such an index is of the third version."""
    (repo.path / "new.txt").write_text("")
    repo.git("add", "--intent-to-add", "new.txt")
    repo.git("update-index", "--skip-worktree", "n.txt" if "n.txt" in FILES else next(iter(FILES)))
    assert read(repo) == listed(repo)


def test_an_index_without_entries(repo):
    repo.git("read-tree", "--empty")
    assert read(repo) == []


@pytest.mark.parametrize("settings", [("index.version", "4"), ("core.splitIndex", "true"), ("index.sparse", "true")])
def test_another_kind_of_index_is_left_to_git(repo, settings):
    if settings[0] == "index.sparse":
        repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "d/d")
    elif settings[0] == "index.version":
        repo.git("update-index", "--index-version", "4")
    else:
        repo.git("update-index", "--split-index")
    assert read(repo) is None


def test_a_conflict_is_left_to_git(repo):
    blob = repo.git("rev-parse", "HEAD:nnnn.txt").strip()
    lines = "".join(f"100644 {blob} {stage}\tnnnn.txt\n" for stage in (1, 2, 3))
    repo.run("git", "update-index", "--index-info", input=f"0 {'0' * len(blob)}\tnnnn.txt\n{lines}")
    assert read(repo) is None


@pytest.mark.parametrize("data", [b"", b"DIRC", b"\0" * 100])
def test_what_is_no_index_is_left_to_git(data):
    assert entries_of(data, "0" * 40) is None
