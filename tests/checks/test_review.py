"""Is the code that a finding means part of the change? Asked of real commits."""

import asyncio

import pytest

from ralph.checks.review import (
    NO_FILE,
    NO_LINES,
    NOT_CHANGED,
    NOT_THERE,
    NOT_TOUCHED,
    TouchedLines,
    anchored,
    named_path,
)
from ralph.git.changes import read_diff, read_file
from ralph.git.command import Git
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench
from reviews import found

BEFORE = [f"line {number}" for number in range(1, 41)]
AFTER = [*BEFORE]
AFTER[9:11] = ["def load(path):", "    return eval(open(path).read())", "    # done"]
del AFTER[30:32]
# Lines 10 and 11 became three; lines 30 and 31 (now after line 30) are gone.


def text(lines):
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture(scope="module")
def change(tmp_path_factory):
    repo = temp_repo(
        tmp_path_factory.mktemp("change"),
        {
            "src/app.py": text(BEFORE),
            "other.py": text(BEFORE),
            "old.py": "import os\nos.system(cmd)\n",
            "run.py": "1\n",
        },
    )
    repo.write("src/app.py", text(AFTER))
    repo.write("new file.py", "+++ b/other.py\n@@ -1 +1 @@\nhello = world\n")
    repo.write("empty.py", "")
    (repo.path / "run.py").chmod(0o755)
    (repo.path / "old.py").unlink()
    repo.commit_all("change")
    return Git(Workbench(repo.path, repo.env, "r"))


def anchors(git, *issues):
    async def look():
        touched = TouchedLines()
        await read_diff(git, "HEAD~1", "HEAD", touched.take, context=0)

        async def read(commit, path):
            return await read_file(git, commit, path, 1_000_000)

        return await anchored(issues, touched.files, "HEAD~1", "HEAD", read)

    return asyncio.run(look())


def anchor(git, **fields):
    [one] = anchors(git, found(**({"file": "src/app.py", "lines": (0, 0)} | fields)))
    return one


@pytest.mark.parametrize(
    ("quote", "lines"),
    [
        ("    return eval(open(path).read())", (11, 11)),
        ("eval(open(path)", (11, 11)),
        ("def load(path):\n    return eval(open(path).read())", (10, 11)),
        ("+def load(path):\n+    return eval(open(path).read())", (10, 11)),
        ("def  load( path ) :\n\n\treturn eval(open(path).read())\n", (10, 11)),
        ("def load(path):\n    ...\n    # done", (10, 10)),
        ("`return eval(open(path).read())`", (11, 11)),
        ("line 9\ndef load(path):", (9, 10)),
    ],
)
def test_a_quote_is_found_in_what_was_changed(change, quote, lines):
    assert (anchor(change, quote=quote).lines, anchor(change, quote=quote).problem) == (lines, "")


@pytest.mark.parametrize("quote", ["line 7", "line 12", "line 14"])
def test_a_quote_next_to_a_change_counts(change, quote):
    assert anchor(change, quote=quote).problem == ""


@pytest.mark.parametrize("quote", ["line 6", "line 15", "line 40"])
def test_a_quote_further_away_does_not(change, quote):
    assert anchor(change, quote=quote).problem == NOT_TOUCHED


@pytest.mark.parametrize("quote", ["line 10", "-line 10\n-line 11", "line 30\nline 31"])
def test_a_quote_of_removed_lines_counts(change, quote):
    one = anchor(change, quote=quote)
    assert (one.problem, one.file) == ("", "src/app.py")


def test_a_quote_of_a_deleted_file_counts(change):
    assert anchor(change, file="old.py", quote="os.system(cmd)").problem == ""


@pytest.mark.parametrize("quote", ["return exec(path)", "def load(path):\n    ...\n    return 7"])
def test_code_that_is_not_there_is_found_nowhere(change, quote):
    assert anchor(change, quote=quote, lines=(11, 11)).problem == NOT_THERE


def test_a_quote_that_stands_everywhere_is_none(change):
    assert anchor(change, quote="}").problem == NO_LINES
    assert anchor(change, quote="}", lines=(11, 11)).problem == ""


@pytest.mark.parametrize("lines", [(10, 12), (11, 11), (1, 40), (13, 14), (9, 9), (31, 31)])
def test_without_a_quote_lines_that_touch_changed_ones_count(change, lines):
    one = anchor(change, lines=lines)
    assert (one.problem, one.lines) == ("", lines)


@pytest.mark.parametrize("lines", [(0, 0), (1, 8), (15, 20), (500, 600)])
def test_other_lines_do_not(change, lines):
    assert anchor(change, lines=lines).problem == NO_LINES


@pytest.mark.parametrize("file", ["empty.py", "run.py"])
@pytest.mark.parametrize("quote", ["", "new file mode 100644"])
def test_a_file_without_a_changed_line_is_meant_by_its_name(change, file, quote):
    assert anchor(change, file=file, quote=quote).problem == ""


@pytest.mark.parametrize("file", ["invented.py", "other.py", "src"])
def test_a_file_that_is_not_part_of_the_change_is_not_meant(change, file):
    assert anchor(change, file=file, quote="line 10", lines=(10, 10)).problem == NOT_CHANGED


def test_no_file_is_no_place(change):
    assert anchor(change, file="", quote="eval(open(path)").problem == NO_FILE


def test_lines_that_look_like_a_diff_are_lines_of_their_file(change):
    assert anchor(change, file="new file.py", quote="hello = world").lines == (3, 3)
    assert anchor(change, file="other.py", quote="line 1").problem == NOT_CHANGED


def test_each_finding_has_an_anchor_of_its_own(change):
    first, second = anchors(change, found(file="nowhere"), found(file="./src/app.py", quote="def load(path)"))
    assert (first.problem, second.problem, second.file) == (NOT_CHANGED, "", "src/app.py")


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("src/app.py", "src/app.py"),
        ("./src/app.py", "src/app.py"),
        ("b/src/app.py", "src/app.py"),
        ("`src/app.py`", "src/app.py"),
        ("/tmp/somewhere/src/app.py", "src/app.py"),
        ("/tmp/somewhere/lib/src/app.py", "lib/src/app.py"),
        ("run.py", "cmd/run.py"),
        ("app.py", ""),
        ("xsrc/app.py", ""),
        ("", ""),
    ],
)
def test_a_file_may_be_named_in_many_ways(name, path):
    assert named_path(name, ["src/app.py", "lib/src/app.py", "cmd/run.py"]) == path
