"""What a judge is shown of a change: the smallest files first, and each file whole or named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.checks.change import BEGINNING, MOST_DELETED, MOST_LISTED, FileDiffs, listed
from ralph.kernel.actions.checks import FileDiff


def section(path, *lines, head=()):
    """One file of a diff."""
    added = [f"+{line}" for line in lines]
    hunk = ["--- /dev/null", f"+++ b/{path}", f"@@ -0,0 +1,{len(lines)} @@", *added] if lines else []
    return "\n".join([f"diff --git a/{path} b/{path}", *head, "index 000..111", *hunk]) + "\n"


def read(diff, room=10_000, size=100, **options):
    data = diff.encode() if isinstance(diff, str) else diff
    diffs = FileDiffs(room, **options)
    for start in range(0, len(data), size):
        diffs.take(data[start : start + size])
    return {file.path: file for file in diffs.files()}


@pytest.mark.parametrize("size", [1, 5, 13, 1000])
def test_each_file_is_shown_as_git_wrote_it(size):
    sections = [section("a.py", "one", "diff --git a/x b/x"), section("b c.py", "größe"), section("sub/d.py")]
    found = read("".join(sections), size=size)
    assert [*found] == ["a.py", "b c.py", "sub/d.py"]
    assert [file.text for file in found.values()] == sections
    assert all(file.is_shown and file.kind == "text" for file in found.values())


def test_nothing_changed_is_nothing():
    assert read("") == {}


@pytest.mark.parametrize(
    ("header", "path"),
    [
        ('"a/quo\\"te.py" "b/quo\\"te.py"', 'quo"te.py'),
        ('"a/tab\\there" "b/tab\\there"', "tab\there"),
        ('"a/line\\nbreak" "b/line\\nbreak"', "line\nbreak"),
        ("a/a b/a b/a b/a", "a b/a"),
        ("a/größe.py b/größe.py", "größe.py"),
    ],
)
def test_names_are_read_as_they_are(header, path):
    assert [*read(f"diff --git {header}\nold mode 100644\nnew mode 100755\n")] == [path]


def test_a_huge_file_does_not_push_others_out_of_sight_wherever_it_sorts():
    for name in ("0.sql", "zzz.sql"):
        found = read(section(name, *["insert"] * 5_000) + section("main.py", "print(1)") + section("util.py", "x = 1"))
        assert found["main.py"].is_shown
        assert found["util.py"].is_shown
        assert not found[name].is_shown
        assert found[name].size > 30_000
        assert 0 < len(found[name].text) <= BEGINNING


def test_of_many_files_the_smallest_are_shown_and_the_others_named():
    found = read("".join(section(f"f{number:03}.py", "x" * 10 * number) for number in range(100)), room=5_000)
    shown = [path for path, file in found.items() if file.is_shown]
    assert len(found) == 100
    assert shown == [f"f{number:03}.py" for number in range(len(shown))]
    assert 0 < sum(len(file.text) for file in found.values()) <= 5_000


def test_generated_files_and_pictures_come_after_sources():
    picture = bytes(range(256)).decode(errors="replace")
    diff = section("package-lock.json", "x" * 100) + section("logo.png", picture) + section("main.py", "y" * 800)
    found = read(diff, room=1_000)
    assert {path: file.kind for path, file in found.items()} == {
        "logo.png": "media",
        "main.py": "text",
        "package-lock.json": "generated",
    }
    assert [path for path, file in found.items() if file.is_shown] == ["main.py"]
    assert [file.must_be_seen for file in found.values()] == [False, True, False]


@pytest.mark.parametrize("name", ["app.min.js", "web/yarn.lock", "Cargo.lock", "api.pb.go", "deep/down/go.sum"])
def test_generated_files_are_known_by_their_names(name):
    assert read(section(name, "x"))[name].kind == "generated"


@pytest.mark.parametrize("name", ["lock.py", "yarn.lock.py", "min.js", "package-lock.json/x.py", "logo.png"])
def test_other_names_make_no_file_generated(name):
    assert read(section(name, "x"))[name].kind == "text"


def test_a_nul_byte_hides_no_text():
    file = read(section("main.py", "print(1)\0", "y = 2"))["main.py"]
    assert (file.kind, file.is_shown) == ("text", True)
    assert "+print(1)\u2400\n+y = 2\n" in file.text


def test_a_binary_file_is_named_and_shown_when_it_is_asked_for():
    diff = section("data.bin", "x").encode() + bytes(range(128, 256)) * 3 + b"\0" * 100
    hidden = read(diff)["data.bin"]
    assert (hidden.kind, hidden.text, hidden.must_be_seen, hidden.is_shown) == ("binary", "", True, False)
    shown = read(diff, show_binaries=True)["data.bin"]
    assert (shown.kind, shown.is_shown) == ("binary", True)


def test_of_a_large_deleted_file_it_is_enough_that_it_is_gone():
    gone = section("old.py", *["x" * 50] * 100, head=["deleted file mode 100644"]).replace("\n+x", "\n-x")
    file = read(gone)["old.py"]
    assert file.is_shown
    assert "deleted file mode" in file.text
    assert len(file.text) < 200 < MOST_DELETED < len(gone)


def test_a_line_that_only_looks_like_a_deletion_hides_nothing():
    file = read(section("a.py", "deleted file mode 100644", *["x" * 50] * 100))["a.py"]
    assert file.text.count("+x") == 100


def test_a_file_that_became_a_link_is_one_file():
    gone = section("a.py", "x", head=["deleted file mode 100644"])
    new = section("a.py", "target", head=["new file mode 120000"])
    [file] = read(gone + new).values()
    assert (file.text, file.is_shown) == (gone + new, True)


def test_a_single_line_that_does_not_fit_is_cut_within():
    file = read(section("one.js", "x" * 50_000))["one.js"]
    assert not file.is_shown
    assert len(file.text) == BEGINNING + 1


def test_so_many_are_named_those_first_that_must_be_seen():
    files = [FileDiff("shown.py", "x", 1)]
    files += [FileDiff(f"g{number}", "", 5, "generated") for number in range(MOST_LISTED)]
    files += [FileDiff(f"f{number}", "", 5) for number in range(MOST_LISTED + 7)]
    named, more = listed(files)
    assert more == 7
    assert named[0].path == "shown.py"
    assert len(named) == MOST_LISTED + 1
    assert all(file.must_be_seen for file in named)


@given(st.binary(max_size=2000), st.integers(1, 300))
def test_any_bytes_can_be_read_in_any_pieces(data, size):
    whole = b"diff --git a/x b/x\n" + data
    assert read(whole, room=500, size=size) == read(whole, room=500, size=len(whole))
