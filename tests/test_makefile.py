"""The targets that seed 001 lists, and what each does."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TARGETS = ("build", "test", "lint", "fmt", "clean", "install", "all")


def make(*words, cwd=ROOT, env=None):
    done = subprocess.run(
        ["make", *words], cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_help_lists_each_target():
    out = make("help")
    assert [name for name in TARGETS if f"make {name} " not in out] == []


def test_all_is_fmt_lint_test_and_build_in_this_order():
    out = make("-n", "all")
    steps = ["ruff format .", "ruff check .", "-m pytest", "wheel --no-deps"]
    found = [out.index(step) for step in steps]
    assert found == sorted(found)


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_build_and_install_give_a_program_that_starts_and_clean_removes_it(tmp_path):
    known = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in known.decode().split("\0")[:-1]:
        (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / "src" / name, follow_symlinks=False)
    make("build", cwd=tmp_path / "src")
    assert subprocess.check_output([tmp_path / "src/ralph", "--version"], text=True).startswith("ralph ")
    make("install", f"PREFIX={tmp_path}/local", cwd=tmp_path / "src")
    make("clean", cwd=tmp_path / "src")
    assert not (tmp_path / "src/ralph").is_symlink()
    assert not (tmp_path / "src/dist").exists()
    assert subprocess.check_output([tmp_path / "local/bin/ralph", "--version"], text=True).startswith("ralph ")
