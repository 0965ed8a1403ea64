"""Seed 004, verification plan 4: run init in a directory, and verify that all files are created correctly."""

import json
from datetime import UTC, datetime

import pytest

from ralph.app.stories.files import prepare
from ralph.model.errors import ConfigError
from ralph.testing import temp_repo


def test_all_files_are_created_with_dates_and_names_filled_in(tmp_path):
    done = prepare(tmp_path, "Shop 2!")
    assert done.made == ["ralph/prd.md", "ralph/tasks.json", "ralph/progress.txt", "ralph/prompt.md", ".gitignore"]
    plan = json.loads((tmp_path / "ralph/tasks.json").read_text(encoding="utf-8"))
    assert (plan["project"], plan["branchName"], done.branch) == ("Shop 2!", "ralph/Shop-2", "ralph/Shop-2")
    assert plan["userStories"] == [
        {
            "id": "US-001",
            "title": "",
            "description": "",
            "acceptanceCriteria": [],
            "priority": 1,
            "passes": False,
            "reviewStatus": None,
            "reviewCount": 0,
            "reviewFeedback": "",
            "notes": "",
            "dependsOn": [],
        }
    ]
    log = (tmp_path / "ralph/progress.txt").read_text(encoding="utf-8")
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    assert log.splitlines()[:3] == ["# Ralph Progress Log", f"Started: {today}", "PRD: Shop 2!"]
    assert log.rstrip().endswith("---")
    assert "## Codebase Patterns" in log
    assert ".ralph-active" in (tmp_path / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_a_name_of_any_characters_leaves_a_plan_that_can_be_read(tmp_path):
    prepare(tmp_path, 'a\t"b"\\\n')
    assert json.loads((tmp_path / "ralph/tasks.json").read_text(encoding="utf-8"))["project"] == 'a\t"b"\\\n'


def test_a_folder_inside_a_repository_is_refused_before_anything_is_written(tmp_path):
    repo = temp_repo(tmp_path)
    (repo.path / "pkg").mkdir()
    with pytest.raises(ConfigError, match=f"is a part of the repository .*ralph prd init -d {repo.path}"):
        prepare(repo.path / "pkg", "shop")
    assert list((repo.path / "pkg").iterdir()) == []


def test_a_second_init_changes_nothing_and_needs_no_repository(tmp_path):
    prepare(tmp_path, "shop")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    again = prepare(tmp_path, "other")
    assert (again.made, len(again.kept), again.branch) == ([], 4, "ralph/shop")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_prompt_has_three_modes_six_steps_and_the_hard_rules(tmp_path):
    prepare(tmp_path)
    prompt = (tmp_path / "ralph/prompt.md").read_text(encoding="utf-8")
    assert "$RALPH_ITERATION" in prompt
    assert "$RALPH_MAX_ITERATIONS" in prompt
    assert all(f"Step {number}" in prompt for number in range(1, 7))
    for words in ("review-fix", "prd.md", "<promise>COMPLETE</promise>", "[AUTO-APPROVED AT CAP]", "skipReview"):
        assert words in prompt
    for subject in ("feat: [US-xxx]", "review: [US-xxx] - approved", "fix: [US-xxx] - address review feedback"):
        assert subject in prompt


def test_the_prd_has_ten_sections_with_their_tiers(tmp_path):
    prepare(tmp_path)
    text = (tmp_path / "ralph/prd.md").read_text(encoding="utf-8")
    sections = [line for line in text.splitlines() if line.startswith("## ")]
    assert len(sections) == 10
    assert "Non-Goals" in sections[3]
    assert "<!--" in text
