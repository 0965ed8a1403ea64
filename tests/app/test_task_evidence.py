import pytest

from ralph.app.task_evidence import Seen, StageSeen, evidence_of
from ralph.kernel.actions import Verify
from ralph.model.evidence import Evidence
from ralph.model.tasks import Task, TaskCompletionSpec
from ralph.model.verdicts import MaxIterations, Verified
from ralph.model.verification import StringMatch
from ralph.store.journal import Ended, Journal
from ralph.store.runs import finish_run
from stores import PROJECT, new_run, opened

TASK = Task(
    id="T",
    spec_id="s",
    title="t",
    created_at=0.0,
    updated_at=0.0,
    completion_spec=TaskCompletionSpec("o", ("tokens are checked", "401 without one")),
)


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as connection:
        yield connection


def whole(store, **changes):
    return new_run(store, recipe="task", task="T", **changes)


def stage(store, role, *seen, parent=None, verdict=None, **changes):
    """A stage that made these verifications."""
    options = {"loop": {"stage": {"role": role, "limit": 5}}}
    run = new_run(
        store, **{"recipe": "stage", "task": "T", "options": options, "parent": parent and parent.id, **changes}
    )
    journal = Journal(store, run.id)
    for number, evidence in enumerate(seen, 1):
        action = Verify(number, StringMatch(), "P", "somewhere", "abc")
        seq = journal.take_seq()
        journal.begin(seq, 1, action)
        if evidence:
            journal.end(Ended(seq, 1, action, evidence))
    journal.flush()
    if verdict:
        finish_run(store, journal, verdict)
    return run


def judged(*criteria):
    return Evidence("semantic", passed=False, reason="", parts=tuple(Evidence(*each) for each in criteria))


def test_task_that_never_ran_has_no_evidence(store):
    stage(store, "coder", judged(("tokens are checked", True, "yes")), task="other")
    stage(store, "coder", judged(("tokens are checked", True, "yes")), project="/elsewhere")
    seen = evidence_of(store, PROJECT, TASK)
    assert (seen.criteria, seen.stages, seen.last_reason) == ({}, [], "")


def test_latest_word_on_a_criterion_counts(store):
    run = whole(store)
    first = judged(("tokens are checked", True, "seen"), ("401 without one", False, "it gives 500"))
    second = judged(("401 without one", True, "now it does"), ("something else", True, "x"))
    coder = stage(store, "coder", first, None, second, parent=run, verdict=Verified(3))
    reviewer = stage(store, "reviewer", judged(("tokens are checked", False, "not on /admin")), parent=run)
    seen = evidence_of(store, PROJECT, TASK)
    assert seen.criteria == {
        "tokens are checked": Seen(passed=False, reason="not on /admin", role="reviewer", run_id=reviewer.id),
        "401 without one": Seen(passed=True, reason="now it does", role="coder", run_id=coder.id),
    }


def test_criteria_are_found_inside_the_stages_of_a_verification(store):
    inner = Evidence("acceptance", passed=True, reason="", parts=(Evidence("tokens are checked", True, "yes"),))  # noqa: FBT003 - in the order of its fields
    stage(store, "qa", Evidence("multi_stage", passed=True, reason="", parts=(inner,)), parent=whole(store))
    assert evidence_of(store, PROJECT, TASK).criteria["tokens are checked"].passed


def test_stages_of_the_latest_run_alone_count(store):
    old = whole(store)
    stage(store, "coder", judged(("tokens are checked", True, "yes")), parent=old, verdict=Verified(1))
    assert len(evidence_of(store, PROJECT, TASK).stages) == 1
    new = whole(store)
    assert evidence_of(store, PROJECT, TASK).stages == []
    coder = stage(store, "coder", parent=new, verdict=MaxIterations(5, "no promise"))
    again = stage(store, "coder", parent=new)
    seen = evidence_of(store, PROJECT, TASK)
    assert seen.criteria == {}
    reason = seen.stages[0].reason
    assert seen.stages == [
        StageSeen("coder", coder.id, "ended", "max_iterations", reason, 0, 5),
        StageSeen("coder", again.id, "running", None, "", 0, 5),
    ]
    assert "no promise" in reason
    assert seen.last_reason == reason


def test_reason_of_the_whole_run_is_the_last_word(store):
    run = whole(store)
    stage(store, "coder", parent=run, verdict=MaxIterations(5, "no promise"))
    finish_run(store, Journal(store, run.id), MaxIterations(5, "the coder gave up"))
    assert "the coder gave up" in evidence_of(store, PROJECT, TASK).last_reason


def test_without_a_whole_run_the_latest_stage_of_each_role_counts(store):
    stage(store, "coder", judged(("tokens are checked", True, "yes")))
    tester = stage(store, "tester")
    coder = stage(store, "coder", judged(("401 without one", True, "yes")))
    seen = evidence_of(store, PROJECT, TASK)
    assert [(each.role, each.run_id) for each in seen.stages] == [("tester", tester.id), ("coder", coder.id)]
    assert list(seen.criteria) == ["401 without one"]
