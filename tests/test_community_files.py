"""The files for contributors name commands and pages that exist."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PAGES = ("CONTRIBUTING.md", "SECURITY.md")
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name):
    links = re.findall(r"\]\(([^)#]+)", (ROOT / name).read_text())
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_make_target_exists():
    named = set(re.findall(r"(?:^|`)make (\w[\w-]*)", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE))
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"test", "check"} <= named <= targets


def test_the_workflow_runs_what_must_hold_on_a_fresh_machine():
    workflow = yaml.safe_load((ROOT / ".github/workflows/check.yml").read_text())
    steps = workflow["jobs"]["check"]["steps"]
    assert any(".ci/run" in step.get("run", "") for step in steps)
    assert (ROOT / ".ci/run").stat().st_mode & 0o111


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_a_form_for_issues_can_be_read(form):
    read = yaml.safe_load(form.read_text())
    assert read.get("body") or form.stem == "config"
