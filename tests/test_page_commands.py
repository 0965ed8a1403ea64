"""The commands on the pages: the real program takes every example, and has every command and option that is named."""

import re
from pathlib import Path

import click
import pytest

from help_examples import calls, commands, parse

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "plugin").rglob("*.md"))]
WITHOUT_EXAMPLES = {
    *("acp.md", "architecture.md", "context.md", "dependencies.md", "honesty.md", "performance.md", "testing.md"),
    "trust.md",
}
"""Pages that show files, tables or other programs. What they name is still looked at."""
FENCE = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^(?:\$ |- run: )?((?:.*\| )?(?:[A-Z_]+=\S+ )*ralph [a-z-].*)$", re.MULTILINE)
"""A call at the beginning of a line, or at the end of a pipe."""
OUTPUT = " · "
"""What is in a line that ralph printed, such as `ralph run a51692d2 · claude`."""
NAMED = re.compile(r"`ralph ([a-z][^`]*)`")
KNOWN = dict(commands())
NEW = {"extending.md": {"fix", "places"}}
"""The commands that a page adds."""


def without_fences(text):
    return FENCE.sub("", text)


def shown(page):
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for _, language, body in FENCE.findall(text):
        if language in ("", "sh", "yaml", "text"):
            lines = SHOWN.findall(body) if language != "text" else re.findall(r"^\$ (ralph .*)$", body, re.MULTILINE)
            yield from (line for line in lines if OUTPUT not in line and line != "ralph --help")


def is_added(page, words):
    return bool(words) and words[0] in NEW.get(page.name, ())


EXAMPLES = [pytest.param(page, line, id=f"{page.name}: {line[:60]}") for page in PAGES for line in shown(page)]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """No settings of the user's and no project."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RALPH_RUN_ID", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("page", "line"), EXAMPLES)
def test_the_program_takes_the_example(page, line):
    found = calls(line)
    assert found
    for words in found:
        assert is_added(page, words) or parse(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_that_is_named_exists(page):
    for said in NAMED.findall(without_fences(page.read_text(encoding="utf-8"))):
        words = re.split(r"[\s\[\]|/]+", said.replace("\\|", "|").replace("chunk", "task"))
        if is_added(page, words):
            continue
        path, command = find(words)
        options = {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help", "-h"}
        options |= {"--version", "-v"} if len(path) == 1 else set()
        wrong = [word for word in words if re.match(r"--?[a-z]", word) and word.split("=")[0] not in options]
        assert not wrong or is_role_flag(path, wrong), f"`ralph {said}`: {wrong}"


def find(words):
    """The command that these words name, as far as they name one."""
    path = ("ralph",)
    for word in words:
        if (*path, word) not in KNOWN:
            break
        path = (*path, word)
    assert len(path) > 1, f"`ralph {' '.join(words)}` names no command"
    default = (*path, "change")
    return path, KNOWN.get(default, KNOWN[path])


def is_role_flag(path, words):
    return path[-2:] == ("task", "create") and all(
        re.match("--(ROLE|coder|reviewer|tester|qa)-", word) for word in words
    )


def test_the_pages_without_an_example_are_known():
    assert {page.name for page in (ROOT / "docs").glob("*.md") if not list(shown(page))} == WITHOUT_EXAMPLES


def test_a_wrong_option_on_a_page_would_be_noticed():
    with pytest.raises(click.UsageError):
        parse(*calls("ralph spec run shop --wrokers 3   # three at once"))
