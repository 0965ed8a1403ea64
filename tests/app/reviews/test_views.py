"""The reviews of a run, a task and a spec, found again in the store."""

import time

import pytest
from msgspec.structs import replace

from ralph.app.reviews.views import named_reviews, standing
from ralph.kernel.actions.reviews import RecordReview
from ralph.kernel.stage_text import TaskText
from ralph.model.errors import ConfigError
from ralph.model.reviews import Review
from ralph.model.tasks import Spec, Task
from ralph.store.journal import Journal
from ralph.store.projects import project_at
from ralph.store.runs import NewRun, add_run
from ralph.store.sqlite import SqliteStore
from ralph.store.tasks import add_spec, add_tasks
from reviews import MODEL, found


@pytest.fixture
def store(tmp_path):
    made = SqliteStore(tmp_path / "home")
    yield made
    made.close()


@pytest.fixture
def project(tmp_path, store):
    folder = tmp_path / "project"
    folder.mkdir()
    name = project_at(store, folder).id
    now = time.time()
    store.write(add_spec(name, Spec(id="auth", title="Auth", created_at=now, updated_at=now)))
    tasks = [Task(id=each, spec_id="auth", title=each, created_at=now, updated_at=now) for each in ("T-1", "T-2")]
    store.write(*add_tasks(name, tasks))
    return folder


def ran(store, project, run_id, *reviews, recipe="chunk", task=None, label="", is_part=False):
    """A run that recorded these reviews, one in each iteration."""
    add_run(
        store,
        NewRun(
            id=run_id,
            recipe=recipe,
            project=project_at(store, project).id,
            options=b"{}",
            task_id=task,
            label=label,
            is_part=is_part,
        ),
    )
    journal = Journal.take(store, run_id)
    for number, review in enumerate(reviews, start=1):
        by = replace(MODEL, tier=review.tier)
        action = RecordReview(number, review.tier, by, TaskText(task or "review", "t"), review)
        journal.end(journal.begin(action), review)
    journal.flush()


def review(tier="quick", decision="SHIP", *blocking):
    return Review(tier, "r", decision, blocking=blocking, base="b", commit="c", tree="t")


DECIDED_NOTHING = review("deep", "")


def told(reviews):
    return [(each.run, each.task, each.tier, each.decision) for each in reviews]


def test_the_reviews_of_a_task_are_those_of_all_its_runs(store, project):
    ran(store, project, "one", review("quick", "REVISE", found(id="F1")), task="T-1")
    ran(store, project, "two", review("quick"), review("deep"), task="T-1")
    ran(store, project, "other", review("quick"), task="T-2")
    assert told(named_reviews(store, project, "T-1")) == [
        ("one", "T-1", "quick", "REVISE"),
        ("two", "T-1", "quick", "SHIP"),
        ("two", "T-1", "deep", "SHIP"),
    ]


def test_what_stands_is_the_latest_decision_of_each_tier_and_task(store, project):
    ran(
        store,
        project,
        "one",
        review("quick", "REVISE", found(id="F1")),
        review("quick"),
        review("deep", ""),
        task="T-1",
    )
    ran(store, project, "two", review("quick", "REVISE", found(id="F1")), task="T-2")
    latest = standing(named_reviews(store, project, "auth"))
    assert told(latest) == [("one", "T-1", "quick", "SHIP"), ("two", "T-2", "quick", "REVISE")]


def test_the_reviews_of_a_spec_are_those_of_its_tasks_and_its_final_ones(store, project):
    ran(store, project, "spec", review("final"), recipe="spec", label="auth")
    ran(store, project, "spec.T-1", review("quick"), task="T-1", is_part=True)
    ran(store, project, "elsewhere", review("final"), recipe="review")
    assert told(named_reviews(store, project, "auth")) == [
        ("spec", "", "final", "SHIP"),
        ("spec.T-1", "T-1", "quick", "SHIP"),
    ]


def test_a_run_is_named_by_the_beginning_of_its_id_and_has_the_reviews_of_its_parts(store, project):
    ran(store, project, "abcdef01", review("final"), recipe="spec")
    ran(store, project, "abcdef01.T-1", review("quick", "REVISE", found(id="F1")), task="T-1", is_part=True)
    [final, quick] = named_reviews(store, project, "abcd")
    assert (final.tier, quick.tier) == ("final", "quick")
    assert (quick.iteration, quick.summary.medium, quick.issues[0].id) == (1, 1, "F1")


def test_without_a_name_it_is_the_latest_run_that_has_reviews(store, project):
    ran(store, project, "old", review("final"), recipe="review")
    ran(store, project, "new", review("final", "REVISE", found(id="F1")), recipe="review")
    ran(store, project, "none", recipe="prompt")
    assert told(named_reviews(store, project, None)) == [("new", "", "final", "REVISE")]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("T-1", "task T-1 has no review yet"),
        ("auth", "spec auth has no review yet"),
        ("0123", "run 0123abcd has no review"),
        (None, "no run of this project has a review"),
        ("nobody", "nobody"),
    ],
)
def test_what_has_no_review_is_refused_by_name(store, project, name, why):
    ran(store, project, "0123abcd", recipe="prompt")
    with pytest.raises(ConfigError, match=why):
        named_reviews(store, project, name)
