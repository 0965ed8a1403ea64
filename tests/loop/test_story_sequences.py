"""The whole loop against any sequence of agents: the recipe's decisions with the rules that ralph enforces after each
iteration. No story passes without a legal review of it, and none is done while the commands fail.
"""

import json

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from playing import play, tried
from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.proof import TryCheck
from ralph.kernel.actions.stories import (
    BeginStory,
    BegunStory,
    EditedPlan,
    EditPlan,
    OpenedStories,
    OpenStories,
    SettledStory,
    SettleStory,
)
from ralph.kernel.recipes.stories import stories_loop
from ralph.kernel.story_options import StoriesRun
from ralph.loop.stories import sent_back
from ralph.loop.story_plan import approved_at_cap, made_legal, plan_text, with_stories
from ralph.model.evidence import AgentReport
from ralph.model.verdicts import MaxIterations, TamperedWork, Verified
from ralph.plugin.hooks.scripts.story_rules import AUTO_APPROVED, finished, iteration_mode, next_story
from user_stories import story

NAMES = ("US-1", "US-2")
CAP = 2
MOVES = {
    "submit": {"reviewStatus": "needs_review", "reviewFeedback": "", "passes": False},
    "approve": {"reviewStatus": "approved", "passes": True, "notes": "n"},
    "refuse": {"reviewStatus": "changes_requested", "reviewFeedback": "x", "passes": False},
    "pass": {"passes": True, "notes": "n"},
    "reset": {"reviewStatus": None, "passes": False, "reviewCount": 0, "reviewFeedback": ""},
}


PLAN = {
    "project": "p",
    "branchName": "b",
    "description": "",
    "verifyCommands": ["make"],
    "userStories": [story(name, acceptanceCriteria=[f"{name} works"]) for name in NAMES],
}
moves = st.tuples(st.sampled_from(NAMES), st.sampled_from([*MOVES, "count", "drop", "commands"]))
turns = st.lists(moves, max_size=3)
honest = st.just("honest")


def moved(plan, about, move):
    """The plan after one move of an agent."""
    if move == "commands":
        return {**plan, "verifyCommands": []}
    if move == "drop":
        return {**plan, "userStories": [each for each in plan["userStories"] if each["id"] != about]}
    fields = MOVES.get(move)
    return with_stories(plan, (about,), lambda each: fields or {"reviewCount": each["reviewCount"] + 1})


def by_the_book(begun):
    if begun.mode == "review":
        counted = moved(begun.plan, begun.story, "count")
        return moved(counted, begun.story, "approve")
    return moved(begun.plan, begun.story, "submit")


class World:
    """The plan in a file, as iterations leave it, and all legal reviews that there were."""

    def __init__(self, file, agents, checks, *, writes):
        self.file = file
        self.agents = iter(agents)
        self.checks = iter(checks)
        self.writes = writes
        self.plan = PLAN
        self.submitted: set[str] = set()
        self.reviewed: set[str] = set()
        self.verified = False

    def begin(self, action):
        mode = iteration_mode(self.plan, action.skip_review)
        about = next_story(self.plan, mode, action.skip_review)
        return BegunStory(mode, about["id"] if about else "", f"h{action.iteration}", self.plan, "prompt")

    def settle(self, action):
        begun, did = action.start, next(self.agents, "honest")
        left = by_the_book(begun) if did == "honest" and begun.story else begun.plan
        for about, move in did if did != "honest" else ():
            left = moved(left, about, move)
        self.file.write_bytes(plan_text(left))
        touched = ["src/a.py"] if self.writes and did != "honest" else []
        legal = made_legal(self.file, begun, CAP, skip_review=action.skip_review, touched=touched, folder="ralph")
        self._note(begun, legal.plan, wrote=bool(touched))
        self.plan = legal.plan
        return SettledStory(legal.plan, f"h{action.iteration}x", tuple(legal.problems))

    def _note(self, begun, now, *, wrote):
        old = {each["id"]: each for each in begun.plan["userStories"]}
        for name in finished(now) - finished(begun.plan):
            assert begun.mode == "review", "only a review approves"
            assert old[name]["reviewStatus"] == "needs_review", "what nobody submitted is not reviewed"
            assert not wrote, "a review that writes code approves nothing"
            self.reviewed.add(name)

    def edit(self, action):
        at_cap = action.what == "approve-at-cap"
        assert not at_cap or self.verified, "nothing is approved at the cap while the commands fail"
        if action.what != "block":
            change = approved_at_cap(action.text) if at_cap else sent_back(action)
            self.plan = with_stories(self.plan, action.stories, change)
        return EditedPlan(self.plan, "edited")

    def check(self, action):
        self.verified = next(self.checks, True) if action.trial == "commit" else True
        return tried(action, passed=self.verified)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "tasks.json"


@hypothesis_settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(st.one_of(turns, honest, honest), max_size=12), st.lists(st.booleans(), max_size=6), st.booleans())
def test_no_sequence_of_agents_gets_a_story_done_without_a_review_of_it(file, agents, checks, writes):
    world = World(file, agents, checks, writes=writes)
    report = AgentReport("ok", "it ended", "d", final="<promise>COMPLETE</promise>")
    given = {
        OpenStories: OpenedStories("base", "h0", PLAN),
        BeginStory: world.begin,
        RunAgent: report,
        SettleStory: world.settle,
        EditPlan: world.edit,
        TryCheck: world.check,
    }
    _, verdict = play(stories_loop(StoriesRun(limit=16, branch="b", cap=CAP)), given)
    assert isinstance(verdict, Verified | MaxIterations | TamperedWork)
    stories = {each["id"]: each for each in json.loads(plan_text(world.plan))["userStories"]}
    assert set(NAMES) == set(stories), "no story is lost"
    assert world.plan["verifyCommands"] == ["make"]
    capped = {name for name, each in stories.items() if each["reviewFeedback"].startswith(AUTO_APPROVED)}
    assert {name for name, each in stories.items() if each["passes"]} <= world.reviewed | capped
    if isinstance(verdict, Verified):
        assert finished(world.plan) == set(NAMES)
        assert world.verified
        assert (verdict.proof == "warned") == bool(capped)
