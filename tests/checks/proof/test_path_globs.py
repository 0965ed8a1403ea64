import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph.checks.proof.path_globs import PathGlobs
from ralph.testing import temp_repo

TABLE = [
    ("tests/**", ["tests/a.py", "tests/a/b.py"], ["tests", "src/tests/a.py", "tests.py"]),
    ("*.py", ["a.py", "src/deep/a.py", "odd.py/inside.txt"], ["a.pyc", "py", "a.py.txt"]),
    ("dir/", ["dir/a", "deep/dir/a/b"], ["dir", "deep/dir", "adir/a", "dir2/a"]),
    ("tests/*", ["tests/a.py", "tests/unit/a.py"], ["src/tests/a.py"]),
    ("Makefile", ["Makefile", "sub/Makefile", "Makefile/x"], ["makefile", "Makefile.am", "xMakefile"]),
    ("/Makefile", ["Makefile"], ["sub/Makefile"]),
    ("./Makefile", ["Makefile"], ["sub/Makefile"]),
    ("docs", ["docs", "docs/a", "x/docs/a"], ["docs2", "adocs/a"]),
    ("docs/a.md", ["docs/a.md"], ["x/docs/a.md", "docs/a.md2"]),
    ("**/golden/*.json", ["golden/a.json", "x/y/golden/a.json"], ["golden/x/a.json", "golden/a.json5"]),
    ("a/**/b", ["a/b", "a/x/b", "a/x/y/b/c"], ["ab", "a/xb", "x/a/b"]),
    ("test_[0-9].py", ["test_1.py", "x/test_2.py"], ["test_a.py", "test_12.py"]),
    ("test_[!0-9].py", ["test_a.py"], ["test_1.py", "test_/.py"]),
    ("a?c", ["abc", "x/a.c"], ["ac", "a/c", "abbc"]),
    (r"a\*b", ["a*b"], ["axb", "ab"]),
    ("test_*.py", ["test_.py", "x/test_a.py"], ["atest_a.py", "test_a.pyi"]),
    ("größe.txt", ["größe.txt", "x/größe.txt"], ["grosse.txt"]),
    ("new\nline", ["new\nline", "a/new\nline/b"], ["new", "new\nline\n"]),
    ("[", ["["], ["a"]),
    ("[z-a]", [], ["a", "z"]),
    ("**", ["a", "a/b"], []),
    ("*", ["a", "a/b"], []),
    ("", [], ["a", ""]),
    ("/", [], ["a"]),
    ("  ", [], ["a"]),
]


@pytest.mark.parametrize(("pattern", "matched", "others"), TABLE, ids=[repr(row[0]) for row in TABLE])
def test_a_pattern(pattern, matched, others):
    matches = PathGlobs([pattern])
    assert [path for path in (*matched, *others) if matches(path)] == matched


def test_one_pattern_of_many_is_enough():
    matches = PathGlobs(["*.md", "docs/", "/src/*.c", "Makefile"])
    assert all(map(matches, ["a.md", "docs/x", "src/a.c", "Makefile"]))
    assert not any(map(matches, ["a.txt", "src/a/b.h", "lib/a.c"]))


def test_no_pattern_matches_nothing():
    assert not PathGlobs([])("a")


NAMES = st.sampled_from(["a", "b", "ab", "a.py", "test_a.py"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PIECES = st.sampled_from(["a", "b", "*", "?", "[ab]", "[!a]", "*.py", "test_*", "**", "a*", r"\a", "ab"])
PATTERNS = st.tuples(
    st.sampled_from(["", "/"]), st.lists(PIECES, min_size=1, max_size=3).map("/".join), st.sampled_from(["", "/"])
).map("".join)


@pytest.fixture(scope="module")
def ignored_by_git(tmp_path_factory):
    """Whether git itself ignores a path that does not exist, by one line of `.gitignore`."""
    repo = temp_repo(tmp_path_factory.mktemp("globs"))

    def ask(pattern, paths):
        repo.write(".gitignore", f"{pattern}\n")
        command = ["git", "check-ignore", "--no-index", "--stdin", "-z"]
        said = subprocess.run(
            command, cwd=repo.path, input="\0".join(paths), capture_output=True, text=True, check=False
        )
        return set(said.stdout.split("\0")) - {""}

    return ask


@settings(max_examples=100)
@given(pattern=PATTERNS, paths=st.sets(PATHS, min_size=1, max_size=12))
def test_patterns_mean_what_they_mean_to_git(ignored_by_git, pattern, paths):
    matches = PathGlobs([pattern])
    assert {path for path in paths if matches(path)} == ignored_by_git(pattern, sorted(paths))


def test_a_hundred_thousand_paths_are_quick():
    matches = PathGlobs(["*.md", "*_test.py", "test_*.py", "tests/", "Makefile", "/src/*.c", "**/golden/*.json"])
    paths = [f"src/package_{number % 50}/module_{number}.py" for number in range(100_000)]
    began = time.process_time()
    assert not any(map(matches, paths))
    assert time.process_time() - began < 2
