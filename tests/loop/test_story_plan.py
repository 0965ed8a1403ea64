"""Whatever agents leave of a plan, iteration after iteration: no story passes without a review of its own."""

import json

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from ralph.kernel.actions.stories import BegunStory
from ralph.loop.story_plan import Legal, kept_progress, made_legal, to_review_again
from ralph.plugin.hooks.scripts.story_rules import finished, iteration_mode
from user_stories import story as user_story

CAP = 3
NAMES = ("US-1", "US-2", "US-3")


def story(name, **changes):
    return user_story(name, **{"acceptanceCriteria": [f"{name} works", f"{name} is tested"], **changes})


def plan(*stories):
    return {
        "project": "p",
        "branchName": "b",
        "description": "",
        "verifyCommands": ["make"],
        "userStories": list(stories),
    }


def legal(tmp_path, before, after, touched=()):
    path = tmp_path / "tasks.json"
    path.write_text(after if isinstance(after, str) else json.dumps(after), encoding="utf-8")
    begun = BegunStory(iteration_mode(before), "US-1", "head", before, "prompt")
    return made_legal(path, begun, CAP, skip_review=False, touched=list(touched), folder="ralph")


fields = st.fixed_dictionaries(
    {},
    optional={
        "passes": st.booleans(),
        "reviewStatus": st.sampled_from([None, "needs_review", "changes_requested", "approved"]),
        "reviewCount": st.integers(0, 5),
        "reviewFeedback": st.sampled_from(["", "fix it"]),
        "priority": st.integers(0, 3),
        "dependsOn": st.lists(st.sampled_from(NAMES), max_size=1),
        "acceptanceCriteria": st.lists(st.sampled_from(["it works", "US-1 works", "US-2 works"]), min_size=1),
        "notes": st.sampled_from(["", "n"]),
    },
)


class AnyAgents(RuleBasedStateMachine):
    """Agents that write whatever they like into the plan, and now and then what they should."""

    def __init__(self):
        super().__init__()
        import tempfile
        from pathlib import Path

        self.folder = Path(tempfile.mkdtemp())
        self.plan = plan(*map(story, NAMES))
        self.reviewed = set()

    def iteration(self, after, touched=()):
        before, mode = self.plan, iteration_mode(self.plan)
        made = legal(self.folder, before, after, touched)
        gained = finished(made.plan) - finished(before)
        old = {each["id"]: each for each in before["userStories"]}
        now = {each["id"]: each for each in made.plan["userStories"]}
        assert len(gained) <= 1
        for name in gained:
            assert mode == "review", "only a review approves"
            assert old[name]["reviewStatus"] == "needs_review", "what nobody submitted is not reviewed"
            assert now[name]["reviewCount"] == old[name]["reviewCount"] + 1
            assert not touched, "a review that writes code approves nothing"
            assert set(old[name]["acceptanceCriteria"]) <= set(now[name]["acceptanceCriteria"])
            self.reviewed.add(name)
        self.plan = made.plan

    @rule(changes=st.dictionaries(st.sampled_from(NAMES), fields), more=st.booleans(), fewer=st.booleans())
    def writes_anything(self, changes, more, fewer):
        stories = [{**each, **changes.get(each["id"], {})} for each in self.plan["userStories"]]
        stories += [story("NEW", **changes.get("US-1", {}))] if more else []
        self.iteration({**self.plan, "userStories": stories[1:] if fewer else stories})

    @rule(text=st.sampled_from(["", "{", "[]", "null", '{"userStories": []}']))
    def destroys_the_plan(self, text):
        self.iteration(text)

    @rule(choice=st.integers(0, 2), writes=st.booleans(), approves=st.booleans())
    def does_its_work(self, choice, writes, approves):
        mode, stories = iteration_mode(self.plan), [dict(each) for each in self.plan["userStories"]]
        wanted = {"implement": None, "review": "needs_review", "review-fix": "changes_requested"}[mode]
        fitting = [each for each in stories if each["reviewStatus"] == wanted and not each["passes"]]
        if not fitting:
            return
        one = fitting[choice % len(fitting)]
        if mode == "review":
            good = {"reviewStatus": "approved", "passes": True, "notes": "n"}
            bad = {"reviewStatus": "changes_requested", "reviewFeedback": "x"}
            one |= {"reviewCount": one["reviewCount"] + 1, **(good if approves else bad)}
        else:
            one |= {"reviewStatus": "needs_review", "reviewFeedback": ""}
        self.iteration({**self.plan, "userStories": stories}, ("src/a.py",) if writes and mode == "review" else ())

    @invariant()
    def nothing_passes_without_a_review(self):
        assert finished(self.plan) <= self.reviewed
        assert {each["id"] for each in self.plan["userStories"] if each["passes"]} <= self.reviewed


AnyAgents.TestCase.settings = hypothesis_settings(max_examples=60, stateful_step_count=25, deadline=None)
TestNoStoryPassesWithoutAReview = AnyAgents.TestCase


def test_a_reviewer_that_fixes_the_code_cannot_approve(tmp_path):
    before = plan(story("US-1", reviewStatus="needs_review"))
    after = plan(story("US-1", reviewStatus="approved", passes=True, reviewCount=1))
    assert legal(tmp_path, before, after, ["ralph/tasks.json", "CLAUDE.md", ".claude/rules/a.md"]).problems == []
    undone = legal(tmp_path, before, after, ["src/a.py"])
    assert undone.plan == before
    assert "a review changed src/a.py, so it cannot approve" in undone.problems[0]


@pytest.mark.parametrize("name", ["CLAUDE.md.py", "ralph.py", ".claude/rules.py", "src/CLAUDE.md"])
def test_a_review_may_not_write_what_only_begins_like_its_files(tmp_path, name):
    before = plan(story("US-1", reviewStatus="needs_review"))
    after = plan(story("US-1", reviewStatus="approved", passes=True, reviewCount=1))
    assert legal(tmp_path, before, after, [name]).plan == before


def test_what_is_written_when_all_is_approved_must_be_reviewed():
    done = {"reviewStatus": "approved", "passes": True, "reviewCount": 1}
    before = plan(story("US-1", **done), story("US-2", priority=2, **done))
    begun = BegunStory("implement", "", "head", before, "prompt")

    def reviewed(*touched):
        return to_review_again(Legal(before, []), begun, touched=list(touched), folder="ralph")

    assert reviewed("ralph/progress.txt", "CLAUDE.md") == (before, [])
    made = reviewed("src/a.py")
    [first, last] = made.plan["userStories"]
    assert first == before["userStories"][0]
    assert (last["passes"], last["reviewStatus"], last["reviewCount"]) == (False, "needs_review", 1)
    assert made.problems == ["src/a.py changed after all stories were approved. Story US-2 must be reviewed again."]


def test_two_approvals_in_one_review_are_both_undone(tmp_path):
    waits = {"reviewStatus": "needs_review"}
    done = {"reviewStatus": "approved", "passes": True, "reviewCount": 1}
    before = plan(story("US-1", **waits), story("US-2", **waits))
    assert legal(tmp_path, before, plan(story("US-1", **done), story("US-2", **done))).plan == before


LOG = "# Log\n\n## Patterns\n- a\n\n---\n\n## one\ndid it\n"


@pytest.mark.parametrize(
    ("now", "is_kept"),
    [
        (LOG, True),
        (LOG + "\n## two\n", True),
        (LOG.replace("- a", "- a\n- b"), True),
        (LOG.replace("did it", "did nothing"), False),
        ("", False),
        (None, False),
        ("# Log\n\n---\n", False),
    ],
)
def test_the_log_only_grows_below_its_line(now, is_kept):
    made = kept_progress(LOG, now)
    assert (made is None) == is_kept
    assert is_kept or "## one\ndid it" in made


@pytest.mark.parametrize("log", ["", "# Log\n\n- a\n", LOG.replace("\n", "\r\n"), "# Log\n---"])
def test_an_entry_at_the_end_of_any_log_stays(log):
    assert kept_progress(log, f"{log}\n## two\n") is None


def test_a_log_without_its_line_only_grows_as_a_whole():
    assert kept_progress("- one\n- two\n", "- two\n- three\n") == "- one\n- two\n- two\n- three\n"
    assert kept_progress("- one\n", "") == "- one\n"


def test_a_log_that_was_written_anew_is_added_to_what_was_there():
    assert kept_progress(LOG, "## two\n") == f"{LOG}## two\n"
