"""Work that git was told to overlook. It is found at the commit, and reported."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from ralph.git.attributes import ATTRIBUTES
from ralph.git.checkout import Checkout
from ralph.git.command import Git
from ralph.git.conversions import foreign_conversions
from ralph.git.excludes import new_lines, with_lines_of_tools
from ralph.git.ignored import RULE, ignored_sources
from ralph.git.named_paths import NamedPaths
from ralph.git.own_index import KEPT, take_kept
from ralph.git.repository import Repository
from ralph.git.rules import have_changed, record_rules
from ralph.git.sealed import seal, top_of
from ralph.git.trees import changed_paths
from ralph.model.git_rules import GitRules
from ralph.model.proof import Finding, Level

HARMLESS = ("core.hookspath", "core.fsmonitor", "core.untrackedcache", "core.splitindex", "core.bigfilethreshold")
"""Settings that ordinary tools write. They do not decide what git considers changed."""
MOST_TOLD = 10


async def hidden_work(
    repository: Repository,
    base: str,
    *,
    rules: GitRules | None = None,
    head: str = "HEAD",
    uncovered: Sequence[str] = (),
    at: Checkout | None = None,
) -> list[Finding]:
    """What someone tried to keep out of the commit or tree `head`, or to make look different in it.

    `rules` hold what the user told git before. Without them, what git is told now counts as the user's. `uncovered` is
    what the commit reported; without a base nothing else can be compared. `at` is what was just seen here.
    """
    found = [_uncovered(name) for name in uncovered]
    if not base:
        return found
    at = at or await repository.look()
    rules = rules or replace(await record_rules(repository, base), began=0)
    names = NamedPaths(at, repository.git.env)
    now = await record_rules(repository, base) if have_changed(rules, names) else rules
    git = repository.git.at(top_of(repository.folder, rules))
    with tempfile.TemporaryDirectory(prefix="ralph-index-") as directory:
        env = await _sealed(git, at, rules, Path(directory))
        changed = await changed_paths(repository, base, head)
        found += [*_settings(rules, now), *_lines(rules, now)]
        if now is not rules or any(name.rpartition("/")[2] == ATTRIBUTES for name in changed):
            found += await foreign_conversions(git, env, changed, rules, now)
        lent = {name.decode(errors="surrogateescape") for name in rules.lent}
        found += await ignored_sources(git, env, began=rules.began, lent=lent, names=_known_places(env))
    return found


async def _sealed(git: Git, at: Checkout, rules: GitRules, folder: Path) -> dict[str, str]:
    """The environment with an index that no agent has written. A file in the index is not ignored."""
    index = folder / "index"
    own = with_lines_of_tools(rules, NamedPaths(at, git.env))
    env = {**seal(folder / "git", own, at.common_dir, git.folder, at.head), "GIT_INDEX_FILE": str(index)}
    if not take_kept(at.git_dir / KEPT, index) and at.head:
        await git.ask("read-tree", at.head, env=env)
    return env


def _known_places(env: Mapping[str, str]) -> dict[str, str]:
    folder = env["GIT_DIR"]
    return {f"{folder}/info/exclude": ".git/info/exclude", f"{folder}/ignore": "the user's core.excludesFile"}


def _uncovered(name: str) -> Finding:
    shown = name.encode(errors="replace").decode()
    text = (
        f"git was told not to look at {shown} (skip-worktree or assume-unchanged), which kept its change out of commits"
    )
    return Finding(RULE, "block", text)


def _settings(rules: GitRules, now: GitRules) -> Iterator[Finding]:
    before, after = (_by_name((*each.settings, *each.watched)) for each in (rules, now))
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            level: Level = "note" if name in HARMLESS or name.startswith(("filter.", "lfs.")) else "warn"
            yield Finding(
                RULE, level, f"git's setting {name} was changed since the run began, which has no effect here"
            )


def _by_name(settings: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in settings:
        found.setdefault(name, []).append(value)
    return found


def _lines(rules: GitRules, now: GitRules) -> Iterator[Finding]:
    """The findings for new lines in exclude files that are not part of the work, and that would have hidden files."""
    pairs = (
        (".git/info/exclude", rules.exclude, now.exclude),
        ("the user's core.excludesFile", rules.ignore, now.ignore),
    )
    for place, before, after in pairs:
        for line in new_lines(before, after)[:MOST_TOLD]:
            shown = line.decode(errors="replace")
            yield Finding(RULE, "warn", f"the line {shown!r} was written into {place} since the run began: not applied")
