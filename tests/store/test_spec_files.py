"""Files of a spec: written as a whole, and never through what an agent may have put in their place."""

import os

import pytest

from ralph.store.spec_files import read_spec_file, write_spec_file

NAME = "codebase-analysis.json"


def test_what_was_written_is_read(tmp_path):
    assert read_spec_file(tmp_path, "s", NAME, most=99) is None
    write_spec_file(tmp_path, "s", NAME, b"one")
    write_spec_file(tmp_path, "s", NAME, b"two")
    assert read_spec_file(tmp_path, "s", NAME, most=99) == b"two"
    assert [path.name for path in (tmp_path / ".ralph/specs/s").iterdir()] == [NAME]


def test_one_that_is_too_large_is_not_read(tmp_path):
    write_spec_file(tmp_path, "s", NAME, b"x" * 100)
    assert read_spec_file(tmp_path, "s", NAME, most=99) is None


@pytest.mark.parametrize("link", [".ralph", ".ralph/specs", ".ralph/specs/s"])
def test_a_link_in_the_place_of_a_folder_is_not_followed(tmp_path, link):
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "specs/s").mkdir(parents=True)
    (elsewhere / "s").mkdir()
    for folder in (elsewhere, elsewhere / "s", elsewhere / "specs/s"):
        (folder / NAME).write_bytes(b"forged")
    (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / link).symlink_to(elsewhere)
    assert read_spec_file(tmp_path, "s", NAME, most=99) is None
    with pytest.raises(OSError):  # noqa: PT011 - of which kind depends on the system
        write_spec_file(tmp_path, "s", NAME, b"mine")
    assert (elsewhere / NAME).read_bytes() == b"forged"


def test_a_link_in_the_place_of_the_file_is_replaced_and_not_followed(tmp_path):
    write_spec_file(tmp_path, "s", NAME, b"mine")
    file, secret = tmp_path / ".ralph/specs/s" / NAME, tmp_path / "secret"
    secret.write_bytes(b"secret")
    file.unlink()
    file.symlink_to(secret)
    assert read_spec_file(tmp_path, "s", NAME, most=99) is None
    write_spec_file(tmp_path, "s", NAME, b"mine")
    assert secret.read_bytes() == b"secret"
    assert read_spec_file(tmp_path, "s", NAME, most=99) == b"mine"


def test_a_pipe_in_the_place_of_the_file_keeps_nobody_waiting(tmp_path):
    (tmp_path / ".ralph/specs/s").mkdir(parents=True)
    os.mkfifo(tmp_path / ".ralph/specs/s" / NAME)
    assert read_spec_file(tmp_path, "s", NAME, most=99) is None


def test_a_write_that_fails_leaves_nothing_behind(tmp_path):
    (tmp_path / ".ralph/specs/s" / NAME).mkdir(parents=True)
    with pytest.raises(OSError):  # noqa: PT011 - of which kind depends on the system
        write_spec_file(tmp_path, "s", NAME, b"mine")
    assert [path.name for path in (tmp_path / ".ralph/specs/s").iterdir()] == [NAME]
