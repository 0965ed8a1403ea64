"""The part of a codebase that goes into a prompt: what is nearest to the task's files, and no more than fits."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from posixpath import normpath
from typing import NamedTuple

from ralph.model.context import CodebaseContext
from ralph.model.words import count
from ralph.plan.analysis_file import AnalysedFile, CodebaseAnalysis

MOST = 40
"""The most types, and the most components."""
MOST_LANGUAGES = 6
MOST_OFFERED = 5
"""How many names of what a folder offers are listed."""


SAFE = re.compile(r"[\w$./@+\-\[\]() ]{1,300}")
"""The characters of a name and its path. Anything else is not a name, and must not get into a prompt."""


class Place(NamedTuple):
    """The place of names: a file, or a folder that is described as a whole."""

    path: str
    folder: tuple[str, ...]
    names: Sequence[str]


def codebase_context(analysis: CodebaseAnalysis, relevant: Sequence[str]) -> CodebaseContext | None:
    """The context; None if there are no source files."""
    if not analysis.languages:
        return None
    distance = _distance_to(relevant, {_folder(file.path) for file in analysis.files})
    types = [Place(file.path, _folder(file.path), file.types) for file in analysis.files if file.types]
    drawn = [Place(file.path, _folder(file.path), file.components) for file in analysis.files if file.components]
    folders = _folders(analysis.files)
    languages = list(analysis.languages.items())[:MOST_LANGUAGES]
    return CodebaseContext(
        languages=tuple(f"{name} ({count(number, 'file')})" for name, number in languages),
        framework=analysis.framework,
        package_manager=analysis.package_manager,
        test_command=analysis.test_command,
        lint_command=analysis.lint_command,
        types=_nearest(types, distance),
        components=_nearest([*drawn, *folders], distance),
        more_types=max(0, sum(len(place.names) for place in types) - MOST),
        more_components=max(0, sum(len(place.names) for place in (*drawn, *folders)) - MOST),
    )


def _folders(files: Iterable[AnalysedFile]) -> list[Place]:
    """The folders of a codebase without UI components, each with some of what it offers besides types."""
    offered: dict[tuple[str, ...], dict[str, None]] = {}
    for file in files:
        names = offered.setdefault(_folder(file.path), {})
        if not file.components and len(names) <= MOST_OFFERED:
            names |= dict.fromkeys(name for name in file.exports if name not in file.types)
    return [Place("/".join(folder) or ".", folder, (_told(names),)) for folder, names in offered.items() if names]


def _told(names: Iterable[str]) -> str:
    some = list(names)
    return f"{', '.join(some[:MOST_OFFERED])}{', ...' if len(some) > MOST_OFFERED else ''}"


def _nearest(places: list[Place], distance: Callable[[Place], int]) -> tuple[str, ...]:
    # The sort is stable: equally near entries stay in the order of the tree.
    ordered = sorted(places, key=lambda place: (distance(place), len(place.folder)))
    return tuple(islice((label for place in ordered for label in _labels(place)), MOST))


def _labels(place: Place) -> Iterator[str]:
    for name in place.names:
        is_folder = place.path == ("/".join(place.folder) or ".")
        label = f"{place.path} ({name})" if is_folder else f"{name} ({place.path})"
        if SAFE.fullmatch(label.replace(",", "")):
            yield label


def _distance_to(relevant: Sequence[str], folders: Iterable[tuple[str, ...]]) -> Callable[[Place], int]:
    """The distance as the number of folders up and down; the file itself is nearer than its neighbours."""
    named = {normpath(path) for path in relevant}
    all_folders = {folder[:depth] for folder in folders for depth in range(len(folder) + 1)}
    near = {inside if (inside := tuple(path.split("/"))) in all_folders else _folder(path) for path in named}

    @cache
    def steps(folder: tuple[str, ...]) -> int:
        return min((_steps(folder, other) for other in near), default=0)

    return lambda place: -1 if place.path in named else steps(place.folder)


def _steps(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    return len(one) + len(other) - 2 * shared


def _folder(path: str) -> tuple[str, ...]:
    return tuple(path.split("/")[:-1])
