"""Repositories that are not plain: submodules, pointers, links, odd names, very many files, no history, old notes."""

import json
import shutil
from pathlib import Path

import pytest

from proven import CHECK, FILES, NOTES, RIGHT, Proven
from ralph.testing import TempRepo, run_ralph, temp_repo
from task_crew import TaskCrew, promise

pytestmark = pytest.mark.e2e
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"


@pytest.fixture
def repo(tmp_path):
    repo = temp_repo(tmp_path, FILES)
    settings(repo)
    return repo


def settings(repo, **more):
    (repo.home / ".ralph").mkdir(exist_ok=True)
    (repo.home / ".ralph/config.yaml").write_text(json.dumps({"guardrails": [{"command": CHECK}], **more}))


def verified(repo, files=RIGHT):
    """Commit the files, and judge that commit."""
    for name, text in files.items():
        repo.write(name, text)
    repo.commit_all("work")
    return judged(repo)


def judged(repo, *more):
    done = run_ralph(repo, "verify", "--json", *more, timeout=300)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def texts(told):
    return [each["text"] for check in told["checks"] for each in check["findings"]]


def add_submodule(repo, tmp_path):
    library = temp_repo(tmp_path / "library", {"lib.py": "ONE = 1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
    repo.commit_all("lib")
    return library


def test_a_submodule_that_no_check_needs_stays_empty(repo, tmp_path):
    add_submodule(repo, tmp_path)
    code, told = verified(repo)
    assert (code, told["proof"]) == (0, "checked")


def test_a_submodule_that_a_check_needs_is_fetched_by_init_and_follows_the_work(repo, tmp_path):
    library = add_submodule(repo, tmp_path)
    repo.write("test_lib.py", "from lib.lib import ONE\n\n\ndef test_one():\n    assert ONE == 1\n")
    repo.commit_all("a test of it")
    settings(repo, worktree={"init": "git -c protocol.file.allow=always submodule --quiet update --init"})
    code, told = verified(repo)
    assert (code, told["proof"]) == (0, "checked"), told["reason"]
    library.write("lib.py", "ONE = 2\n")
    library.commit_all("two")
    repo.git("-C", "lib", "-c", "protocol.file.allow=always", "pull", "--quiet", str(library.path), "main")
    repo.commit_all("the newer one")
    code, told = judged(repo)
    assert code == 9, "the checkout has the commit of the submodule that the work names"
    assert "test_lib.py::test_one" in told["reason"]


def test_pointers_of_large_files_are_left_alone(repo):
    repo.write("big.bin", POINTER)
    repo.write("test_big.py", "def test_big():\n    assert open('big.bin').readline().startswith('version')\n")
    repo.commit_all("large files")
    repo.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
    for what in ("clean", "smudge"):
        repo.git("config", f"filter.lfs.{what}", f"git-lfs {what} -- %f")
    repo.git("config", "filter.lfs.required", "false")
    code, told = verified(repo)
    assert code == 0, told["reason"]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_link_out_of_the_tree_is_told(repo, tmp_path, kind):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "calc.py").write_text(RIGHT["calc.py"])
    (repo.path / "calc.py").unlink()
    if kind == "file":
        (repo.path / "calc.py").symlink_to(outside / "calc.py")
    else:
        repo.write("test_calc.py", FILES["test_calc.py"].replace("from calc", "from linked.calc"))
        (repo.path / "linked").symlink_to(outside)
    repo.commit_all("work elsewhere")
    code, told = judged(repo)
    assert code in (6, 9), told
    assert any("outside" in text or "leads" in text for text in texts(told)), texts(told)


@pytest.mark.parametrize("ignores", ["false", "true"])
def test_names_that_differ_in_case_only(repo, ignores):
    if Path(str(repo.path / "CALC.PY")).exists():
        pytest.skip("this file system takes them for one")
    repo.git("config", "core.ignoreCase", ignores)
    wrong = FILES["calc.py"]
    for name, text in {**RIGHT, "Calc.py": wrong}.items():
        repo.write(name, text)
        # With core.ignoreCase `git add --all` would take the second name for the first.
        blob = repo.git("hash-object", "-w", name).strip()
        repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    repo.git("commit", "--quiet", "-m", "work")
    code, told = judged(repo)
    assert (code, told["proof"]) == (0, "checked"), told["reason"]
    assert repo.git("ls-tree", "--name-only", "HEAD").split() == [".gitignore", "Calc.py", "calc.py", "test_calc.py"]


@pytest.mark.timeout(900)
def test_fifty_thousand_files(repo):
    """They are in git only, as in a sparse checkout; the check counts them."""
    data = [b"commit refs/heads/main\ncommitter T <t@example.invalid> 1 +0000\ndata 4\nmany\nfrom refs/heads/main^0\n"]
    for number in range(50_000):
        text = f"# {number}\n".encode()
        data.append(b"M 100644 inline many/d%d/f%d.txt\ndata %d\n%s\n" % (number // 100, number, len(text), text))
    (repo.home / "import").write_bytes(b"".join(data) + b"\n")
    assert repo.run("sh", "-c", 'git fast-import --quiet < "$HOME/import"').returncode == 0
    repo.git("reset", "--quiet", "--hard")
    counts = "import pathlib; assert sum(1 for _ in pathlib.Path('many').rglob('*.txt')) == 50_000"
    settings(repo, guardrails=[{"command": f'python3 -c "{counts}"'}])
    code, told = verified(repo)
    assert (code, told["proof"]) == (0, "checked"), told["reason"]
    assert run_ralph(repo, "verify", timeout=300).returncode == 0


def test_a_shallow_clone_says_what_it_cannot_compare_with(repo, tmp_path):
    for name, text in RIGHT.items():
        repo.write(name, text)
    repo.commit_all("work")
    clone = TempRepo(tmp_path / "clone")
    clone.home.mkdir(parents=True)
    repo.git("clone", "--quiet", "--depth=1", f"file://{repo.path}", str(clone.path))
    settings(clone)
    code, told = judged(clone)
    assert (code, told["base"], told["proof"]) == (0, "", "warned")
    assert told["doubts"][0].startswith("there is no earlier commit")
    refused = run_ralph(clone, "verify", "--base", repo.git("rev-parse", "HEAD~1").strip())
    assert refused.returncode == 2
    assert "git has no commit" in refused.stderr


def test_a_record_in_a_shallow_clone_needs_the_history(tmp_path):
    proven = Proven(tmp_path)
    assert proven.run().code == 0
    proven.publish(NOTES)
    clone = TempRepo(tmp_path / "shallow")
    clone.home.mkdir(parents=True)
    proven.here.git("clone", "--quiet", "--depth=1", "--branch=ralph/s", f"file://{tmp_path}/hub.git", str(clone.path))
    settings(clone)
    done = run_ralph(clone, "proof", "verify")
    assert done.returncode == 2
    assert "git fetch --unshallow" in done.stderr
    clone.git("fetch", "--quiet", "--unshallow")
    again = run_ralph(clone, "proof", "verify")
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("what", ["notes of others", "a blob", "a tree", "a commit of files"])
def test_a_ref_for_notes_that_is_there_already(tmp_path, what):
    proven = Proven(tmp_path)
    here = proven.here
    if what == "notes of others":
        here.git("notes", f"--ref={NOTES}", "add", "-m", "theirs", "HEAD")
    else:
        blob = here.run("git", "hash-object", "-w", "--stdin", input="x").stdout.strip()
        names = {"a blob": blob, "a tree": "HEAD^{tree}", "a commit of files": "HEAD"}
        here.git("update-ref", NOTES, here.git("rev-parse", names[what]).strip())
    before = here.git("rev-parse", NOTES).strip()
    ended = proven.run()
    assert ended.code == 0, ended.err
    if what in ("a blob", "a tree"):
        assert "the record of the proof is not complete: " in ended.err
        assert here.git("rev-parse", NOTES).strip() == before
    else:
        assert f"and as a note on {proven.commit[:8]}" in ended.err
    assert proven.file.exists()
    if what == "notes of others":
        assert here.git("notes", f"--ref={NOTES}", "show", "main").strip() == "theirs"


def lose_git(tmp_path, harm):
    crew = TaskCrew(tmp_path)
    config = {"command": "grep -q good work.txt"}
    crew.task(coder={"promise": "MADE", "verification_config": config, "max_iterations": 4})
    crew.hire(coder=[{"run": harm} | promise("MADE", {"work.txt": "good\n"})])
    return crew, crew.run()


def test_a_worktree_of_a_task_that_has_lost_its_git_is_linked_again(tmp_path):
    crew, ended = lose_git(tmp_path, "rm .git")
    assert ended.code == 0, ended.err
    assert crew.on_branch("work.txt") == "good\n"


def test_a_worktree_with_a_repository_of_the_agents_own_verifies_nothing_and_can_be_gone_on_with(tmp_path):
    crew, ended = lose_git(tmp_path, "rm .git; git init -q -b ralph/s--T-1 .; git add -A; git commit -qm mine")
    assert ended.code == 9, ended.err
    assert ".ralph/worktrees/T-1/.git is not the one that ralph made" in ended.err
    assert "Move it away, then continue: ralph resume" in ended.err
    shutil.rmtree(crew.repo.path / ".ralph/worktrees/T-1/.git")
    again = crew.ralph("resume")
    assert again.code == 0, again.err
    assert crew.on_branch("work.txt") == "good\n"
