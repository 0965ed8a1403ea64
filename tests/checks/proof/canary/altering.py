"""Change a test file that is given as text, with names that its runner is said to have reported."""

from textwrap import dedent

from ralph.checks.proof.canary.edits import Altered, Reported, Suite
from ralph.checks.proof.canary.languages import language_of

WORD = "5f3a9c01"


def alter(
    path: str, content: "str | bytes", *names: str, red: "tuple[str, ...]" = (), awaits: bool = False
) -> Altered | None:
    """Without names no runner reports, so that all tests of the file count."""
    data = content if isinstance(content, bytes) else dedent(content).lstrip("\n").encode()
    language = language_of(path)
    assert language is not None
    suite = Suite(path, data, WORD, Reported(path, frozenset(names) or None), frozenset(red), awaits)
    return language.altered()(suite)


def altered_text(path: str, content: "str | bytes", *names: str, **options: object) -> str:
    made = alter(path, content, *names, **options)
    return "" if made is None else made.content.decode()


def failing(path: str, content: "str | bytes", *names: str, **options: object) -> list[str]:
    """The names of the tests of the file itself that must fail: without those that were added."""
    made = alter(path, content, *names, **options)
    ids = () if made is None else made.must_fail
    return [each.removeprefix(f"{path}::") for each in ids if WORD not in each]
