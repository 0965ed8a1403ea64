import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

RALPH = Path(sys.executable).with_name("ralph")

GUARDRAIL = {"failAction": "APPEND", "hint": "", "baseline": "strict", "red": False, "canary": True, "proof": True}
"""What holds where a guardrail says nothing else."""


class Shell:
    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = root / "project"
        (self.project / ".ralph").mkdir(parents=True)
        self.home.mkdir()

    def settings(self, data) -> None:
        (self.project / ".ralph/settings.json").write_text(json.dumps(data))

    def __call__(self, *args, cwd=None, **variables):
        kept = {name: text for name, text in os.environ.items() if not name.startswith("RALPH_")}
        return subprocess.run(
            [RALPH, "config", *args],
            cwd=cwd or self.project,
            env=kept | {"HOME": str(self.home)} | variables,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def config(tmp_path):
    return Shell(tmp_path)


def test_show_prints_the_merged_settings_as_yaml(config):
    config.settings(
        {"maximumIterations": 3, "guardrails": [{"command": "make: test # all"}], "sandbox": {"backend": "x"}}
    )
    done = config("show")
    shown = yaml.safe_load(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert shown["maximumIterations"] == 3
    assert shown["completionResponse"] == "DONE"
    assert shown["guardrails"] == [{"command": "make: test # all", **GUARDRAIL}]
    assert shown["sandbox"] == {"backend": "x", "network": None, "allow": [], "limits": {}}
    assert "#" not in done.stdout.replace("# all", "")


def test_show_prints_the_same_settings_as_text_and_as_json(config):
    config.settings({"roles": {"a: b": {}, "ünlü": {"promise": "x\ny"}}, "rules": ["'", '"', "a: b", "off"]})
    assert yaml.safe_load(config("show").stdout) == json.loads(config("show", "--json").stdout)


def test_show_json_is_in_camel_case(config):
    shown = json.loads(config("show", "--json").stdout)
    assert shown["maximumIterations"] == 10
    assert shown["roles"]["coder"]["maxIterations"] == 15
    assert shown["ralph"]["default_max_iterations"] == 10


def test_show_origin_names_the_layer_behind_each_value(config):
    config.settings({"maximumIterations": 3, "guardrails": [{"command": "make test"}]})
    lines = config("show", "--origin", RALPH_BUDGET__USD="2").stdout.splitlines()
    assert "maximumIterations: 3  # .ralph/settings.json" in lines
    assert "guardrails:  # .ralph/settings.json" in lines
    assert f"  - {json.dumps({'command': 'make test', **GUARDRAIL})}" in lines
    assert "  usd: 2.0  # RALPH_BUDGET__USD" in lines
    assert 'completionResponse: "DONE"  # default' in lines


def test_show_origin_json_has_both(config):
    config.settings({"agent": {"command": "claude"}})
    shown = json.loads(config("show", "--origin", "--json").stdout)
    assert shown["settings"]["agent"]["command"] == "claude"
    assert shown["origins"]["agent.command"] == ".ralph/settings.json"


@pytest.mark.parametrize("options", [(), ("--origin",), ("--json",), ("--json", "--origin")])
def test_show_masks_secrets(config, options):
    config.settings({"agent": {"command": "claude", "flags": ["--api-key=hunter2", "--token", "hunter2"]}})
    done = config("show", *options)
    assert done.returncode == 0
    assert "hunter2" not in done.stdout
    assert "--api-key=***" in done.stdout


def test_show_of_a_wrong_file_is_one_line_and_exit_code_2(config):
    config.settings({"maximumIteration": 3})
    done = config("show")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        'ralph: .ralph/settings.json: unknown key "maximumIteration". Did you mean "maximumIterations"?\n'
    )


def test_path_prints_each_file_and_whether_it_exists(config):
    config.settings({})
    assert config("path").stdout.splitlines() == [
        f"missing  {config.home}/.ralph/config.yaml",
        f"missing  {config.project}/.ralph/config.yaml",
        f"exists   {config.project}/.ralph/settings.json",
        f"missing  {config.project}/.ralph/settings.local.json",
    ]


def test_path_follows_ralph_home(config, tmp_path):
    assert f"missing  {tmp_path}/else/config.yaml" in config("path", RALPH_HOME=f"{tmp_path}/else").stdout


def test_check_prints_a_line_for_each_layer_that_is_right(config):
    config.settings({"maximumIterations": 3})
    (config.project / ".ralph/config.yaml").write_text("rules: [x]")
    done = config("check", RALPH_REVIEW_CAP="3")
    assert done.returncode == 0
    assert done.stdout.splitlines() == ["ok  .ralph/config.yaml", "ok  .ralph/settings.json", "ok  RALPH_REVIEW_CAP"]


def test_check_without_settings_says_so(config):
    done = config("check")
    assert done.returncode == 0
    assert done.stdout == "ok  no settings files: every value is its default\n"


def test_check_prints_every_error_and_ends_with_exit_code_2(config):
    config.settings({"guardrails": [{"command": "x", "failAction": "NOTHING"}]})
    (config.project / ".ralph/config.yaml").write_text("rules: [x")
    (config.project / ".ralph/settings.local.json").write_text("{}")
    done = config("check", RALPH_NONSENSE="1")
    assert done.returncode == 2
    assert done.stdout == "ok  .ralph/settings.local.json\n"
    lines = done.stderr.splitlines()
    assert [line.split(" ")[1].rstrip(":") for line in lines] == [
        ".ralph/config.yaml",
        ".ralph/settings.json",
        "RALPH_NONSENSE",
    ]


def test_check_judges_how_the_files_fit_together(config):
    config.settings({"defaults": {"planner": "nobody"}})
    ended = config("check")
    assert ended.returncode == 2
    assert (
        ended.stderr
        == "ralph: defaults.planner names 'nobody', which is not a planner of tools.planners. Known: none\n"
    )


def test_project_option_chooses_another_directory(config, tmp_path):
    config.settings({"maximumIterations": 3})
    for options in (["show", "--json"], ["check"], ["path"]):
        assert config(*options, "--project", config.project, cwd=tmp_path).stdout == config(*options).stdout


def test_a_project_that_does_not_exist_is_refused(config):
    done = config("show", "--project", "nowhere")
    assert done.returncode == 2
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_huge_settings_file_is_refused_in_one_line(config):
    config.settings({})
    os.truncate(config.project / ".ralph/settings.json", 100_000_000)
    for subcommand in ("show", "check"):
        done = config(subcommand)
        assert done.returncode == 2
        assert done.stderr.startswith("ralph: .ralph/settings.json is 95.4 MiB large")
        assert done.stderr.count("\n") == 1


def test_help_needs_nothing_but_click(config):
    code = (
        "import sys, ralph.cli.setup.config\n"
        "print(sorted({'msgspec', 'yaml', 'rich', 'ralph.config.layers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
