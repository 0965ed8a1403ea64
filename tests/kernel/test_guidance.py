"""What people say to a run: in the next prompt, in that one only, of every recipe that has an agent."""

import pytest

from playing import GO_ON, UNCLAIMED, WORKED, crashed, play, prompts
from ralph.kernel.actions.agent import (
    Claim,
    Prompt,
    ReadClaim,
    ReadPrompt,
    ReadResponse,
    RunAgent,
)
from ralph.kernel.actions.supervise import LookForMarkers, Markers, PostMessage, Restart
from ralph.kernel.actions.tasks import Saved, SaveWork, Worktree
from ralph.kernel.actions.waiting import GiveUp, Granted, Wait, Waited
from ralph.kernel.prompt_options import PromptRun
from ralph.kernel.quota import Quota, patient
from ralph.kernel.recipes.prompt import prompt_loop
from ralph.kernel.recipes.stage import StageRun, stage_loop
from ralph.kernel.recipes.supervise import SuperviseRun, supervise
from ralph.kernel.stage_text import Stage, TaskText
from ralph.model.events import Problem
from ralph.model.evidence import AgentReport, Done
from ralph.model.projects import Located
from ralph.model.verification import StringMatch

FIRST, SECOND = "Mind the API.", "Use the helper."
STAGE = StageRun(
    "s",
    TaskText("T-1", "Make it"),
    Stage("coder", "MADE", StringMatch(), 4),
    Worktree("w", "w", "ralph/s--T-1", "c0ffee", "ralph/s"),
)
RECIPES = {
    "prompt": lambda: prompt_loop(PromptRun(limit=4, completion="DONE", prompt="base")),
    "stage": lambda: stage_loop(STAGE),
    "supervise": lambda: supervise(SuperviseRun(task_dir=Located("t"), prompt="base", max_restarts=4)),
}
GOES_ON = {
    ReadResponse: UNCLAIMED,
    ReadClaim: Claim(problem="no promise"),
    SaveWork: Saved("1", "2", changed=True),
    LookForMarkers: Markers(),
    Restart: Waited(1),
    PostMessage: Done(),
}


class People:
    """They say these texts, each before the question of its number."""

    def __init__(self, **said):
        self._said = {int(number.removeprefix("before_")): text for number, text in said.items()}
        self.asked = []

    def __call__(self, question):
        self.asked.append(question)
        known = [(number, text) for number, text in self._said.items() if number <= len(self.asked)]
        new = [(number, text) for number, text in known if number > question.seen]
        return Prompt("base", tuple(text for _, text in new), max((number for number, _ in known), default=0))


def guided(people, recipe, **results):
    given = {ReadPrompt: people, **GOES_ON, **results.pop("results", {})}
    actions, _ = play(recipe, given)
    return prompts(actions)


@pytest.mark.parametrize("name", RECIPES)
def test_it_stands_in_the_next_prompt_and_in_no_later_one(name):
    texts = guided(People(before_2=FIRST, before_4=SECOND), RECIPES[name]())
    assert [FIRST in text for text in texts] == [False, True, False, False]
    assert [SECOND in text for text in texts] == [False, False, False, True]


@pytest.mark.parametrize("name", RECIPES)
def test_it_is_asked_for_once_before_each_prompt(name):
    people = People(before_1=FIRST)
    guided(people, RECIPES[name]())
    assert [question.iteration for question in people.asked] == [1, 2, 3, 4]
    assert [question.seen for question in people.asked] == [0, 1, 1, 1]


@pytest.mark.parametrize("name", RECIPES)
def test_nothing_that_could_be_said_is_missed_between_the_question_and_the_call(name):
    recipe, asked, result = RECIPES[name](), None, None
    people = People()
    answers = {**GOES_ON, ReadPrompt: people, RunAgent: WORKED}
    while not isinstance(asked, RunAgent):
        before = asked
        asked = recipe.send(result)
        answer = answers[type(asked)]
        result = answer(asked) if callable(answer) else answer
    assert isinstance(before, ReadPrompt)


def test_several_words_stand_in_the_order_in_which_they_were_said():
    class Two(People):
        def __call__(self, question):
            return Prompt("base", (FIRST, SECOND), 2) if question.seen == 0 else Prompt("base", seen=2)

    first, *others = guided(Two(), RECIPES["prompt"]())
    assert first.index(FIRST) < first.index(SECOND)
    assert not any(FIRST in text or SECOND in text for text in others)


def test_it_is_marked_as_a_persons_word_and_stands_behind_the_base():
    first, *_ = guided(People(before_1=FIRST), RECIPES["prompt"]())
    assert first == f"base\n\nGuidance from the person who runs this loop:\n{FIRST}"


def test_it_stands_beside_what_else_is_fed_back():
    results = {RunAgent: [crashed(tail="Traceback"), *[WORKED] * 3]}
    texts = guided(People(before_2=FIRST), RECIPES["prompt"](), results=results)
    assert "Traceback" in texts[1]
    assert FIRST in texts[1]


def test_a_call_that_is_made_again_for_a_quota_says_it_again():
    """It is the same call: nobody has worked on it yet."""
    limited = AgentReport("failed", "429", "d", problem=Problem("quota", "429"))
    results = {RunAgent: [limited, *[WORKED] * 4], Wait: Waited(1)}
    texts = guided(People(before_1=FIRST), patient(Quota(), RECIPES["prompt"]()), results=results)
    assert [FIRST in text for text in texts] == [True, True, False, False, False]


def test_a_call_that_is_gone_on_with_says_it_again():
    refused = AgentReport("failed", "not logged in", "d", problem=Problem("auth", "not logged in"))
    results = {RunAgent: [refused, *[WORKED] * 4], GiveUp: [GO_ON, Granted()]}
    texts = guided(People(before_1=FIRST), RECIPES["prompt"](), results=results)
    assert [FIRST in text for text in texts] == [True, True, False, False, False]


def test_a_prompt_that_is_too_long_keeps_it_before_older_feedback():
    too_long = AgentReport("failed", "too long", "d", duration=2.0, problem=Problem("prompt_too_long", "too long"))
    results = {RunAgent: [crashed(tail="x" * 4000), too_long, *[WORKED] * 3]}
    texts = guided(People(before_2=FIRST), RECIPES["prompt"](), results=results)
    assert FIRST in texts[2]
    assert len(texts[2]) < 0.6 * len(texts[1])


def test_a_command_that_takes_no_prompt_is_told_nothing():
    people = People(before_1=FIRST)
    run = SuperviseRun(task_dir=Located("t"), command=("make",), max_restarts=2)
    assert guided(people, supervise(run)) == ["", ""]
    assert people.asked == []
