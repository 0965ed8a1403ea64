"""What does not fit the schema: each case is one line that names the file, the key and what is valid."""

import pytest

from ralph.config.keys import dotted, every_key, nearest_key


@pytest.mark.parametrize(
    ("data", "key", "nearest"),
    [
        ({"maximumIteration": 3}, "maximumIteration", "maximumIterations"),
        ({"maxIterations": 3}, "maxIterations", "maximumIterations"),
        ({"maximum_iterations": 3}, "maximum_iterations", "maximumIterations"),
        ({"timeout": {}}, "timeout", "timeouts"),
        ({"agent": {"comand": "x"}}, "agent.comand", "agent.command"),
        ({"guardrails": [{"command": "a"}, {"cmd": "b"}]}, "guardrails[1].cmd", "guardrails[1].command"),
        ({"tools": {"executors": [{"id": "a", "flag": []}]}}, "tools.executors[0].flag", "tools.executors[0].flags"),
        ({"roles": {"coder": {"promis": "X"}}}, "roles.coder.promis", "roles.coder.promise"),
        ({"ralph": {"defaultMaxIterations": 3}}, "ralph.defaultMaxIterations", "ralph.default_max_iterations"),
        ({"sandbox": {"backed": "x"}}, "sandbox.backed", "sandbox.backend"),
        ({"command": "claude"}, "command", "agent.command"),
        ({"usd": 3}, "usd", "budget.usd"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_valid_one(project, data, key, nearest):
    project.settings(data)
    assert project.error() == (f'.ralph/settings.json: unknown key "{key}". Did you mean "{nearest}"?')


def test_a_wrong_value_is_named_with_the_nearest_valid_one(project):
    project.settings({"guardrails": [{"command": "make", "failAction": "APEND"}]})
    assert project.error() == (
        '.ralph/settings.json: "guardrails[0].failAction" must be one of "APPEND", "PREPEND", "REPLACE", got "APEND". '
        'Did you mean "APPEND"?'
    )


def test_a_wrong_value_that_looks_like_a_secret_is_masked(project):
    project.settings({"maximumIterations": "sk-abcdefgh12345678"})
    assert project.error() == '.ralph/settings.json: "maximumIterations" must be a whole number, got "***".'


@pytest.mark.parametrize("value", [True, False])
def test_learnings_are_refused_until_something_writes_them(project, value):
    project.settings({"learnings": value})
    assert project.error() == (
        '.ralph/settings.json: "learnings" is not a setting of this version. '
        "Nothing writes learnings, so no prompt carries any: remove the key."
    )


def test_a_floor_of_severity_is_refused_with_what_holds_now(project):
    project.write("config.yaml", "review: {severityFloor: high}")
    assert project.error() == (
        '.ralph/config.yaml: "review.severityFloor" is not a setting of this version. Findings of severity medium and '
        "high block a review, later ones only if they are high or not fixed: remove the key."
    )


def test_the_file_that_has_the_unknown_key_is_named(project):
    project.settings({"maximumIterations": 3})
    project.local({"maximumIteration": 3})
    assert project.error().startswith(".ralph/settings.local.json: unknown key")


def test_an_unknown_key_in_the_file_of_the_user_is_named(project):
    project.write_home("agnet: {}")
    assert project.error() == '~/.ralph/config.yaml: unknown key "agnet". Did you mean "agent"?'


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"maximumIterations": "5"}, '"maximumIterations" must be a whole number, got "5"'),
        ({"maximumIterations": 2.5}, '"maximumIterations" must be a whole number, got 2.5'),
        ({"maximumIterations": True}, '"maximumIterations" must be a whole number, got true'),
        ({"streamAgentOutput": "yes"}, '"streamAgentOutput" must be true or false, got "yes"'),
        ({"agent": None}, '"agent" must be an object, got null'),
        ({"agent": "claude"}, '"agent" must be an object, got "claude"'),
        ({"agent": {"command": 5}}, '"agent.command" must be text or null, got 5'),
        ({"agent": {"flags": "--model opus"}}, '"agent.flags" must be a list, got "--model opus"'),
        ({"agent": {"flags": ["a", 1]}}, '"agent.flags[1]" must be text, got 1'),
        ({"guardrails": {"command": "x"}}, '"guardrails" must be a list, got an object'),
        ({"guardrails": ["make test"]}, '"guardrails[0]" must be an object, got "make test"'),
        ({"sandbox": 5}, '"sandbox" must be text or an object or null, got 5'),
        ({"roles": {"coder": {}, "qa": {"promise": 1}}}, '"roles.qa.promise" must be text, got 1'),
    ],
)
def test_a_wrong_type_is_named_with_the_right_one(project, data, problem):
    project.settings(data)
    assert project.error() == f".ralph/settings.json: {problem}."


def test_a_text_of_the_wrong_type_is_not_repeated_as_it_may_be_a_secret(project):
    project.settings({"maximumIterations": "sk-ant-made-up"})
    assert "made-up" not in project.error()


@pytest.mark.parametrize("key", ["maximumIterations", "outputTruncateChars", "reviewCap"])
@pytest.mark.parametrize("number", [0, -1])
def test_zero_and_negative_numbers_are_refused(project, key, number):
    project.settings({key: number})
    assert project.error() == f'.ralph/settings.json: "{key}" must be at least 1, got {number}.'


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"budget": {"usd": 0}}, '"budget.usd" must be more than 0, got 0'),
        ({"budget": {"usd": -0.5}}, '"budget.usd" must be more than 0, got -0.5'),
        ({"budget": {"tokens": 0}}, '"budget.tokens" must be at least 1, got 0'),
        ({"budget": {"seconds": 0}}, '"budget.seconds" must be more than 0'),
        ({"quota": {"initialWait": 0}}, '"quota.initialWait" must be more than 0'),
        ({"timeouts": {"agent": -1}}, '"timeouts.agent" must not be negative, got -1'),
        ({"supervise": {"doneGrace": "-5"}}, '"supervise.doneGrace" must not be negative, got -5'),
        ({"defaults": {"maxIterations": 0}}, '"defaults.maxIterations" must be at least 1, got 0'),
        ({"roles": {"x": {"maxIterations": 0}}}, '"roles.x.maxIterations" must be at least 1, got 0'),
        ({"maximumIterations": 10**17}, '"maximumIterations" must be at most 9007199254740992, got 100000000000000000'),
    ],
)
def test_numbers_out_of_range_are_refused(project, data, problem):
    project.settings(data)
    assert project.error() == f".ralph/settings.json: {problem}."


@pytest.mark.parametrize("action", ["IGNORE", ""])
def test_an_unknown_fail_action_is_named_with_the_valid_ones(project, action):
    project.settings({"guardrails": [{"command": "make test", "failAction": action}]})
    assert project.error() == (
        '.ralph/settings.json: "guardrails[0].failAction" must be one of "APPEND", "PREPEND", "REPLACE", '
        f'got "{action}".'
    )


def test_a_role_with_an_unknown_verification_is_named_with_the_valid_ones(project):
    project.settings({"roles": {"writer": {"verification": "trust"}}})
    line = project.error()
    assert line.startswith('.ralph/settings.json: "roles.writer.verification" must be one of ')
    assert all(f'"{method}"' in line for method in ("string_match", "semantic", "external", "multi_stage"))


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"completionResponse": ""}, "completionResponse"),
        ({"completionResponse": " \n"}, "completionResponse"),
        ({"agent": {"command": ""}}, "agent.command"),
        ({"guardrails": [{"command": " "}]}, "guardrails[0].command"),
        ({"scm": {"tasks": ["commit", ""]}}, "scm.tasks[1]"),
    ],
)
def test_text_that_is_needed_must_not_be_blank(project, data, key):
    project.settings(data)
    assert project.error() == f'.ralph/settings.json: "{key}" must not be blank.'


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"guardrails": [{"hint": "x"}]}, "guardrails[0].command"),
        ({"tools": {"reviewers": [{"model": "x"}]}}, "tools.reviewers[0].id"),
        ({"verification": {"steps": [{"name": "x"}]}}, "verification.steps[0].command"),
    ],
)
def test_a_missing_key_is_named(project, data, key):
    project.settings(data)
    assert project.error() == f'.ralph/settings.json: "{key}" is missing.'


@pytest.mark.parametrize("kind", [{}, {"type": "command"}, {"type": "acp"}])
def test_an_executor_that_is_no_program_in_particular_needs_a_command(project, kind):
    project.settings({"tools": {"executors": [{"id": "a", **kind}]}})
    told = f'.ralph/settings.json: "tools.executors[0]" of the type "{kind.get("type", "command")}" needs a "command".'
    assert project.error() == told


def test_two_tools_of_the_same_id_are_refused(project):
    project.settings({"tools": {"executors": [{"id": name, "type": "claude"} for name in "aba"]}})
    assert project.error() == '.ralph/settings.json: "tools" has the id "a" twice in "executors".'


@pytest.mark.parametrize(
    ("text", "place"),
    [("1: 2", "at the top level"), ("roles: {1: {}}", 'of "roles"'), ("roles: {true: {}}", 'of "roles"')],
)
def test_a_key_that_is_not_text_is_refused(project, text, place):
    project.write("config.yaml", text)
    assert project.error() == f".ralph/config.yaml: a key {place} is not text. Put it in quotes."


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (r'{"agent": {"command": "a\u0000b"}}', "has a NUL character, which no command can take"),
        (r'{"agent": {"command": "\ud800"}}', "has half of a character (a lone surrogate)"),
        (r'{"roles": {"\ud800": {}}}', "has half of a character (a lone surrogate)"),
        ('{"budget": {"usd": 1e999}}', "has a number that is not finite"),
    ],
)
def test_values_that_no_program_could_use_are_refused(project, text, problem):
    project.write("settings.json", text)
    assert project.error() == f".ralph/settings.json {problem}."


def test_a_very_long_key_with_line_breaks_stays_one_short_line(project):
    project.settings({"a\nb" * 1000: 1})
    assert len(project.error()) < 200


@pytest.mark.parametrize("key", ["x - at `$.agent", "\n - at `key` in `$", "`", "x` - at `$.roles[...]`\n"])
def test_a_key_that_imitates_a_message_is_still_one_line_about_this_file(project, key):
    project.settings({key: 1})
    assert project.error().startswith(".ralph/settings.json: ")


@pytest.mark.parametrize("path", sorted(path for path in every_key() if "*" not in path))
def test_every_key_is_found_again_when_one_letter_is_missing(path):
    *above, last = path
    if len(last) > 4:
        assert nearest_key(tuple(above), last[:-1]) == dotted(path)
