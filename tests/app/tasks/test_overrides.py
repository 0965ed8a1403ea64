"""What a spec sets for its own tasks."""

import pytest

from ralph.app.tasks.overrides import (
    override_of,
    overrides_of,
    own_override,
    set_override,
    specs_that_set,
    unset_override,
)
from ralph.app.tasks.specs import create_spec
from ralph.app.tasks.tasks import import_tasks
from ralph.model.errors import ConfigError
from ralph.store.journal import Journal
from ralph.store.projects import known_project
from ralph.store.sqlite import SqliteStore
from ralph.store.tasks import get_spec
from task_shell import add_task_run, many


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("RALPH_HOME", str(tmp_path / "home"))
    path = tmp_path / "project"
    (path / ".ralph").mkdir(parents=True)
    (path / ".ralph/config.yaml").write_text("defaults: {executor: claude, maxIterations: 3}\n")
    return path


@pytest.fixture
def store(project, tmp_path):
    with SqliteStore(tmp_path / "home") as opened:
        create_spec(opened, project, "auth", None, None)
        yield opened


def config(store, project):
    return get_spec(store, known_project(store, project), "auth").config


def test_short_names_are_kept_under_the_names_of_the_settings(store, project):
    set_override(store, project, "auth", "executor", ("codex",))
    set_override(store, project, "auth", "reviewer", ("none",))
    set_override(store, project, "auth", "maxIterations", ("7",))
    set_override(store, project, "auth", "rules", ("Use pnpm, never npm",))
    set_override(store, project, "auth", "verification.enabled", ("false",))
    assert config(store, project) == {
        "defaults": {"executor": "codex", "quickReviewer": "none", "maxIterations": 7},
        "rules": ["Use pnpm, never npm"],
        "verification": {"enabled": False},
    }
    shown = {each.key: (each.value, each.is_own) for each in overrides_of(store, project, "auth")}
    assert shown == {
        "executor": ("codex", True),
        "reviewer": ("none", True),
        "maxIterations": (7, True),
        "rules": (["Use pnpm, never npm"], True),
        "verification": ({"enabled": False, "steps": []}, True),
    }
    assert own_override(store, project, "auth", "defaults.maxIterations") == 7


def test_without_an_override_the_project_holds(store, project):
    assert override_of(store, project, "auth", "executor") == "claude"
    set_override(store, project, "auth", "executor", ("codex",))
    assert override_of(store, project, "auth", "executor") == "codex"
    written = unset_override(store, project, "auth", "executor")
    assert written.notes == ('defaults.executor is "claude" now, by .ralph/config.yaml',)
    assert override_of(store, project, "auth", "executor") == "claude"
    assert config(store, project) == {}
    assert unset_override(store, project, "auth", "executor") is None
    with pytest.raises(LookupError):
        own_override(store, project, "auth", "defaults.executor")


@pytest.mark.parametrize("key", ["budget.usd", "defaults.planner", "defaults", "tools", "executors", ""])
def test_other_keys_are_not_a_specs_to_set(store, project, key):
    for is_short in (True, False):
        with pytest.raises(ConfigError, match="a spec cannot set") as refused:
            set_override(store, project, "auth", key, ("1",), is_short=is_short)
        assert refused.value.exit_code == 2
    assert config(store, project) == {}


def test_the_nested_names_alone_are_those_of_the_settings(store, project):
    with pytest.raises(ConfigError, match=r"a spec cannot set 'executor'\. It can set: defaults\.executor, "):
        set_override(store, project, "auth", "executor", ("x",), is_short=False)


@pytest.mark.parametrize(
    ("key", "word", "told"),
    [
        ("maxIterations", "0", "must be at least 1"),
        ("reviewer", "nobody", "defaults.quickReviewer names 'nobody'"),
        ("verification.step", "[]", "unknown key"),
    ],
)
def test_nothing_is_stored_that_would_not_load(store, project, key, word, told):
    with pytest.raises(ConfigError) as refused:
        set_override(store, project, "auth", key, (word,))
    assert told in str(refused.value)
    assert config(store, project) == {}


def test_a_variable_is_stronger_and_that_is_said(store, project, monkeypatch):
    monkeypatch.setenv("RALPH_DEFAULTS__EXECUTOR", "goose")
    written = set_override(store, project, "auth", "executor", ("codex",))
    assert written.notes == (
        'defaults.executor is "goose" all the same: RALPH_DEFAULTS__EXECUTOR sets it, too, and is stronger',
    )


def test_specs_that_set_a_key_are_known(store, project):
    create_spec(store, project, "cart", None, None)
    set_override(store, project, "auth", "verification.enabled", ("false",))
    assert specs_that_set(store, project, "verification.enabled") == ["auth"]
    assert specs_that_set(store, project, "verification") == ["auth"]
    assert specs_that_set(store, project, "verification.steps") == []


def test_a_spec_at_work_is_left_alone(store, project):
    import_tasks(store, project, many(("A", {})), "file")
    name = known_project(store, project)
    Journal.take(store, add_task_run(store, name, "A"))
    with pytest.raises(ConfigError, match="task A is running"):
        set_override(store, project, "auth", "executor", ("codex",))
    assert config(store, project) == {}


def test_an_executor_that_is_neither_known_nor_a_program_is_refused(store, project):
    with pytest.raises(ConfigError, match=r"there is no executor, agent or program 'clade'\. Did you mean claude\?"):
        set_override(store, project, "auth", "executor", ("clade",))
    set_override(store, project, "auth", "executor", ("sh",))
    assert own_override(store, project, "auth", "defaults.executor") == "sh"
