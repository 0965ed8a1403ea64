"""docs/testing.md: its examples run, and it names every key."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import ralph.testing
from ralph.testing.script import ACTIONS, FORMATS, SCRIPT, STEP, Script

PAGE = (Path(__file__).parents[2] / "docs/testing.md").read_text(encoding="utf-8")


def examples(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def first_cells():
    return re.findall(r"^\| `(\w+)", PAGE, re.MULTILINE)


@pytest.mark.e2e
def test_the_complete_example_passes(tmp_path):
    (example,) = examples("python")
    file = tmp_path / "test_example.py"
    file.write_text(example, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--rootdir", tmp_path, "-p", "no:cacheprovider", file],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_the_scripts_shown_are_valid():
    whole, part = examples("yaml")
    assert len(Script(yaml.safe_load(whole)).steps) == 2
    assert Script({"steps": yaml.safe_load(part)}).steps[0]["final"] == "<response>DONE</response>"


@pytest.mark.parametrize("key", [name.rstrip("?") for name in SCRIPT | STEP])
def test_every_key_has_its_row(key):
    assert first_cells().count(key) == 1


def test_the_actions_stand_in_their_order():
    names = [name.rstrip("?") for name in ACTIONS]
    assert [cell for cell in first_cells() if cell in names] == names


def test_every_format_and_every_name_is_told():
    for name in (*FORMATS, *(name for name in ralph.testing.__all__ if name not in ("Start", "TempRepo"))):
        assert f"`{name}" in PAGE


def test_the_shown_json_names_match_what_is_recorded(scripted, work):
    agent = scripted({"say": "x"})
    subprocess.run([agent.command], cwd=work, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    log = agent.script.with_name(f"{agent.script.name}.log")
    recorded = set(json.loads(log.read_text()))
    row = next(line for line in PAGE.splitlines() if line.startswith("| `agent.starts`"))
    assert recorded == set(re.findall(r"`(\w+)`", row))
