"""The worktree that only ralph uses: exactly one tree, whatever checks and agents did to it."""

import asyncio
import os
import shutil
import stat
import subprocess
import sys
import time
import zlib
from itertools import count
from pathlib import Path

import pytest

from git_calls import GitCalls
from git_kills import killed
from ralph.git.repository import Repository
from ralph.git.rules import record_rules
from ralph.git.trees import compose_tree
from ralph.git.verification import VerificationWorktree, put_away_all
from ralph.model.errors import ConfigError, StateError
from ralph.model.evidence import Evidence
from ralph.model.proof import NewFile
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench

BY = "ralph <ralph@localhost> 946684800"
FILES = {"a.py": "a\n", "sub/b.py": "b\n", "sub/deep/c.py": "c\n", ".gitignore": "*.o\n__pycache__/\nmade/\n"}


class Scene:
    def __init__(self, repo, project=None, **env):
        self.repo = repo
        self.repository = Repository(Workbench(project or repo.path, {**repo.env, **env}, "r"))
        self.project = project or repo.path
        self.runs = []
        self.worktree = self.open()

    def open(self, rules=None, name="T-1"):
        return asyncio.run(VerificationWorktree.open(self.repository, self.project, name, rules))

    @property
    def path(self):
        return self.worktree.path

    def at(self, tree="HEAD", **more):
        return asyncio.run(self.worktree.at(tree, **more))

    def differs(self, tree="HEAD"):
        return asyncio.run(self.worktree.differs(tree))

    def compose(self, files, start="HEAD"):
        changes = {name: None if text is None else NewFile("100644", text.encode()) for name, text in files.items()}
        return asyncio.run(compose_tree(self.repository, start, changes))

    def set_up(self, command="", copy=(), *, passes=True, **more):
        async def run(folder):
            self.runs.append(folder)
            done = await asyncio.to_thread(subprocess.run, ["sh", "-c", command], cwd=folder, env=self.repo.env)
            return Evidence("init", passed=passes and done.returncode == 0, reason=f"exit code {done.returncode}")

        return asyncio.run(self.worktree.set_up(list(copy), command, run, **more))

    def files(self):
        found = (path for path in self.path.rglob("*") if not path.is_dir() or path.is_symlink())
        return sorted(str(path.relative_to(self.path)) for path in found if path.name != ".git")

    def git(self, *arguments):
        return self.repo.git("-C", str(self.path), *arguments)


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, FILES)


@pytest.fixture
def scene(repo):
    scene = Scene(repo)
    yield scene
    scene.worktree.close()


def change(repo, files):
    """A commit on top, and its name."""
    for name, text in files.items():
        repo.write(name, text)
    repo.commit_all("change")
    return repo.git("rev-parse", "HEAD").strip()


def own_index(scene):
    return Path(scene.git("rev-parse", "--absolute-git-dir").strip()) / "ralph-index"


def rewrite(repo, of, like):
    """Give the object of one name the content of another, under the same hash."""
    name, other = (repo.git("rev-parse", each).strip() for each in (of, like))
    objects = repo.path / ".git/objects"
    path = objects / name[:2] / name[2:]
    path.chmod(0o644)
    path.write_bytes((objects / other[:2] / other[2:]).read_bytes())


class TestAt:
    def test_it_lies_in_the_project_and_has_the_tree(self, scene):
        folder = scene.at()
        assert folder == scene.path == scene.repo.path / ".ralph/worktrees/.verify-T-1"
        assert scene.files() == sorted(FILES)
        assert scene.differs() == []

    def test_for_git_it_is_a_clean_checkout_of_the_commit(self, scene):
        scene.at()
        assert scene.git("rev-parse", "HEAD") == scene.repo.git("rev-parse", "HEAD")
        assert scene.git("status", "--porcelain", "--ignored") == ""
        assert scene.git("branch", "--show-current") == ""

    def test_another_tree_takes_its_place(self, scene):
        first = scene.repo.git("rev-parse", "HEAD").strip()
        (scene.repo.path / "sub/b.py").unlink()
        second = change(scene.repo, {"a.py": "other\n", "new.py": "new\n"})
        for commit, files in ((second, {"a.py", "new.py"}), (first, {"a.py", "sub/b.py"}), (second, {"new.py"})):
            scene.at(commit)
            assert scene.differs(commit) == []
            assert files <= set(scene.files())
            assert (scene.path / "a.py").read_text() == ("other\n" if commit == second else "a\n")
        assert "sub/b.py" not in scene.files()

    def test_a_composed_tree_has_a_commit_that_is_always_the_same(self, scene):
        tree = scene.compose({"x.py": "x\n"})
        scene.at(tree)
        commit = scene.git("rev-parse", "HEAD").strip()
        assert scene.git("rev-parse", "HEAD^{tree}").strip() == tree
        assert scene.git("log", "--format=%an <%ae> %at %cn <%ce> %ct %s") == f"{BY} {BY} verify\n"
        scene.git("fsck", "--strict")
        assert scene.git("status", "--porcelain") == ""
        scene.at()
        scene.at(tree)
        assert scene.git("rev-parse", "HEAD").strip() == commit
        assert scene.repo.git("for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]

    def test_an_unchanged_tree_is_not_written_again(self, scene, tmp_path):
        scene.at()
        before = {name: (scene.path / name).stat().st_mtime_ns for name in FILES}
        calls = GitCalls(tmp_path, scene.repo.env["PATH"])
        again = Scene(scene.repo, PATH=calls.env["PATH"])
        scene.worktree.close()
        again.at()
        assert {name: (scene.path / name).stat().st_mtime_ns for name in FILES} == before
        made = len(calls.made)
        again.at()
        assert {name: (scene.path / name).stat().st_mtime_ns for name in FILES} == before
        assert {call.split()[0] for call in calls.made[made:]} <= {"ls-files", "cat-file"}
        again.worktree.close()

    def test_a_file_where_a_folder_was_and_the_reverse(self, scene):
        odd = scene.compose({"sub/b.py": None, "sub/deep.py": "x\n"})
        (tree,) = (asyncio.run(compose_tree(scene.repository, odd, {"sub": NewFile("100644", b"file\n")})),)
        other = asyncio.run(compose_tree(scene.repository, "HEAD", {"a.py/inside": NewFile("100644", b"x\n")}))
        for wanted in ("HEAD", tree, other, tree, "HEAD"):
            scene.at(wanted)
            assert scene.differs(wanted) == []

    def test_any_name_mode_and_link_will_do(self, scene, tmp_path):
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "secret").write_text("secret")
        names = [os.fsdecode(b"not-\xff"), "new\nline", '"q"', "-rf", ":(top)x", "Case.py", "case.py", "ü"]
        changes = {name: NewFile("100644", b"x\n") for name in names}
        changes["run me"] = NewFile("100755", b"#!/bin/sh\n")
        changes["out"] = NewFile("120000", os.fsencode(outside))
        changes["up"] = NewFile("120000", b"../../..")
        tree = asyncio.run(compose_tree(scene.repository, "HEAD", changes))
        scene.at(tree)
        assert scene.differs(tree) == []
        assert (scene.path / "run me").stat().st_mode & stat.S_IXUSR
        assert (scene.path / "out").readlink() == outside
        scene.at()
        assert scene.files() == sorted(FILES)
        assert (outside / "secret").read_text() == "secret"

    def test_a_project_in_a_folder_of_its_repository(self, repo):
        scene = Scene(repo, repo.path / "sub")
        assert scene.at() == scene.path / "sub"
        assert (scene.path / "a.py").is_file()
        assert scene.path.parent == repo.path / "sub/.ralph/worktrees"
        without = scene.compose({"sub/b.py": None})
        tree = asyncio.run(compose_tree(scene.repository, without, {"sub/deep/c.py": None}))
        assert scene.at(tree).is_dir()
        scene.worktree.close()

    def test_a_shallow_clone_will_do(self, repo, tmp_path):
        change(repo, {"a.py": "2\n"})
        repo.git("clone", "--quiet", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))
        scene = Scene(repo, tmp_path / "shallow")
        scene.at()
        assert (scene.path / "a.py").read_text() == "2\n"
        assert scene.differs() == []
        scene.worktree.close()

    def test_a_partial_clone_fetches_what_it_needs(self, repo, tmp_path):
        repo.git("config", "uploadpack.allowFilter", "true")
        repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
        clone = tmp_path / "partial"
        repo.git("clone", "--quiet", "--filter=blob:none", "--no-checkout", f"file://{repo.path}", str(clone))
        scene = Scene(repo, clone)
        rules = asyncio.run(record_rules(scene.repository, "HEAD"))
        scene.worktree = scene.open(rules)
        scene.at()
        assert (scene.path / "sub/deep/c.py").read_text() == "c\n"
        scene.worktree.close()

    def test_an_unknown_tree_is_refused(self, scene):
        with pytest.raises(ConfigError, match="no commit and no tree"):
            scene.at("0" * 40)


class TestClean:
    def test_what_a_check_left_is_gone(self, scene):
        scene.at()
        for name in ("new.py", "x.o", "made/lib/deep", "__pycache__/a.pyc", "sub/deep/__pycache__/c.pyc", "empty/x"):
            file = scene.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("x")
        (scene.path / "empty/x").unlink()
        (scene.path / "nowhere").symlink_to("nothing")
        scene.repo.git("init", "--quiet", str(scene.path / "nested"))
        (scene.path / "nested/file").write_text("x")
        os.mkfifo(scene.path / "pipe")
        assert scene.differs() == ["nested/", "new.py", "nowhere"]
        scene.at()
        assert scene.files() == sorted(FILES)
        assert not (scene.path / "empty").exists()
        assert not (scene.path / "nested").exists()

    def test_what_a_check_changed_is_as_it_was(self, scene):
        scene.at()
        (scene.path / "a.py").write_text("evil\n")
        (scene.path / "sub/b.py").unlink()
        shutil.rmtree(scene.path / "sub/deep")
        (scene.path / "sub/deep").write_text("a file now\n")
        (scene.path / ".gitignore").chmod(0o755)
        assert scene.differs() == [".gitignore", "a.py", "sub/b.py", "sub/deep", "sub/deep/c.py"]
        scene.at()
        assert scene.differs() == []
        assert (scene.path / "a.py").read_text() == "a\n"

    def test_a_link_in_the_place_of_a_folder_is_not_followed(self, scene, tmp_path):
        scene.at()
        outside = tmp_path / "outside"
        shutil.move(scene.path / "sub", outside)
        (scene.path / "sub").symlink_to(outside)
        assert scene.differs() == ["sub"]
        # Behind it are the very files of the tree.
        scene.at()
        assert scene.differs() == []
        shutil.rmtree(scene.path / "sub")
        (scene.path / "sub").symlink_to(outside)
        (outside / "b.py").write_text("the user's\n")
        scene.at()
        assert not (scene.path / "sub").is_symlink()
        assert (outside / "b.py").read_text() == "the user's\n"
        assert scene.differs() == []

    def test_a_change_that_keeps_size_and_time_is_noticed(self, scene):
        scene.at()
        file = scene.path / "a.py"
        before = file.stat()
        file.write_text("b\n")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert scene.differs() == ["a.py"]
        scene.at()
        assert file.read_text() == "a\n"

    def test_a_change_in_the_second_of_the_checkout_is_noticed_whatever_time_the_index_has(self, scene):
        """Git need not compare less than whole seconds, and then only the time of the index says that it must read."""
        scene.at()
        file = scene.path / "a.py"
        before = file.stat()
        file.write_text("b\n")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        later = time.time() + 60
        os.utime(own_index(scene), (later, later))
        assert scene.differs() == ["a.py"]
        scene.at()
        assert file.read_text() == "a\n"

    def test_a_change_that_git_was_told_to_overlook_is_noticed(self, scene):
        scene.at()
        for flag in ("--assume-unchanged", "--skip-worktree"):
            scene.git("update-index", flag, "a.py", "sub/b.py")
        scene.repo.write(".git/info/exclude", "*\n")
        scene.repo.git("config", "core.excludesFile", str(scene.repo.path / ".git/info/exclude"))
        scene.repo.git("config", "core.trustctime", "false")
        (scene.path / "a.py").write_text("evil\n")
        (scene.path / "new.py").write_text("evil\n")
        assert scene.differs() == ["a.py", "new.py"]

    def test_an_index_that_a_check_has_written_is_not_believed(self, scene):
        scene.at()
        index = own_index(scene)
        (scene.path / "a.py").write_text("evil\n")
        scene.repo.run(
            "git", "-C", str(scene.path), "add", "a.py", env={"GIT_INDEX_FILE": str(index)}
        ).check_returncode()
        assert scene.differs() == ["a.py"]
        scene.at()
        assert (scene.path / "a.py").read_text() == "a\n"
        index.write_bytes(b"nonsense")
        scene.at()
        index.unlink()
        (scene.path / "a.py").write_text("evil\n")
        scene.at()
        assert (scene.path / "a.py").read_text() == "a\n"

    def test_read_only_folders_of_a_check_are_no_obstacle(self, scene):
        scene.at()
        folder = scene.path / "made/locked"
        folder.mkdir(parents=True)
        (folder / "file").write_text("x")
        folder.chmod(0o500)
        scene.at()
        assert scene.files() == sorted(FILES)

    def test_what_is_ignored_stays_for_a_check_that_needs_it(self, scene):
        scene.at()
        for name in ("made/lib", "x.o", "new.py", "__pycache__/a.pyc", "made/__pycache__/b.pyc", "a.pyc"):
            file = scene.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("x")
        (scene.path / "a.py").write_text("evil\n")
        scene.at(keep_ignored=True)
        assert scene.files() == sorted([*FILES, "made/lib", "x.o"])
        assert (scene.path / "a.py").read_text() == "a\n"

    def test_compiled_files_that_the_tree_holds_stay(self, scene):
        tree = scene.compose({"a.pyc": "compiled\n"})
        scene.at(tree)
        scene.at(tree, keep_ignored=True)
        assert "a.pyc" in scene.files()


class TestWhatGitIsTold:
    def test_nothing_that_an_agent_told_git_has_an_effect(self, scene, tmp_path):
        ran = tmp_path / "ran"
        for name in ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"):
            scene.repo.write(f".git/hooks/{name}", f"#!/bin/sh\ntouch {ran}\n").chmod(0o755)
        settings = {
            "filter.evil.smudge": f"touch {ran}; echo evil",
            "filter.evil.clean": f"touch {ran}; echo evil",
            "core.fsmonitor": f"touch {ran}; false",
            "core.autocrlf": "true",
            "core.eol": "crlf",
            "core.sparseCheckout": "true",
            "core.symlinks": "false",
            "core.fileMode": "false",
            "core.attributesFile": str(tmp_path / "attributes"),
            "core.hooksPath": str(scene.repo.path / ".git/hooks"),
            "core.alternateRefsCommand": f"touch {ran}",
        }
        for name, value in settings.items():
            scene.repo.git("config", name, value)
        (tmp_path / "attributes").write_text("* filter=evil\n")
        scene.repo.write(".git/info/attributes", "* filter=evil text eol=crlf\n")
        scene.repo.write(".git/info/sparse-checkout", "/sub/\n")
        tree = asyncio.run(
            compose_tree(
                scene.repository,
                "HEAD",
                {
                    ".gitattributes": NewFile("100644", b"* filter=evil text eol=crlf ident export-ignore\n"),
                    "id.py": NewFile("100644", b"$Id$\n"),
                    "link": NewFile("120000", b"a.py"),
                },
            )
        )
        scene.at(tree)
        assert scene.files() == sorted([*FILES, ".gitattributes", "id.py", "link"])
        assert [(scene.path / name).read_bytes() for name in ("a.py", "id.py")] == [b"a\n", b"$Id$\n"]
        assert (scene.path / "link").is_symlink()
        assert scene.differs(tree) == []
        assert not ran.exists()

    def test_replaced_objects_have_no_effect(self, scene):
        head = scene.repo.git("rev-parse", "HEAD").strip()
        weak = scene.compose({"a.py": "weak\n"})
        scene.repo.git("replace", scene.repo.git("rev-parse", "HEAD^{tree}").strip(), weak)
        scene.repo.git("replace", scene.repo.git("rev-parse", "HEAD:sub/b.py").strip(), f"{weak}:a.py")
        scene.at(head)
        assert (scene.path / "a.py").read_text() == "a\n"
        assert (scene.path / "sub/b.py").read_text() == "b\n"

    def test_an_object_that_was_rewritten_is_found_before_a_check_runs(self, scene):
        blob = scene.repo.git("rev-parse", "HEAD:a.py").strip()
        path = scene.repo.path / ".git/objects" / blob[:2] / blob[2:]
        path.chmod(0o644)
        path.write_bytes(zlib.compress(b"blob 5\0weak\n"))
        with pytest.raises(StateError, match=f"the object {blob} of git is not what its name says"):
            scene.at()

    def test_a_folder_that_was_rewritten_is_found_before_a_check_runs(self, scene):
        weak = scene.compose({"sub/b.py": "weak\n"})
        content = subprocess.run(
            ["git", "cat-file", "tree", f"{weak}:sub"],
            cwd=scene.repo.path,
            env=scene.repo.env,
            capture_output=True,
            check=True,
        ).stdout
        name = scene.repo.git("rev-parse", "HEAD:sub").strip()
        path = scene.repo.path / ".git/objects" / name[:2] / name[2:]
        path.chmod(0o644)
        path.write_bytes(zlib.compress(b"tree %d\0" % len(content) + content))
        with pytest.raises(StateError, match="is not what its name says"):
            scene.at()

    @pytest.mark.parametrize("of", ["HEAD^{tree}", "HEAD:sub", "HEAD:a.py"])
    def test_an_object_that_was_rewritten_by_a_check_does_not_come_back_with_the_tree(self, scene, of):
        """What a check has changed is written again from the objects, which it may have rewritten before."""
        tree, weak = (
            scene.repo.git("rev-parse", "HEAD^{tree}").strip(),
            scene.compose({"a.py": "w\n", "sub/b.py": "w\n"}),
        )
        scene.at(tree)
        rewrite(scene.repo, of, of.replace("HEAD^{tree}", weak).replace("HEAD", weak))
        (scene.path / "a.py").write_text("evil\n")
        with pytest.raises(StateError):
            scene.at(tree)

    @pytest.mark.parametrize("of", ["", ":sub", ":a.py"])
    def test_an_object_that_was_rewritten_is_found_where_another_tree_is_already_there(self, scene, of):
        scene.at()
        tree, weak = (scene.compose({"a.py": text, "sub/b.py": text}) for text in ("right\n", "wrong\n"))
        rewrite(scene.repo, f"{tree}{of}", f"{weak}{of}")
        with pytest.raises(StateError):
            scene.at(tree)

    def test_a_filter_of_the_users_is_applied(self, repo):
        repo.git("config", "filter.upper.clean", "tr a-z A-Z")
        repo.git("config", "filter.upper.smudge", "tr A-Z a-z")
        change(repo, {".gitattributes": "*.up filter=upper\n", "x.up": "text\n"})
        scene = Scene(repo)
        scene.worktree = scene.open(asyncio.run(record_rules(scene.repository, "HEAD")))
        repo.git("config", "filter.upper.smudge", "echo evil")
        scene.at()
        assert repo.git("cat-file", "blob", "HEAD:x.up") == "TEXT\n"
        assert (scene.path / "x.up").read_text() == "text\n"
        assert scene.differs() == []
        (scene.path / "x.up").write_text("texT!\n")
        assert scene.differs() == ["x.up"]
        scene.worktree.close()

    def test_pointers_of_large_files_stay_where_the_program_is_missing(self, repo):
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
        for what in ("clean", "smudge", "process"):
            repo.git("config", f"filter.lfs.{what}", f"git-lfs {what} -- %f")
        commit = change(repo, {"x.bin": pointer})
        repo.git("config", "filter.lfs.required", "true")
        tree = asyncio.run(
            compose_tree(
                Repository(Workbench(repo.path, repo.env, "r")),
                commit,
                {".gitattributes": NewFile("100644", b"*.bin filter=lfs\n")},
            )
        )
        scene = Scene(repo)
        if shutil.which("git-lfs", path=repo.env["PATH"]):
            pytest.skip("git-lfs is installed here")
        scene.worktree = scene.open(asyncio.run(record_rules(scene.repository, tree)))
        scene.at(tree)
        assert (scene.path / "x.bin").read_text() == pointer
        scene.worktree.close()


class TestBroken:
    @pytest.mark.parametrize(
        "harm",
        [
            "rm .git",
            "rm .git; git init -q .",
            "rm .git; ln -s /nowhere .git",
            "echo nonsense > .git",
            "rm -rf .git * .gitignore",
            "git checkout -q -b theirs; echo x > new.py; git add new.py; git commit -q -m theirs",
            "git update-ref HEAD $(git commit-tree -m x $(git hash-object -w -t tree /dev/null))",
            "git symbolic-ref HEAD refs/heads/main",
            "touch $(git rev-parse --git-dir)/index.lock",
            "git worktree remove --force .",
            "cd ..; rm -rf .verify-T-1",
            "cd ..; rm -rf .verify-T-1; echo file > .verify-T-1",
            "cd ..; mv .verify-T-1 elsewhere; ln -s elsewhere .verify-T-1",
            "cd ..; rm -rf .verify-T-1; git -C ../.. worktree prune",
            "rm -rf $(git rev-parse --git-dir)",
            "git config core.worktree /nowhere",
            "git rev-parse HEAD > $(git rev-parse --git-dir)/MERGE_HEAD",
        ],
    )
    def test_it_is_whole_again_after_whatever_a_check_did(self, scene, harm):
        scene.at()
        env = {
            **scene.repo.env,
            **{f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        subprocess.run(["sh", "-c", harm], cwd=scene.path, env=env, check=True)
        tree = scene.compose({"x.py": "x\n"})
        for wanted in ("main", tree):
            scene.at(wanted)
            assert scene.differs(wanted) == []
            assert "sub/deep/c.py" in scene.files()
            assert not scene.path.is_symlink()
        commit = scene.repo.git("rev-parse", "main").strip()
        scene.at(commit)
        scene.repo.git("config", "--unset-all", "core.worktree") if "core.worktree" in harm else None
        assert scene.git("rev-parse", "HEAD").strip() == commit
        assert scene.git("status", "--porcelain") == ""

    def test_what_a_killed_ralph_left_half_made_is_made_anew(self, scene):
        scene.at()
        admin = Path(scene.git("rev-parse", "--absolute-git-dir").strip())
        (admin / "locked").write_text("initializing")
        shutil.rmtree(scene.path / "sub")
        scene.worktree.close()
        scene.worktree = scene.open()
        scene.at()
        assert scene.differs() == []
        assert scene.files() == sorted(FILES)

    def test_a_project_that_was_moved_keeps_it(self, scene, tmp_path):
        scene.at()
        (scene.path / "made").mkdir()
        scene.worktree.close()
        moved = tmp_path / "moved"
        scene.repo.path.rename(moved)
        other = Scene.__new__(Scene)
        other.repo, other.project = scene.repo, moved
        other.repository = Repository(Workbench(moved, scene.repo.env, "r"))
        other.worktree = other.open()
        other.at()
        assert other.differs() == []
        listed = subprocess.run(
            ["git", "worktree", "list"], cwd=moved, env=scene.repo.env, capture_output=True, text=True, check=True
        ).stdout
        assert len(listed.splitlines()) == 2
        other.worktree.close()
        moved.rename(scene.repo.path)

    def test_a_copy_of_a_project_has_one_of_its_own(self, scene, tmp_path):
        scene.at()
        scene.worktree.close()
        copied = tmp_path / "copied"
        shutil.copytree(scene.repo.path, copied, symlinks=True)
        other = Scene(scene.repo, copied)
        other.at()
        (other.path / "a.py").write_text("evil\n")
        other.at()
        other.worktree.close()
        scene.worktree = scene.open()
        scene.at()
        assert scene.differs() == []

    def test_two_processes_never_have_the_same_one(self, scene):
        scene.at()
        program = (
            "import asyncio, os, sys\nfrom pathlib import Path\n"
            "from ralph.git.repository import Repository\n"
            "from ralph.git.verification import VerificationWorktree\n"
            "from ralph.workbench.bench import Workbench\n"
            "async def main(project):\n"
            "    repository = Repository(Workbench(project, os.environ, 'other'))\n"
            "    worktree = await VerificationWorktree.open(repository, project, 'T-1')\n"
            "    await worktree.at('HEAD')\n"
            "asyncio.run(main(Path(sys.argv[1])))\n"
        )
        other = scene.repo.run(sys.executable, "-c", program, str(scene.repo.path))
        assert other.returncode == 1
        assert "another ralph verifies in" in other.stderr
        scene.worktree.close()
        assert scene.repo.run(sys.executable, "-c", program, str(scene.repo.path)).returncode == 0

    def test_put_away_it_is_no_part_of_the_project_and_comes_back_as_it_was(self, scene):
        scene.at()
        inode = (scene.path / "a.py").stat().st_ino
        scene.worktree.put_away()
        assert not scene.path.exists()
        found = [path for path in scene.repo.path.rglob("c.py") if ".git" not in path.parts]
        assert found == [scene.repo.path / "sub/deep/c.py"]
        assert scene.differs() == []
        assert (scene.path / "a.py").stat().st_ino == inode
        scene.worktree.close()
        assert not scene.path.exists()
        scene.worktree = scene.open()
        scene.at()
        assert (scene.path / "a.py").stat().st_ino == inode
        assert len(scene.repo.git("worktree", "list").splitlines()) == 2

    @pytest.mark.parametrize(
        "harm", ["mkdir -p {0}; echo evil > {0}/a.py", "ln -s /tmp {0}", "git worktree prune", "echo evil > {1}/a.py"]
    )
    def test_while_it_is_away_nobody_can_change_what_is_checked(self, scene, harm):
        scene.at()
        scene.worktree.put_away()
        [away] = (scene.repo.path / ".git/worktrees").glob("*/ralph-idle")
        assert scene.repo.run("sh", "-c", harm.format(scene.path, away)).returncode == 0
        scene.at()
        assert scene.differs() == []
        assert (scene.path / "a.py").read_text() == "a\n"

    def test_what_a_killed_ralph_left_in_the_project_is_put_away_unless_another_one_uses_it(self, scene):
        scene.at()
        asyncio.run(put_away_all(scene.repository, scene.project))
        assert (scene.path / "a.py").exists()
        scene.worktree._place._lock.close()
        asyncio.run(put_away_all(scene.repository, scene.project))
        assert not scene.path.exists()

    def test_a_project_that_was_moved_while_it_was_away_keeps_it(self, scene, tmp_path):
        scene.at()
        inode = (scene.path / "a.py").stat().st_ino
        scene.worktree.close()
        moved = tmp_path / "moved"
        scene.repo.path.rename(moved)
        other = Scene.__new__(Scene)
        other.repo, other.project = scene.repo, moved
        other.repository = Repository(Workbench(moved, scene.repo.env, "r"))
        other.worktree = other.open()
        other.at()
        assert (other.path / "a.py").stat().st_ino == inode
        other.worktree.close()
        moved.rename(scene.repo.path)

    def test_removed_it_leaves_nothing(self, scene):
        scene.at()
        asyncio.run(scene.worktree.remove())
        assert list((scene.repo.path / ".ralph/worktrees").iterdir()) == []
        assert len(scene.repo.git("worktree", "list").splitlines()) == 1
        assert not (scene.repo.path / ".git/worktrees").exists()
        scene.at()
        assert scene.differs() == []


class TestSetUp:
    def test_what_init_made_stays_and_the_rest_goes(self, scene):
        assert scene.set_up("mkdir -p made/lib && echo 1 > made/lib/x && echo 2 > tool.cfg && echo evil > a.py") == ""
        assert scene.runs == [scene.worktree.folder]
        scene.at()
        (scene.path / "made/lib/later").write_text("of a check")
        (scene.path / "made/later").mkdir()
        (scene.path / "other").write_text("of a check")
        assert scene.differs() == ["other"]
        scene.at(scene.compose({"x.py": "x\n"}))
        assert scene.files() == sorted([*FILES, "made/lib/x", "tool.cfg", "x.py"])
        assert not (scene.path / "made/later").exists()
        assert (scene.path / "a.py").read_text() == "a\n"
        assert len(scene.runs) == 1

    def test_files_are_lent_as_to_a_task(self, scene):
        scene.repo.write(".env", "A=1\n")
        scene.repo.write("config/local.json", "{}")
        assert scene.set_up("test -f .env && echo ok > made.o", [".env", "config/*.json"]) == ""
        assert scene.worktree.lent.copied == (".env", "config/local.json")
        scene.at()
        assert scene.differs() == []
        assert set(scene.files()) - set(FILES) == {".env", "config/local.json", "made.o"}

    @pytest.mark.parametrize(
        "harm",
        [
            "echo evil > made/x",
            "rm made/x",
            "chmod +x made/x",
            "ln -sf /etc/passwd made/x",
            "mv made other; mkdir made",
            "echo y > made/y; touch -r made/x made/y; mv made/y made/x",
            "rm -rf made; echo file > made",
            "rm made/link; ln -s elsewhere made/link",
        ],
    )
    def test_what_a_check_changed_of_what_init_made_is_made_again(self, scene, harm):
        scene.set_up("mkdir made && echo x > made/x && ln -s nowhere made/link")
        digest = scene.worktree.setup_digest
        scene.at()
        assert len(scene.runs) == 1
        subprocess.run(["sh", "-c", harm], cwd=scene.path, check=True)
        scene.at()
        assert len(scene.runs) == 2
        assert ((scene.path / "made/x").read_text(), str((scene.path / "made/link").readlink())) == ("x\n", "nowhere")
        assert sorted(path.name for path in (scene.path / "made").iterdir()) == ["link", "x"]
        assert scene.worktree.setup_digest == digest
        scene.at()
        assert len(scene.runs) == 2

    def test_a_set_up_that_cannot_be_made_again_is_an_error(self, scene, tmp_path):
        scene.set_up(f"test ! -e {tmp_path}/gone && mkdir made && echo x > made/x")
        (tmp_path / "gone").touch()
        (scene.path / "made/x").write_text("evil")
        with pytest.raises(StateError, match="could not be prepared: exit code 1"):
            scene.at()

    def test_a_file_that_was_only_touched_is_not_made_again(self, scene):
        scene.set_up("mkdir made && echo x > made/x")
        (scene.path / "made/x").touch()
        scene.at()
        assert len(scene.runs) == 1

    def test_a_file_of_the_tree_in_the_place_of_one_that_init_made(self, scene):
        """The tree's counts where there is one, and nothing of it is left where there is none."""
        scene.set_up("mkdir made && echo x > made/x")
        tree = scene.compose({"made/x": "of the change\n"})
        scene.at(tree)
        assert (scene.path / "made/x").read_text() == "of the change\n"
        assert scene.differs(tree) == []
        assert len(scene.runs) == 1
        scene.at()
        assert (scene.path / "made/x").read_text() == "x\n"
        assert len(scene.runs) == 2

    def test_a_link_to_a_folder_elsewhere_stays(self, scene, tmp_path):
        """As many do with dependencies that are large."""
        (tmp_path / "shared").mkdir()
        (tmp_path / "shared/lib").write_text("library")
        scene.set_up(f"ln -s {tmp_path}/shared made; ln -s {tmp_path}/shared linked")
        tree = scene.compose({"x.py": "x\n"})
        for each in ("HEAD", tree):
            scene.at(each)
            assert (scene.path / "made/lib").read_text() == (scene.path / "linked/lib").read_text() == "library"
            assert scene.differs(each) == []
        assert len(scene.runs) == 1

    def test_a_link_of_inits_in_the_place_of_a_folder_of_the_tree_goes(self, scene, tmp_path):
        shutil.copytree(scene.repo.path / "sub", tmp_path / "shared")
        tree = scene.compose({"linked/b.py": "b\n"})
        scene.set_up(f"ln -s {tmp_path}/shared linked")
        scene.at(tree)
        assert not (scene.path / "linked").is_symlink()
        assert scene.differs(tree) == []
        scene.at()
        assert (scene.path / "linked").is_symlink()

    def test_of_a_large_file_the_times_are_known(self, scene):
        scene.set_up("mkdir made && head -c 3000000 /dev/zero > made/large")
        file = scene.path / "made/large"
        before = file.stat()
        with file.open("r+b") as opened:
            opened.write(b"evil")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        scene.at()
        assert file.read_bytes() == b"\0" * 3_000_000

    def test_a_set_up_that_fails_says_why(self, scene):
        assert scene.set_up("exit 3") == "exit code 3"

    def test_nothing_to_set_up_runs_nothing(self, scene):
        assert scene.set_up() == ""
        assert (scene.runs, scene.worktree.setup_digest) == ([], "")

    def test_where_the_worktree_was_lost_it_is_set_up_again(self, scene):
        scene.set_up("mkdir made && echo x > made/x")
        shutil.rmtree(scene.path)
        scene.at()
        assert (len(scene.runs), (scene.path / "made/x").read_text()) == (2, "x\n")
        shutil.rmtree(scene.path)
        scene.set_up("exit 1")
        shutil.rmtree(scene.path)
        with pytest.raises(StateError, match="could not be prepared"):
            scene.at()

    def test_another_process_takes_over_what_it_knows(self, scene):
        command = "mkdir made && echo x > made/x && echo y > y.cfg"
        scene.set_up(command)
        digest = scene.worktree.setup_digest
        scene.at(scene.compose({"x.py": "x\n"}))
        scene.worktree.close()
        scene.worktree = scene.open()
        scene.set_up(command, known=digest)
        assert len(scene.runs) == 1
        scene.at()
        assert scene.files() == sorted([*FILES, "made/x", "y.cfg"])
        (scene.path / "made/x").write_text("z\n")
        scene.worktree.close()
        scene.worktree = scene.open()
        scene.set_up(command, known=digest)
        assert (len(scene.runs), (scene.path / "made/x").read_text()) == (2, "x\n")

    def test_submodules_that_init_fetched_stay_and_follow_the_tree(self, repo, tmp_path):
        library = temp_repo(tmp_path / "library", {"lib.py": "1\n"})
        first = library.git("rev-parse", "HEAD").strip()
        library.write("lib.py", "2\n")
        library.commit_all("2")
        repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
        repo.commit_all("lib")
        scene = Scene(repo)
        scene.at()
        assert list((scene.path / "lib").iterdir()) == []
        assert scene.differs() == []
        command = "git -c protocol.file.allow=always submodule --quiet update --init"
        assert scene.set_up(command) == ""
        scene.at()
        assert (scene.path / "lib/lib.py").read_text() == "2\n"
        assert scene.differs() == []
        older = scene.repo.run("git", "ls-tree", "-r", "HEAD").stdout
        assert "160000" in older
        from ralph.model.proof import TreeEntry

        tree = asyncio.run(compose_tree(scene.repository, "HEAD", {"lib": TreeEntry("160000", first)}))
        scene.at(tree)
        assert (scene.path / "lib/lib.py").read_text() == "1\n"
        assert scene.differs(tree) == []
        missing = asyncio.run(compose_tree(scene.repository, "HEAD", {"lib": TreeEntry("160000", "1" * 40)}))
        scene.at(missing)
        assert scene.differs(missing) == ["lib"]
        scene.worktree.close()

    @pytest.mark.e2e
    @pytest.mark.parametrize("harm", ["echo evil > lib/lib.py", "echo evil > lib/more.py", "rm lib/.git"])
    @pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "in another process"])
    def test_what_a_check_left_in_a_submodule_is_gone(self, repo, tmp_path, harm, elsewhere):
        library = temp_repo(tmp_path / "library", {"lib.py": "1\n"})
        repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
        repo.commit_all("lib")
        scene = Scene(repo)
        scene.set_up("git -c protocol.file.allow=always submodule --quiet update --init")
        subprocess.run(["sh", "-c", harm], cwd=scene.path, check=True)
        if elsewhere:
            scene.worktree.close()
            scene = Scene(repo)
            scene.set_up("git -c protocol.file.allow=always submodule --quiet update --init")
        scene.at()
        assert (scene.path / "lib/lib.py").read_text() == "1\n"
        assert sorted(path.name for path in (scene.path / "lib").iterdir()) == [".git", "lib.py"]
        scene.worktree.close()


KILLED_PROGRAM = """
import asyncio, os, sys
from pathlib import Path
from ralph.git.repository import Repository
from ralph.git.verification import VerificationWorktree
from ralph.model.evidence import Evidence
from ralph.workbench.bench import Workbench

async def main(project):
    repository = Repository(Workbench(project, os.environ, 'killed'))
    worktree = await VerificationWorktree.open(repository, project, 'T-1')

    async def run(folder):
        (folder / 'made').mkdir()
        (folder / 'made/x').write_text('x')
        return Evidence('init', passed=True, reason='made')

    await worktree.set_up([], 'init', run)
    await worktree.at('HEAD~1')
    await worktree.at('HEAD')

asyncio.run(main(Path(sys.argv[1])))
"""


@pytest.mark.e2e
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_any_moment_it_is_whole_the_next_time(tmp_path, after):
    for last in count():
        root = tmp_path / str(last)
        repo = temp_repo(root, {"old.py": "old\n"})
        change(repo, FILES)
        going_on = killed(repo, root, KILLED_PROGRAM, last, after=after)
        scene = Scene(repo)
        scene.at()
        assert scene.files() == sorted([*FILES, "old.py"])
        assert scene.differs() == []
        assert scene.git("status", "--porcelain", "--ignored") == ""
        assert len(repo.git("worktree", "list").splitlines()) == 2
        scene.worktree.close()
        if not going_on:
            break
    assert last >= 8


def many_files(repo, folders, files):
    for folder in range(folders):
        (repo.path / f"d{folder}").mkdir()
        for file in range(files):
            (repo.path / f"d{folder}/f{file}.py").write_text(f"# {folder} {file}\n" + "x = 1\n" * 50)
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", "many")
    repo.git("repack", "-adq")


def seen(path):
    """Each file as it was written, by its node and its time."""
    return {file: (file.stat().st_ino, file.stat().st_mtime_ns) for file in path.rglob("*.py")}


def test_many_files_are_written_once_and_asked_for_together(tmp_path):
    asked = []
    for folders in (1, 20):
        root = tmp_path / str(folders)
        repo = temp_repo(root)
        many_files(repo, folders, 100)
        calls = GitCalls(root, repo.env["PATH"])
        scene = Scene(repo, **calls.env)
        scene.at()
        before = seen(scene.path)
        scene.at()
        assert len(before) == folders * 100
        assert seen(scene.path) == before
        # One that reads objects goes when nobody has asked for a moment.
        asked.append([call.split()[0] for call in calls.made if not call.startswith("cat-file")])
        scene.worktree.close()
    assert asked[0] == asked[1], "as many questions for twenty times the files"
