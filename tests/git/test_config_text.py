"""A settings file is read as git reads it: git itself is the judge."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph.git.config_text import settings_in

PIECES = (
    *("[core]", "[Remote]", '[remote "Origin"]', '[url "a\\"b]"]', "[a.B]", '[x  "y"]', "[core", '["x"]', "[a b]"),
    *("sshCommand", "url", "key-1", "1key", "_", "=", " = ", "value", "a b", '"', '" x "', "\\n", "\\\\", '\\"', "\\q"),
    *("\n", "\r\n", "\r", "\\\n", "\t", "  ", "# note", ";", "é", "\ufeff", "true"),
)


def by_git(folder, text):
    """What git finds in the file; None if it refuses it."""
    file = folder / "config"
    file.write_bytes(text.encode())
    done = subprocess.run(["git", "config", "--file", file, "--list", "-z"], capture_output=True, check=False)
    if done.returncode != 0:
        return None
    entries = [entry.partition("\n") for entry in done.stdout.decode().split("\0")[:-1]]
    return [(name, value if between else "true") for name, between, value in entries]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[core]\n\tsshCommand = evil  ; a note\n", [("core.sshcommand", "evil")]),
        ("[CORE]sshCommand=evil", [("core.sshcommand", "evil")]),
        ('[remote "Origin"]\r\n  URL = "a # b" c \r\n', [("remote.Origin.url", "a # b c")]),
        ("[a]\nb\nc =\n", [("a.b", "true"), ("a.c", "")]),
        ('[a]\nb = one \\\n  two\\n\\"\n', [("a.b", 'one   two\n"')]),
        ("[a]\nb = \\\n  x\n", [("a.b", "x")]),
        ("[a]\nb = 1\n[broken\nc = 2\n", [("a.b", "1")]),
    ],
)
def test_what_is_in_a_file(tmp_path, text, found):
    assert list(settings_in(text)) == found
    assert by_git(tmp_path, text) in (found, None)


@settings(max_examples=200)
@given(text=st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_it_finds_what_git_finds(tmp_path_factory, text):
    theirs = by_git(tmp_path_factory.getbasetemp(), text)
    if theirs is not None:
        # Later versions of git keep tabs inside of values.
        ours = [(name, value.replace("\t", " ")) for name, value in settings_in(text)]
        assert ours == [(name, value.replace("\t", " ")) for name, value in theirs]
