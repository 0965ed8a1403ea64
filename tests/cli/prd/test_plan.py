"""`ralph prd plan` as a person or a script calls it."""

import json
import os

import pytest

from plans import question, requirements, stories, story
from ralph.app.stories.files import prepare
from ralph.cli.planning.dialogue import ask_opinion, ask_question, ask_what
from ralph.cli.prd.plan_text import plan_lines
from ralph.kernel.plan_forms import PlanQuestion
from ralph.testing import ScriptedAgent, run_ralph, temp_repo
from terminals import Terminal


@pytest.fixture
def typing(monkeypatch):
    """Type these lines on a terminal that is standard input; nothing interrupts."""
    master, slave = os.openpty()
    never, held = os.pipe()
    with os.fdopen(slave) as keyboard:
        monkeypatch.setattr("sys.stdin", keyboard)

        def type_lines(*lines):
            os.write(master, "".join(f"{line}\n" for line in lines).encode())
            return never

        yield type_lines
    for each in (master, never, held):
        os.close(each)


def asked(**changes):
    return PlanQuestion(**question(**changes))


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ([""], "In a constant"),
        (["2"], "In a file"),
        (["7", "0", "1"], "In a constant"),
        (["Somewhere else"], "Somewhere else"),
    ],
)
def test_an_answer_is_a_number_a_text_or_what_is_recommended(typing, typed, answer):
    assert ask_question(typing(*typed), asked(), 1, 2) == answer


def test_a_question_without_options_and_default_wants_a_text(typing, capsys):
    assert ask_question(typing("", "12"), asked(options=[], default=""), 1, 1) == "12"
    assert "Please type an answer." in capsys.readouterr().out


def test_a_question_wraps_numbers_its_options_and_cannot_steer_the_terminal(typing, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    long = asked(question="Which of the many \x1b[2Jfiles " * 4, options=["One " * 20, "Two"], default="Two")
    ask_question(typing("1"), long, 2, 3)
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert all(len(line) < 40 for line in shown.splitlines())
    assert "Question 2 of 3" in shown
    assert "    2. Two (recommended)" in shown
    assert "Answer [2]: " in shown


def test_what_is_to_be_built_takes_as_many_lines_as_it_takes(typing):
    assert ask_what(typing("", "A greeting", "for people", "")) == "A greeting\nfor people"


@pytest.mark.parametrize(("typed", "wish"), [("", ""), ("y", ""), ("Fewer stories", "Fewer stories"), ("e", "e")])
def test_a_draft_is_agreed_or_wished_otherwise(typing, typed, wish):
    assert ask_opinion(typing(typed), "tasks.json", "{}", may_edit=False).wish == wish


def test_a_draft_can_be_edited(typing, monkeypatch, tmp_path):
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho changed > "$1"\n', encoding="utf-8")
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    assert ask_opinion(typing("e"), "prd.md", "draft\n", may_edit=True).draft == "changed\n"


def test_a_plan_says_what_nobody_verifies_and_what_judges_may_be_changed():
    plan = json.loads(stories(story(dependsOn=["US-000"]), verifyCommands=[], mayChange=["tests/**"]))
    text = "\n".join(plan_lines(plan))
    assert "US-001  Write the greeting (after US-000)" in text
    assert "No command verifies the stories" in text
    assert "though they judge the work:\n  tests/**" in text


class Project:
    def __init__(self, root, *answers):
        self.repo = temp_repo(root)
        self.agent = ScriptedAgent(*({"final": each} for each in answers), directory=root / "bin", after="error")
        prepare(self.repo.path)

    def plan(self, *args, input=None):  # noqa: A002 - as subprocess.run calls it
        return run_ralph(self.repo, "prd", "plan", "--agent", self.agent.command, *args, input=input)

    def terminal(self):
        env = self.repo.env | {"TERM": "dumb", "COLUMNS": "80"}
        return Terminal(self.repo.path, env, "prd", "plan", "--agent", self.agent.command)


def test_without_a_terminal_somebody_must_have_said_how_to_answer(tmp_path):
    project = Project(tmp_path)
    refused = project.plan("A greeting", input="")
    assert refused.returncode == 2
    assert refused.stderr == (
        "ralph: prd plan asks questions, but stdin is not a terminal. "
        "Use --yes to accept the agent's recommendations, or --answers FILE.\n"
    )
    nothing = project.plan("--yes", input="")
    assert nothing.returncode == 2
    assert "ralph/prd.md is empty, and there is no description of what to build" in nothing.stderr
    assert project.agent.starts == []


def test_a_text_that_is_far_too_long_is_refused_before_anybody_is_asked(tmp_path):
    project = Project(tmp_path)
    refused = project.plan("--yes", "-", input="word " * 60_000)
    assert (refused.returncode, refused.stderr) == (
        2,
        "ralph: the text has 299,999 characters; the limit is 200,000. Shorten it.\n",
    )
    assert project.agent.starts == []


@pytest.mark.e2e
def test_answers_from_a_file_and_an_idea_from_standard_input(tmp_path):
    project = Project(tmp_path, requirements(question()), requirements(), stories())
    project.repo.write("answers.md", "Keep it in a file.")
    planned = project.plan("--answers", "answers.md", "-", input="A greeting\n")
    assert planned.returncode == 0, planned.stderr
    assert "## What the user said\nA greeting\n\nKeep it in a file." in project.agent.prompts[0]
    assert "1 question answered as the planner recommends" in planned.stderr
    assert planned.stdout.rstrip().endswith("Next: ralph prd run    (works on the branch ralph/repo)")
    missing = project.plan("--answers", "none.md")
    assert (missing.returncode, "none.md cannot be read" in missing.stderr) == (2, True)


@pytest.mark.e2e
def test_a_whole_dialogue_with_an_interruption(tmp_path):
    two = requirements(question(), question(question="Which one?", options=[], default=""))
    project = Project(tmp_path, two, requirements(), requirements(nonGoals="Colours."), stories())
    with project.terminal() as first:
        first.answer("End with an empty line.\n> ", "A greeting")
        first.answer("> ", "")
        first.answer("Answer [1]: ", "2")
        first.expect("Question 2 of 2")
        first.expect("Answer: ")
        first.type(b"\x03")
        assert first.end() == 130
    assert "Your answers are kept. Continue: ralph prd plan" in first.screen
    assert "Traceback" not in first.screen
    with project.terminal() as again:
        again.expect("continuing the planning")
        again.expect("Question 2 of 2")
        again.answer("Answer: ", "This one")
        again.answer("or say what to change.\n> ", "No colours")
        again.expect("Colours.")
        again.answer("or say what to change.\n> ", "")
        again.expect("US-001  Write the greeting")
        again.answer("or say what to change.\n> ", "y")
        assert again.end() == 0, again.screen
    assert "Next: ralph prd run" in again.screen
    assert len(project.agent.starts) == 4
    assert "Answer: In a file" in project.agent.prompts[1]
    assert "They said:\nNo colours" in project.agent.prompts[2]
    assert "Colours." in project.repo.read("ralph/prd.md")


@pytest.mark.e2e
def test_an_interruption_while_the_agent_works_leaves_everything_as_it_was(tmp_path):
    project = Project(tmp_path)
    project.agent = ScriptedAgent({"hang": True}, directory=tmp_path / "bin")
    before = project.repo.read("ralph/tasks.json")
    with project.terminal() as terminal:
        terminal.answer("End with an empty line.\n> ", "A greeting")
        terminal.answer("> ", "")
        terminal.expect("ralph run")
        while not project.agent.starts:
            pass
        terminal.type(b"\x03")
        assert terminal.end() == 130
    assert "Continue: ralph prd plan" in terminal.screen
    assert project.repo.read("ralph/tasks.json") == before
