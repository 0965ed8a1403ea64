import os
import subprocess
import sys

from ralph.workbench.first_found import first_found


def program(folder, name):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)
    return str(folder / name)


def test_a_program_that_comes_later_does_not_take_its_place(tmp_path):
    path = f"{tmp_path}/early:{tmp_path}/late"
    late = program(tmp_path / "late", "tool")
    assert first_found("tool", path) == late
    program(tmp_path / "early", "tool")
    assert first_found("tool", path) == late


def test_a_relative_folder_means_the_same_wherever_the_program_starts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = program(tmp_path / "bin", "tool")
    assert first_found("tool", "bin:/usr/bin") == found


def test_a_missing_one_keeps_its_name(tmp_path):
    assert first_found("no-such-tool", str(tmp_path)) == "no-such-tool"


def test_gits_and_shells_place_is_known_from_the_start(tmp_path):
    """Before anything was asked for."""
    code = "import sys; import ralph.workbench.first_found as f; print(f.first_found.cache_info().currsize)"
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True).stdout == b"2\n"
