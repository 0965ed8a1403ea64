r"""Patterns for paths of a tree, read as git reads a line of `.gitignore`, without `!`.

- `Makefile`, `*.py`: without a slash inside, a file or folder of that name, wherever it is.
- `docs/*.md`, `/Makefile`, `./Makefile`: with a slash inside or in front, from the top of the tree.
- `tests/`: with a slash at the end, only a folder.
- What matches a folder matches everything below it: `docs`, `docs/`, `docs/*` and `docs/**` all match `docs/a/b.md`.
- `*` and `?` match within one name, `[ab]` and `[!ab]` match one character, `**` matches any number of folders, and
  `\` takes the next character as it is. Upper and lower case differ.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

WILDCARD = re.compile(r"[*?\[\\]")
PIECE = re.compile(r"\\(.)|\*+|\?|\[(!?)(\]?[^\]/]*)\]|.", re.DOTALL)
SPECIAL_IN_SET = re.compile(r"([\\\[\]^&~|])")
NEVER = "(?!)"


def matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Whether a path matches one of these patterns."""
    return PathGlobs(patterns)


class PathGlobs:
    """Many patterns at once. Most need no regular expression, and a folder is checked once."""

    def __init__(self, patterns: Iterable[str]) -> None:
        names, folders, paths = list[str](), list[str](), list[str]()
        for pattern in filter(None, map(_cleaned, patterns)):
            if "/" not in pattern:
                names.append(pattern)
            elif "/" not in pattern.rstrip("/"):
                folders.append(pattern.rstrip("/"))
            else:
                paths.append(pattern)
        self._names, self._folders, self._paths = _Names(names), _Names(folders), _Paths(paths)
        self._is_below_match = lru_cache(8192)(self._has_matching_name)

    def __call__(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return self._names.matches(name) or self._is_below_match(folder) or self._paths.matches(path)

    def _has_matching_name(self, folder: str) -> bool:
        names = folder.split("/") if folder else ()
        return any(self._names.matches(name) or self._folders.matches(name) for name in names)


class _Names:
    """Patterns for one name."""

    def __init__(self, patterns: Iterable[str]) -> None:
        names, beginnings, endings, expressions = list[str](), list[str](), list[str](), list[str]()
        for pattern in patterns:
            if not WILDCARD.search(pattern):
                names.append(pattern)
            elif pattern[0] == "*" and not WILDCARD.search(pattern[1:]):
                endings.append(pattern[1:])
            elif pattern[-1] == "*" and not WILDCARD.search(pattern[:-1]):
                beginnings.append(pattern[:-1])
            else:
                expressions.append(_name_expression(pattern))
        self._names, self._beginnings, self._endings = frozenset(names), tuple(beginnings), tuple(endings)
        self._expression = re.compile("|".join(expressions) or NEVER, re.DOTALL)

    def matches(self, name: str) -> bool:
        return (
            name in self._names
            or name.startswith(self._beginnings)
            or name.endswith(self._endings)
            or self._expression.fullmatch(name) is not None
        )


class _Paths:
    """Patterns for several names in a row."""

    def __init__(self, patterns: list[str]) -> None:
        # A plain name that every match must have avoids the regular expression for nearly all paths.
        needed = [
            next((name for name in pattern.split("/") if name and not WILDCARD.search(name)), "")
            for pattern in patterns
        ]
        self._needed = frozenset(needed)
        self._always = "" in needed
        self._expression = re.compile("|".join(map(_path_expression, patterns)) or NEVER, re.DOTALL)

    def matches(self, path: str) -> bool:
        possible = self._always or not self._needed.isdisjoint(path.split("/"))
        return possible and self._expression.fullmatch(path) is not None


def _cleaned(pattern: str) -> str:
    pattern = re.sub(r"\A(?:\./+)+", "/", pattern.strip())
    return pattern if pattern.strip("/") else ""


def _path_expression(pattern: str) -> str:
    """The regular expression for a whole path."""
    *above, last = (name for name in pattern.split("/") if name)
    start = "".join("(?:.*/)?" if name == "**" else f"{_name_expression(name)}/" for name in above)
    end = "/.+" if pattern.endswith("/") else "(?:/.*)?"
    return start + (".+" if last == "**" else _name_expression(last)) + end


def _name_expression(name: str) -> str:
    return "".join(map(_piece_expression, PIECE.finditer(name)))


def _piece_expression(piece: "re.Match[str]") -> str:
    match piece[0][0], piece[3]:
        case "*", _:
            return "[^/]*"
        case "?", _:
            return "[^/]"
        case "[", str(inside) if inside:
            return _set_expression(inside, negated=bool(piece[2]))
        case _:
            return re.escape(piece[1] or piece[0])


def _set_expression(inside: str, *, negated: bool) -> str:
    """The expression for one character of a set; a reversed range such as `z-a` matches nothing."""
    characters = SPECIAL_IN_SET.sub(r"\\\1", inside)
    expression = f"(?!/)[{'^' * negated}{characters}]"
    try:
        re.compile(expression)
    except re.error:
        return NEVER
    return expression
