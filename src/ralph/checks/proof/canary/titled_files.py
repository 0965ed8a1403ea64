"""The files of tests in a report that names no file, such as a JUnit report from JavaScript: found by their titles."""

import re
from collections.abc import Collection, Mapping

from ralph.checks.proof.canary.edits import Reported
from ralph.checks.proof.canary.reach import read_file
from ralph.model.proof import Tree

FILES = re.compile(r"\.[cm]?[jt]sx?$")
TITLE = re.compile(rb"""(['"`])((?:\\.|(?!\1)[^\\\n])+)\1""")
MOST_FILES = 100


async def titled_files(
    tree: Tree, places: Mapping[str, Collection[str]], tests: Collection[str]
) -> dict[str, Reported]:
    """The test files that contain the title of a reported test. If there are very many, none is read."""
    paths = [path for path in sorted(tests) if FILES.search(path)]
    if not places or len(paths) > MOST_FILES:
        return {}
    found: dict[str, Reported] = {}
    for path in paths:
        texts = {text.decode(errors="replace") for _, text in TITLE.findall(await read_file(tree, path) or b"")}
        for place, names in places.items():
            if held := texts.intersection(names):
                found[path] = Reported(place, frozenset(held))
                break
    return found
