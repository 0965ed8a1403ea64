import errno
from pathlib import Path

import pytest

from ralph.model.errors import ConfigError, StateError
from ralph.store.files import cannot_write, write_new


def test_a_file_is_written_and_private(tmp_path):
    write_new(tmp_path / "a", b"one")
    assert (tmp_path / "a").read_bytes() == b"one"
    assert (tmp_path / "a").stat().st_mode & 0o077 == 0


def test_what_was_there_before_is_replaced(tmp_path):
    (tmp_path / "a").write_bytes(b"much longer than that")
    write_new(tmp_path / "a", b"short")
    assert (tmp_path / "a").read_bytes() == b"short"


def test_nothing_is_written_through_a_link(tmp_path):
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / "a").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        write_new(tmp_path / "a", b"gone")
    assert (tmp_path / "precious").read_bytes() == b"precious"


def test_a_large_file_is_written_to_its_end(tmp_path):
    data = bytes(range(256)) * 40_000
    write_new(tmp_path / "a", data)
    assert (tmp_path / "a").read_bytes() == data


@pytest.mark.parametrize(("number", "kind"), [(errno.ENOSPC, StateError), (errno.EACCES, ConfigError)])
def test_a_full_disk_is_nobodys_mistake_and_a_missing_permission_is(number, kind):
    error = cannot_write(Path("/somewhere"), OSError(number, "why"), "Do this.")
    assert type(error) is kind
    assert error.message == "cannot write /somewhere: why."
