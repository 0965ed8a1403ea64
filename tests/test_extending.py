"""docs/extending.md is followed: its files and lines are added to a copy of the source, and its commands are run."""

import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from ralph.testing import temp_repo

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TITLES = ["An agent", "A check", "An action", "A recipe", "A command", "A setting"]
PROGRAM = "from ralph.cli.main import main; main()"
PATIENCE = 120


class Block(NamedTuple):
    language: str
    text: str

    @property
    def file(self):
        """What the first line names, and the rest."""
        first, _, rest = self.text.partition("\n")
        return first.removeprefix("# "), rest


def blocks(title):
    section = PAGE.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    return [Block(*found) for found in BLOCK.findall(section)]


class Copy:
    """The source of ralph, a program that runs it, and a repository to try it in."""

    def __init__(self, root):
        self.root = root / "copy"
        shutil.copytree(ROOT / "src", self.root / "src", ignore=shutil.ignore_patterns("__pycache__"))
        self.repo = temp_repo(root)
        self._bin = root / "bin"
        self._bin.mkdir()
        self._program("python")
        self._program("ralph", "-P", "-c", PROGRAM)

    def _program(self, name, *words):
        program = self._bin / name
        # Its own process, so that a signal for the program reaches it.
        program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, *words])} "$@"\n', encoding="utf-8")
        program.chmod(0o755)

    def follow_all(self, title, *languages):
        for block in blocks(title):
            if block.language in languages:
                self._follow(block)

    def try_it(self, title):
        """Run the commands; the output has every line that is shown."""
        script, shown = (
            "".join(each.text for each in blocks(title) if each.language == kind) for kind in ("sh", "text")
        )
        assert script
        assert shown
        output = self._run(script)
        missing = [line for line in shown.splitlines() if not has_line(output, line)]
        assert not missing, output

    def _follow(self, block):
        name, text = block.file
        place = self.root / name
        if block.language == "python":
            assert not place.exists(), f"{name} is there already"
            place.write_text(text, encoding="utf-8")
            return
        for hunk in text.split("@@\n"):
            place.write_text(changed(place.read_text(encoding="utf-8"), hunk, name), encoding="utf-8")

    def _run(self, script):
        env = {
            "PYTHONPATH": str(self.root / "src"),
            "PATH": os.pathsep.join([str(self._bin), self.repo.env["PATH"]]),
        }
        done = self.repo.run("sh", "-e", "-c", script, env=env, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr


def changed(source, hunk, name):
    lines = hunk.splitlines(keepends=True)
    assert all(line[0] in " +" for line in lines), hunk
    before = "".join(line[1:] for line in lines if line[0] == " ")
    after = "".join(line[1:] for line in lines)
    assert source.count(before) == 1, f"{name} does not have these lines once:\n{before}"
    return source.replace(before, after)


def has_line(output, wanted):
    """Somewhere in a line, with anything where the page leaves something out."""
    pattern = ".+".join(re.escape(part) for part in wanted.split("…"))
    return re.search(pattern, output) is not None


@pytest.mark.parametrize("title", TITLES)
def test_the_steps_work_as_they_are_written(tmp_path, title):
    copy = Copy(tmp_path)
    copy.follow_all(title, "python", "diff")
    copy.try_it(title)


@pytest.mark.parametrize("title", TITLES)
def test_without_the_line_in_the_table_it_does_not_work(tmp_path, title):
    """What is shown comes of the change, and not of what ralph does anyway."""
    copy = Copy(tmp_path)
    copy.follow_all(title, "python")
    with pytest.raises(AssertionError):
        copy.try_it(title)


def test_the_page_has_these_sections_and_each_is_one_line_in_its_table():
    assert re.findall(r"^## (.+)$", PAGE, re.MULTILINE) == TITLES
    tables = re.findall(r"^\| \[(.+?)\]\(.+?\) \| .+? \| (?:`(\w+)` in `(.+?)`|.+?) \|$", PAGE, re.MULTILINE)
    assert [f"{title[0].upper()}{title[1:]}" for title, _, _ in tables] == TITLES
    for title, table, file in tables:
        if table:
            source = (ROOT / "src/ralph" / file).read_text(encoding="utf-8")
            [(_, line)] = [block.file for block in blocks(title[0].upper() + title[1:]) if block.file[0].endswith(file)]
            assert re.search(rf"^{table}\b.* = \{{$", source, re.MULTILINE)
            assert sum(each.startswith("+") for each in line.splitlines()) == 1
