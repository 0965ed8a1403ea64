"""The summary of a task's work, played against given results."""

import pytest

from playing import ANSWERS, kinds, play
from ralph.kernel.actions.agent import Said
from ralph.kernel.actions.base import describe
from ralph.kernel.actions.checks import Answer, AskModel, Change, FileDiff, ReadChange
from ralph.kernel.actions.planning import KeepSummary, ReadWork, Summarised, WorkSeen
from ralph.kernel.actions.tasks import Worktree
from ralph.kernel.quota import Quota, patient
from ralph.kernel.stage_text import TaskText
from ralph.kernel.summarising import summarised, with_words
from ralph.model.events import Problem
from ralph.model.places import SCRATCH
from ralph.model.rows import Line
from ralph.model.tasks import OutputSummary

TASK = TaskText("T-1", "Log\nin", "Write a login.")
WORKTREE = Worktree("w", "w/shop", "ralph/s--T-1", "c0ffee", "ralph/s")
FACTS = OutputSummary("", ("login.py",), ("routes.py",), ("login",), ("test_login.py::test_it",))
WORDLESS = WorkSeen(FACTS, said="Done.")
TOLD = WorkSeen(with_words(FACTS, "There is a login now.", ["look"]))


def summary(seen, answer=None, said=Said("")):  # noqa: B008 - frozen
    recipe = patient(Quota(fallback_agent="codex"), summarised(TASK, WORKTREE, "beef", iteration=3, said=said))
    return play(recipe, {ReadWork: seen, AskModel: answer or ANSWERS["summary"]})


def test_the_agents_own_words_are_enough():
    actions, made = summary(TOLD, said=Said("PROMPT It is done so.", "PROMPT "))
    assert made == Summarised(TOLD.facts, "agent")
    [read] = actions
    assert (read.base, read.commit, read.prefix, read.final) == ("c0ffee", "beef", "shop", "It is done so.")


def test_where_there_are_none_a_model_is_asked_once_for_words_only():
    claims = {key: ["made up"] for key in ("filesCreated", "filesModified", "exportsAdded", "testsAdded")}
    given = {"summary": " A login \n is there. ", "verificationSteps": ["run  it", " "], **claims}
    actions, made = summary(WORDLESS, Answer(value=given))
    assert made == Summarised(with_words(FACTS, "A login is there.", ["run it"]), "model")
    assert made.summary.files_created == ("login.py",)
    assert kinds(actions) == [ReadWork, ReadChange, AskModel]
    asked = actions[-1]
    assert (asked.role, asked.form, asked.place) == ("summary", "summary", SCRATCH)


def test_the_question_holds_the_task_the_message_and_the_change_behind_a_boundary():
    change = Change(
        files=(FileDiff("a.py", "+ it works\n", 11), FileDiff("b.py", "", 99)), more=2, boundary="0123456789abcdef"
    )
    recipe = summarised(TASK, WORKTREE, "beef", iteration=3)
    actions, _ = play(recipe, {ReadWork: WORDLESS, ReadChange: change})
    question = actions[-1].prompt
    assert question.startswith("Analyze the output of this completed task and create a concise summary.\n")
    assert "Task: Log in\nDescription: Write a login.\n" in question
    assert "BEGIN 0123456789abcdef the final message\nDone.\nEND 0123456789abcdef" in question
    assert "+ it works\n(not shown: b.py)\n(and 2 more files)\nEND 0123456789abcdef" in question
    assert '"verificationSteps"' in question


def test_a_model_that_fails_leaves_the_facts_and_that_is_said():
    _, made = summary(WORDLESS, Answer(reason="it contains no JSON object"))
    assert made == Summarised(FACTS, "", "there are no words in the summary: it contains no JSON object")


def test_a_used_up_quota_is_not_waited_for():
    actions, made = summary(WORDLESS, Answer(reason="429", problem=Problem("quota", "429")))
    assert kinds(actions) == [ReadWork, ReadChange, AskModel]
    assert made.summary == FACTS


def test_of_work_that_changed_nothing_no_model_is_asked():
    actions, made = summary(WorkSeen(OutputSummary(""), is_empty=True))
    assert kinds(actions) == [ReadWork]
    assert made == Summarised(OutputSummary(""))


def test_words_have_a_limit():
    made = with_words(FACTS, "word " * 1000, ["x" * 999] * 99)
    assert len(made.summary) <= 1000
    assert len(made.verification_steps) == 10
    assert all(len(step) == 300 for step in made.verification_steps)


COUNTED = "· summary: 1 new file, 1 changed file, 1 new export, 1 new test"


@pytest.mark.parametrize(
    ("made", "line"),
    [
        (Summarised(FACTS, "agent"), Line(COUNTED)),
        (Summarised(OutputSummary("")), Line("· summary: no file changed")),
        (Summarised(FACTS, "", "no words"), Line(f"{COUNTED}\n! no words", "warn")),
    ],
)
def test_what_screens_say_of_it(made, line):
    assert describe(KeepSummary(1, "T-1", made), made) == line


def test_a_model_that_fails_to_summarise_is_told_by_the_summary_alone():
    failed = Answer(reason="429")
    ask = AskModel(1, "summary", "q", "summary")
    assert describe(ask, failed) == Line()
    assert ask.complaint(failed) == ""
    assert describe(ask, Answer(duration=2)) == Line("· a model has summarised the work · 2.0s")
