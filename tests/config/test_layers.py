from pathlib import Path

import pytest

from ralph.config.files import settings_files
from ralph.config.home import ralph_home
from ralph.config.layers import load, survey
from ralph.config.schema import Settings


def test_without_any_layer_the_defaults_hold(project):
    loaded = project.load()
    assert loaded.settings == Settings()
    assert loaded.files == []
    assert set(loaded.origins.values()) == {"default"}


def test_loading_priority_base_is_settings_json(project):
    project.settings({"maximumIterations": 3})
    assert project.load().settings.maximum_iterations == 3


def test_loading_priority_settings_local_json_is_merged_over_settings_json(project):
    project.settings({"maximumIterations": 3, "completionResponse": "SHIPPED"})
    project.local({"maximumIterations": 4})
    settings = project.load().settings
    assert (settings.maximum_iterations, settings.completion_response) == (4, "SHIPPED")


def test_loading_priority_flags_override_both_files(project):
    project.settings({"maximumIterations": 3})
    project.local({"maximumIterations": 4})
    assert project.load(flags={"maximumIterations": 5}).settings.maximum_iterations == 5


def test_deep_merge_scalars_in_local_override_base(project):
    project.settings({"completionResponse": "A", "maximumIterations": 3, "streamAgentOutput": True})
    project.local({"completionResponse": "B", "maximumIterations": 4, "streamAgentOutput": False})
    settings = project.load().settings
    assert (settings.completion_response, settings.maximum_iterations, settings.stream_agent_output) == ("B", 4, False)


def test_deep_merge_arrays_in_local_replace_arrays_in_base(project):
    project.settings({"guardrails": [{"command": "make lint"}, {"command": "make test"}]})
    project.local({"guardrails": [{"command": "make check"}]})
    assert [guardrail.command for guardrail in project.load().settings.guardrails] == ["make check"]


def test_deep_merge_objects_are_merged_recursively_and_keep_keys_not_in_local(project):
    project.settings({"agent": {"command": "claude", "flags": ["--model opus"]}})
    project.local({"agent": {"flags": ["--verbose"]}})
    loaded = project.load()
    assert loaded.merged["agent"] == {"command": "claude", "flags": ["--verbose"]}
    assert loaded.settings.agent.command == "claude"
    assert loaded.settings.agent.flags == ["--verbose"]


LAYERS = ["home", "yaml", "settings", "local", "spec", "variable", "flag"]


@pytest.mark.parametrize("strongest", range(len(LAYERS)))
def test_each_layer_beats_all_layers_below_it(project, strongest):
    present = LAYERS[: strongest + 1]
    project.write_home("maximumIterations: 101")
    if "yaml" in present:
        project.write("config.yaml", "maximumIterations: 102")
    if "settings" in present:
        project.settings({"maximumIterations": 103})
    if "local" in present:
        project.local({"maximumIterations": 104})
    loaded = project.load(
        spec={"maximumIterations": 105} if "spec" in present else None,
        flags={"maximumIterations": 107} if "flag" in present else None,
        **({"RALPH_MAXIMUM_ITERATIONS": "106"} if "variable" in present else {}),
    )
    assert loaded.settings.maximum_iterations == 101 + strongest
    assert (
        loaded.origins["maximumIterations"]
        == [
            "~/.ralph/config.yaml",
            ".ralph/config.yaml",
            ".ralph/settings.json",
            ".ralph/settings.local.json",
            "spec",
            "RALPH_MAXIMUM_ITERATIONS",
            "flag --maximum-iterations",
        ][strongest]
    )


def test_files_are_listed_in_the_order_in_which_they_were_laid_over_each_other(project):
    project.local({})
    yaml = project.write("config.yaml", "")
    home = project.write_home("{}")
    assert project.load().files == [home, yaml, project.root / ".ralph/settings.local.json"]


def test_origins_are_known_for_every_value_and_a_list_is_one_value(project):
    project.settings({"agent": {"command": "claude"}, "guardrails": [{"command": "make test"}], "scm": {"tasks": []}})
    origins = project.load().origins
    assert origins["agent.command"] == ".ralph/settings.json"
    assert origins["agent.flags"] == "default"
    assert origins["guardrails"] == ".ralph/settings.json"
    assert origins["scm.tasks"] == ".ralph/settings.json"
    assert origins["scm.command"] == "default"
    assert origins["roles.coder.maxIterations"] == "default"


def test_origin_of_a_value_below_an_object_that_was_switched_off_and_on_again_is_the_default(project):
    project.write_home("scm: {command: hg, tasks: [commit]}")
    project.settings({"scm": None})
    project.local({"scm": {"tasks": ["push"]}})
    loaded = project.load()
    assert loaded.settings.scm is not None
    assert loaded.settings.scm.command == "git"
    assert loaded.origins["scm.command"] == "default"
    assert loaded.origins["scm.tasks"] == ".ralph/settings.local.json"


def test_null_switches_scm_off(project):
    project.settings({"scm": {"tasks": ["commit"]}})
    project.local({"scm": None})
    loaded = project.load()
    assert loaded.settings.scm is None
    assert loaded.origins["scm"] == ".ralph/settings.local.json"


@pytest.mark.parametrize(
    ("flags", "path", "origin"),
    [
        ({"completionResponse": "X"}, "completionResponse", "flag --completion-response"),
        ({"streamAgentOutput": False}, "streamAgentOutput", "flag --no-stream-agent-output"),
        ({"streamAgentOutput": True}, "streamAgentOutput", "flag --stream-agent-output"),
        ({"agent": {"command": "codex"}}, "agent.command", "flag --agent"),
        ({"budget": {"usd": 2}}, "budget.usd", "flag --budget-usd"),
    ],
)
def test_origin_of_a_flag_is_spelt_as_the_user_typed_it(project, flags, path, origin):
    assert project.load(flags=flags).origins[path] == origin


def test_a_wrong_flag_is_named(project):
    assert project.error(flags={"maximumIterations": 0}) == (
        'flag --maximum-iterations: "maximumIterations" must be at least 1, got 0.'
    )


def test_a_wrong_override_of_the_spec_is_named(project):
    assert project.error(spec={"defaults": {"executer": "x"}}).startswith('spec: unknown key "defaults.executer".')


def test_merged_has_every_default_also_inside_lists(project):
    project.settings({"guardrails": [{"command": "make test"}], "timeouts": {"agent": "1h"}})
    merged = project.load().merged
    [guardrail] = merged["guardrails"]
    assert (guardrail["command"], guardrail["failAction"], guardrail["hint"]) == ("make test", "APPEND", "")
    assert (guardrail["baseline"], guardrail["canary"], guardrail["proof"], guardrail["red"]) == (
        "strict",
        True,
        True,
        False,
    )
    assert merged["timeouts"] == {"agent": 3600, "guardrail": 1800, "idle": 1800}
    assert merged["ralph"]["default_max_iterations"] == 10


def test_merged_is_itself_a_valid_layer(project):
    project.settings({"timeouts": {"idle": "off"}, "sandbox": {"backend": "bwrap"}, "scm": {}})
    first = project.load()
    assert project.load(spec=first.merged).settings == first.settings


def test_one_key_of_a_role_can_change_and_the_others_stay(project):
    project.settings({"roles": {"coder": {"maxIterations": 3}, "writer": {"promise": "WRITTEN"}}})
    roles = project.load().settings.roles
    assert roles["coder"].max_iterations == 3
    assert roles["coder"].promise == "IMPLEMENTATION_COMPLETE"
    assert roles["writer"].promise == "WRITTEN"
    assert list(roles) == ["coder", "reviewer", "tester", "qa", "writer"]


def test_ralph_home_moves_the_file_of_the_user(project, tmp_path):
    project.write_home("maximumIterations: 3")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "config.yaml").write_text("maximumIterations: 4")
    loaded = project.load(RALPH_HOME=str(elsewhere))
    assert loaded.settings.maximum_iterations == 4
    assert loaded.origins["maximumIterations"] == str(elsewhere / "config.yaml")


def test_ralph_home_is_below_the_home_directory():
    assert ralph_home({"HOME": "/somewhere"}) == Path("/somewhere/.ralph")
    assert ralph_home({"HOME": "/somewhere", "RALPH_HOME": ""}) == Path("/somewhere/.ralph")
    assert ralph_home({"HOME": "/somewhere", "RALPH_HOME": "/there"}) == Path("/there")


def test_the_environment_of_the_process_counts_unless_another_is_given(project, monkeypatch):
    monkeypatch.setenv("HOME", str(project.home))
    monkeypatch.delenv("RALPH_HOME", raising=False)
    monkeypatch.setenv("RALPH_MAXIMUM_ITERATIONS", "42")
    assert load(project.root).settings.maximum_iterations == 42
    assert load(project.root, environ={"HOME": str(project.home)}).settings.maximum_iterations == 10


def test_a_directory_without_settings_is_a_project_too(tmp_path):
    assert load(tmp_path, environ={"HOME": str(tmp_path)}).settings == Settings()


def test_settings_files_lists_every_place_whether_or_not_it_exists(project):
    assert settings_files(project.root, {"HOME": str(project.home)}) == [
        ("~/.ralph/config.yaml", project.home / ".ralph/config.yaml"),
        (".ralph/config.yaml", project.root / ".ralph/config.yaml"),
        (".ralph/settings.json", project.root / ".ralph/settings.json"),
        (".ralph/settings.local.json", project.root / ".ralph/settings.local.json"),
    ]


def test_survey_goes_on_after_an_error(project):
    project.settings({"nope": 1})
    project.local({"maximumIterations": 2})
    environ = {"HOME": str(project.home), "RALPH_TAMPER": "maybe", "RALPH_REVIEW_CAP": "3"}
    found = dict(survey(project.root, environ))
    assert [name for name, error in found.items() if error] == [".ralph/settings.json", "RALPH_TAMPER"]
    assert [name for name, error in found.items() if not error] == [".ralph/settings.local.json", "RALPH_REVIEW_CAP"]
