"""The stages of a task and the tasks of a spec, played against given results."""

import msgspec
import pytest

from playing import play
from ralph.kernel.actions import (
    ChildEnd,
    Delivered,
    DeliverWork,
    FurnishWorktree,
    OpenWorktree,
    RunChild,
    Worktree,
)
from ralph.kernel.limits import Budget, within
from ralph.kernel.recipes.spec import SpecRun, SpecTask, spec_loop
from ralph.kernel.recipes.stage import StageRun
from ralph.kernel.recipes.task import TaskRun, task_loop
from ralph.kernel.stage_text import Stage, TaskText
from ralph.model.evidence import Evidence
from ralph.model.verdicts import BudgetSpent, EndedBy, Failed, MaxIterations, Verified
from ralph.model.verification import StringMatch

ROLES = ("coder", "reviewer", "tester")
WORKTREE = Worktree("/w", "/w", "ralph/s--T-1", "c0ffee", "ralph/s")
DELIVERED = Delivered("abc")
READY = Evidence("init", passed=True, reason="nothing to prepare")


def task(name="T-1", limit=3, **fields):
    stages = tuple(Stage(role, role.upper(), StringMatch(), limit) for role in ROLES)
    return TaskRun(spec="s", task=TaskText(name, "Make it"), stages=stages, **fields)


def verified(iterations=1):
    return ChildEnd("r", "verified", "proven done", 0, iterations)


def back(to, why="no", iterations=1):
    return ChildEnd("r", "rejected", f"sent back to {to}: {why}", 1, iterations, sent_back_to=to, why=why)


def ended(verdict, code, reason="because", **spent):
    return ChildEnd("r", verdict, reason, code, 1, **spent)


def played(children, run=None, worktree=WORKTREE, ready=READY, delivered=DELIVERED):
    given = {OpenWorktree: worktree, FurnishWorktree: ready, DeliverWork: delivered, RunChild: children}
    return play(task_loop(run or task()), given)


def stages(actions):
    return [msgspec.convert(action.loop, StageRun) for action in actions if isinstance(action, RunChild)]


def names(actions):
    return [action.name for action in actions if isinstance(action, RunChild)]


def test_stages_run_in_order_and_the_work_is_delivered():
    actions, verdict = played([verified(2), verified(), verified()])
    assert verdict == Verified(4)
    assert names(actions) == list(ROLES)
    assert isinstance(actions[-1], DeliverWork)
    assert [stage.earlier for stage in stages(actions)] == [(), ("coder",), ("coder", "reviewer")]


def test_a_stage_that_fails_ends_the_task_with_its_verdict():
    actions, verdict = played([verified(), ended("max_iterations", 1, "not done after 3 iterations")])
    assert verdict == EndedBy("max_iterations", "reviewer: not done after 3 iterations", 1)
    assert not any(isinstance(action, DeliverWork) for action in actions)


def test_a_task_that_is_sent_back_runs_from_there_again_with_the_reason():
    actions, verdict = played([verified(), verified(), back("coder", "no tests"), verified(), verified(), verified()])
    assert verdict == Verified(6)
    assert names(actions) == ["coder", "reviewer", "tester", "coder", "reviewer", "tester"]
    again = stages(actions)[3]
    assert again.first == 2
    assert "The tester sent the task back" in again.feedback[0].text
    assert "no tests" in again.feedback[0].text
    assert stages(actions)[4].feedback == ()


def test_a_task_may_be_sent_back_one_stage_only():
    actions, _ = played([verified(), verified(), back("reviewer"), verified(), verified()])
    assert names(actions) == ["coder", "reviewer", "tester", "reviewer", "tester"]


def test_rejections_use_up_the_limits():
    actions, verdict = played([verified(), back("coder")] * 9)
    assert isinstance(verdict, MaxIterations)
    assert verdict.exit_code == 1
    assert verdict.limit == 3
    assert names(actions) == ["coder", "reviewer"] * 3


def test_what_a_stage_used_before_counts_when_it_works_again():
    actions, _ = played([verified(2), back("coder"), verified(), verified(), verified()])
    assert [(stage.stage.role, stage.first) for stage in stages(actions)][:3] == [
        ("coder", 1),
        ("reviewer", 1),
        ("coder", 3),
    ]


def test_a_worktree_that_cannot_be_prepared_ends_the_task():
    failed = Evidence("npm ci", passed=False, reason="exit code 1")
    actions, verdict = played(verified(), task(init="npm ci"), ready=failed)
    assert verdict == Failed("the worktree could not be prepared: exit code 1")
    assert not names(actions)


def test_work_that_cannot_be_delivered_is_not_done():
    _, verdict = played(verified(), delivered=Delivered("", "a conflict in a.txt"))
    assert isinstance(verdict, Failed)
    assert "a conflict in a.txt" in verdict.reason


def test_the_budget_is_looked_at_between_stages():
    spent = ChildEnd("r", "verified", "proven done", 0, 1, cost_usd=2.0)
    given = {OpenWorktree: WORKTREE, FurnishWorktree: READY, RunChild: spent, DeliverWork: DELIVERED}
    actions, verdict = play(within(Budget(usd=3.0), task_loop(task())), given)
    assert verdict == BudgetSpent("USD", 4.0, 3.0)
    assert names(actions) == ["coder", "reviewer"]


def spec(*tasks):
    return SpecRun("s", tuple(SpecTask(task(name), dependencies) for name, *dependencies in tasks))


def spec_played(run, children):
    return play(spec_loop(run), {RunChild: children})


def test_all_tasks_of_a_spec_run_in_the_given_order():
    actions, verdict = spec_played(spec(("A",), ("B", "A"), ("C", "B")), verified(2))
    assert verdict == Verified(6)
    assert names(actions) == ["A", "B", "C"]


def test_a_failed_task_stops_only_those_that_depend_on_it():
    ends = [ended("max_iterations", 1, "not done"), verified()]
    actions, verdict = spec_played(spec(("A",), ("B", "A"), ("C", "B"), ("D",)), ends)
    assert names(actions) == ["A", "D"]
    assert verdict == Failed("3 of 4 tasks not done: A: not done; B: it depends on A; C: it depends on B")
    assert verdict.exit_code == 9


@pytest.mark.parametrize(("word", "code"), [("budget", 4), ("agent_error", 7)])
def test_what_no_other_task_could_do_better_ends_the_spec(word, code):
    actions, verdict = spec_played(spec(("A",), ("B",)), ended(word, code))
    assert names(actions) == ["A"]
    assert verdict == EndedBy(word, "A: because", code)
