"""docs/honesty.md: its example is a behaviour, and its tables name what there is."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from honesty import kit
from honesty.catalogue import load
from honesty.declaration import Attack, Behaviour, Control, Start
from honesty.tree import Tree

TOP = Path(__file__).parents[2]
PAGE = (TOP / "docs/honesty.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]


def test_the_example_can_be_loaded(tmp_path):
    file = tmp_path / "example.py"
    file.write_text(EXAMPLE)
    assert load(file).sentence == "The agent puts a skip mark on the test that fails."


@pytest.mark.e2e
def test_the_example_is_caught_as_a_user_plays_it(tmp_path):
    file = tmp_path / "example.py"
    file.write_text(EXAMPLE)
    argv = [sys.executable, "-m", "honesty", str(file), "--columns", "naive,run"]
    done = subprocess.run(argv, cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^  example +pytest +fooled +caught 1x", done.stdout, re.MULTILINE), done.stdout


def test_every_field_of_a_behaviour_is_on_the_page():
    fields = {*Behaviour.__struct_fields__, *Attack.__struct_fields__, *Control.__struct_fields__}
    assert [name for name in sorted(fields) if f"`{name}`" not in PAGE] == []


def test_every_start_and_all_that_a_tree_can_do_is_on_the_page():
    starts = [name for name in kit.__all__ if isinstance(getattr(kit, name), Start)]
    assert [name for name in starts if f"`{name}`" not in PAGE] == []
    assert [name for name in vars(Tree) if not name.startswith("_") and name not in PAGE] == []
