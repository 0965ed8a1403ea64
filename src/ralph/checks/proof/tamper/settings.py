"""Settings of runners and linters: values that leave tests out or require less than those of the base."""

import configparser
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, cast

from ralph.checks.proof.judge_files import VENDORED
from ralph.checks.proof.tamper.commands import attributed, command_case, options, overlong
from ralph.checks.proof.tamper.sheet import Sheet
from ralph.checks.proof.tamper.source import Source
from ralph.model.proof import Finding, Level

Narrowing = Literal["fewer", "more", "lower", "higher", "on", "off", "new"]
"""The direction in which a value requires less. `new`: any other value than before."""


class Setting(NamedTuple):
    rule: str
    level: Level
    key: str
    """A regular expression for the whole dotted name."""
    narrows: Narrowing


SETTINGS = (
    Setting("narrowed", "block", r"(?:.+\.)?(?:testpaths|python_(?:files|functions|classes))", "fewer"),
    Setting("narrowed", "block", r"(?:.+\.)?(?:testMatch|testRegex|roots|test\.include|spec)", "fewer"),
    Setting(
        "narrowed",
        "block",
        r"(?:.+\.)?(?:testPathIgnorePatterns|norecursedirs|test\.exclude|fgrep|grep|testNamePattern)",
        "more",
    ),
    Setting("narrowed", "block", r"(?:.+\.)?(?:passWithNoTests|invert|ignore_errors)", "on"),
    Setting(
        "narrowed",
        "block",
        r"(?:(?:lib|bin|test|bench)\.(?:\d+\.)?|package\.)(?:test|autotests|doctest|harness)",
        "off",
    ),
    Setting("no-op", "block", r"(?:.+\.)?ignore_outcome", "on"),
    Setting("no-op", "block", r"(?:.+\.)?script-shell", "new"),
    Setting("hook", "block", r"(?:.+\.)?(?:testRunner|testResultsProcessor|reporters|runner|rustc-wrapper)", "new"),
    Setting("hook", "block", r"project\.entry-points\.pytest11\..+|options\.entry_points\.pytest11", "new"),
    Setting("patch", "warn", r"(?:.+\.)?moduleNameMapper\..+", "new"),
    Setting(
        "narrowed",
        "warn",
        r"(?:.+\.)?(?:fail_under|fail-under|coverageThreshold\..+|thresholds\..+|check-coverage)",
        "lower",
    ),
    Setting(
        "narrowed",
        "warn",
        r"(?:.+\.)?(?:max-line-length|line-length|line_length|max-complexity|maxWarnings|max-\w+)",
        "higher",
    ),
    Setting(
        "narrowed",
        "warn",
        r"(?:.+\.)?(?:omit|exclude_lines|exclude_also|(?:extend-|per-file-)?ignores?|(?:extend-)?exclude|disable)",
        "more",
    ),
    Setting("narrowed", "warn", r"(?:.+\.)?(?:extend-)?select", "fewer"),
    Setting(
        "narrowed",
        "warn",
        r"(?:.+\.)?(?:strict\w*|noImplicit\w+|disallow_\w+|check_untyped_defs|warn_\w+|forbidOnly)",
        "off",
    ),
)
KNOWN = re.compile(
    r"pyproject\.toml|setup\.cfg|tox\.ini|package\.json|Cargo\.toml|(?:.*\.)?pytest\.(?:ini|toml)|\.coveragerc"
    r"|\.flake8|.*\.(?:ini|cfg|toml|json)"
    r"|\.npmrc|\.\w+rc(?:\.\w+)?|(?:jest|vitest|vite|playwright|ava|karma|nyc|c8|eslint|mocha)\b.*\.[cm]?[jt]s"
)
SHARED = ("pyproject.toml", "setup.cfg", "package.json", "Cargo.toml")
"""The files that are read although only sections of them judge."""
LOOSE = re.compile(r"""^\s*["']?([\w-]+)["']?\s*[:=]\s*(\[[^\]]{0,4000}\]|[^,\n]+)""", re.MULTILINE)
QUOTED = re.compile(r"""["'`]([^"'`\n]*)["'`]""")
DEEPEST = 12


def is_settings(source: Source) -> bool:
    """Whether the file is settings. A library that was copied into the tree has settings that nothing reads here."""
    if VENDORED(source.path):
        return False
    return source.name in SHARED or (source.is_judge and KNOWN.fullmatch(source.name) is not None)


def read_settings(source: Source) -> Sheet:
    """The options in the lines, and the scripts that they name."""
    cases = [command_case(*script) for script in _scripts(source)]
    hits = [*overlong(source), *attributed(options(source, enumerate(source.short_lines, 1)), cases)]
    return Sheet(hits=hits, cases=cases)


def _scripts(source: Source) -> Iterator[tuple[str, int, list[tuple[int, str]]]]:
    for key, value in values(source).items():
        if re.fullmatch(r"scripts\.[^.]+|testenv[^.]*\.commands(?:_pre)?", key):
            line = _line_of(source, key)
            yield key, line, [(line, each) for each in value.split("\n") if each.strip()]


def compared(base: Source | None, head: Source) -> Iterator[Finding]:
    """The findings where the change's settings require less. A new file may set anything, but not turn tests off."""
    if base is None and head.name in SHARED:
        return  # a new package, with tests of its own
    was, now = values(base) if base else {}, values(head)
    yield from _around_scripts(was, now, head)
    for key in now:
        found = _narrowed(key, was.get(key), now[key])
        if found and (base or found[0].level == "block"):
            setting, text = found
            line = _line_of(head, key, base)
            last = key.rpartition(".")[2]
            yield Finding(setting.rule, setting.level, f"{last}: {text}", head.path, line, head.shown(line))


def _around_scripts(was: Mapping[str, str], now: Mapping[str, str], head: Source) -> Iterator[Finding]:
    """The findings for scripts around others: a package manager runs `pretest` before `test` and `posttest` after
    it.
    """
    for key in now.keys() - was.keys():
        found = re.fullmatch(r"scripts\.((?:pre|post)(.+))", key)
        if found and f"scripts.{found[2]}" in was:
            line = _line_of(head, key)
            text = f"the script {found[1]} runs beside {found[2]}"
            yield Finding("hook", "block", text, head.path, line, head.shown(line))


def _narrowed(key: str, was: str | None, now: str) -> tuple[Setting, str] | None:
    """The first row that matches the change of a value, and how it requires less."""
    for row in SETTINGS:
        if re.fullmatch(row.key, key) and (text := _narrower(row.narrows, was, now)):
            # Without a value everything was checked; what is named now may be the same.
            return (row._replace(level="warn") if was is None and row.narrows == "fewer" else row), text
    return None


def _narrower(narrows: Narrowing, was: str | None, now: str) -> str:
    """How the value requires less; empty if it does not."""
    match narrows:
        case "fewer":
            lost = [each for each in _words(was or "") if each not in _words(now)]
            return f"{', '.join(lost)} left out" if lost else "" if was is not None else f"only {now.strip()}"
        case "more":
            added = [each for each in _words(now) if each not in _words(was or "")]
            return f"{', '.join(added)} left out" if added else ""
        case "lower" | "higher":
            return _moved(narrows, was, now)
        case "on" | "off":
            is_so = now.strip().lower() in (
                ("true", "1", "yes", "on") if narrows == "on" else ("false", "0", "no", "off")
            )
            return f"{now.strip()} now" if is_so and was != now else ""
        case "new":
            return f"{now.strip()} now" if was != now else ""


def _moved(way: str, was: str | None, now: str) -> str:
    try:
        before, after = float(was or ""), float(now)
    except ValueError:
        return ""
    is_less = after < before if way == "lower" else after > before
    return f"{now.strip()} instead of {(was or '').strip()}" if is_less else ""


def _words(value: str) -> list[str]:
    return [each.strip("\"'") for each in re.split(r"[\s,]+", value) if each.strip("\"'[]{}")]


def _line_of(source: Source, key: str, base: Source | None = None) -> int:
    """The line of a value: the first line that sets it in words that the base does not have."""
    last = re.compile(rf"""(?<![\w-])["']?{re.escape(key.rpartition(".")[2])}["']?\s*[:=]""")
    lines = [number for number, line in enumerate(source.lines, 1) if last.search(line)]
    known = frozenset(base.lines) if base else frozenset[str]()
    return next((number for number in lines if source.lines[number - 1] not in known), lines[0] if lines else 1)


def values(source: Source) -> dict[str, str]:
    """Every setting by its dotted name, as text; a list has one entry on each line."""
    end = source.name.rpartition(".")[2]
    try:
        if end == "toml":
            return dict(_flat(tomllib.loads(source.text)))
        if end == "json" or source.text.lstrip().startswith("{"):
            return dict(_flat(json.loads(source.text)))
        if end in ("js", "cjs", "mjs", "ts", "cts", "mts", "yml", "yaml"):
            return _loose(source.text)
        return _sections(source.text)
    except (ValueError, RecursionError, configparser.Error):
        return _loose(source.text)


def _flat(tree: Any, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    if isinstance(tree, Mapping) and depth < DEEPEST:
        for key, value in cast("Mapping[str, Any]", tree).items():
            yield from _flat(value, f"{prefix}.{key}" if prefix else str(key), depth + 1)
    elif isinstance(tree, list):
        entries = cast("list[Any]", tree)
        if entries and isinstance(entries[0], Mapping) and depth < DEEPEST:
            for number, entry in enumerate(entries):
                yield from _flat(entry, f"{prefix}.{number}", depth + 1)
        else:
            yield prefix, "\n".join(_text(entry) for entry in entries)
    elif prefix:
        yield prefix, _text(tree)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sections(text: str) -> dict[str, str]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, delimiters=("=", ":"))
    parser.read_string(text if text.lstrip().startswith("[") else f"[top]\n{text}")
    return {f"{section}.{key}": value or "" for section in parser.sections() for key, value in parser.items(section)}


def _loose(text: str) -> dict[str, str]:
    """The lines that look like settings, for a file that is a program, or broken."""
    return {
        found[1]: "\n".join(QUOTED.findall(found[2])) or found[2].strip()
        for found in LOOSE.finditer(re.sub(r"(?m)//.*$|^\s*#.*$", "", text))
    }
