"""Notes on commits, here and in a remote."""

import asyncio
import subprocess
import sys

import pytest

from ralph.git.notes import PROOF, fetch_notes, push_notes, read_note, write_note
from ralph.git.repository import Repository
from ralph.model.errors import StateError
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench

TEXT = '{"_type":"https://in-toto.io/Statement/v1"}\n\n  {"ü": "\\u0000"}\n\n  trailing  \n'.encode()


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"a.txt": "1\n"})


def repository(repo, path=None):
    return Repository(Workbench(path or repo.path, repo.env, "r"))


def write(repo, data=TEXT, commit="HEAD", path=None):
    asyncio.run(write_note(repository(repo, path), commit, data))


def read(repo, commit="HEAD", path=None):
    return asyncio.run(read_note(repository(repo, path), commit))


def commits(repo, count):
    for number in range(count):
        repo.git("commit", "--quiet", "--allow-empty", "--message", str(number))
    return repo.git("rev-list", "HEAD").split()


@pytest.mark.parametrize("data", [TEXT, b"other", b"\0\xff\r\n", b"x" * 3_000_000])
def test_a_note_is_read_as_it_was_written(repo, data):
    assert read(repo) is None
    write(repo, data)
    assert read(repo) == data
    assert read(repo, "nothing") is None


def test_for_git_it_is_a_note_like_any_other(repo):
    write(repo)
    assert repo.git("notes", "--ref=ralph-proof", "show", "HEAD").encode() == TEXT
    assert repo.git("log", "-1", "--format=%an %s", PROOF).strip() == "Test ralph: proof"


def test_a_new_note_of_the_same_commit_takes_the_place_of_the_old_one(repo):
    write(repo, b"old\n")
    write(repo, b"new\n")
    assert read(repo) == b"new\n"
    assert repo.git("notes", "--ref=ralph-proof", "list").count("\n") == 1


def test_notes_that_others_made_stay(repo):
    older, newer = repo.git("rev-parse", "HEAD").strip(), commits(repo, 1)[0]
    repo.git("notes", "--ref=ralph-proof", "add", "-m", "theirs", older)
    repo.git("notes", "add", "-m", "mine", older)
    before = repo.git("rev-parse", PROOF).strip()
    write(repo, commit=newer)
    assert (read(repo, older), read(repo, newer)) == (b"theirs\n", TEXT)
    assert repo.git("notes", "show", older) == "mine\n"
    assert repo.git("rev-parse", f"{PROOF}~1").strip() == before


def test_nothing_of_the_users_is_touched(repo):
    repo.write("staged.txt", "1")
    repo.git("add", "staged.txt")
    index = (repo.path / ".git/index").read_bytes()
    head = repo.git("rev-parse", "HEAD")
    write(repo)
    assert (repo.path / ".git/index").read_bytes() == index
    assert repo.git("rev-parse", "HEAD") == head
    assert repo.git("for-each-ref", "--format=%(refname)").split() == ["refs/heads/main", PROOF]


@pytest.mark.e2e
def test_so_many_that_git_spreads_them_over_folders(repo):
    names = commits(repo, 300)
    for number, name in enumerate(names):
        repo.git("notes", "--ref=ralph-proof", "add", "-m", f"note {number}", name)
    assert "/" in repo.git("ls-tree", "-r", "--name-only", PROOF).splitlines()[0]
    write(repo, b"new\n", names[7])
    found = repo.git("notes", "--ref=ralph-proof", "list").splitlines()
    assert len(found) == len(names)
    assert [read(repo, names[number]) for number in (6, 7, 8)] == [b"note 6\n", b"new\n", b"note 8\n"]


def test_without_an_identity_ralph_is_the_author(repo):
    repo.git("config", "--unset", "user.name")
    repo.git("config", "--unset", "user.email")
    write(repo)
    assert repo.git("log", "-1", "--format=%an <%ae>", PROOF).strip() == "ralph <ralph@localhost>"


def test_a_commit_that_is_not_there_is_named(repo):
    with pytest.raises(StateError, match="no commit nothing"):
        write(repo, commit="nothing")


def test_many_at_once_all_leave_theirs(repo):
    names = commits(repo, 8)

    async def write_all():
        await asyncio.gather(*(write_note(repository(repo), name, name.encode()) for name in names))

    asyncio.run(write_all())
    assert [read(repo, name) for name in names] == [name.encode() for name in names]


def test_several_processes_lose_none(repo):
    names = commits(repo, 12)
    program = (
        "import asyncio, os, sys\nfrom pathlib import Path\n"
        "from ralph.git.notes import write_note\nfrom ralph.git.repository import Repository\n"
        "from ralph.workbench.bench import Workbench\n"
        "repository = Repository(Workbench(Path.cwd(), os.environ, 'r'))\n"
        "for commit in sys.argv[1:]:\n    asyncio.run(write_note(repository, commit, commit.encode()))\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, *names[place::3]], cwd=repo.path, env=repo.env)
        for place in range(3)
    ]
    assert [process.wait(60) for process in started] == [0, 0, 0]
    assert [read(repo, name) for name in names] == [name.encode() for name in names]


class TestRemote:
    @pytest.fixture
    def clones(self, repo, tmp_path):
        """Two clones of a bare repository."""
        commits(repo, 3)
        repo.git("clone", "--quiet", "--bare", str(repo.path), str(tmp_path / "origin.git"))
        for name in ("one", "two"):
            repo.git("clone", "--quiet", str(tmp_path / "origin.git"), str(tmp_path / name))
            for setting in ("user.name", "user.email"):
                repo.git("-C", str(tmp_path / name), "config", setting, "test@example.invalid")
        return tmp_path / "one", tmp_path / "two"

    def push(self, repo, path):
        asyncio.run(push_notes(repository(repo, path), "origin"))

    def fetch(self, repo, path, remote="origin"):
        return asyncio.run(fetch_notes(repository(repo, path), remote))

    @pytest.mark.parametrize("remote", ["origin", ""])
    def test_notes_reach_another_clone(self, repo, clones, remote):
        one, two = clones
        assert not self.fetch(repo, two, remote)
        write(repo, path=one)
        self.push(repo, one)
        assert self.fetch(repo, two, remote)
        assert read(repo, path=two) == TEXT
        assert repo.git("-C", str(two), "for-each-ref", "refs/ralph") == ""
        assert not (two / ".git/FETCH_HEAD").exists()

    def test_notes_on_both_sides_are_all_kept(self, repo, clones):
        one, two = clones
        write(repo, b"one\n", "HEAD~1", one)
        write(repo, b"both one\n", "HEAD", one)
        self.push(repo, one)
        write(repo, b"two\n", "HEAD~2", two)
        write(repo, b"both two\n", "HEAD", two)
        self.push(repo, two)
        assert [read(repo, name, two) for name in ("HEAD~1", "HEAD~2", "HEAD")] == [b"one\n", b"two\n", b"both two\n"]
        assert self.fetch(repo, one)
        assert [read(repo, name, one) for name in ("HEAD~1", "HEAD~2")] == [b"one\n", b"two\n"]
        self.push(repo, one)

    def test_notes_that_have_no_history_in_common_are_merged(self, repo, clones):
        one, two = clones
        repo.git("-C", str(one), "notes", "--ref=ralph-proof", "add", "-m", "theirs", "HEAD~1")
        self.push(repo, one)
        write(repo, path=two)
        assert self.fetch(repo, two)
        assert (read(repo, "HEAD~1", two), read(repo, path=two)) == (b"theirs\n", TEXT)

    def test_what_is_here_already_changes_nothing(self, repo, clones):
        one, _ = clones
        write(repo, path=one)
        self.push(repo, one)
        before = repo.git("-C", str(one), "rev-parse", PROOF)
        assert self.fetch(repo, one)
        self.push(repo, one)
        assert repo.git("-C", str(one), "rev-parse", PROOF) == before

    def test_a_remote_that_is_not_there_is_an_error_only_if_it_was_named(self, repo):
        assert not self.fetch(repo, repo.path, "")
        repo.git("remote", "add", "origin", "/nowhere")
        assert not self.fetch(repo, repo.path, "")
        with pytest.raises(StateError, match="fetch"):
            self.fetch(repo, repo.path, "origin")
        with pytest.raises(StateError, match="push"):
            asyncio.run(push_notes(repository(repo), "--upload-pack=touch ran"))
        assert not (repo.path / "ran").exists()

    def test_a_remote_that_refuses_is_asked_once(self, repo, clones, tmp_path):
        hook = tmp_path / "origin.git/hooks/pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\necho again >> pushed\nexit 1\n")
        hook.chmod(0o755)
        write(repo, path=clones[0])
        with pytest.raises(StateError, match="push"):
            self.push(repo, clones[0])
        assert (tmp_path / "origin.git/pushed").read_text() == "again\n"
