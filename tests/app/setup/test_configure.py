"""One setting in one layer: read, set, unset; nothing is written that would not load."""

import os
import threading

import pytest

from ralph.app.setup.configure import get_value, set_value, unset_value
from ralph.config.layers import load
from ralph.model.errors import ConfigError, StateError


@pytest.fixture
def project(tmp_path, monkeypatch):
    for name in [each for each in os.environ if each.startswith("RALPH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("RALPH_HOME", str(tmp_path / "home"))
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def write(project, name, text):
    path = project / ".ralph" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_the_first_value_makes_a_file(project, tmp_path):
    assert set_value(project, "project", "defaults.executor", ("codex",)).where == ".ralph/config.yaml"
    assert (project / ".ralph/config.yaml").read_text() == "defaults:\n  executor: codex\n"
    set_value(project, "user", "reviewCap", ("3",))
    assert (tmp_path / "home/config.yaml").read_text() == "reviewCap: 3\n"
    set_value(project, "local", "reviewCap", ("4",))
    assert (project / ".ralph/settings.local.json").read_text() == '{\n  "reviewCap": 4\n}\n'
    assert load(project).settings.review_cap == 4
    assert [get_value(project, "reviewCap", layer) for layer in ("user", "local", None)] == [3, 4, 4]
    with pytest.raises(LookupError):
        get_value(project, "reviewCap", "project")


def test_of_the_project_files_the_one_that_holds_is_changed(project):
    yaml, json = write(project, "config.yaml", "rules: [a]\n"), write(project, "settings.json", '{"reviewCap": 2}')
    set_value(project, "project", "rules", ("b",))
    assert yaml.read_text() == 'rules: ["b"]\n'
    set_value(project, "project", "skipReview", ("true",))
    assert json.read_text() == '{"reviewCap": 2, "skipReview": true}'
    json.write_text('{"rules": ["c"]}')
    set_value(project, "project", "rules", ("d",))
    assert (json.read_text(), yaml.read_text()) == ('{"rules": ["d"]}', 'rules: ["b"]\n')
    unset_value(project, "project", "rules")
    assert json.read_text() == "{}"
    assert get_value(project, "rules") == ["b"]


def test_a_value_that_a_stronger_layer_shadows_is_said(project, monkeypatch):
    write(project, "settings.local.json", '{"defaults": {"executor": "amp"}}')
    written = set_value(project, "project", "defaults.executor", ("codex",))
    assert written.notes == (
        'defaults.executor is "amp" all the same: .ralph/settings.local.json sets it, too, and is stronger',
    )
    monkeypatch.setenv("RALPH_DEFAULTS__EXECUTOR", "goose")
    written = set_value(project, "local", "defaults", ('{"executor": "x", "maxIterations": 3}',))
    assert written.notes == (
        'defaults.executor is "goose" all the same: RALPH_DEFAULTS__EXECUTOR sets it, too, and is stronger',
    )
    monkeypatch.delenv("RALPH_DEFAULTS__EXECUTOR")
    assert unset_value(project, "local", "defaults").notes == (
        'defaults.executor is "codex" now, by .ralph/config.yaml',
    )


def test_a_secret_of_a_stronger_layer_is_not_shown(project):
    write(project, "settings.local.json", '{"agent": {"command": "x --api-key=hunter2"}}')
    assert "hunter2" not in str(set_value(project, "project", "agent.command", ("codex",)).notes)
    assert get_value(project, "agent.command") == "x --api-key=***"
    assert get_value(project, "agent.command", "local") == "x --api-key=***"


@pytest.mark.parametrize(
    ("key", "words", "told"),
    [
        ("maximumIterations", ("many",), '.ralph/settings.json: "maximumIterations" must be a whole number'),
        ("maximumIterations", ("0",), "must be at least 1"),
        ("defaults.planner", ("nobody",), "defaults.planner names 'nobody'"),
        ("pipeline", ("codr",), "pipeline names the role 'codr'"),
        ("defaults.exector", ("x",), "unknown key"),
        ("learnings", ("true",), '"learnings" is not a setting of this version'),
    ],
)
def test_nothing_is_written_that_would_not_load(project, key, words, told):
    file = write(project, "settings.json", '{"reviewCap":   2}')
    with pytest.raises(ConfigError) as refused:
        set_value(project, "project", key, words)
    assert told in str(refused.value)
    assert file.read_text() == '{"reviewCap":   2}'


def test_a_refused_first_value_leaves_no_folder(project):
    with pytest.raises(ConfigError):
        set_value(project, "project", "maximumIterations", ("0",))
    assert not (project / ".ralph").exists()


def test_what_another_setting_needs_is_not_unset(project):
    file = write(project, "config.yaml", "tools: {planners: [{id: x}]}\ndefaults: {planner: x}\n")
    with pytest.raises(ConfigError, match=r"defaults\.planner names 'x'"):
        unset_value(project, "project", "tools")
    assert file.read_text().startswith("tools")


def test_a_key_that_is_gone_from_the_schema_can_be_unset(project):
    file = write(project, "config.yaml", "# mine\nreview:\n  severityFloor: high\nrules: [a]\n")
    with pytest.raises(ConfigError):
        load(project)
    unset_value(project, "project", "review.severityFloor")
    assert file.read_text() == "# mine\nrules: [a]\n"
    assert unset_value(project, "project", "reviewCap") is None
    with pytest.raises(ConfigError, match="unknown key"):
        unset_value(project, "project", "nothing.like.it")


def test_a_link_to_settings_elsewhere_stays_a_link(project, tmp_path):
    elsewhere = tmp_path / "dotfiles.yaml"
    elsewhere.write_text("reviewCap: 2 # few\n")
    (tmp_path / "home").mkdir()
    link = tmp_path / "home/config.yaml"
    link.symlink_to(elsewhere)
    set_value(project, "user", "reviewCap", ("3",))
    assert link.is_symlink()
    assert elsewhere.read_text() == "reviewCap: 3 # few\n"


def test_a_home_that_is_a_link_is_used(project, tmp_path):
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "dotfiles")
    set_value(project, "user", "reviewCap", ("3",))
    assert (tmp_path / "dotfiles/config.yaml").read_text() == "reviewCap: 3\n"


def test_a_state_folder_that_is_a_link_is_refused(project, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (project / ".ralph").symlink_to(tmp_path / "elsewhere")
    with pytest.raises((ConfigError, StateError), match="symbolic link"):
        set_value(project, "project", "reviewCap", ("3",))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_file_keeps_its_mode(project):
    file = write(project, "settings.json", "{}")
    file.chmod(0o640)
    set_value(project, "project", "reviewCap", ("3",))
    assert file.stat().st_mode & 0o777 == 0o640


def test_two_that_change_at_once_both_count(project):
    keys = [f"roles.r{number}.promise" for number in range(8)]
    threads = [threading.Thread(target=set_value, args=(project, "project", key, ("X",))) for key in keys]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [get_value(project, key) for key in keys] == ["X"] * 8
