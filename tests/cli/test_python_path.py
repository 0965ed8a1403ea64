"""PYTHONPATH is for the programs of a project: what it points to is never loaded into ralph itself."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import ralph
from ralph.proc.own_python import own_module, own_program
from ralph.testing import done, edits

NAMES = sorted(name for name in sys.stdlib_module_names if name.isidentifier() and not name.startswith("__"))
PLANTED = "from pathlib import Path\nPath(__file__).with_name('LOADED').touch()\n"
OTHERS = {"ralph/__init__.py": PLANTED, "msgspec.py": PLANTED, "psutil.py": PLANTED, "yaml.py": PLANTED}
BARE = subprocess.run(
    [sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True, check=True
)
BEFORE = frozenset(f"{name.partition('.')[0]}.py" for name in BARE.stdout.split())
"""What Python itself loads before any program: no program can do anything about that."""
ALL = {f"{name}.py": PLANTED for name in NAMES} | OTHERS
LATER = {name: text for name, text in ALL.items() if name not in BEFORE}


@pytest.mark.parametrize("path", ["{here}", ".", "lib:", "/nowhere:{here}/"], ids=["full", "dot", "empty", "slash"])
def test_modules_that_an_agent_plants_are_not_loaded(git_loop, path):
    env = {"PYTHONPATH": path.format(here=git_loop.repo.path)}
    git_loop.prepare(edits({**ALL, "a": "1"}) | done(), guardrails=[{"command": "test -e a"}], tamper="off")
    ended = git_loop.ralph("run", "-p", "Work. End with <response>DONE</response>", env=env)
    assert ended.code == 0, ended.err
    assert "proven done" in ended.err
    for name in BEFORE:
        (git_loop.repo.path / name).unlink(missing_ok=True)
    for command in (["show"], ["runs", "--json"], ["logs"], ["no-such-command"]):
        assert "Traceback" not in git_loop.ralph(*command, env=env).err
    assert not git_loop.exists("LOADED")


def test_a_run_in_the_background_does_not_load_them(git_loop):
    git_loop.prepare(done(), guardrails=[{"command": "test -e queue.py"}], tamper="off")
    for name, text in LATER.items():
        git_loop.repo.write(name, text)
    env = {"PYTHONPATH": str(git_loop.repo.path)}
    ended = git_loop.ralph("run", "--detach", "-p", "End with <response>DONE</response>", env=env)
    assert ended.code == 0, ended.err
    git_loop.ralph("logs", "-f", env=env)
    assert git_loop.show()["verdict"] == "verified"
    assert not git_loop.exists("LOADED")


def test_the_programs_of_the_project_get_it(git_loop):
    git_loop.repo.write("lib/prices.py", "VALUE = 7\n")
    command = f'{sys.executable} -c "import prices; assert prices.VALUE == 7"'
    ended = git_loop(edits({"a": "1"}) | done(), guardrails=[{"command": command}], env={"PYTHONPATH": "lib"})
    assert ended.code == 0, ended.err


@pytest.mark.parametrize(
    "folder", [sysconfig.get_path("purelib"), sysconfig.get_path("stdlib"), Path(ralph.__file__).parents[1]]
)
def test_folders_that_ralph_needs_itself_may_be_named(loop, folder):
    ended = loop.ralph("runs", "--json", env={"PYTHONPATH": str(folder)})
    assert (ended.code, ended.out.strip()) == (0, "[]")


@pytest.mark.parametrize("argv", [own_module("json.tool"), own_program("import json.tool; json.tool.main()")])
def test_a_program_of_our_own_does_not_load_them(tmp_path, argv):
    for name, text in ALL.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([*argv, "--compact"], cwd=tmp_path, env=env, input=b"[1, 2]", capture_output=True, check=True)
    assert done.stdout == b"[1,2]\n"
    assert not (tmp_path / "LOADED").exists()
