"""The picture in the README shows what `ralph demo` prints today: `make picture` draws it."""

import html
import re
import subprocess
from pathlib import Path

from loops import ralph_program

PICTURE = Path(__file__).parents[1] / "docs/demo.svg"
CHANGING = re.compile(r"\b[0-9a-f]{7,40}\b|\d+(\.\d+)?")
"""Ids of runs and commits, numbers and times."""


def shape(text):
    return " ".join(CHANGING.sub("#", text).split())


def test_the_picture_shows_what_the_demo_prints(tmp_path):
    env = {"PATH": f"{Path(ralph_program()).parent}:/usr/bin:/bin", "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    demo = subprocess.run(
        [ralph_program(), "demo"], cwd=tmp_path, env=env, capture_output=True, text=True, check=True, timeout=120
    )
    drawn = re.findall(r"<text[^>]*>(.*?)</text>", PICTURE.read_text(encoding="utf-8"), re.DOTALL)
    picture = shape(html.unescape(" ".join(drawn)).replace("\xa0", " "))
    # A pipe also gets a line for each action that begins. A terminal shows those for a moment only.
    lines = [line.strip() for line in (demo.stdout + demo.stderr).splitlines()]
    printed = [shape(line) for line in lines if line and not line.startswith("…")]
    begin = next(i for i, line in enumerate(printed) if line.startswith("ralph run"))
    end = next(i for i, line in enumerate(printed) if line.startswith("Details: ralph show"))
    assert end - begin > 20
    assert [line for line in printed[begin : end + 1] if line not in picture] == []
