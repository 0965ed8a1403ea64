"""Tests that must fail in Ruby, PHP and Java: one more test at the beginning of a file's first class or group."""

import re
from typing import NamedTuple

from ralph.checks.proof.canary.edits import Altered, Change, Edit, Suite, altered_by, edited


class Shape(NamedTuple):
    """The beginning of a test class, and the form of a failing test in it."""

    begin: "re.Pattern[bytes]"
    lines: tuple[str, ...]


RSPEC = Shape(
    re.compile(rb"^(?P<indent>)(RSpec\.)?describe\b[^\n]*\bdo\n", re.MULTILINE),
    ('  it "{word}" do', '    raise "{word}"', "  end", ""),
)
MINITEST = Shape(
    re.compile(
        rb"^(?P<indent>)class [\w:]+ < (Minitest::Test|ActiveSupport::TestCase|Test::Unit::TestCase)\n", re.MULTILINE
    ),
    ("  def test_{word}", '    flunk "{word}"', "  end", ""),
)
PHPUNIT = Shape(
    re.compile(rb"^(final )?class \w+ extends [\\\w]*TestCase\s*\{\n", re.MULTILINE),
    ("    public function test{word}(): void", "    {{", '        self::fail("{word}");', "    }}", ""),
)
JUNIT_5 = Shape(
    re.compile(
        rb"^(public )?(final )?class \w+(<[\w, ]+>)?( extends \w+)?( implements [\w, ]+)?\s*\{\r?\n", re.MULTILINE
    ),
    (
        "    @org.junit.jupiter.api.Test",
        "    public void test{word}() {{",
        '        throw new AssertionError("{word}");',
        "    }}",
        "",
    ),
)
JUNIT_4 = Shape(JUNIT_5.begin, tuple(each.replace("jupiter.api.", "") for each in JUNIT_5.lines))


def altered(suite: Suite) -> Altered | None:
    """The changed file; None if it has no class or group of tests in the usual form."""
    shape = _shape(suite)
    found = shape.begin.search(suite.content) if shape else None
    if shape is None or found is None:
        return None
    text = "".join(f"{line}\n" for line in shape.lines).format(word=suite.word).encode()
    change = Change(Edit(found.end(), found.end(), text), f"test{suite.word}")
    return altered_by(suite, edited(suite.content, [change.edit]), [change])


def _shape(suite: Suite) -> Shape | None:
    if suite.path.endswith("_spec.rb"):
        return RSPEC
    if suite.path.endswith(".rb"):
        return MINITEST
    if suite.path.endswith(".php"):
        return PHPUNIT
    if b"org.junit.jupiter" in suite.content:
        return JUNIT_5
    return JUNIT_4 if b"org.junit.Test" in suite.content else None
