"""The boxes on configuration, each with a test of its name. What a screen shows of it is the studio's."""

import json
import os

import pytest

from chunk_crew import GOOD
from ralph.agents.registry import choose_executor
from ralph.app.setup.configure import set_value
from ralph.app.tasks.overrides import set_override
from ralph.app.tasks.settings import load_for_spec
from ralph.app.tasks.specs import create_spec
from ralph.app.usable import load_usable
from ralph.store.projects import project_at
from ralph.store.sqlite import SqliteStore
from ralph.store.tasks import get_spec
from ralph.testing import ScriptedAgent
from seed_000_config import CONFIG


@pytest.fixture
def project(tmp_path, monkeypatch):
    for name in [each for each in os.environ if each.startswith("RALPH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("RALPH_HOME", str(tmp_path / "home"))
    folder = tmp_path / "project"
    (folder / ".ralph").mkdir(parents=True)
    (folder / ".ralph/config.yaml").write_text(CONFIG)
    return folder


def test_config_file_loads_from_ralph_config_yaml(project):
    loaded = load_usable(project)
    settings = loaded.settings
    assert {each.id: each.type for each in settings.tools.executors} == {
        "opencode": "opencode",
        "claude-code": "claude-code",
    }
    assert [each.model for each in settings.tools.planners] == [
        "claude-opus-4-5-20251101",
        "claude-sonnet-4-5-20250929",
    ]
    assert [each.checks for each in settings.tools.reviewers] == [
        ["syntax", "types", "obvious_bugs"],
        ["security", "race_conditions", "memory_leaks", "error_handling", "accessibility"],
    ]
    defaults = settings.defaults
    assert (defaults.executor, defaults.planner, defaults.max_iterations) == ("opencode", "opus", 5)
    assert (defaults.quick_reviewer, defaults.deep_reviewer, defaults.final_reviewer) == (
        "sonnet-quick",
        None,
        "opus-thorough",
    )
    assert (len(settings.rules), settings.rules[0]) == (5, "Use pnpm, never npm or yarn")
    assert [(each.name, each.required) for each in settings.verification.steps] == [
        ("Type Check", True),
        ("Lint", False),
        ("Tests", False),
    ]
    assert loaded.origins["defaults.executor"] == loaded.origins["verification.steps"] == ".ralph/config.yaml"


def test_project_config_overrides_global(project, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text(
        "defaults: {executor: codex, maxIterations: 9}\nrules: [global]\nreviewCap: 2\n"
    )
    loaded = load_usable(project)
    assert (loaded.settings.defaults.executor, loaded.settings.defaults.max_iterations) == ("opencode", 5)
    assert "global" not in loaded.settings.rules
    assert loaded.settings.review_cap == 2


def test_spec_config_overrides_project(project, tmp_path):
    with SqliteStore(tmp_path / "home") as store:
        for spec in ("auth", "cart"):
            create_spec(store, project, spec, None, None)
        set_override(store, project, "auth", "executor", ("claude-code",))
        set_override(store, project, "auth", "reviewer", ("opus-thorough",))
        set_override(store, project, "auth", "maxIterations", ("2",))
        name = project_at(store, project).id
        auth, cart = (load_for_spec(project, get_spec(store, name, spec)).settings for spec in ("auth", "cart"))
    assert (auth.defaults.executor, auth.defaults.quick_reviewer, auth.defaults.max_iterations) == (
        "claude-code",
        "opus-thorough",
        2,
    )
    assert auth.rules == cart.rules
    assert (cart.defaults.executor, cart.defaults.quick_reviewer, cart.defaults.max_iterations) == (
        "opencode",
        "sonnet-quick",
        5,
    )


def test_changing_the_seeds_own_file_leaves_all_else_as_it_was(project):
    set_value(project, "project", "defaults.executor", ("claude-code",))
    assert (project / ".ralph/config.yaml").read_text() == CONFIG.replace(
        "  executor: opencode\n", "  executor: claude-code\n"
    )
    assert choose_executor(load_usable(project).settings).command == ["claude"]


def test_changing_executor_uses_that_tool(crew, tmp_path):
    """In a project that `ralph init` has set up, and for one spec alone."""
    crew.hire([GOOD])
    agents = {name: ScriptedAgent(GOOD, directory=tmp_path / "agents" / name) for name in ("init", "other")}
    other = {"id": "other", "type": "claude", "command": agents["other"].command}
    crew.repo.write(".ralph/settings.json", json.dumps({"agent": {"command": agents["init"].command}}))
    crew.repo.write(".ralph/config.yaml", json.dumps({"tools": {"executors": [other]}, "defaults": {"executor": None}}))

    def ran(name):
        crew.task(name, spec=f"{name}-spec")
        ended = crew.run(name=name)
        assert ended.code == 0, ended.err
        return {each: len(agent.starts) for each, agent in agents.items()}

    assert ran("T-1") == {"init": 1, "other": 0}
    assert crew.ralph("config", "set", "defaults.executor", "other").code == 0
    assert ran("T-2") == {"init": 1, "other": 1}
    crew.task("T-3", spec="third")
    assert crew.ralph("spec", "config", "third", "executor", agents["init"].command).code == 0
    assert crew.run(name="T-3").code == 0
    assert {each: len(agent.starts) for each, agent in agents.items()} == {"init": 2, "other": 1}
