"""README.md: its example runs, and it names every key."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from real_programs import need_cli
from scripted_model.script import SCRIPT, TURN

HERE = Path(__file__).parent
PAGE = (HERE / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", [name.rstrip("?") for name in SCRIPT | TURN if name != "turns"])
def test_every_key_is_told(key):
    assert f"`{key}: " in PAGE


@pytest.mark.e2e
@pytest.mark.timeout(300)
def test_the_example_passes(tmp_path):
    need_cli("codex")
    (example,) = re.findall(r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    file = tmp_path / "test_example.py"
    file.write_text(example, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--rootdir", tmp_path, "-p", "no:cacheprovider", file],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(HERE.parent)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
