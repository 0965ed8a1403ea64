"""Making the canary of a check: choose what the check is known to run, and change it so that it must fail."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from ralph.checks.proof.canary.choose import in_turns, run_blindly, seen_in
from ralph.checks.proof.canary.edits import Altered, Reported, Suite
from ralph.checks.proof.canary.languages import language_of
from ralph.checks.proof.canary.outcome import Canary
from ralph.checks.proof.canary.reach import reach, read_file
from ralph.checks.proof.canary.scripts import script_canary
from ralph.model.proof import NewFile, Tree

COLLECTION = "#collect"
"""The id of a failure before any test: it does not show which files are run."""
RED_FILES = 5
OTHER_FILES = 3
TRIED_FILES = 30
PYTEST_SETTINGS = ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini")
AWAITS = re.compile(rb"^\s*(asyncio|anyio)_mode\s*=\s*[\"']?auto", re.MULTILINE)


async def canary(
    tree: Tree,
    *,
    red: Collection[str],
    tests: Sequence[str],
    scripts: Mapping[str, str],
    word: str,
    seen: Mapping[str, str] | None = None,
    command: str = "",
) -> Canary:
    """The changes of the tree with which the check must fail.

    `red` are the ids of tests that failed at the base, `seen` the outcomes of all tests that a runner reported at the
    base or on this tree: a test file that no runner reported may belong to another check. `scripts` are the judge
    scripts of the command, each with what names it. `word` is a random hexadecimal number that nobody could know.
    """
    failed = await seen_in(tree, red, tests)
    reported = await seen_in(tree, {*red, *_that_ran(seen or {})}, tests)
    for files, limit in ((failed, RED_FILES), (reported, OTHER_FILES)):
        chosen = {path: reported[path] for path in in_turns(files)}
        if found := await _altered(tree, chosen, word, limit, red=failed):
            return _canary(tree, found, word)
    ids = {*red, *(seen or ())}
    if ids <= {COLLECTION}:
        files = run_blindly((await reach(tree, command, scripts)).shell, tests)
        if found := await _altered(tree, files, word, len(files), red={}):
            return replace(_canary(tree, found, word), exit_only=not ids)
    return await script_canary(tree, command, scripts)


def _that_ran(seen: Mapping[str, str]) -> Iterable[str]:
    """The tests that ran. A test that the command does not select is reported as skipped."""
    return (each for each, outcome in seen.items() if outcome in {"passed", "failed"})


async def _altered(
    tree: Tree, files: Mapping[str, Reported], word: str, limit: int, *, red: Mapping[str, Reported]
) -> dict[str, Altered]:
    """The changed files: as many as may be changed, up to a limit."""
    found: dict[str, Altered] = {}
    awaits = await _awaits(tree) if any(path.endswith(".py") for path in files) else False
    for path in list(files)[: max(limit, TRIED_FILES)]:
        language, content = language_of(path), await read_file(tree, path)
        if language is None or content is None or len(found) >= limit:
            continue
        names = red[path].names or frozenset[str]() if path in red else frozenset[str]()
        if made := language.altered()(Suite(path, content, word, files[path], names, awaits)):
            found[path] = made
    return found


def _canary(tree: Tree, found: Mapping[str, Altered], word: str) -> Canary:
    changes = {path: NewFile(tree.entries[path].mode, each.content) for path, each in found.items()}
    for each in found.values():
        changes |= {path: NewFile("100644", content) for path, content in each.beside.items()}
    return Canary(changes, tuple(_all_of(each.must_fail for each in found.values())), word=word)


def _all_of(groups: Iterable[tuple[str, ...]]) -> Iterable[str]:
    return (each for group in groups for each in group)


async def _awaits(tree: Tree) -> bool:
    """Whether pytest awaits coroutines that have no mark."""
    contents = [await read_file(tree, path) for path in PYTEST_SETTINGS]
    return any(content and AWAITS.search(content) for content in contents)
