import pytest

from ralph.checks.diffs import AddedLine, AddedLines
from ralph.testing import temp_repo


def added_lines(diff):
    return AddedLines().feed(f"{diff}\n")


@pytest.fixture
def added(tmp_path):
    """What git says was added by a change from one set of files to another."""

    def change(before, after, *options):
        repo = temp_repo(tmp_path, before)
        for path, text in after.items():
            repo.write(path, text)
        repo.git("add", "--all")
        return list(added_lines(repo.git("diff", "--cached", *options)))

    return change


def test_lines_are_numbered_as_in_the_new_file(added):
    numbers = "".join(f"{number}\n" for number in range(1, 31))
    changed = numbers.replace("2\n", "two\n", 1).replace("27\n", "27\nmore\n")
    assert added({"a.txt": numbers}, {"a.txt": changed}) == [
        AddedLine("a.txt", 2, "two"),
        AddedLine("a.txt", 28, "more"),
    ]


@pytest.mark.parametrize("options", [[], ["--unified=0"]])
def test_new_files_and_one_line_files(added, options):
    found = added({"a.txt": "1\n"}, {"a.txt": "1", "new/b.txt": "x\ny\n"}, *options)
    assert found == [AddedLine("a.txt", 1, "1"), AddedLine("new/b.txt", 1, "x"), AddedLine("new/b.txt", 2, "y")]


def test_lines_that_look_like_headers_are_lines(added):
    text = "++ b/other.txt\n-- a/other.txt\n@@ -1 +90 @@\ndiff --git a/x b/x\n"
    found = added({"a.txt": "-- a/gone.txt\n"}, {"a.txt": text})
    assert [(line.file, line.number) for line in found] == [("a.txt", number) for number in range(1, 5)]
    assert "".join(f"{line.text}\n" for line in found) == text


def test_odd_line_ends_and_characters_split_no_line(added):
    [line, last] = added({}, {"a.txt": "one\x0c two\u2028three\nfive\n"})
    assert (line.number, line.text) == (1, "one\x0c two\u2028three")
    assert (last.number, last.text) == (2, "five")


@pytest.mark.parametrize("name", ["with blank.txt", "größe.txt", 'quoted "x".txt', "back\\slash.txt"])
@pytest.mark.parametrize("options", [[], ["-c", "core.quotePath=false"]])
def test_names_are_read_as_they_are(tmp_path, name, options):
    repo = temp_repo(tmp_path)
    repo.write(name, "x\n")
    repo.git("add", "--all")
    [line] = added_lines(repo.git(*options, "diff", "--cached"))
    assert line.file == name


def test_deleted_binary_and_renamed_files_add_nothing(tmp_path):
    repo = temp_repo(tmp_path, {"gone.txt": "1\n2\n", "old.txt": "a\nb\nc\n"})
    (repo.path / "gone.txt").unlink()
    (repo.path / "old.txt").rename(repo.path / "new.txt")
    (repo.path / "image").write_bytes(bytes(range(256)))
    repo.git("add", "--all")
    assert list(added_lines(repo.git("diff", "--cached", "--find-renames"))) == []


def test_a_carriage_return_ends_no_line():
    found = list(added_lines("+++ b/a.txt\n@@ -0,0 +1,2 @@\n+one\r two\r\n+three\r\n"))
    assert found == [AddedLine("a.txt", 1, "one\r two\r"), AddedLine("a.txt", 2, "three\r")]


@pytest.mark.parametrize(
    "text", ["", "no diff at all", "@@ -1 +1 @@", "+++ ", '+++ "', "+++ b/x\n@@ -0,0 +1,9 @@\n+one"]
)
def test_what_is_no_whole_diff_raises_nothing(text):
    assert len(list(added_lines(text))) == text.count("+one")
