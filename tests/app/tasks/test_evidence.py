import msgspec
import pytest

from ralph.app.tasks.evidence import Seen, StageSeen, evidence_of
from ralph.kernel.actions.base import Action
from ralph.model.evidence import Evidence, Result
from ralph.model.tasks import Task
from ralph.model.verdicts import MaxIterations, Verified
from ralph.model.verification import External, MultiStage, Part, Semantic
from ralph.store.journal import Journal
from ralph.store.sqlite import SqliteStore
from seed_task import judged_by_a_model
from task_shell import add_stage, add_task_run, verified

PROJECT = "somewhere"
TASK = Task(
    id="T",
    spec_id="s",
    title="t",
    created_at=0.0,
    updated_at=0.0,
    completion_spec=judged_by_a_model("tokens are checked", "401 without one"),
)


@pytest.fixture
def store(tmp_path):
    with SqliteStore(tmp_path) as opened:
        yield opened


def whole(store, **changes):
    return add_task_run(store, PROJECT, "T", **changes)


def stage(store, role, *seen, parent=None, verdict=None, **changes):
    """A stage that made these verifications."""
    run_id = add_stage(store, **{"project": PROJECT, "task": "T", "role": role, "parent": parent, **changes})
    journal = Journal.take(store, run_id)
    verified(journal, *seen)
    if verdict:
        journal.close(verdict)
    return run_id


def judged(*criteria):
    return Evidence("semantic", passed=False, reason="", parts=tuple(Evidence(*each) for each in criteria))


def test_task_that_never_ran_has_no_evidence(store):
    stage(store, "coder", judged(("tokens are checked", True, "yes")), task="other")
    stage(store, "coder", judged(("tokens are checked", True, "yes")), project="elsewhere")
    seen = evidence_of(store, PROJECT, TASK, str)
    assert (seen.criteria, seen.stages, seen.last_reason) == ({}, [], "")


def test_latest_word_on_a_criterion_counts(store):
    run = whole(store)
    first = judged(("tokens are checked", True, "seen"), ("401 without one", False, "it gives 500"))
    second = judged(("401 without one", True, "now it does"), ("something else", True, "x"))
    coder = stage(store, "coder", first, None, second, parent=run, verdict=Verified(3))
    reviewer = stage(store, "reviewer", judged(("tokens are checked", False, "not on /admin")), parent=run)
    seen = evidence_of(store, PROJECT, TASK, str)
    assert seen.criteria == {
        "tokens are checked": Seen(passed=False, reason="not on /admin", role="reviewer", run_id=reviewer),
        "401 without one": Seen(passed=True, reason="now it does", role="coder", run_id=coder),
    }


def test_criteria_are_found_inside_the_stages_of_a_verification(store):
    inner = Evidence("acceptance", passed=True, reason="", parts=(Evidence("tokens are checked", True, "yes"),))  # noqa: FBT003 - in the order of its fields
    stage(store, "qa", Evidence("multi_stage", passed=True, reason="", parts=(inner,)), parent=whole(store))
    assert evidence_of(store, PROJECT, TASK, str).criteria["tokens are checked"].passed


def test_stages_of_the_latest_run_alone_count(store):
    old = whole(store)
    stage(store, "coder", judged(("tokens are checked", True, "yes")), parent=old, verdict=Verified(1))
    assert len(evidence_of(store, PROJECT, TASK, str).stages) == 1
    new = whole(store)
    assert evidence_of(store, PROJECT, TASK, str).stages == []
    coder = stage(store, "coder", parent=new, verdict=MaxIterations(5, "no promise"))
    again = stage(store, "coder", parent=new, id=f"{new}.coder-2")
    seen = evidence_of(store, PROJECT, TASK, str)
    assert seen.criteria == {}
    reason = seen.stages[0].reason
    assert seen.stages == [
        StageSeen("coder", coder, "ended", "max_iterations", reason, 0, 5),
        StageSeen("coder", again, "running", None, "", 0, 5),
    ]
    assert "no promise" in reason
    assert seen.last_reason == reason


def test_reason_of_the_whole_run_is_the_last_word(store):
    run = whole(store)
    stage(store, "coder", parent=run, verdict=MaxIterations(5, "no promise"))
    Journal.take(store, run).close(MaxIterations(5, "the coder gave up"))
    assert "the coder gave up" in evidence_of(store, PROJECT, TASK, str).last_reason


def test_task_of_a_spec_run_is_a_whole_run_too(store):
    spec = add_task_run(store, PROJECT, None, recipe="spec")
    run = whole(store, id=f"{spec}.T", is_part=True)
    coder = stage(store, "coder", judged(("tokens are checked", True, "yes")), parent=run)
    assert [each.run_id for each in evidence_of(store, PROJECT, TASK, str).stages] == [coder]


def test_run_that_an_agent_started_is_no_stage(store):
    run = whole(store)
    coder = stage(store, "coder", parent=run)
    add_task_run(store, PROJECT, "T", id=f"{coder}.deadbeef", recipe="prompt")
    assert [each.run_id for each in evidence_of(store, PROJECT, TASK, str).stages] == [coder]


def test_without_a_whole_run_the_latest_stage_of_each_role_counts(store):
    stage(store, "coder", judged(("tokens are checked", True, "yes")))
    tester = stage(store, "tester")
    coder = stage(store, "coder", judged(("401 without one", True, "yes")))
    seen = evidence_of(store, PROJECT, TASK, str)
    assert [(each.role, each.run_id) for each in seen.stages] == [("tester", tester), ("coder", coder)]
    assert list(seen.criteria) == ["401 without one"]


class LaterEvidence(Result, frozen=True):
    """What a check of a later ralph saw."""

    check: str
    passed: bool
    judge: dict[str, str]
    parts: list[object]


class LaterVerify(Action, frozen=True, tag="verify"):
    place: str


def test_runs_of_a_ralph_with_other_recipes_are_read(store):
    run = whole(store, recipe="chunk-7", options=b'{"loop": {"unheard": "of"}}')
    part = {"recipe": "review-9", "label": "The reviewer of T", "limit": None, "options": b"[]"}
    review = add_stage(store, PROJECT, "T", "review~2", run, **part)
    journal = Journal.take(store, review)
    met = {"check": "tokens are checked", "passed": True, "confidence": 0.9}
    seen = LaterEvidence("panel", passed=True, judge={"of": "three"}, parts=[met, "of another shape", {"parts": [met]}])
    journal.end(journal.begin(LaterVerify(1, "scratch")), seen)
    journal.close(Verified(1))
    found = evidence_of(store, PROJECT, TASK, str)
    assert found.criteria == {"tokens are checked": Seen(passed=True, reason="", role="review.2", run_id=review)}
    assert [(each.role, each.status, each.limit) for each in found.stages] == [("review.2", "ended", None)]


def options(check, acceptance=TASK.completion_spec.asked):
    """What a stage with this check is stored with."""
    return msgspec.json.encode({"loop": {"task": {"acceptance": acceptance}, "stage": {"check": check}}})


def test_a_command_is_evidence_for_what_it_covers(store):
    made = options(External("make  test", covers=(2,)))
    run = stage(store, "coder", Evidence("make test", passed=True, reason="exit code 0"), options=made)
    seen = evidence_of(store, PROJECT, TASK, str).criteria
    assert seen == {"401 without one": Seen(passed=True, reason="exit code 0", role="coder", run_id=run)}


def test_of_a_judge_and_a_command_that_cover_the_same_the_one_that_failed_counts(store):
    check = MultiStage((Part("unit", External("make", covers=(1, 2))), Part("judge", Semantic(("401 without one",)))))
    unit = Evidence("unit", passed=True, reason="exit code 0")
    judge = Evidence("judge", passed=False, reason="", parts=(Evidence("401 without one", passed=False, reason="500"),))
    for parts in ((unit, judge), (judge, unit)):
        stage(store, "qa", Evidence("multi_stage", passed=False, reason="", parts=parts), options=options(check))
        seen = evidence_of(store, PROJECT, TASK, str).criteria
        assert {name: (each.passed, each.reason) for name, each in seen.items()} == {
            "tokens are checked": (True, "exit code 0"),
            "401 without one": (False, "500"),
        }
