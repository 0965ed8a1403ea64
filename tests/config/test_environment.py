import pytest

from ralph.config.variables import RESERVED


@pytest.mark.parametrize(
    ("name", "text", "path", "value"),
    [
        ("RALPH_MAXIMUM_ITERATIONS", "20", "maximumIterations", 20),
        ("RALPH_COMPLETION_RESPONSE", "SHIPPED", "completionResponse", "SHIPPED"),
        ("RALPH_COMPLETION_RESPONSE", "null", "completionResponse", "null"),
        ("RALPH_STREAM_AGENT_OUTPUT", "false", "streamAgentOutput", False),
        ("RALPH_STREAM_AGENT_OUTPUT", "0", "streamAgentOutput", False),
        ("RALPH_SKIP_REVIEW", "On", "skipReview", True),
        ("RALPH_BUDGET__USD", "2.5", "budget.usd", 2.5),
        ("RALPH_BUDGET__TOKENS", "1000000", "budget.tokens", 1_000_000),
        ("RALPH_BUDGET__SECONDS", "1h30m", "budget.seconds", 5400),
        ("RALPH_TIMEOUTS__AGENT", "90", "timeouts.agent", 90),
        ("RALPH_TIMEOUTS__IDLE", "off", "timeouts.idle", None),
        ("RALPH_TIMEOUTS__GUARDRAIL", "null", "timeouts.guardrail", None),
        ("RALPH_AGENT__COMMAND", "claude", "agent.command", "claude"),
        ("RALPH_AGENT__COMMAND", "null", "agent.command", None),
        ("RALPH_AGENT__FLAGS", "--model opus, --verbose", "agent.flags", ["--model opus", "--verbose"]),
        ("RALPH_AGENT__FLAGS", '["a,b", "c"]', "agent.flags", ["a,b", "c"]),
        ("RALPH_AGENT__FLAGS", "[]", "agent.flags", []),
        ("RALPH_ENV__PASS", "A,B", "env.pass", ["A", "B"]),
        ("RALPH_ENV__INHERIT", "all", "env.inherit", "all"),
        ("RALPH_QUOTA__FALLBACK_AGENT", "codex", "quota.fallbackAgent", "codex"),
        ("RALPH_DEFAULTS__MAX_ITERATIONS", "3", "defaults.maxIterations", 3),
        ("RALPH_RALPH__DEFAULT_MAX_ITERATIONS", "3", "ralph.default_max_iterations", 3),
        ("RALPH_ROLES__CODER__MAX_ITERATIONS", "8", "roles.coder.maxIterations", 8),
        ("RALPH_SANDBOX", "bwrap", "sandbox", "bwrap"),
        ("RALPH_SANDBOX", '{"backend": "bwrap"}', "sandbox.backend", "bwrap"),
        ("RALPH_SANDBOX__NETWORK", "none", "sandbox.network", "none"),
        ("RALPH_SANDBOX__LIMITS", '{"memory": "4g"}', "sandbox.limits.memory", "4g"),
        ("RALPH_SCM", '{"tasks": ["commit"]}', "scm.tasks", ["commit"]),
        ("RALPH_SCM__TASKS", "commit,push", "scm.tasks", ["commit", "push"]),
        ("RALPH_AGENT", '{"command": "amp"}', "agent.command", "amp"),
        ("RALPH_TAMPER", "off", "tamper", "off"),
    ],
)
def test_a_variable_is_read_by_the_type_of_its_key(project, name, text, path, value):
    loaded = project.load(**{name: text})
    found = loaded.merged
    for key in path.split("."):
        found = found[key]
    assert found == value
    assert type(found) is type(value) or (isinstance(value, int) and isinstance(found, float))
    assert loaded.origins[path] == name


def test_a_list_of_objects_is_written_as_json(project):
    loaded = project.load(RALPH_GUARDRAILS='[{"command": "make test", "failAction": "PREPEND"}]')
    assert loaded.settings.guardrails[0].fail_action == "PREPEND"


def test_a_key_of_a_section_beats_the_section(project):
    loaded = project.load(RALPH_AGENT__COMMAND="codex", RALPH_AGENT='{"command": "amp", "flags": ["-x"]}')
    assert loaded.settings.agent.command == "codex"
    assert loaded.settings.agent.flags == ["-x"]
    assert loaded.origins["agent.flags"] == "RALPH_AGENT"


def test_an_empty_variable_counts_as_not_set(project):
    assert project.load(RALPH_MAXIMUM_ITERATIONS="").origins["maximumIterations"] == "default"


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_reserved_names_are_no_settings(project, name):
    loaded = project.load(**{name: str(project.home)})
    assert set(loaded.origins.values()) == {"default"}


def test_the_reserved_names_are_those_of_the_decisions():
    assert {
        "RALPH_HOME",
        "RALPH_DATABASE_URL",
        "RALPH_STORE",
        "RALPH_RUN_ID",
        "RALPH_PARENT_RUN_ID",
        "RALPH_MESSAGE_BUS",
        "RALPH_ATTEMPT_ID",
        "RALPH_GUARD",
        "RALPH_END_RUN",
        "RALPH_END_VERDICT",
        "RALPH_END_REASON",
    } == RESERVED


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("RALPH_MAX_ITERATIONS", "RALPH_MAXIMUM_ITERATIONS"),
        ("RALPH_BUDGET_USD", "RALPH_BUDGET__USD"),
        ("RALPH_AGENT__COMAND", "RALPH_AGENT__COMMAND"),
        ("RALPH_GUARDRAILS__0__COMMAND", "RALPH_GUARDRAILS"),
        ("RALPH_TAMPER__X", "RALPH_TAMPER"),
        ("RALPH_ROLES__CODER__PROMISES", "RALPH_ROLES"),
    ],
)
def test_an_unknown_variable_is_an_error_that_names_the_nearest(project, name, nearest):
    line = project.error(**{name: "1"})
    assert line.startswith(f"{name}: unknown setting in the environment. Did you mean RALPH_")
    if name != "RALPH_ROLES__CODER__PROMISES":
        assert line.endswith(f" {nearest}?")


@pytest.mark.parametrize("name", ["RALPH_", "RALPH___", "RALPH_AGENT__", "RALPH_agent__command__x"])
def test_names_that_are_no_names_are_unknown_too(project, name):
    assert "unknown setting in the environment" in project.error(**{name: "1"})


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("RALPH_MAXIMUM_ITERATIONS", "many", ': "maximumIterations" must be a whole number, got "many".'),
        ("RALPH_MAXIMUM_ITERATIONS", "0", ': "maximumIterations" must be at least 1, got 0.'),
        ("RALPH_STREAM_AGENT_OUTPUT", "maybe", ': "streamAgentOutput" must be true or false, got "maybe".'),
        ("RALPH_BUDGET__USD", "-1", ': "budget.usd" must be more than 0, got -1.0.'),
        ("RALPH_BUDGET__USD", "inf", " has a number that is not finite."),
        ("RALPH_BUDGET__USD", "nan", ': "budget.usd" must be more than 0, got nan.'),
        ("RALPH_GUARDRAILS", "make test", " must be JSON: Expecting value at line 1, column 1."),
        ("RALPH_AGENT", "claude", " must be JSON: Expecting value at line 1, column 1."),
        ("RALPH_SCM", "git", " must be JSON: Expecting value at line 1, column 1."),
        ("RALPH_AGENT__FLAGS", "[1]", ': "agent.flags[0]" must be text, got 1.'),
        ("RALPH_AGENT", '{"comand": "x"}', ': unknown key "agent.comand". Did you mean "agent.command"?'),
    ],
)
def test_a_wrong_value_names_the_variable(project, name, text, problem):
    assert project.error(**{name: text}) == name + problem


def test_other_variables_are_left_alone(project):
    assert project.load(RALPHABET="x", PATH="/bin", ralph_home="x").origins["agent.command"] == "default"
