"""Composed trees as git holds them, with a real check on each."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from ralph.checks.proof.composition import compose
from ralph.git.repository import Repository
from ralph.git.trees import compose_tree, read_tree, renames
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench

BASE = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "conftest.py": "",
    "Makefile": "test:\n\tpython -m pytest -p no:cacheprovider\n",
    "pyproject.toml": '[project]\nname = "calc"\n\n[tool.pytest.ini_options]\naddopts = "-q"\ntestpaths = ["tests"]\n',
    "tests/test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n",
}
FIX = {"calc.py": "def add(a, b):\n    return a + b\n"}
PATCH = "import calc\ncalc.add = lambda a, b: a + b\n"
ATTACKS = {
    "the target does nothing": {"Makefile": "test:\n\ttrue\n"},
    "another makefile goes first": {"GNUmakefile": "test:\n\ttrue\n"},
    "the conftest patches": {"conftest.py": PATCH},
    "a new conftest patches": {"tests/conftest.py": PATCH},
    "nothing is run": {"pyproject.toml": BASE["pyproject.toml"].replace('"-q"', '"-q --collect-only"')},
    "the test is weaker": {"tests/test_calc.py": "def test_add():\n    pass\n"},
    "the tests are a link": {
        "tests/test_calc.py": None,
        "tests": Path("good"),
        "good/test_calc.py": "def test_add(): pass",
    },
}
HONEST = {
    "a new dependency": {
        "pyproject.toml": BASE["pyproject.toml"].replace('"calc"\n', '"calc"\ndependencies = ["x"]\n', 1)
    },
    "a new target": {"Makefile": f"{BASE['Makefile']}\nfmt:\n\techo fmt\n"},
    "a renamed test": {"tests/test_calc.py": None, "tests/test_arith.py": BASE["tests/test_calc.py"]},
}


class Change:
    """A change to the base, and how its check ends on the trees composed of both."""

    def __init__(self, folder, change):
        self.folder, self.repo = folder, temp_repo(folder, BASE)
        base = self.repo.git("rev-parse", "HEAD").strip()
        for path, content in sorted(change.items(), key=lambda pair: pair[1] is not None):
            self._write(self.repo.path / path, content)
        self.repo.commit_all("the change")
        self.trees = asyncio.run(self._compose(base, self.repo.git("rev-parse", "HEAD").strip()))

    def _write(self, path, content):
        if content is None:
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
        elif isinstance(content, Path):
            path.symlink_to(content)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(content, encoding="utf-8")

    async def _compose(self, base, head):
        repository = Repository(Workbench(self.repo.path, self.repo.env, "r"))
        trees = await read_tree(repository, base), await read_tree(repository, head)
        composed = await compose(*trees, command="make test", renames=await renames(repository, base, head))
        return {
            "change": head,
            "with base's judges": await compose_tree(repository, head, composed.with_base_judges),
            "base with change": await compose_tree(repository, base, composed.base_with_change),
        }

    def passes(self, name):
        folder = self.folder / name
        folder.mkdir()
        files = subprocess.run(
            ["git", "archive", self.trees[name]], cwd=self.repo.path, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=files.stdout, check=True)
        return (
            subprocess.run(["make", "test"], cwd=folder, env=self.repo.env, capture_output=True, check=False).returncode
            == 0
        )


def slow_but_the_first(cases):
    """Each plays `make test` three times."""
    first, *others = cases
    return [first, *(pytest.param(each, marks=pytest.mark.e2e) for each in others)]


@pytest.mark.parametrize("attack", slow_but_the_first(ATTACKS))
def test_an_attack_passes_its_own_check_and_fails_with_the_bases_judges(tmp_path, attack):
    change = Change(tmp_path, ATTACKS[attack])
    assert change.passes("change")
    assert not change.passes("with base's judges")
    assert change.passes("base with change")


@pytest.mark.parametrize("work", slow_but_the_first(HONEST))
def test_honest_work_passes_with_the_bases_judges(tmp_path, work):
    change = Change(tmp_path, {**FIX, **HONEST[work]})
    assert change.passes("with base's judges")
    assert not change.passes("base with change")
