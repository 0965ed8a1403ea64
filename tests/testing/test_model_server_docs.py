"""docs/testing.md on the scripted model server: its examples run, and it names every key."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ralph.config.yaml_text import parse_yaml
from ralph.testing.models.script import SCRIPT, TURN, ModelScript
from real_programs import need_cli

_, SECTION = (Path(__file__).parents[2] / "docs/testing.md").read_text(encoding="utf-8").split("## Real agents on a ")


def example(language):
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
    return found


@pytest.mark.parametrize("key", [name.rstrip("?") for name in SCRIPT | TURN])
def test_every_key_is_told(key):
    assert f"`{key}: " in SECTION or f"\n{key}:" in example("yml")


def test_the_script_shown_is_valid():
    assert len(ModelScript(parse_yaml(example("yml"), 10)).turns) == 4


@pytest.mark.e2e
@pytest.mark.timeout(300)
def test_the_example_passes(tmp_path):
    need_cli("codex")
    file = tmp_path / "test_example.py"
    file.write_text(example("py"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--rootdir", tmp_path, "-p", "no:cacheprovider", file],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
