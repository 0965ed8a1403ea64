"""Evidence stands for the surroundings that it was gathered in, and for no others."""

import pytest

from ralph.checks.proof.surroundings import surroundings


@pytest.fixture
def env(tmp_path):
    for folder in ("bin", "other", "home"):
        (tmp_path / folder).mkdir()
    program = tmp_path / "bin/lint"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    return {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path / "home"), "LANG": "C"}


def test_the_same_surroundings_are_the_same_in_another_terminal(env):
    session = {"PWD": "/elsewhere", "TERM": "dumb", "RALPH_RUN_ID": "abc", "SSH_TTY": "/dev/pts/1", "SHLVL": "3"}
    assert surroundings(["lint ."], env) == surroundings(["lint ."], {**env, **session})


def test_a_program_of_the_same_name_first_on_path_is_another(env, tmp_path):
    before = surroundings(["lint ."], env)
    shim = tmp_path / "other/lint"
    shim.write_text("#!/bin/sh\nexit 0\n")
    shim.chmod(0o755)
    assert surroundings(["lint ."], {**env, "PATH": f"{tmp_path / 'other'}:{env['PATH']}"}) != before


def test_a_program_that_was_changed_in_its_place_is_another(env, tmp_path):
    before = surroundings(["lint ."], env)
    (tmp_path / "bin/lint").write_text("#!/bin/sh\nexit 1\n")
    assert surroundings(["lint ."], env) != before


@pytest.mark.parametrize("name", ["PYTHONPATH", "PYTEST_ADDOPTS", "MAKEFLAGS", "NODE_OPTIONS", "BASH_ENV"])
def test_a_variable_that_checks_can_read_makes_them_another(env, name):
    assert surroundings(["lint ."], {**env, name: "x"}) != surroundings(["lint ."], env)


def test_a_file_of_settings_in_the_home_directory_makes_them_another(env, tmp_path):
    before = surroundings(["lint ."], env)
    (tmp_path / "home/.npmrc").write_text("script-shell=/bin/true\n")
    assert surroundings(["lint ."], env) != before
