"""The two ways to start a process must not differ in anything but their cost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ralph.model.errors import StateError
from ralph.proc import child
from ralph.proc.child import start_child

NOTHING = Path(os.devnull)


@pytest.fixture(params=["here", "elsewhere"])
def place(request, tmp_path, monkeypatch):
    if request.param == "here":
        monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def output_of(place):
    """What a program prints, and its exit code."""

    def run(*argv, env=None):
        env = {"PATH": os.environ["PATH"]} if env is None else env
        with (place / "out").open("wb") as out, NOTHING.open("rb") as feed:
            started = start_child(argv, cwd=place, env=env, streams=(feed.fileno(), out.fileno(), out.fileno()))
            code = started.wait()
        return (place / "out").read_text(), code

    return run


def program(folder, text="#!/bin/sh\necho found in $0\n", mode=0o755):
    folder.mkdir(exist_ok=True)
    file = folder / "tool"
    file.write_text(text)
    file.chmod(mode)
    return file


def test_only_the_direct_way_is_used_in_our_directory(tmp_path, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.chdir(tmp_path)
    with NOTHING.open("r+b") as nothing:
        streams = (nothing.fileno(),) * 3
        assert start_child(["sh", "-c", "exit 3"], cwd=tmp_path, env=os.environ, streams=streams).wait() == 3
        with pytest.raises(TypeError):
            start_child(["true"], cwd=tmp_path.parent, env=os.environ, streams=streams)


def test_it_works_in_its_directory_in_a_session_of_its_own(output_of, place):
    said, code = output_of("sh", "-c", "pwd -P; ps -o sid= -p $$; echo $$; exit 5")
    where, session, pid = said.split()
    assert (where, session, code) == (str(place.resolve()), pid, 5)


def test_the_path_of_its_own_environment_finds_it(output_of, place):
    file = program(place / "bin")
    assert output_of("tool", env={"PATH": f"{place}/none:{place}/bin:/usr/bin"}) == (f"found in {file}\n", 0)


def test_a_relative_path_and_an_empty_one_are_relative_to_its_directory(output_of, place):
    program(place / "bin")
    program(place)
    assert output_of("tool", env={"PATH": "bin:/usr/bin"})[0].strip().endswith("bin/tool")
    assert output_of("tool", env={"PATH": ":/usr/bin"})[0].strip().endswith("tool")


def test_one_that_may_not_be_executed_is_passed_over(output_of, place):
    program(place / "first", mode=0o644)
    file = program(place / "second")
    assert output_of("tool", env={"PATH": f"{place}/first:{place}/second"}) == (f"found in {file}\n", 0)


def test_the_first_refusal_is_told_if_none_can_be_executed(output_of, place):
    program(place / "first", mode=0o644)
    with pytest.raises(PermissionError):
        output_of("tool", env={"PATH": f"{place}/first:{place}/none"})


def test_a_script_without_a_first_line_is_refused(output_of, place):
    program(place / "bin", text="echo no\n")
    with pytest.raises(OSError, match="Exec format error"):
        output_of("tool", env={"PATH": f"{place}/bin"})


def test_a_missing_one_is_missing(output_of):
    with pytest.raises(FileNotFoundError):
        output_of("no-such-tool")


def test_signals_that_python_ignores_end_it(output_of):
    assert output_of("sh", "-c", "kill -PIPE $$")[1] == -13
    assert output_of("sh", "-c", "kill -XFSZ $$")[1] == -25


def test_words_and_variables_that_are_not_utf8_arrive(output_of):
    odd = os.fsdecode(b"caf\xe9")
    said, _ = output_of(
        "sh", "-c", 'printf %s "$1$ODD" | od -An -tx1', "sh", odd, env={"PATH": "/usr/bin:/bin", "ODD": odd}
    )
    assert said.split() == ["63", "61", "66", "e9"] * 2


def test_a_directory_that_was_replaced_is_not_ours_any_more(tmp_path, monkeypatch):
    """Its name leads elsewhere now, and that is where the process must work."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    (tmp_path / "project").rename(tmp_path / "old")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "new").touch()
    with (tmp_path / "out").open("wb") as out, NOTHING.open("rb") as feed:
        streams = (feed.fileno(), out.fileno(), out.fileno())
        assert start_child(["ls"], cwd=tmp_path / "project", env=os.environ, streams=streams).wait() == 0
    assert (tmp_path / "out").read_text() == "new\n"


WITHOUT_STREAMS = """
import os, sys
from pathlib import Path
from ralph.proc import child
from ralph.proc.child import start_child

for number in range(3):
    os.close(number)
read, write = os.pipe()
feed = os.open(os.devnull, os.O_RDONLY)
argv, streams = ["sh", "-c", "echo out; echo err >&2"], (feed, write, write)
child = start_child(argv, cwd=Path(sys.argv[1]), env=os.environ, streams=streams)
os.close(write)
assert child.wait() == 0
Path(sys.argv[2]).write_bytes(os.read(read, 100))
"""


def test_a_process_without_standard_streams_can_start_others(place, tmp_path):
    subprocess.run([sys.executable, "-c", WITHOUT_STREAMS, place, tmp_path / "heard"], check=True, timeout=60)
    assert (tmp_path / "heard").read_text() == "out\nerr\n"


def test_an_exit_code_that_another_has_taken_is_not_zero(place):
    with NOTHING.open("r+b") as nothing:
        started = start_child(["sh", "-c", "exit 3"], cwd=place, env=os.environ, streams=(nothing.fileno(),) * 3)
    os.waitpid(started.pid, 0)
    with pytest.raises(StateError, match="exit code of process"):
        started.wait()


def exits_with_three(place):
    with NOTHING.open("r+b") as nothing:
        streams = (nothing.fileno(),) * 3
        return start_child(["sh", "-c", "exit 3"], cwd=place, env=os.environ, streams=streams).wait() == 3


def test_a_system_without_a_list_of_open_files_starts_processes_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(child, "OWN_FILES", tmp_path / "none")
    child._files_are_private.cache_clear()
    try:
        assert exits_with_three(tmp_path)
    finally:
        child._files_are_private.cache_clear()


def test_a_system_that_cannot_start_a_session_directly_starts_processes_too(tmp_path, monkeypatch):
    def refuse(*_, **options):
        raise NotImplementedError(f"setsid={options['setsid']}")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "posix_spawn", refuse)
    assert exits_with_three(tmp_path)
