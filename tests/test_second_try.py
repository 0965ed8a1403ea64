"""The second try of `.ci/run` forgives a busy machine, not a defect."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FLAKY = """\
from pathlib import Path

import pytest


@pytest.mark.parametrize("n", range(TIMES))
def test_flaky(n):
    seen = Path(f"seen-{n}")
    known = seen.exists()
    seen.touch()
    assert known
"""
ONE = FLAKY.replace("TIMES", "1")
MANY = FLAKY.replace("TIMES", "4")
BROKEN = "def test_broken():\n    assert 1 == 2\n"


@pytest.mark.parametrize(
    ("test", "option", "code"),
    [
        (ONE, "--second-try", 0),
        (ONE, "--verbose", 1),
        (BROKEN, "--second-try", 1),
        (ONE + BROKEN, "--second-try", 1),
        (MANY, "--second-try", 1),
    ],
    ids=["flaky", "not asked for", "broken", "one of two", "too many"],
)
def test_second_try(tmp_path, test, option, code):
    (tmp_path / "conftest.py").write_text("from second_try import pytest_addoption, pytest_sessionfinish\n")
    (tmp_path / "test_it.py").write_text(test)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    argv = [sys.executable, "-m", "pytest", option]
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout
    assert ("passed alone" in done.stdout) == (code == 0)
