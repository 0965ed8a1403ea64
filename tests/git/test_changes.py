"""A change as it was committed, whatever an agent did to make git hide it."""

import asyncio
import tracemalloc

import pytest

from ralph.checks.change import FileDiffs
from ralph.git.changes import read_diff, read_file
from ralph.git.command import Git
from ralph.model.errors import StateError
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench

SECRET_WORK = "def backdoor(): return True"


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"kept.txt": "1\n", "gone.txt": "1\n"})


def git(repo, folder=None):
    return Git(Workbench(folder or repo.path, repo.env, "run.1.1"))


def diff(repo, base="HEAD~1", to="HEAD", *, paths=(), folder=None):
    found = bytearray()
    asyncio.run(read_diff(git(repo, folder), base, to, found.extend, paths=paths))
    return found.decode(errors="replace")


def test_it_is_unified_and_plain_whatever_the_user_likes(repo):
    likes = {
        "color.ui": "always",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.external": "false",
        "diff.relative": "true",
        "diff.interHunkContext": "100",
        "diff.context": "0",
    }
    for name, value in likes.items():
        repo.git("config", name, value)
    repo.write("kept.txt", "2\n")
    repo.commit_all("change")
    assert diff(repo).startswith("diff --git a/kept.txt b/kept.txt\nindex ")
    assert diff(repo).endswith("--- a/kept.txt\n+++ b/kept.txt\n@@ -1 +1 @@\n-1\n+2\n")


def test_renames_are_not_guessed(repo):
    (repo.path / "gone.txt").rename(repo.path / "moved.txt")
    repo.commit_all("change")
    assert "deleted file mode" in diff(repo)
    assert "rename" not in diff(repo)


def test_a_program_that_shows_files_as_text_is_not_started(repo):
    repo.git("config", "diff.loud.textconv", f"touch {repo.path}/ran; cat")
    repo.git("config", "diff.loud.command", f"touch {repo.path}/ran; cat")
    repo.write(".gitattributes", "*.txt diff=loud\n")
    repo.write("kept.txt", "2\n")
    repo.commit_all("change")
    assert "+2\n" in diff(repo)
    assert not (repo.path / "ran").exists()


def test_names_are_readable(repo):
    repo.write("naïve file.txt", "1\n")
    repo.commit_all("change")
    assert "b/naïve file.txt" in diff(repo)


def test_the_same_tree_has_no_diff(repo):
    assert diff(repo, "HEAD", "HEAD") == ""


def test_only_the_files_that_are_named_are_read_whatever_their_names_mean_to_git(repo):
    for name in ("*.py", "a.py", ":(glob)b.py", "-c.py"):
        repo.write(name, "1\n")
    repo.commit_all("change")
    assert "a.py" not in (found := diff(repo, paths=["*.py"])).replace("*.py", "")
    assert "b/*.py" in found
    assert diff(repo, paths=[":(glob)b.py", "-c.py"]).count("diff --git") == 2
    assert diff(repo, paths=["nowhere.py"]) == ""


def test_names_count_from_the_top_wherever_git_is_asked(repo):
    repo.write("sub/a.py", "1\n")
    repo.write("b.py", "1\n")
    repo.commit_all("change")
    assert diff(repo, folder=repo.path / "sub").count("diff --git") == 2
    assert "b/sub/a.py" in diff(repo, paths=["sub/a.py"], folder=repo.path / "sub")


def test_an_unknown_commit_is_an_error(repo):
    with pytest.raises(StateError, match="git diff"):
        diff(repo, "nothing")


def attributes(text):
    return lambda repo: repo.write(".gitattributes", text)


def info_attributes(repo):
    (repo.path / ".git/info").mkdir(exist_ok=True)
    (repo.path / ".git/info/attributes").write_text("* binary\n")


def global_attributes(repo):
    (repo.home / "attributes").write_text("* -diff\n")
    repo.git("config", "core.attributesFile", str(repo.home / "attributes"))


def binary_driver(repo):
    repo.git("config", "diff.blind.binary", "true")
    repo.write(".gitattributes", "* diff=blind\n")


def one_nul_byte(repo):
    repo.write("main.py", f"{SECRET_WORK}\n# \0\n")


def big_files(repo):
    repo.git("config", "core.bigFileThreshold", "1")


HIDING = {
    "-diff": attributes("* -diff\n"),
    "binary": attributes("*.py binary\n"),
    "info/attributes": info_attributes,
    "the user's attributes": global_attributes,
    "a binary driver": binary_driver,
    "a NUL byte": one_nul_byte,
    "bigFileThreshold": big_files,
}


@pytest.mark.parametrize("hide", HIDING.values(), ids=HIDING)
def test_what_an_agent_does_to_hide_its_work_hides_nothing(repo, hide):
    repo.write("main.py", f"{SECRET_WORK}\n")
    hide(repo)
    repo.commit_all("change")
    files = FileDiffs(60_000)
    asyncio.run(read_diff(git(repo), "HEAD~1", "HEAD", files.take))
    [file] = [file for file in files.files() if file.path == "main.py"]
    assert f"+{SECRET_WORK}" in file.text
    assert file.is_shown


def test_a_replacement_is_not_shown_in_place_of_what_was_committed(repo):
    repo.write("main.py", f"{SECRET_WORK}\n")
    repo.write("harmless.py", "x = 1\n")
    repo.commit_all("change")
    real, harmless = repo.git("rev-parse", "HEAD:main.py", "HEAD:harmless.py").split()
    repo.git("replace", real, harmless)
    assert repo.git("show", "HEAD:main.py") == "x = 1\n"
    assert f"+{SECRET_WORK}" in diff(repo, paths=["main.py"])
    assert asyncio.run(read_file(git(repo), "HEAD", "main.py", 100)) == f"{SECRET_WORK}\n".encode()


def test_a_submodule_that_says_to_be_ignored_is_seen(repo, tmp_path):
    other = temp_repo(tmp_path / "other")
    commit = other.git("rev-parse", "HEAD").strip()
    repo.write(".gitmodules", '[submodule "lib"]\n\tpath = lib\n\turl = ../other\n\tignore = all\n')
    repo.git("add", ".gitmodules")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},lib")
    repo.git("config", "submodule.lib.ignore", "all")
    repo.git("config", "diff.ignoreSubmodules", "all")
    repo.git("commit", "-q", "-m", "change")
    assert f"+Subproject commit {commit}" in diff(repo)


def test_a_huge_diff_is_never_held(repo):
    line = "y" * 99 + "\n"
    with (repo.path / "huge.txt").open("w") as file:
        for _ in range(100):
            file.write(line * 10_000)
    repo.write("small.txt", "1\n")
    repo.commit_all("change")
    files = FileDiffs(50_000)
    tracemalloc.start()
    try:
        asyncio.run(read_diff(git(repo), "HEAD~1", "HEAD", files.take))
        found = {file.path: file for file in files.files()}
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found["huge.txt"].size > 100_000_000
    assert found["small.txt"].is_shown
    assert peak < 8_000_000


def test_a_file_is_read_as_it_was_committed(repo):
    repo.write("kept.txt", "2\n")
    assert asyncio.run(read_file(git(repo), "HEAD", "kept.txt", 100)) == b"1\n"
    assert asyncio.run(read_file(git(repo), "HEAD", "kept.txt", 1)) == b"1"


@pytest.mark.parametrize("path", ["nowhere.txt", "", ".", "../kept.txt", "/etc/passwd", "-h"])
def test_what_is_no_file_of_the_commit_is_nothing(repo, path):
    assert asyncio.run(read_file(git(repo), "HEAD", path, 100)) is None
