"""docs/review.md: its settings load, its form is the one that is asked for, and its program reviews."""

import json
import re
from pathlib import Path

import pytest
import yaml

from ralph.agents.answer_text import read_answer
from ralph.config.schema import apply_schema
from ralph.kernel.review_form import ReportedIssue, ReviewAnswer
from ralph.model.reviews import TIERS
from ralph.model.verdicts import MustRevise, Verified
from review_scene import scenes

PAGE = (Path(__file__).parents[1] / "docs/review.md").read_text(encoding="utf-8")


def block(language):
    [found] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return found


def test_its_settings_load():
    settings = apply_schema(yaml.safe_load(block("yaml")))
    chosen = {settings.defaults.quick_reviewer, settings.defaults.deep_reviewer, settings.defaults.final_reviewer}
    assert chosen == {each.id for each in settings.tools.reviewers}


def test_its_form_has_every_field_that_is_asked_for():
    shown = json.loads(block("json"))
    assert [*shown] == [*ReviewAnswer.__struct_encode_fields__]
    assert [*shown["issues"][0]] == [*ReportedIssue.__struct_encode_fields__]
    assert read_answer(block("json"), ReviewAnswer).decided == "REVISE"


def test_it_names_every_tier():
    assert re.findall(r"^\| (\w+) \| .* \| `defaults\.", PAGE, re.MULTILINE) == [*TIERS]


@pytest.fixture
def scene(tmp_path, monkeypatch):
    yield from scenes(tmp_path, monkeypatch, files={"app.py": "def user(name):\n    return None  # FIXME ask\n"})


def test_its_program_reviews(scene):
    program = scene.repo.home / "review.py"
    program.write_text(block("python"))
    program.chmod(0o755)
    scene.settings(
        tools={"reviewers": [{"id": "house-rules", "command": str(program)}]}, defaults={"finalReviewer": "house-rules"}
    )
    verdict, _ = scene.review()
    assert isinstance(verdict, MustRevise)
    assert scene.lines()[-1] == block("text").strip()
    scene.change({"app.py": "def user(name):\n    return ask(name)\n"})
    verdict, _ = scene.review()
    assert isinstance(verdict, Verified)
