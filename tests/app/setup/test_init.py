import json

import pytest

from ralph.agents.permissions import LEVELS, TABLE, flags_for
from ralph.agents.registry import split_flags
from ralph.app.setup.init import Detected, dialogue, interview, without_questions
from ralph.model.errors import ConfigError

NOTHING = Detected()
AGENT = "Agent command (e.g., claude, codex, amp, or other LLM CLI): "
FLAGS = "Agent flags (comma-separated, optional): "
MAXIMUM = "Maximum iterations [10]: "
COMPLETION = "Completion response [DONE]: "
GUARDRAIL = "Add guardrail command (leave blank to finish): "
FAIL_ACTION = "  Fail action (APPEND|PREPEND|REPLACE): "
HINT = "  Hint (optional, guidance for agent on failure): "
SCM = "Configure SCM? (y/N): "
SCM_COMMAND = "  SCM command (e.g., git): "
SCM_TASKS = "  SCM tasks (comma-separated, e.g., commit,push): "
OVERWRITE = "Overwrite? (y/N): "
USE_DETECTED = "Use the detected guardrails? (Y/n): "
PERMISSIONS = "Permissions (all|project|own) [project]: "


class Person:
    """Answers each question with the next answer, and remembers what was asked and said."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.heard: list[str] = []

    def ask(self, question: str) -> str:
        self.asked.append(question)
        return self.answers.pop(0)

    def interviewed(self, detected: Detected = NOTHING) -> dict[str, object]:
        settings = interview(self.ask, self.heard.append, detected)
        assert self.answers == []
        return settings


def test_questions_come_in_the_order_of_the_example():
    person = Person("claude", "", "", "", "make lint", "APPEND", "Only lint.", "", "y", "git", "commit", "")
    person.interviewed()
    assert person.asked == [
        AGENT, FLAGS, MAXIMUM, COMPLETION,
        GUARDRAIL, FAIL_ACTION, HINT, GUARDRAIL,
        SCM, SCM_COMMAND, SCM_TASKS, PERMISSIONS,
    ]  # fmt: skip


def test_the_example_flow_gives_its_settings():
    hint = "Fix lint errors only. Do not change behavior."
    person = Person(
        "claude", "--model,opus", "", "",
        "make lint", "APPEND", hint, "make test", "APPEND", "", "",
        "y", "git", "commit", "own",
    )  # fmt: skip
    assert person.interviewed() == {
        "maximumIterations": 10,
        "completionResponse": "DONE",
        "outputTruncateChars": 5000,
        "streamAgentOutput": True,
        "agent": {"command": "claude", "flags": ["--model", "opus"]},
        "guardrails": [
            {"command": "make lint", "failAction": "APPEND", "hint": hint},
            {"command": "make test", "failAction": "APPEND"},
        ],
        "scm": {"command": "git", "tasks": ["commit"]},
    }


def test_agent_command_is_required_and_asked_again_if_blank():
    person = Person("", "", "amp", "", "", "", "", "")
    assert person.interviewed()["agent"] == {"command": "amp", "flags": []}
    assert person.asked[:4] == [AGENT, AGENT, AGENT, FLAGS]
    assert person.heard == ["An agent command is required."] * 2


def test_agent_flags_are_split_at_commas_and_trimmed():
    person = Person("claude", " --model opus , ,--verbose,", "", "", "", "", "own")
    assert person.interviewed()["agent"] == {"command": "claude", "flags": ["--model opus", "--verbose"]}


def test_maximum_iterations_is_ten_when_blank():
    assert Person("x", "", "", "", "", "").interviewed()["maximumIterations"] == 10


@pytest.mark.parametrize("wrong", ["0", "-3", "1.5", "ten", "1_0", "٣", "9" * 16, "9" * 5000])
def test_maximum_iterations_must_be_a_positive_integer(wrong):
    person = Person("x", "", wrong, "25", "", "", "")
    assert person.interviewed()["maximumIterations"] == 25
    assert person.heard == ["Enter a positive whole number."]
    assert person.asked.count(MAXIMUM) == 2


def test_completion_response_is_done_when_blank():
    assert Person("x", "", "", "", "", "").interviewed()["completionResponse"] == "DONE"


def test_completion_response_can_be_another():
    assert Person("x", "", "", "All set", "", "").interviewed()["completionResponse"] == "All set"


def test_empty_guardrail_command_ends_the_loop_with_none():
    assert Person("x", "", "", "", "", "").interviewed()["guardrails"] == []


@pytest.mark.parametrize("typed", ["prepend", "Prepend", "PREPEND"])
def test_fail_action_is_normalised_to_upper_case(typed):
    person = Person("x", "", "", "", "make", typed, "", "", "")
    assert person.interviewed()["guardrails"] == [{"command": "make", "failAction": "PREPEND"}]


@pytest.mark.parametrize("wrong", ["", "APPENDS", "A"])
def test_unknown_fail_action_is_asked_again(wrong):
    person = Person("x", "", "", "", "make", wrong, "replace", "", "", "")
    assert person.interviewed()["guardrails"] == [{"command": "make", "failAction": "REPLACE"}]
    assert person.asked.count(FAIL_ACTION) == 2
    assert person.heard == ["  Enter APPEND, PREPEND or REPLACE."]


def test_hint_is_optional():
    person = Person("x", "", "", "", "a", "append", "", "b", "append", "look closer", "", "")
    assert person.interviewed()["guardrails"] == [
        {"command": "a", "failAction": "APPEND"},
        {"command": "b", "failAction": "APPEND", "hint": "look closer"},
    ]


@pytest.mark.parametrize("answer", ["", "n", "No", "N"])
def test_scm_is_left_out_unless_it_is_wanted(answer):
    assert "scm" not in Person("x", "", "", "", "", answer).interviewed()


@pytest.mark.parametrize("answer", ["y", "Y", "yes", "YES"])
def test_scm_command_and_tasks(answer):
    person = Person("x", "", "", "", "", answer, "git", "commit , push")
    assert person.interviewed()["scm"] == {"command": "git", "tasks": ["commit", "push"]}


def test_scm_command_and_tasks_are_asked_again_if_blank():
    person = Person("x", "", "", "", "", "y", "", "hg", " , ", "commit")
    assert person.interviewed()["scm"] == {"command": "hg", "tasks": ["commit"]}
    assert person.asked[-4:] == [SCM_COMMAND, SCM_COMMAND, SCM_TASKS, SCM_TASKS]


def test_an_answer_that_is_neither_yes_nor_no_is_asked_again():
    person = Person("x", "", "", "", "", "maybe", "n")
    assert "scm" not in person.interviewed()
    assert person.heard == ["Answer y or n."]


def test_the_first_agent_found_is_the_default():
    person = Person("", "", "", "", "", "")
    assert person.interviewed(Detected(["amp"]))["agent"] == {"command": "amp", "flags": []}
    assert person.asked[0] == "Agent command (e.g., claude, codex, amp, or other LLM CLI) [amp]: "
    assert person.heard == []


def test_several_agents_found_are_listed():
    person = Person("amp", "", "", "", "", "")
    assert person.interviewed(Detected(["claude", "amp"]))["agent"] == {"command": "amp", "flags": []}
    assert person.heard == ["Agents found: claude, amp"]


def test_detected_guardrails_are_listed_and_used_by_default_and_more_may_follow():
    person = Person("x", "", "", "", "", "make docs", "replace", "", "", "")
    settings = person.interviewed(Detected([], ["make lint", "make test"]))
    assert settings["guardrails"] == [
        {"command": "make lint", "failAction": "APPEND"},
        {"command": "make test", "failAction": "APPEND"},
        {"command": "make docs", "failAction": "REPLACE"},
    ]
    assert person.asked[4:6] == [USE_DETECTED, GUARDRAIL]
    assert person.heard == ["Detected guardrails:", "  make lint", "  make test"]


def test_detected_guardrails_can_be_declined():
    person = Person("x", "", "", "", "n", "", "")
    assert person.interviewed(Detected([], ["make test"]))["guardrails"] == []


def test_without_detected_guardrails_nobody_is_asked_about_them():
    person = Person("x", "", "", "", "", "")
    person.interviewed()
    assert USE_DETECTED not in person.asked


def existing(project, settings, local=None):
    (project / ".ralph").mkdir()
    (project / ".ralph/settings.json").write_text(json.dumps(settings))
    if local is not None:
        (project / ".ralph/settings.local.json").write_text(json.dumps(local))


def declined(project):
    person = Person("")
    assert dialogue(person.ask, person.heard.append, project, NOTHING) is None
    assert person.asked == [OVERWRITE]
    (said,) = person.heard
    return said


def test_existing_settings_are_pretty_printed_with_their_file(tmp_path):
    existing(tmp_path, {"agent": {"command": "claude"}})
    assert declined(tmp_path) == (
        '{\n  "agent": {\n    "command": "claude"\n  }\n}\nLoaded from .ralph/settings.json'
    )  # fmt: skip


def test_existing_settings_are_shown_merged_with_the_local_overlay(tmp_path):
    base = {"agent": {"command": "claude", "flags": ["--model opus"]}, "maximumIterations": 3}
    existing(tmp_path, base, local={"agent": {"flags": ["--verbose"]}})
    printed, _, source = declined(tmp_path).rpartition("\n")
    assert json.loads(printed) == {"agent": {"command": "claude", "flags": ["--verbose"]}, "maximumIterations": 3}
    assert source == "Loaded from .ralph/settings.json (with local overlay from settings.local.json)"


def test_existing_settings_are_shown_without_their_secrets(tmp_path):
    existing(tmp_path, {"agent": {"command": "claude", "flags": ["--api-key=hunter2hunter2"]}})
    assert "hunter2" not in declined(tmp_path)


@pytest.mark.parametrize("content", [b"{nope", b"\xff", b"[]"])
def test_existing_settings_that_cannot_be_read_can_be_overwritten(tmp_path, content):
    existing(tmp_path, {})
    (tmp_path / ".ralph/settings.json").write_bytes(content)
    assert ".ralph/settings.json" in declined(tmp_path)
    person = Person("y", "amp", "", "", "", "", "")
    settings = dialogue(person.ask, person.heard.append, tmp_path, NOTHING)
    assert settings is not None
    assert settings["agent"]["command"] == "amp"


def test_overwriting_asks_all_questions(tmp_path):
    existing(tmp_path, {"maximumIterations": 3})
    person = Person("y", "amp", "", "", "", "", "")
    settings = dialogue(person.ask, person.heard.append, tmp_path, NOTHING)
    assert person.asked == [OVERWRITE, AGENT, FLAGS, MAXIMUM, COMPLETION, GUARDRAIL, SCM]
    assert settings is not None
    assert settings["maximumIterations"] == 10


def test_local_settings_alone_are_nothing_to_overwrite(tmp_path):
    (tmp_path / ".ralph").mkdir()
    (tmp_path / ".ralph/settings.local.json").write_text("{}")
    person = Person("amp", "", "", "", "", "")
    dialogue(person.ask, person.heard.append, tmp_path, NOTHING)
    assert person.asked[0] == AGENT


def flags(**given):
    nothing = {
        "agent": None, "flags": (), "maximum": None, "completion": None,
        "guardrails": (), "scm_command": None, "scm_tasks": (), "permissions": None, "detected": NOTHING,
    }  # fmt: skip
    return without_questions(**{**nothing, **given})


def test_without_questions_the_first_agent_found_and_the_detected_guardrails_are_taken():
    settings = flags(detected=Detected(["codex", "amp"], ["make test"]))
    assert settings["agent"] == {"command": "codex", "flags": ["--sandbox workspace-write"]}
    assert settings["guardrails"] == [{"command": "make test", "failAction": "APPEND"}]
    assert settings["maximumIterations"] == 10
    assert settings["completionResponse"] == "DONE"
    assert "scm" not in settings


def test_without_questions_flags_win_over_what_is_detected():
    settings = flags(agent="amp", guardrails=["true"], detected=Detected(["codex"], ["make test"]))
    assert settings["agent"]["command"] == "amp"
    assert settings["guardrails"] == [{"command": "true", "failAction": "APPEND"}]


def test_without_questions_and_without_an_agent_it_says_so():
    with pytest.raises(ConfigError, match=r"no known agent is on PATH.*--agent NAME"):
        flags()


def test_without_questions_scm_tasks_mean_git():
    assert flags(agent="x", scm_tasks=["commit", "push"])["scm"] == {"command": "git", "tasks": ["commit", "push"]}


def test_without_questions_an_scm_command_alone_is_refused():
    with pytest.raises(ConfigError, match="--scm-task commit"):
        flags(agent="x", scm_command="git")


def words(settings):
    return split_flags(settings["agent"]["flags"])


@pytest.mark.parametrize("agent", TABLE)
@pytest.mark.parametrize("level", LEVELS)
def test_without_questions_the_level_decides_the_flags(agent, level):
    settings = flags(agent=agent, flags=["--model opus"], guardrails=["make test"], permissions=level)
    assert settings["agent"]["flags"] == ["--model opus", *flags_for(agent, level, ["make test"])]


def test_without_questions_the_agent_may_edit_and_run_the_projects_commands():
    detected = Detected(["claude"], ["make lint", "make test"], ["make build"])
    expected = ["--permission-mode", "acceptEdits"]
    for command in ("npm run docs", "make lint", "make test", "make build"):
        expected += ["--allowedTools", f"Bash({command}:*)"]
    assert words(flags(guardrails=["npm run docs"], detected=detected)) == expected


def test_without_questions_the_program_tells_which_flags_there_are():
    assert words(flags(agent="/opt/bin/claude --verbose", permissions="all")) == ["--dangerously-skip-permissions"]


@pytest.mark.parametrize("given", [{"agent": "codex --yolo"}, {"agent": "codex", "flags": ["--sandbox=read-only"]}])
def test_without_questions_a_flag_of_the_users_own_is_left_alone(given):
    assert flags(**given)["agent"] == {"command": given["agent"], "flags": given.get("flags", [])}


@pytest.mark.parametrize("level", LEVELS)
def test_without_questions_a_flag_and_a_level_are_one_too_many(level):
    with pytest.raises(ConfigError, match=r"--yolo already says what gemini may do.*Leave out --permissions"):
        flags(agent="gemini", flags=["--yolo"], permissions=level)


def test_without_questions_a_flag_that_allows_one_thing_goes_with_a_level():
    settings = flags(agent="claude", flags=["--allowedTools WebFetch"], permissions="project")
    assert words(settings) == ["--allowedTools", "WebFetch", "--permission-mode", "acceptEdits"]


@pytest.mark.parametrize(("answer", "level"), [("", "project"), ("project", "project"), ("ALL", "all"), ("own", "own")])
def test_the_level_is_asked_for_and_project_when_blank(answer, level):
    person = Person("gemini", "", "", "", "make test", "append", "", "", "", answer)
    settings = person.interviewed(Detected([], [], ["make build"]))
    assert settings["agent"]["flags"] == flags_for("gemini", level, ["make test", "make build"])


def test_each_level_is_explained_before_it_is_asked_for():
    person = Person("claude", "", "", "", "", "", "", "project")
    person.interviewed(Detected([], ["make test"]))
    assert person.heard[-4:] == [
        "How much may claude do?",
        "  all      may do anything without asking; as root it refuses that, unless IS_SANDBOX=1 is set",
        "  project  may edit the project's files and run make test; every other request is denied",
        "  own      gets no flag: what its own settings do not allow is denied",
    ]


def test_an_unknown_level_is_asked_again():
    person = Person("claude", "", "", "", "", "", "some", "own")
    assert person.interviewed()["agent"]["flags"] == []
    assert person.heard[-1] == "Enter all, project or own."
    assert person.asked[-2:] == [PERMISSIONS, PERMISSIONS]


def test_the_agent_may_run_detected_commands_that_are_no_guardrails():
    person = Person("claude", "", "", "", "n", "", "", "")
    settings = person.interviewed(Detected([], ["make test"]))
    assert settings["guardrails"] == []
    assert "Bash(make test:*)" in words(settings)


@pytest.mark.parametrize(("agent", "given"), [("amp", ""), ("mine", ""), ("claude", "--permission-mode plan")])
def test_where_there_is_nothing_left_to_choose_nobody_is_asked(agent, given):
    person = Person(agent, given, "", "", "", "")
    assert person.interviewed()["agent"]["flags"] == [given] * bool(given)
    assert PERMISSIONS not in person.asked
