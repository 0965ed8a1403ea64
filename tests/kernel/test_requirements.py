"""prd.md: its sections, and whether anybody has written into it."""

import re

import msgspec
import pytest

from plans import requirements
from ralph.app.stories.files import TEMPLATES, filled
from ralph.kernel.plan_forms import RequirementsDraft
from ralph.kernel.requirements import SECTIONS, is_unwritten, requirements_problems, requirements_text


def draft(**sections):
    return msgspec.json.decode(requirements(**sections), type=RequirementsDraft)


def test_the_sections_are_those_of_the_template():
    template = (TEMPLATES / "prd.md").read_text(encoding="utf-8")
    assert [each.heading for each in SECTIONS] == re.findall(r"^## (.*)$", template, re.MULTILINE)
    for section in SECTIONS:
        rule = re.search(rf"## {re.escape(section.heading)}\n<!-- (.*?)[.;]", template)[1]
        required = rule.startswith("Required for ")
        assert set(section.needed) == (set(rule.removeprefix("Required for ").split(", ")) if required else set())


@pytest.mark.parametrize(
    "text",
    ["", "\n", filled("prd.md", "shop", "ralph/shop"), "# Shop\n<!-- a\n\nb -->\n## 1. Summary\n", "###### x"],
)
def test_headings_and_comments_alone_are_nothing(text):
    assert is_unwritten(text)


@pytest.mark.parametrize(
    "text", ["A word", "# Shop\nA word", "<!-- a --> b", "<!-- never closed\n# x", "#hashtag", "- \n- x"]
)
def test_a_word_is_something(text):
    assert not is_unwritten(text)


def test_what_was_written_is_no_template_any_more():
    assert not is_unwritten(requirements_text("shop", draft()))


def test_sections_without_text_are_left_out_and_the_rest_keep_their_numbers():
    text = requirements_text("shop", draft(nonGoals="No colours."))
    assert re.findall(r"^## (\d+)", text, re.MULTILINE) == ["1", "2", "4", "6"]


@pytest.mark.parametrize(("tier", "missing"), [("S", 0), ("M", 2), ("L", 2)])
def test_each_tier_needs_its_sections(tier, missing):
    assert len(requirements_problems(draft(tier=tier))) == missing
