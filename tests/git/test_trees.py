import asyncio
import os
import stat
import subprocess
import time
import zlib
from pathlib import Path

import pytest

from git_calls import GitCalls
from ralph.git.objects import LARGEST_KEPT, Objects
from ralph.git.repository import Repository
from ralph.git.trees import changed_paths, compose_tree, read_tree, renames
from ralph.model.errors import ConfigError, StateError
from ralph.model.proof import NewFile, TreeEntry
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench

TEXT = "".join(f"line {number}\n" for number in range(50))


@pytest.fixture
def repo(tmp_path):
    repo = temp_repo(tmp_path, {"a.py": "a\n", "sub/b.py": "b\n", "sub/deep/c.py": "c\n"})
    repo.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    (repo.path / "link").symlink_to("sub/b.py")
    repo.commit_all("more")
    return repo


def repository(repo, **env):
    return Repository(Workbench(repo.path, {**repo.env, **env}, "r"))


def tree_of(repo, name="HEAD"):
    return repo.git("rev-parse", f"{name}^{{tree}}").strip()


def compose(repo, changes, start="HEAD"):
    return asyncio.run(compose_tree(repository(repo), start, changes))


def files_of(repo, tree):
    lines = repo.git("ls-tree", "-r", "-z", tree).split("\0")[:-1]
    return {path: about.split()[0] for about, _, path in (line.partition("\t") for line in lines)}


def rewrite_object(repo, name, kind, content):
    """What an agent can do to the past: git believes what lies there."""
    path = repo.path / ".git/objects" / name[:2] / name[2:]
    path.chmod(0o644)
    path.write_bytes(zlib.compress(b"%s %d\0" % (kind.encode(), len(content)) + content))


class TestReadTree:
    def test_entries_by_path_with_mode_and_blob(self, repo):
        tree = asyncio.run(read_tree(repository(repo), "HEAD"))
        assert tree.tree == tree_of(repo)
        assert {path: entry.mode for path, entry in tree.entries.items()} == {
            "a.py": "100644",
            "link": "120000",
            "run.sh": "100755",
            "sub/b.py": "100644",
            "sub/deep/c.py": "100644",
        }
        assert tree.entries["a.py"].blob == repo.git("rev-parse", "HEAD:a.py").strip()

    def test_from_a_folder_inside_it_is_the_whole_tree(self, repo):
        inside = repository(repo).at(repo.path / "sub")
        assert "a.py" in asyncio.run(read_tree(inside, "HEAD")).entries

    def test_content_is_read_as_it_is_stored_and_a_link_is_where_it_leads(self, repo):
        async def contents():
            tree = await read_tree(repository(repo), tree_of(repo))
            return [await tree.read(path) for path in ("a.py", "link", "sub/deep/c.py", "no.py", "sub")]

        assert asyncio.run(contents()) == [b"a\n", b"sub/b.py", b"c\n", None, None]

    def test_any_name_and_any_content_come_through(self, repo):
        odd = os.fsdecode(b"not-\xff-utf8")
        contents = {odd: b"\0\xff\r\n", "new\nline": b"", '"q" *': b"x\n" * 1000, "ü/:(glob)": b"no end"}
        for name, content in contents.items():
            file = repo.path / name
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(content)
        repo.commit_all("odd")

        async def read():
            tree = await read_tree(repository(repo), "HEAD")
            return {name: await tree.read(name) for name in contents}

        assert asyncio.run(read()) == contents

    def test_many_reads_cost_a_few_processes(self, repo, tmp_path):
        for number in range(40):
            repo.write(f"many/{number}.py", f"{number}\n")
        repo.commit_all("many")
        calls = GitCalls(tmp_path, repo.env["PATH"])

        async def read():
            tree = await read_tree(repository(repo, **calls.env), "HEAD")
            one_by_one = [await tree.read(f"many/{number}.py") for number in range(20)]
            at_once = await asyncio.gather(*(tree.read(f"many/{number}.py") for number in range(20, 40)))
            return [*one_by_one, *at_once]

        assert asyncio.run(read()) == [f"{number}\n".encode() for number in range(40)]
        assert len(calls.made) <= 3, calls.made

    def test_what_was_fetched_before_costs_nothing(self, repo, tmp_path):
        calls = GitCalls(tmp_path, repo.env["PATH"])

        async def read():
            tree = await read_tree(repository(repo, **calls.env), "HEAD")
            await tree.prefetch(["a.py", "sub/b.py", "no.py"])
            # Its process has ended by itself.
            await asyncio.sleep(1.2)
            before = len(calls.made)
            assert [await tree.read("a.py"), await tree.read("sub/b.py")] == [b"a\n", b"b\n"]
            return len(calls.made) - before

        assert asyncio.run(read()) == 0

    def test_a_process_that_has_ended_is_started_again(self, repo):
        async def read():
            tree = await read_tree(repository(repo), "HEAD")
            first = await tree.read("a.py")
            await asyncio.sleep(1.2)
            return first, await tree.read("sub/b.py")

        assert asyncio.run(read()) == (b"a\n", b"b\n")

    def test_more_at_once_than_fit_into_a_pipe(self, repo):
        for number in range(600):
            repo.write(f"many/{number}.py", f"{number}\n" * 50)
        repo.commit_all("many")

        async def read():
            tree = await read_tree(repository(repo), "HEAD")
            await tree.prefetch(tree.entries)
            return await tree.read("many/599.py")

        assert asyncio.run(read()) == b"599\n" * 50

    def test_a_large_file_is_read_whole_and_not_kept(self, repo):
        size = LARGEST_KEPT + 1000
        (repo.path / "large").write_bytes(b"x" * size)
        repo.commit_all("large")

        async def read():
            tree = await read_tree(repository(repo), "HEAD")
            return len(await tree.read("large")), tree.objects._kept.keys() & {tree.entries["large"].blob}

        assert asyncio.run(read()) == (size, set())

    def test_one_process_reads_for_two_trees(self, repo, tmp_path):
        calls = GitCalls(tmp_path, repo.env["PATH"])

        async def read():
            both = repository(repo, **calls.env)
            one, other = await read_tree(both, "HEAD"), await read_tree(both, "HEAD~1")
            return await one.read("link"), await other.read("a.py"), await other.read("link")

        assert asyncio.run(read()) == (b"sub/b.py", b"a\n", None)
        assert [call.split()[0] for call in calls.made] == ["cat-file"]

    def test_nothing_lives_on_after_the_loop(self, repo):
        async def read():
            tree = await read_tree(repository(repo), "HEAD")
            await tree.read("a.py")

        asyncio.run(read())
        alive = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        assert not [line for line in alive.splitlines() if "cat-file --batch" in line and str(repo.path) in line]

    def test_a_submodule_has_no_content(self, repo):
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.git('rev-parse', 'HEAD').strip()},lib")
        repo.git("commit", "--quiet", "--message", "lib")

        async def read():
            tree = await read_tree(repository(repo), "HEAD")
            await tree.prefetch(["lib"])
            return tree.entries["lib"].mode, await tree.read("lib")

        assert asyncio.run(read()) == ("160000", None)

    def test_a_tag_will_do_and_an_unknown_name_is_refused(self, repo):
        repo.git("tag", "-a", "v1", "-m", "v1")
        assert asyncio.run(read_tree(repository(repo), "v1")).tree == tree_of(repo)
        for name in ("nothing", "a\nHEAD", repo.git("rev-parse", "HEAD:a.py").strip()):
            with pytest.raises(ConfigError, match="no commit and no tree"):
                asyncio.run(read_tree(repository(repo), name))

    def test_a_shallow_clone_will_do(self, repo, tmp_path):
        repo.git("clone", "--quiet", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))
        clone = repository(repo).at(tmp_path / "shallow")
        assert asyncio.run(read_tree(clone, "HEAD")).tree == tree_of(repo)

    def test_sha256_will_do(self, tmp_path):
        repo = temp_repo(tmp_path)
        path = tmp_path / "other"
        repo.git("init", "--quiet", "--object-format=sha256", str(path))
        (path / "a.py").write_text("a\n")
        repo.git("-C", str(path), "add", "a.py")
        repo.git("-C", str(path), "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "a")

        async def both():
            inside = repository(repo).at(path)
            tree = await read_tree(inside, "HEAD")
            made = await compose_tree(inside, tree.tree, {"a.py": NewFile("100644", b"b\n")})
            return await tree.read("a.py"), await (await read_tree(inside, made)).read("a.py")

        assert asyncio.run(both()) == (b"a\n", b"b\n")


class TestThePastCannotBeChanged:
    def test_an_object_that_git_replaces_is_read_as_it_was(self, repo):
        evil = repo.git("hash-object", "-w", "run.sh").strip()
        repo.git("replace", repo.git("rev-parse", "HEAD:a.py").strip(), evil)
        weak = compose(repo, {"a.py": NewFile("100644", b"weak\n")})
        repo.git("replace", tree_of(repo), weak)

        async def read():
            return await (await read_tree(repository(repo), repo.git("rev-parse", "HEAD").strip())).read("a.py")

        assert asyncio.run(read()) == b"a\n"

    def test_a_blob_that_was_rewritten_is_not_believed(self, repo):
        rewrite_object(repo, repo.git("rev-parse", "HEAD:a.py").strip(), "blob", b"weak\n")

        async def read():
            await (await read_tree(repository(repo), "HEAD")).read("a.py")

        with pytest.raises(StateError, match="is not what its name says"):
            asyncio.run(read())

    @pytest.mark.parametrize("what", ["HEAD^{tree}", "HEAD:sub/deep"])
    def test_a_folder_that_was_rewritten_is_not_believed(self, repo, what):
        other = compose(repo, {"x.py": NewFile("100644", b"weak\n")})
        content = subprocess.run(
            ["git", "cat-file", "tree", other], cwd=repo.path, env=repo.env, capture_output=True, check=True
        ).stdout
        rewrite_object(repo, repo.git("rev-parse", what).strip(), "tree", content)
        with pytest.raises(StateError, match="is not what its name says"):
            asyncio.run(read_tree(repository(repo), repo.git("rev-parse", "HEAD").strip()))

    def test_a_folder_that_was_rewritten_with_other_files_is_not_believed(self, repo):
        blob = repo.git("rev-parse", "HEAD:a.py").strip()
        rewrite_object(
            repo, repo.git("rev-parse", "HEAD:sub/deep").strip(), "tree", b"100644 c.py\0" + bytes.fromhex(blob)
        )
        assert repo.git("cat-file", "blob", "HEAD:sub/deep/c.py") == "a\n"
        with pytest.raises(StateError, match="is not what its name says"):
            asyncio.run(read_tree(repository(repo), "HEAD"))

    def test_a_commit_that_was_rewritten_is_not_believed(self, repo):
        head = repo.git("rev-parse", "HEAD").strip()
        content = repo.git("cat-file", "commit", head).replace(tree_of(repo), tree_of(repo, "HEAD~1"))
        rewrite_object(repo, head, "commit", content.encode())
        with pytest.raises(StateError, match="is not what its name says"):
            asyncio.run(read_tree(repository(repo), head))

    def test_an_object_that_is_gone_is_named(self, repo):
        blob = repo.git("rev-parse", "HEAD:a.py").strip()
        (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()

        async def read():
            await (await read_tree(repository(repo), "HEAD")).read("a.py")

        with pytest.raises(StateError, match=r"lost the content of a\.py"):
            asyncio.run(read())


class TestCompose:
    def test_files_are_added_changed_and_deleted(self, repo):
        old = repo.git("rev-parse", "HEAD:a.py").strip()
        made = compose(
            repo,
            {
                "a.py": NewFile("100644", b"new\n"),
                "tests/test_a.py": NewFile("100755", b"\0\r\n"),
                "moved.py": TreeEntry("100644", old),
                "sub/b.py": None,
                "never/there.py": None,
                "to": NewFile("120000", b"a.py"),
            },
        )
        assert files_of(repo, made) == {
            "a.py": "100644",
            "link": "120000",
            "moved.py": "100644",
            "run.sh": "100755",
            "sub/deep/c.py": "100644",
            "tests/test_a.py": "100755",
            "to": "120000",
        }
        assert repo.git("cat-file", "blob", f"{made}:a.py") == "new\n"
        assert repo.git("cat-file", "-s", f"{made}:tests/test_a.py").strip() == "3"

    def test_without_changes_it_is_the_same_tree(self, repo):
        assert compose(repo, {}) == compose(repo, {}, tree_of(repo)) == tree_of(repo)

    @pytest.mark.parametrize("changes", [("sub",), ("sub", "sub/b.py"), ("sub/b.py", "sub")])
    def test_a_file_takes_the_place_of_a_folder(self, repo, changes):
        made = compose(repo, {name: None if "/" in name else NewFile("100644", b"x") for name in changes})
        assert files_of(repo, made).keys() == {"a.py", "link", "run.sh", "sub"}

    @pytest.mark.parametrize("changes", [("a.py/x",), ("a.py/x", "a.py"), ("a.py", "a.py/x")])
    def test_a_folder_takes_the_place_of_a_file(self, repo, changes):
        made = compose(repo, {name: NewFile("100644", b"x") if "/" in name else None for name in changes})
        assert files_of(repo, made).keys() == {"a.py/x", "link", "run.sh", "sub/b.py", "sub/deep/c.py"}

    def test_nothing_of_the_users_is_touched(self, repo):
        repo.write("staged.py", "1")
        repo.git("add", "staged.py")
        index = (repo.path / ".git/index").read_bytes()
        refs = repo.git("for-each-ref")
        compose(repo, {"a.py": NewFile("100644", b"new\n"), "sub/b.py": None})
        assert (repo.path / ".git/index").read_bytes() == index
        assert repo.git("for-each-ref") == refs
        assert repo.git("status", "--porcelain") == "A  staged.py\n"

    def test_neither_filters_nor_settings_of_an_agent_change_what_is_written(self, repo):
        repo.write(".gitattributes", "* filter=evil text eol=crlf\n")
        (repo.path / ".git/info").mkdir(exist_ok=True)
        repo.write(".git/info/attributes", "* filter=evil text\n")
        repo.git("config", "filter.evil.clean", f"touch {repo.path}/ran; echo evil")
        for name in ("core.autocrlf", "core.sparseCheckout", "index.sparse"):
            repo.git("config", name, "true")
        made = compose(repo, {"a.py": NewFile("100644", b"x\r\n")})
        assert repo.git("cat-file", "-s", f"{made}:a.py").strip() == "3"
        assert not (repo.path / "ran").exists()

    def test_any_name_will_do(self, repo):
        names = [os.fsdecode(b"\xff"), "new\nline", "tab\t", '"', "-rf", ":(exclude)x"]
        made = compose(repo, {name: NewFile("100644", name.encode(errors="replace")) for name in names})
        assert set(names) < set(asyncio.run(read_tree(repository(repo), made)).entries)

    def test_in_a_partial_clone_nothing_has_to_be_fetched(self, repo, tmp_path):
        repo.git("config", "uploadpack.allowFilter", "true")
        repo.git("clone", "--quiet", "--filter=blob:none", "--no-checkout", f"file://{repo.path}", str(tmp_path / "c"))
        clone = repository(repo).at(tmp_path / "c")
        made = asyncio.run(compose_tree(clone, tree_of(repo), {"new.py": NewFile("100644", b"x")}))
        assert repo.git("-C", str(tmp_path / "c"), "ls-tree", "--name-only", made, "new.py").strip() == "new.py"


class TestCompare:
    def test_changed_paths_are_all_that_differ(self, repo):
        base = repo.git("rev-parse", "HEAD").strip()
        repo.write("a.py", "other\n")
        (repo.path / "sub/b.py").rename(repo.path / "sub/ü b.py")
        (repo.path / "run.sh").chmod(stat.S_IRUSR | stat.S_IWUSR)
        (repo.path / "link").unlink()
        (repo.path / "link").mkdir()
        repo.write("link/x", "1")
        repo.commit_all("change")
        assert asyncio.run(changed_paths(repository(repo), base, "HEAD")) == [
            "a.py",
            "link",
            "link/x",
            "run.sh",
            "sub/b.py",
            "sub/ü b.py",
        ]
        assert asyncio.run(changed_paths(repository(repo), "HEAD", tree_of(repo))) == []

    def test_a_renamed_file_is_known_by_its_content(self, repo):
        repo.write("tests/test_old.py", TEXT)
        repo.write("tests/test_other.py", TEXT.upper())
        repo.commit_all("tests")
        (repo.path / "tests/test_old.py").rename(repo.path / "tests/test_new name.py")
        repo.write("tests/test_new name.py", TEXT + "more\n")
        (repo.path / "tests/test_other.py").unlink()
        repo.write("unlike.py", "nothing of it\n")
        repo.commit_all("renamed")
        assert asyncio.run(renames(repository(repo), "HEAD~1", "HEAD")) == {
            "tests/test_new name.py": "tests/test_old.py"
        }

    def test_what_an_agent_tells_git_of_diffs_has_no_effect(self, repo):
        repo.write("old.py", TEXT)
        repo.commit_all("old")
        (repo.path / "old.py").rename(repo.path / "new.py")
        repo.write("new.py", TEXT + "more\n")
        repo.write(".gitattributes", "* -diff diff=loud\n")
        repo.git("config", "diff.loud.textconv", f"touch {repo.path}/ran; cat")
        repo.git("config", "diff.external", f"touch {repo.path}/ran")
        repo.git("config", "diff.renames", "false")
        repo.git("config", "diff.renameLimit", "1")
        repo.git("config", "core.bigFileThreshold", "1")
        repo.commit_all("new")
        assert asyncio.run(renames(repository(repo), "HEAD~1", "HEAD")) == {"new.py": "old.py"}
        assert not (repo.path / "ran").exists()

    def test_a_submodule_that_is_said_to_be_ignored_is_told(self, repo):
        head = repo.git("rev-parse", "HEAD").strip()
        repo.write(".gitmodules", '[submodule "lib"]\n\tpath = lib\n\turl = x\n\tignore = all\n')
        repo.git("add", ".gitmodules")
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{head},lib")
        repo.git("commit", "--quiet", "--message", "lib")
        assert "lib" in asyncio.run(changed_paths(repository(repo), "HEAD~1", "HEAD"))


def test_a_repository_of_fifty_thousand_files_is_quick(tmp_path):
    repo = temp_repo(tmp_path)
    lines = [f"100644 blob {repo.git('hash-object', '-w', os.devnull).strip()}\tfile{number}" for number in range(100)]
    folder = repo.run("git", "mktree", input="\n".join(lines) + "\n").stdout.strip()
    top = "".join(f"040000 tree {folder}\tfolder{number}\n" for number in range(500))
    tree = repo.run("git", "mktree", input=top).stdout.strip()

    async def work():
        began = time.monotonic()
        stored = await read_tree(repository(repo), tree)
        made = await compose_tree(repository(repo), tree, {"folder7/new.py": NewFile("100644", b"x")})
        changed = await changed_paths(repository(repo), tree, made)
        return len(stored.entries), changed, time.monotonic() - began

    count, changed, took = asyncio.run(work())
    assert (count, changed) == (50_000, ["folder7/new.py"])
    assert took < 8, took


def test_asking_where_git_cannot_start_is_an_error(repo, tmp_path):
    async def ask():
        await Objects(repository(repo, PATH=str(tmp_path)).git).find("HEAD")

    with pytest.raises(StateError, match="cat-file"):
        asyncio.run(ask())
    assert Path(tmp_path, "repo").is_dir()
