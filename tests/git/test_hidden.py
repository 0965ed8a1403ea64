"""What git is told to overlook does not hide work: what is committed is what lies there, and it is said."""

import asyncio
import hashlib
import os
import shutil
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import msgspec
import pytest

from git_calls import GitCalls
from git_kills import killed
from ralph.git.hidden import hidden_work
from ralph.git.repository import Commit, Repository
from ralph.git.rules import CLOCK_TICK_NS, record_rules
from ralph.git.worktree import prepare
from ralph.model.errors import StateError
from ralph.model.git_rules import GitRules
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench

OLD, NEW = "old\n", "new!\n"


COMMITTING = """
import asyncio, os, sys
from pathlib import Path
import msgspec
from ralph.git.repository import Repository
from ralph.model.git_rules import GitRules
from ralph.workbench.bench import Workbench
rules = msgspec.json.decode(sys.argv[1], type=GitRules)
inside = Repository(Workbench(Path(sys.argv[2]), os.environ, "r"))
sys.stdout.buffer.write(msgspec.json.encode(asyncio.run(inside.commit_all("Work", rules=rules))))
"""


class Scene:
    """A task's worktree, the rules as they were before the agent ran, and the agent's own git."""

    def __init__(self, root, files, before=None, **env):
        self.repo = temp_repo(root, files)
        self.env = {**self.repo.env, **env}
        if before:
            before(self.repo)
        self.project = Repository(Workbench(self.repo.path, self.env, "r"))
        self.made = asyncio.run(prepare(self.project, project=self.repo.path, spec="s", task="T-1"))
        self.path = Path(self.made.path)
        self.inside = self.project.at(self.path)
        self.rules = asyncio.run(record_rules(self.inside, self.made.base))
        # As it is after a resume: the rules come from the journal.
        self.rules = msgspec.json.decode(msgspec.json.encode(self.rules), type=GitRules)

    def git(self, *arguments):
        return self.repo.git("-C", str(self.path), *arguments)

    def write(self, name, text):
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def info(self, name, text):
        folder = self.repo.path / ".git/info"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text)

    def commit(self):
        return asyncio.run(self.inside.commit_all("Work", rules=self.rules))

    def commit_elsewhere(self):
        """As after a resume: in a process that knows of no index."""
        env = dict(self.inside.git.env)
        arguments = msgspec.json.encode(self.rules).decode(), str(self.path)
        done = subprocess.run(
            [sys.executable, "-c", COMMITTING, *arguments], env=env, check=True, stdout=subprocess.PIPE
        )
        return msgspec.json.decode(done.stdout, type=Commit)

    def findings(self, commit=None):
        uncovered, head = (commit.uncovered, commit.commit) if commit else ((), "HEAD")
        looked = hidden_work(self.inside, self.made.base, rules=self.rules, uncovered=uncovered, head=head)
        return asyncio.run(looked)

    def stored(self, name):
        return self.blob(f"HEAD:{name}")

    def blob(self, name):
        done = self.repo.run("git", "-C", str(self.path), "cat-file", "blob", name)
        return done.stdout if done.returncode == 0 else None

    def levels(self, commit=None):
        return [found.level for found in self.findings(commit)]


@pytest.fixture
def scene(tmp_path):
    return Scene(tmp_path, {"impl.py": OLD, "other.py": OLD, ".gitignore": "# mine\n*.o\nsecret/\n"})


class TestFlags:
    @pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
    def test_a_flag_in_the_index_hides_nothing_and_is_told(self, scene, flag):
        scene.git("update-index", flag, "impl.py")
        scene.write("impl.py", NEW)
        made = scene.commit()
        assert (made.changed, scene.stored("impl.py"), made.uncovered) == (True, NEW, ("impl.py",))
        [found] = scene.findings(made)
        assert (found.rule, found.level) == ("deliver", "block")
        assert "not to look at impl.py" in found.text
        assert scene.git("status", "--porcelain") == ""
        assert not scene.commit().changed

    def test_a_flag_that_hid_nothing_is_not_told(self, scene):
        scene.git("update-index", "--assume-unchanged", "impl.py")
        scene.write("other.py", NEW)
        assert scene.commit().uncovered == ()

    def test_an_agent_that_commits_by_itself_hides_nothing_either(self, scene):
        scene.git("update-index", "--skip-worktree", "impl.py")
        scene.write("impl.py", NEW)
        scene.write("other.py", NEW)
        scene.git("commit", "--quiet", "--all", "--message", "mine")
        assert scene.stored("impl.py") == OLD
        assert scene.commit().uncovered == ("impl.py",)
        assert scene.stored("impl.py") == NEW

    def test_a_deletion_cannot_be_hidden(self, scene):
        scene.git("update-index", "--assume-unchanged", "impl.py")
        (scene.path / "impl.py").unlink()
        made = scene.commit()
        assert (scene.stored("impl.py"), made.uncovered) == (None, ("impl.py",))

    @pytest.mark.parametrize("which", ["index", "ralph-index"])
    def test_an_index_that_calls_a_changed_file_unchanged_is_not_believed(self, scene, which):
        """Its entry has all that git looks at: size, times and inode of the file as it is, and the old content."""
        scene.write("other.py", NEW)
        scene.commit()
        old = bytes.fromhex(scene.git("rev-parse", "HEAD:impl.py").strip())
        scene.write("impl.py", NEW)
        index = Path(scene.git("rev-parse", "--absolute-git-dir").strip()) / which
        env = {"GIT_INDEX_FILE": str(index)}
        scene.repo.run("git", "-C", str(scene.path), "add", "impl.py", env=env).check_returncode()
        new = bytes.fromhex(scene.git("hash-object", "impl.py").strip())
        body = index.read_bytes()[:-20].replace(new, old)
        # The tree that it remembers is not that of the entry any more.
        body = body[: body.index(b"TREE")] if b"TREE" in body else body
        index.write_bytes(body + hashlib.sha1(body, usedforsecurity=False).digest())
        later = time.time() + 10
        os.utime(index, (later, later))
        seen = scene.repo.run("git", "-C", str(scene.path), "diff-files", "--name-only", env=env)
        assert (seen.returncode, seen.stdout) == (0, "")
        assert scene.commit().changed
        assert scene.stored("impl.py") == NEW

    def test_an_index_that_git_cannot_read_is_made_anew(self, scene):
        index = Path(scene.git("rev-parse", "--absolute-git-dir").strip()) / "index"
        index.write_bytes(b"nonsense")
        scene.write("impl.py", NEW)
        assert scene.commit().changed
        assert scene.git("status", "--porcelain") == ""

    def test_times_that_were_set_back_hide_nothing(self, scene):
        scene.repo.git("config", "core.trustctime", "false")
        scene.repo.git("config", "core.checkStat", "minimal")
        scene.write("other.py", NEW)
        scene.commit()
        before = (scene.path / "impl.py").stat()
        scene.write("impl.py", "eld\n")
        os.utime(scene.path / "impl.py", ns=(before.st_atime_ns, before.st_mtime_ns))
        assert scene.commit().changed
        assert scene.stored("impl.py") == "eld\n"

    def test_what_the_agent_added_by_name_is_work_even_where_it_is_ignored(self, scene):
        scene.write("secret/key.py", "k\n")
        scene.write("secret/other.py", "o\n")
        scene.git("add", "--force", "secret/key.py")
        scene.commit()
        assert (scene.stored("secret/key.py"), scene.stored("secret/other.py")) == ("k\n", None)

    def test_a_sparse_checkout_of_the_agents_making_deletes_nothing(self, scene):
        for name in ("src/a.py", "docs/b.py", "docs/c.py"):
            scene.write(name, OLD)
        scene.commit()
        scene.git("sparse-checkout", "set", "src")
        assert not (scene.path / "docs").exists()
        scene.write("src/a.py", NEW)
        assert scene.commit().changed
        assert (scene.stored("src/a.py"), scene.stored("docs/b.py")) == (NEW, OLD)
        scene.write("docs/b.py", NEW)
        made = scene.commit()
        assert (scene.stored("docs/b.py"), scene.stored("docs/c.py"), made.uncovered) == (NEW, OLD, ("docs/b.py",))

    @pytest.mark.parametrize("where", ["here", "in another process"])
    def test_a_sparse_checkout_of_the_users_stays_as_it_is(self, tmp_path, where):
        def before(repo):
            repo.git("sparse-checkout", "set", "src")

        scene = Scene(tmp_path, {"src/a.py": OLD, "docs/b.py": OLD, "docs/c.py": OLD}, before)
        assert not (scene.path / "docs").exists()
        scene.write("src/a.py", NEW)
        made = scene.commit() if where == "here" else scene.commit_elsewhere()
        assert scene.git("diff", "--name-only", "HEAD~1", "HEAD").split() == ["src/a.py"]
        assert made.uncovered == ()
        assert scene.findings(made) == []

    def test_a_file_that_is_left_out_and_that_no_commit_has_does_no_harm(self, scene):
        blob = scene.git("rev-parse", "HEAD:impl.py").strip()
        scene.git("update-index", "--add", "--cacheinfo", f"100644,{blob},ghost.py")
        for name in ("ghost.py", "other.py"):
            scene.git("update-index", "--skip-worktree", name)
        (scene.path / "other.py").unlink()
        scene.write("impl.py", NEW)
        scene.commit()
        assert (scene.stored("impl.py"), scene.stored("other.py"), scene.stored("ghost.py")) == (NEW, OLD, None)


class TestExcludes:
    @pytest.mark.parametrize("line", ["*", "impl2.py", "/impl2.py", "impl?.py"])
    def test_a_line_in_info_exclude_hides_nothing_and_is_told(self, scene, line):
        scene.info("exclude", f"{line}\n")
        scene.write("impl2.py", NEW)
        made = scene.commit()
        assert scene.stored("impl2.py") == NEW
        [found] = scene.findings(made)
        assert (found.level, repr(line) in found.text) == ("warn", True)

    def test_a_line_that_was_there_before_the_run_is_the_users(self, tmp_path):
        def before(repo):
            (repo.path / ".git/info").mkdir()
            (repo.path / ".git/info/exclude").write_text("notes.py\n")

        scene = Scene(tmp_path, {"impl.py": OLD}, before)
        scene.write("notes.py", "mine\n")
        scene.write("impl.py", NEW)
        made = scene.commit()
        assert (scene.stored("notes.py"), scene.stored("impl.py")) == (None, NEW)
        [found] = scene.findings(made)
        assert found.text == "notes.py is ignored by .git/info/exclude:1, so it would not be delivered"

    @pytest.mark.parametrize("where", ["setting", "home"])
    def test_a_file_of_ignored_names_for_all_repositories_hides_nothing(self, tmp_path, where):
        scene = Scene(tmp_path, {"impl.py": OLD})
        file = scene.repo.home / (".config/git/ignore" if where == "home" else "mine")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("impl2.py\n")
        if where == "setting":
            scene.repo.git("config", "core.excludesFile", str(file))
        scene.write("impl2.py", NEW)
        made = scene.commit()
        assert scene.stored("impl2.py") == NEW
        found = scene.findings(made)
        assert {each.level for each in found} == {"warn"}
        assert any("'impl2.py' was written into the user's core.excludesFile" in each.text for each in found)

    def test_an_agent_that_ignores_a_folder_of_its_own_does_no_harm(self, scene):
        scene.info("exclude", "**/.claude/settings.local.json\n.aider*\n.github/\n")
        scene.write(".claude/settings.local.json", "{}")
        scene.write(".aider.chat.md", "x")
        scene.write(".github/workflows/ci.yml", "x\n")
        scene.write("impl.py", NEW)
        made = scene.commit()
        assert scene.git("diff", "--name-only", "HEAD~1", "HEAD").split() == [".github/workflows/ci.yml", "impl.py"]
        assert [".github/" in found.text for found in scene.findings(made)] == [True]


class TestIgnored:
    def test_a_new_source_is_named_with_the_rule_that_ignores_it(self, scene):
        scene.write(".gitignore", "# mine\n*.o\nimpl2.py\nlib/\n")
        scene.write("impl2.py", NEW)
        scene.write("lib/deep/core.rs", NEW)
        scene.write("lib/notes.txt", "no source\n")
        scene.write("x.o", "made\n")
        made = scene.commit()
        assert scene.stored("impl2.py") is None
        assert [(found.level, found.text) for found in scene.findings(made)] == [
            ("warn", "impl2.py is ignored by .gitignore:3, so it would not be delivered"),
            ("warn", "lib/deep/core.rs is ignored by .gitignore:4, so it would not be delivered"),
        ]

    def test_a_rule_in_a_folder_is_named_with_its_place(self, scene):
        scene.write("sub/.gitignore", "\nimpl.py\n")
        scene.write("sub/impl.py", NEW)
        made = scene.commit()
        assert scene.findings(made)[0].text == (
            "sub/impl.py is ignored by sub/.gitignore:2, so it would not be delivered"
        )

    def test_what_tools_make_is_not_named(self, tmp_path):
        ignored = "node_modules/\n.venv/\n__pycache__/\ndist/\n*.egg-info/\n.mypy_cache/\npkg/_version.py\n.env\n"
        scene = Scene(tmp_path, {"impl.py": OLD, ".gitignore": ignored, "pkg/__init__.py": ""})
        for name in (
            *("node_modules/a/index.js", ".venv/lib/x.py", "pkg/__pycache__/a.py", "dist/a.js", "a.egg-info/x.py"),
            *(".mypy_cache/x.py", "pkg/_version.py", ".env"),
        ):
            scene.write(name, "x\n")
        assert scene.findings(scene.commit()) == []

    def test_what_was_there_before_the_run_is_not_named(self, tmp_path):
        repo = temp_repo(tmp_path, {"impl.py": OLD, ".gitignore": "local.py\nlater.py\n"})
        repo.write("local.py", "mine\n")
        # Older than what the clock of the kernel can be behind.
        time.sleep(2 * CLOCK_TICK_NS / 1e9)
        inside = Repository(Workbench(repo.path, repo.env, "r"))
        rules = asyncio.run(record_rules(inside, "HEAD"))
        repo.write("later.py", "x\n")
        found = asyncio.run(hidden_work(inside, "HEAD", rules=rules))
        assert [each.text.split()[0] for each in found] == ["later.py"]
        assert [each.text.split()[0] for each in asyncio.run(hidden_work(inside, "HEAD"))] == ["later.py", "local.py"]

    def test_what_is_written_at_once_after_the_start_is_new(self, tmp_path):
        """The clock that stamps files runs behind the one that programs read."""
        repo = temp_repo(tmp_path, {"impl.py": OLD})
        inside = Repository(Workbench(repo.path, repo.env, "r"))
        rules = asyncio.run(record_rules(inside, "HEAD"))
        assert rules.began <= time.time_ns() - CLOCK_TICK_NS

    def test_what_was_lent_is_not_named_and_not_committed(self, tmp_path):
        from ralph.git.local_files import copy_local_files

        repo = temp_repo(tmp_path, {"impl.py": OLD, ".gitignore": "settings.py\n"})
        repo.write("settings.py", "mine\n")
        repo.write("local.py", "mine\n")
        project = Repository(Workbench(repo.path, repo.env, "r"))
        made = asyncio.run(prepare(project, project=repo.path, spec="s", task="T-1"))
        asyncio.run(copy_local_files(Path(made.folder), repo.path, ["settings.py", "local.py"]))
        inside = project.at(Path(made.path))
        rules = msgspec.structs.replace(asyncio.run(record_rules(inside, made.base)), began=0)
        lent = Path(repo.git("-C", made.path, "rev-parse", "--absolute-git-dir").strip()) / "ralph-lent"
        # An agent that writes its work down as lent does not hide it.
        lent.write_bytes(lent.read_bytes() + b"work.py\0")
        (Path(made.path) / "work.py").write_text(NEW)
        commit = asyncio.run(inside.commit_all("Work", rules=rules))
        names = repo.git("ls-tree", "--name-only", "-r", commit.commit).split()
        assert names == [".gitignore", "impl.py", "work.py"]
        assert asyncio.run(hidden_work(inside, made.base, rules=rules)) == []

    @pytest.mark.parametrize("by_rules", [True, False])
    def test_a_file_that_is_lent_and_ignored_does_not_keep_work_from_being_committed(self, tmp_path, by_rules):
        from ralph.git.local_files import copy_local_files

        repo = temp_repo(tmp_path, {"impl.py": OLD, ".gitignore": ".env\n"})
        repo.write(".env", "A=1\n")
        project = Repository(Workbench(repo.path, repo.env, "r"))
        made = asyncio.run(prepare(project, project=repo.path, spec="s", task="T-1"))
        asyncio.run(copy_local_files(Path(made.folder), repo.path, [".env"]))
        inside = project.at(Path(made.path))
        rules = asyncio.run(record_rules(inside, made.base)) if by_rules else None
        (Path(made.path) / "impl.py").write_text(NEW)
        commit = asyncio.run(inside.commit_all("Work", rules=rules))
        assert repo.git("diff", "--name-only", made.base, commit.commit).split() == ["impl.py"]

    def test_many_are_counted(self, scene):
        for number in range(30):
            scene.write(f"secret/{number:02}.py", "x\n")
        found = scene.findings()
        assert len(found) == 21
        assert found[-1].text.startswith("10 more new files")


def upper(repo):
    repo.git("config", "filter.upper.clean", "tr a-z A-Z")
    repo.git("config", "filter.upper.smudge", "tr A-Z a-z")


class TestFilters:
    @pytest.mark.parametrize("where", ["local", "global", "worktree", "included"])
    @pytest.mark.parametrize("attributes", ["tree", "info", "everywhere"])
    def test_a_filter_of_the_agents_making_is_off_and_told(self, tmp_path, where, attributes):
        config = tmp_path / "home/.gitconfig"
        scene = Scene(tmp_path, {"impl.py": OLD, "a.txt": "a\n"}, GIT_CONFIG_GLOBAL=str(config))
        ran = tmp_path / "ran"
        command = f"touch {ran}; echo old"
        included = tmp_path / "included"
        flags = {
            "local": [],
            "global": ["--file", str(config)],
            "worktree": ["--worktree"],
            "included": ["--file", str(included)],
        }
        if where == "worktree":
            scene.git("config", "extensions.worktreeConfig", "true")
        if where == "included":
            scene.git("config", "include.path", str(included))
        scene.git("config", *flags[where], "filter.evil.clean", command)
        if attributes == "tree":
            scene.write(".gitattributes", "impl.py filter=evil\n")
        elif attributes == "info":
            scene.info("attributes", "impl.py filter=evil\n")
        else:
            (tmp_path / "attributes").write_text("impl.py filter=evil\n")
            scene.git("config", "core.attributesFile", str(tmp_path / "attributes"))
        scene.write("impl.py", NEW)
        made = scene.commit()
        assert scene.stored("impl.py") == NEW
        blocks = [found.text for found in scene.findings(made) if found.level == "block"]
        assert blocks == ["since the run began, git was told to let the filter 'evil' change impl.py: not applied"]
        assert not ran.exists()

    def test_a_filter_program_that_answers_for_many_files_is_not_started_either(self, scene, tmp_path):
        scene.git("config", "filter.evil.process", f"touch {tmp_path}/ran")
        scene.git("config", "filter.evil.required", "true")
        scene.write(".gitattributes", "* filter=evil\n")
        scene.write("impl.py", NEW)
        made = scene.commit()
        assert scene.stored("impl.py") == NEW
        assert "block" in scene.levels(made)
        assert not (tmp_path / "ran").exists()

    def test_a_filter_that_was_in_force_at_the_base_is_the_users(self, tmp_path):
        scene = Scene(tmp_path, {"a.up": "A\n", "sub/b.txt": "B\n", ".gitattributes": "*.up filter=upper\n"}, upper)
        scene.write("a.up", "new\n")
        scene.write("sub/c.up", "new\n")
        scene.write("impl.py", NEW)
        made = scene.commit()
        assert (scene.stored("a.up"), scene.stored("sub/c.up"), scene.stored("impl.py")) == ("NEW\n", "NEW\n", NEW)
        assert scene.findings(made) == []

    def test_attributes_that_the_agent_writes_do_not_lend_it_the_users_filter(self, tmp_path):
        files = {"a.up": "A\n", "sub/x.up": "A\n", ".gitattributes": "*.up filter=upper\n"}
        scene = Scene(tmp_path, files, upper)
        scene.write(".gitattributes", "*.py filter=upper\n*.up -filter\n")
        scene.write("impl.py", NEW)
        scene.write("a.up", "new\n")
        made = scene.commit()
        assert (scene.stored("impl.py"), scene.stored("a.up")) == (NEW, "NEW\n")
        assert [found.level for found in scene.findings(made)] == ["block"]

    def test_a_filter_of_the_users_that_the_agent_redefined_is_the_users_again(self, tmp_path):
        scene = Scene(tmp_path, {"a.up": "A\n", ".gitattributes": "*.up filter=upper\n"}, upper)
        scene.git("config", "filter.upper.clean", "echo A")
        scene.write("a.up", "new\n")
        made = scene.commit()
        assert scene.stored("a.up") == "NEW\n"
        assert "block" in scene.levels(made)

    def test_attributes_of_nested_folders_count_as_the_base_has_them(self, tmp_path):
        files = {
            ".gitattributes": "*.up filter=upper\n",
            "odd [dir] */.gitattributes": '"*.shout" filter=upper\n/only.txt filter=upper\n*.up -filter\n!no x=y\n',
            "odd [dir] */a.shout": "A\n",
        }
        scene = Scene(tmp_path, files, upper)
        for name in ("x.shout", "only.txt", "deep/only.txt", "deep/y.shout", "z.up"):
            scene.write(f"odd [dir] */{name}", "new\n")
        scene.write("x.shout", "new\n")
        scene.commit()
        found = {
            name: scene.stored(f"odd [dir] */{name}").strip()
            for name in ("x.shout", "only.txt", "deep/only.txt", "deep/y.shout", "z.up")
        }
        assert found == {
            "x.shout": "NEW",
            "only.txt": "NEW",
            "deep/only.txt": "new",
            "deep/y.shout": "NEW",
            "z.up": "new",
        }
        assert scene.stored("x.shout") == "new\n"

    def test_large_files_keep_their_pointers_where_the_program_is_there(self, tmp_path):
        """A stand-in for git-lfs: it keeps the content beside the repository's objects and commits a pointer."""
        programs = tmp_path / "programs"
        programs.mkdir()
        store = tmp_path / "store"
        (programs / "git-lfs").write_text(
            "#!/bin/sh\n"
            f'folder=$(git config lfs.storage || echo none); mkdir -p "$folder" "{store}"\n'
            f'if [ "$1" = clean ]; then cat > "{store}/content"; cp "{store}/content" "$folder/content"; '
            'printf "pointer %s\\n" "$(wc -c < "$folder/content" | tr -d " ")"; '
            f'else cat > /dev/null; cat "{store}/content"; fi\n'
        )
        (programs / "git-lfs").chmod(0o755)

        def before(repo):
            for what in ("clean", "smudge"):
                repo.git("config", f"filter.lfs.{what}", f"git-lfs {what} %f")
            repo.git("config", "filter.lfs.required", "true")

        path = f"{programs}:{os.environ['PATH']}"
        scene = Scene(tmp_path, {".gitattributes": "*.bin filter=lfs\n"}, before, PATH=path)
        scene.write("data.bin", "x" * 1000)
        made = scene.commit()
        assert scene.stored("data.bin") == "pointer 1000\n"
        assert (scene.repo.path / ".git/lfs/content").read_text() == "x" * 1000
        assert scene.findings(made) == []

    def test_a_pointer_stays_one_where_the_program_is_missing(self, tmp_path):
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
        scene = Scene(tmp_path, {".gitattributes": "*.bin filter=lfs\n", "a.bin": pointer})
        if shutil.which("git-lfs", path=scene.env["PATH"]):
            pytest.skip("git-lfs is installed here")
        scene.write("impl.py", NEW)
        scene.commit()
        assert scene.stored("a.bin") == pointer


class TestSettings:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("core.autocrlf", "input"),
            ("core.autocrlf", "true"),
            ("core.eol", "crlf"),
            ("core.fileMode", "false"),
            ("core.symlinks", "false"),
            ("core.ignoreCase", "true"),
            ("core.bigFileThreshold", "1"),
            ("core.untrackedCache", "true"),
            ("core.precomposeUnicode", "true"),
            ("core.hooksPath", "hooks"),
            ("core.fsmonitor", "touch ran; false"),
            ("core.splitIndex", "true"),
            ("core.sparseCheckout", "true"),
            ("core.ignoreStat", "true"),
            ("core.worktree", "/nowhere"),
            ("core.bare", "true"),
            ("index.version", "4"),
            ("index.sparse", "true"),
            ("add.ignoreErrors", "true"),
            ("core.protectNTFS", "true"),
        ],
    )
    def test_a_setting_of_the_agents_making_has_no_effect(self, scene, name, value):
        scene.git("config", name, value)
        scene.write("hooks/pre-commit", "#!/bin/sh\ntouch ran\nexit 1\n").chmod(0o755)
        scene.write("hooks/post-index-change", "#!/bin/sh\ntouch ran\n").chmod(0o755)
        (scene.path / "impl.py").write_bytes(b"new\r\nlines\r\n")
        (scene.path / "run.sh").write_text("#!/bin/sh\n")
        (scene.path / "run.sh").chmod(0o755)
        (scene.path / "link").symlink_to("impl.py")
        scene.write("Other.py", NEW)
        made = scene.commit()
        listed = scene.git("ls-tree", "-r", made.commit).splitlines()
        modes = {line.partition("\t")[2]: line.split()[0] for line in listed}
        assert (modes["run.sh"], modes["link"], modes["impl.py"]) == ("100755", "120000", "100644")
        assert {"Other.py", "other.py"} <= modes.keys()
        assert scene.git("cat-file", "-s", f"{made.commit}:impl.py").strip() == "12"
        assert not (scene.path / "ran").exists()
        assert "block" not in scene.levels(made)

    def test_a_setting_for_all_repositories_has_no_effect_either(self, tmp_path):
        config = tmp_path / "home/.gitconfig"
        scene = Scene(tmp_path, {"impl.py": OLD}, GIT_CONFIG_GLOBAL=str(config))
        scene.git("config", "--file", str(config), "core.autocrlf", "input")
        (scene.path / "impl.py").write_bytes(b"a\r\n")
        made = scene.commit()
        assert scene.git("cat-file", "-s", f"{made.commit}:impl.py").strip() == "3"
        assert [each.text.split()[2] for each in scene.findings(made)] == ["core.autocrlf"]

    def test_a_change_that_could_matter_is_told(self, scene):
        scene.git("config", "core.autocrlf", "input")
        scene.git("config", "core.hooksPath", ".husky")
        scene.write("impl.py", NEW)
        found = {(each.level, each.text.split()[2]) for each in scene.findings(scene.commit())}
        assert found == {("warn", "core.autocrlf"), ("note", "core.hookspath")}

    @pytest.mark.parametrize("attribute", ["text", "eol=lf", "text=auto", "crlf=input"])
    def test_line_ends_that_attributes_of_the_agents_making_would_change(self, scene, attribute):
        scene.write(".gitattributes", f"*.py {attribute}\n")
        (scene.path / "impl.py").write_bytes(b"a\r\n")
        made = scene.commit()
        assert scene.git("cat-file", "-s", f"{made.commit}:impl.py").strip() == "3"
        assert scene.levels(made) == ["warn"]

    @pytest.mark.parametrize(
        ("attribute", "content"), [("ident", b"$Id: evil $\n"), ("working-tree-encoding=UTF-16", "aé".encode("utf-16"))]
    )
    def test_other_conversions_of_the_agents_making(self, scene, attribute, content):
        scene.write(".gitattributes", f"*.py {attribute}\n")
        (scene.path / "impl.py").write_bytes(content)
        made = scene.commit()
        assert int(scene.git("cat-file", "-s", f"{made.commit}:impl.py")) == len(content)
        assert scene.levels(made) == ["warn"]

    def test_honest_attributes_are_not_told(self, scene):
        scene.write(".gitattributes", "*.py text eol=lf\n*.png binary\n* linguist-vendored\n")
        scene.write("impl.py", NEW)
        assert scene.findings(scene.commit()) == []

    def test_line_ends_are_the_users_choice(self, tmp_path):
        def before(repo):
            repo.git("config", "core.autocrlf", "input")

        scene = Scene(tmp_path, {"impl.py": OLD, ".gitattributes": "*.raw -text\n"}, before)
        (scene.path / "impl.py").write_bytes(b"a\r\n")
        (scene.path / "x.raw").write_bytes(b"a\r\n")
        made = scene.commit()
        sizes = [scene.git("cat-file", "-s", f"{made.commit}:{name}").strip() for name in ("impl.py", "x.raw")]
        assert sizes == ["2", "3"]
        assert scene.findings(made) == []


class TestCommit:
    def test_of_honest_work_nothing_is_told(self, scene):
        scene.write("impl.py", NEW)
        scene.write("new/deep/file ü.py", NEW)
        (scene.path / "other.py").unlink()
        made = scene.commit()
        assert scene.git("show", "--name-status", "--format=", made.commit).count("\n") == 3
        assert scene.findings(made) == []
        assert scene.git("status", "--porcelain") == ""
        assert asyncio.run(scene.inside.snapshot(scene.rules)) == made.tree

    def test_it_is_the_tree_of_a_snapshot(self, scene):
        scene.git("update-index", "--assume-unchanged", "impl.py")
        scene.info("exclude", "*\n")
        scene.write("impl.py", NEW)
        scene.write("impl2.py", NEW)
        index = Path(scene.git("rev-parse", "--absolute-git-dir").strip()) / "index"
        before = index.read_bytes()
        taken = asyncio.run(scene.inside.take_snapshot(scene.rules))
        assert index.read_bytes() == before
        assert taken.uncovered == ("impl.py",)
        assert scene.commit().tree == taken.tree

    def test_a_merge_that_was_left_in_conflict_is_committed_as_it_stands(self, scene):
        scene.git("checkout", "--quiet", "-b", "their", "HEAD")
        scene.write("impl.py", "theirs\n")
        scene.git("commit", "--quiet", "--all", "--message", "theirs")
        scene.git("checkout", "--quiet", scene.made.branch)
        scene.write("impl.py", "ours\n")
        scene.git("commit", "--quiet", "--all", "--message", "ours")
        assert scene.repo.run("git", "-C", str(scene.path), "merge", "their").returncode == 1
        scene.commit()
        assert "<<<<<<<" in scene.stored("impl.py")
        assert scene.git("status", "--porcelain") == ""
        assert len(scene.git("log", "-1", "--format=%P").split()) == 2

    def test_in_a_part_of_a_repository_the_whole_tree_is_committed(self, tmp_path):
        repo = temp_repo(tmp_path, {"app/x.py": OLD, "top.py": OLD})
        project = repo.path / "app"
        repository = Repository(Workbench(project, repo.env, "r"))
        made = asyncio.run(prepare(repository, project=project, spec="s", task="T-1"))
        inside = repository.at(Path(made.folder))
        rules = asyncio.run(record_rules(inside, made.base))
        assert rules.prefix == "app/"
        (Path(made.folder) / "x.py").write_text(NEW)
        (Path(made.path) / "top.py").write_text(NEW)
        commit = asyncio.run(inside.commit_all("Work", rules=rules))
        assert repo.git("diff", "--name-only", made.base, commit.commit).split() == ["app/x.py", "top.py"]

    @pytest.mark.parametrize("declared", [True, False])
    def test_repositories_inside_are_opened_and_submodules_stay(self, scene, declared):
        library = temp_repo(scene.repo.home / "library", {"lib.py": "1"})
        if declared:
            scene.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
        else:
            scene.git("init", "--quiet", "lib")
            scene.write("lib/lib.py", "1")
        made = scene.commit()
        kind = scene.git("ls-tree", made.commit, "lib").split()[1]
        assert kind == ("commit" if declared else "tree")
        assert not scene.commit().changed

    def test_a_lock_of_another_git_is_respected(self, scene):
        scene.write("impl.py", NEW)
        lock = Path(scene.git("rev-parse", "--absolute-git-dir").strip()) / "index.lock"
        lock.touch()
        with pytest.raises(StateError, match=r"index\.lock"):
            scene.commit()
        made = asyncio.run(scene.inside.commit_all("Work", again=True, rules=scene.rules))
        assert made.changed

    def test_in_the_users_own_tree_a_flag_of_theirs_is_no_trick(self, tmp_path):
        repo = temp_repo(tmp_path, {"settings.py": OLD, "impl.py": OLD})
        repo.git("update-index", "--skip-worktree", "settings.py")
        repo.write("settings.py", "mine\n")
        inside = Repository(Workbench(repo.path, repo.env, "r"))
        rules = asyncio.run(record_rules(inside, "HEAD"))
        repo.write("impl.py", NEW)
        taken = asyncio.run(inside.take_snapshot(rules))
        assert taken.uncovered == ()
        assert repo.git("cat-file", "blob", f"{taken.tree}:settings.py") == "mine\n"
        assert asyncio.run(hidden_work(inside, "HEAD", rules=rules, head=taken.tree)) == []

    def test_an_index_that_is_shared_in_parts_will_do(self, scene):
        scene.git("update-index", "--split-index")
        scene.write("impl.py", NEW)
        assert scene.commit().changed
        assert scene.git("status", "--porcelain") == ""

    def test_objects_that_are_replaced_are_committed_as_they_are(self, scene):
        evil = scene.git("hash-object", "-w", "other.py").strip()
        scene.write("impl.py", NEW)
        scene.git("replace", scene.git("hash-object", "-w", "impl.py").strip(), evil)
        made = scene.commit()
        blob = scene.git("ls-tree", made.commit, "impl.py").split()[2]
        assert scene.git("--no-replace-objects", "cat-file", "blob", blob) == NEW


KILLED_PROGRAM = """
import asyncio, msgspec, os, sys
from pathlib import Path
from ralph.git.repository import Repository
from ralph.model.git_rules import GitRules
from ralph.workbench.bench import Workbench

rules = msgspec.json.decode(sys.argv[2], type=GitRules)
repository = Repository(Workbench(Path(sys.argv[3]), os.environ, 'killed'))
asyncio.run(repository.commit_all('Work', rules=rules))
"""


@pytest.mark.e2e
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_any_moment_the_work_is_committed_once(tmp_path, after):
    for last in count():
        root = tmp_path / str(last)
        scene = Scene(root, {"impl.py": OLD, "gone.py": OLD})
        scene.git("update-index", "--skip-worktree", "impl.py")
        scene.write("impl.py", NEW)
        scene.write("new.py", NEW)
        (scene.path / "gone.py").unlink()
        given = msgspec.json.encode(scene.rules).decode(), str(scene.path)
        going_on = killed(scene.repo, root, KILLED_PROGRAM, last, *given, after=after)
        asyncio.run(scene.inside.commit_all("Work", again=True, rules=scene.rules))
        assert (scene.stored("impl.py"), scene.stored("new.py"), scene.stored("gone.py")) == (NEW, NEW, None)
        assert scene.git("log", "--format=%s").splitlines() == ["Work", "base"]
        assert scene.git("status", "--porcelain") == ""
        if not going_on:
            break
    assert last >= 6


class TestCost:
    @pytest.fixture
    def counted(self, scene, tmp_path):
        calls = GitCalls(tmp_path / "home", scene.env["PATH"])
        scene.inside = Repository(Workbench(scene.path, {**scene.env, **calls.env}, "r"))
        return scene, calls

    def test_a_commit_costs_as_many_questions_as_without_rules(self, counted):
        scene, calls = counted
        scene.write("impl.py", NEW)
        scene.commit()
        made = [call.split()[0] for call in calls.made]
        assert made == ["ls-files", "update-index", "commit"]
        scene.commit()
        assert [call.split()[0] for call in calls.made[len(made) :]] == ["ls-files"]

    def test_an_index_that_another_process_left_is_not_used(self, counted):
        scene, calls = counted
        scene.write("impl.py", NEW)
        scene.commit_elsewhere()
        assert "read-tree" in [call.split()[0] for call in calls.made]
        assert scene.stored("impl.py") == NEW

    def test_to_look_for_hidden_work_costs_one(self, counted):
        scene, calls = counted
        scene.write("impl.py", NEW)
        made = scene.commit()
        before = len(calls.made)
        assert scene.findings(made) == []
        assert [call.split()[0] for call in calls.made[before:]] == ["ls-files"]

    def test_to_write_down_the_rules_of_a_new_worktree_costs_one(self, counted):
        scene, calls = counted
        rules = asyncio.run(record_rules(scene.inside, scene.made.base))
        assert [call.split()[0] for call in calls.made] == ["config"]
        assert rules.index

    def test_an_index_that_was_written_since_is_looked_into(self, counted):
        scene, calls = counted
        scene.git("update-index", "--assume-unchanged", "impl.py")
        rules = asyncio.run(record_rules(scene.inside, scene.made.base))
        assert [call.split()[0] for call in calls.made] == ["config", "ls-tree", "ls-files"]
        assert not rules.index
