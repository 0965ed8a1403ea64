"""Seed 004, verification plan 11: `reviewCount` after the end is what the reviews were, and what is told of it."""

import pytest

from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.stories import BeginStory, BegunStory, OpenedStories, OpenStories
from ralph.kernel.story_summary import summary_lines, summary_of
from ralph.model.events import Tokens
from ralph.model.evidence import AgentReport, Spent
from ralph.store.journal import Journal
from ralph.store.runs import NewRun, add_run
from ralph.store.sqlite import SqliteStore
from ralph.store.story_costs import story_costs


def story(name, status, count, feedback=""):
    done = status == "approved"
    return {
        "id": name,
        "title": name,
        "acceptanceCriteria": ["it works"],
        "priority": 1,
        "passes": done,
        "reviewStatus": status,
        "reviewCount": count,
        "reviewFeedback": feedback,
        "notes": "n",
    }


PLAN = {
    "project": "shop",
    "branchName": "ralph/shop",
    "description": "",
    "userStories": [
        story("US-1", "approved", 1),
        story("US-2", "approved", 3),
        story("US-3", "approved", 5, "[AUTO-APPROVED AT CAP] meh"),
        story("US-4", "changes_requested", 1, "fix it"),
        story("US-5", None, 0),
    ],
}


def test_what_the_reviews_were_worth_is_counted():
    found = summary_of(PLAN, costs={"US-1": Spent(0.5, Tokens(1000, 200)), "US-2": Spent(None, Tokens(10, 5))})
    assert (found.done, found.open, found.reviews) == (3, 2, 10)
    assert (found.approved_at_first, found.first_review_share) == (1, 0.333)
    assert (found.at_cap, found.iterations_left) == (("US-3",), 4)
    assert (found.cost_usd, found.tokens) == (0.5, 1215)
    assert [(each.cost_usd, each.tokens) for each in found.stories[:3]] == [(0.5, 1200), (None, 15), (None, 0)]
    assert summary_lines(found) == [
        "Next: review-fix US-4 · about 4 iterations left",
        "Reviews: 10, 1 of 3 approved at the first (33%)",
        "Reviewed more than once: US-2 3, US-3 5",
        "Approved at the review cap, look at them: US-3",
        "Cost: US-1 $0.5 · 1.2K tokens, US-2 15 tokens",
    ]


@pytest.fixture
def store(tmp_path):
    with SqliteStore(tmp_path) as opened:
        yield opened


def loop(store, name, base, *calls):
    """A loop with these calls of its agent: the story, and what each has cost."""
    add_run(store, NewRun(id=name, recipe="stories", project="p", options=b"{}", label="ralph/shop"))
    journal = Journal.take(store, name)

    def did(action, result):
        journal.end(journal.begin(action), result)

    did(OpenStories(0, "ralph/shop", "ralph"), OpenedStories(base, base, PLAN))
    for i, (about, usd, tokens) in enumerate(calls, start=1):
        did(
            BeginStory(i, "ralph", "ralph/shop", 9, 5, skip_review=False),
            BegunStory("implement", about, "h", PLAN, "prompt"),
        )
        report = AgentReport("ok", "it ended", "d", cost_usd=usd, tokens=Tokens(tokens))
        did(RunAgent(i, "prompt"), report)
    journal.flush()


def test_what_each_story_cost_is_added_up_over_all_loops_of_the_feature(store):
    loop(store, "a", "an-earlier-feature", ("US-1", 9.0, 9))
    loop(store, "b", "base", ("US-1", 0.5, 10), ("US-2", None, 20))
    loop(store, "c", "base", ("US-1", 0.25, 5), ("", 0.125, 1))
    costs = story_costs(store, "p", "ralph/shop")
    assert {name: (each.usd, each.tokens.total) for name, each in costs.items()} == {
        "US-1": (0.75, 15),
        "US-2": (None, 20),
        "": (0.125, 1),
    }
    assert story_costs(store, "p", "ralph/other") == {}
