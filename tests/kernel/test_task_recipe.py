"""The stages of a task and the tasks of a spec, played against given results."""

import msgspec
import pytest
from msgspec.structs import replace

from playing import GO_ON, given_up, play, tried
from ralph.kernel.actions.planning import KeepSummary
from ralph.kernel.actions.proof import TryCheck, WriteProof
from ralph.kernel.actions.tasks import Delivered, DeliverWork, OpenWorktree, SetUpWorktree, Worktree
from ralph.kernel.actions.waiting import ChildEnd, GiveUp, Granted, ReadSpent, RunChild, SpentSoFar
from ralph.kernel.budget import Budget, within
from ralph.kernel.recipes.spec import SpecRun, SpecTask, spec_loop
from ralph.kernel.recipes.stage import StageRun
from ralph.kernel.recipes.task import TaskRun, task_loop
from ralph.kernel.stage_text import Stage, TaskText
from ralph.model.evidence import Evidence
from ralph.model.verdicts import BudgetSpent, EndedBy, Failed, MaxIterations, Verified, exit_code
from ralph.model.verification import External, StringMatch

ROLES = ("coder", "reviewer", "tester")
WORKTREE = Worktree("w", "w", "ralph/s--T-1", "c0ffee", "ralph/s")
DELIVERED = Delivered("abc")
READY = Evidence("init", passed=True, reason="nothing to prepare")


def task(name="T-1", limit=3, **fields):
    stages = tuple(Stage(role, role.upper(), StringMatch(), limit) for role in ROLES)
    return TaskRun(spec="s", task=TaskText(name, "Make it"), stages=stages, **fields)


def verified(iterations=1):
    return ChildEnd("r", "verified", "proven done", 0, iterations, proof="checked", commit="c1")


def back(to, why="no", iterations=1):
    return ChildEnd("r", "rejected", f"sent back to {to}: {why}", 1, iterations, sent_back_to=to, why=why)


def ended(verdict, code, reason="because"):
    return ChildEnd("r", verdict, reason, code, 1)


def played(children, run=None, ready=READY, delivered=DELIVERED, granted=Granted()):  # noqa: B008 - frozen
    given = {OpenWorktree: WORKTREE, SetUpWorktree: ready, DeliverWork: delivered, RunChild: children}
    return play(task_loop(run or task()), given | {GiveUp: granted})


def stages(actions):
    return [msgspec.convert(action.loop, StageRun) for action in actions if isinstance(action, RunChild)]


def names(actions):
    return [action.name for action in actions if isinstance(action, RunChild)]


def test_stages_run_in_order_and_the_work_is_delivered():
    actions, verdict = played([verified(2), verified(), verified()])
    assert verdict == Verified(4, "checked", commit="c1")
    assert names(actions) == list(ROLES)
    delivered, written, kept = actions[-3:]
    assert isinstance(delivered, DeliverWork)
    assert isinstance(written, WriteProof)
    assert isinstance(kept, KeepSummary)
    assert delivered.message == "Make it\n\nIt works now."
    assert (kept.task, kept.summarised.summary.files_created) == ("T-1", ("work.py",))
    assert (written.commit, written.proof, written.task) == (DELIVERED.commit, "checked", "T-1")
    assert [stage.earlier for stage in stages(actions)] == [(), ("coder",), ("coder", "reviewer")]


def test_what_an_earlier_stage_verified_is_checked_again_on_what_is_delivered():
    run = task()
    first = replace(run.stages[0], check=External("make test"))
    run = replace(run, stages=(first, *run.stages[1:]))
    ends = [replace(verified(), commit=commit) for commit in ("c1", "c2", "c2")]
    actions, verdict = played(ends, run)
    assert verdict == Verified(3, "checked", commit="c2")
    tries = [action for action in actions if isinstance(action, TryCheck) and action.trial == "commit"]
    assert [(action.tree, action.check.command) for action in tries] == [("c2", "make test")]
    [delivered] = [action for action in actions if isinstance(action, DeliverWork)]
    assert delivered.commit == "c2"


def test_what_a_later_stage_has_broken_is_not_delivered():
    run = task()
    run = replace(run, stages=(replace(run.stages[0], check=External("make test")), *run.stages[1:]))
    ends = [replace(verified(), commit=commit) for commit in ("c1", "c2", "c2")]
    fails = {TryCheck: lambda action: tried(action, passed=action.trial != "commit")}
    actions, verdict = play(task_loop(run), {OpenWorktree: WORKTREE, SetUpWorktree: READY, RunChild: ends} | fails)
    assert isinstance(verdict, Failed)
    assert "on the commit that would be delivered, coder: make test: exit code 1" in verdict.why
    assert not any(isinstance(action, DeliverWork) for action in actions)


def test_a_stage_that_fails_ends_the_task_with_its_verdict():
    actions, verdict = played([verified(), ended("max_iterations", 1, "not done after 3 iterations")])
    assert verdict == EndedBy("max_iterations", "reviewer: not done after 3 iterations", 1)
    assert not any(isinstance(action, DeliverWork) for action in actions)


def test_a_task_that_is_sent_back_runs_from_there_again_with_the_reason():
    actions, verdict = played([verified(), verified(), back("coder", "no tests"), verified(), verified(), verified()])
    assert verdict == Verified(6, "checked", commit="c1")
    assert names(actions) == ["coder", "reviewer", "tester", "coder-2", "reviewer-2", "tester-2"]
    again = stages(actions)[3]
    assert again.first == 2
    assert "The tester sent the task back" in again.feedback[0].text
    assert "no tests" in again.feedback[0].text
    assert stages(actions)[4].feedback == ()


def test_a_task_may_be_sent_back_one_stage_only():
    actions, _ = played([verified(), verified(), back("reviewer"), verified(), verified()])
    assert names(actions) == ["coder", "reviewer", "tester", "reviewer-2", "tester-2"]


def test_rejections_use_up_the_limits():
    actions, verdict = played([verified(), back("coder")] * 9)
    assert isinstance(verdict, MaxIterations)
    assert exit_code(verdict) == 1
    assert verdict.limit == 3
    assert names(actions) == ["coder", "reviewer", "coder-2", "reviewer-2", "coder-3", "reviewer-3"]


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
    given = {OpenWorktree: WORKTREE, SetUpWorktree: READY, RunChild: verified(), DeliverWork: DELIVERED}
    given[ReadSpent] = [SpentSoFar(usd=amount) for amount in (0, 2.0, 4.0)]
    actions, verdict = play(within(Budget(usd=3.0), task_loop(task())), given)
    assert verdict == BudgetSpent("USD", 4.0, 3.0)
    assert names(actions) == ["coder", "reviewer"]


def test_a_task_asks_before_it_gives_up():
    actions, verdict = played([ended("max_iterations", 1)])
    assert given_up(actions) == [verdict.reason]


def test_a_stage_that_is_gone_on_with_is_the_same_run_again():
    actions, verdict = played([verified(), ended("agent_error", 7), verified(), verified()], granted=GO_ON)
    assert verdict == Verified(3, "checked", commit="c1")
    children = [action for action in actions if isinstance(action, RunChild)]
    assert [(child.part, child.again) for child in children] == [
        ("coder", 0),
        ("reviewer", 0),
        ("reviewer", 1),
        ("tester", 0),
    ]


def test_a_stage_whose_limit_is_used_up_gets_one_more_iteration():
    children = [*[verified(), back("coder")] * 3, *[verified()] * 3]
    actions, verdict = played(children, granted=GO_ON)
    assert isinstance(verdict, Verified)
    assert names(actions)[-3:] == ["coder-4-1", "reviewer-4-2", "tester"]


def test_a_worktree_that_could_not_be_prepared_is_prepared_again():
    ready = [Evidence("npm ci", passed=False, reason="exit code 1"), READY]
    actions, verdict = played(verified(), task(init="npm ci"), ready=ready, granted=GO_ON)
    assert isinstance(verdict, Verified)
    assert [type(action) for action in actions[:4]] == [OpenWorktree, SetUpWorktree, GiveUp, SetUpWorktree]


def test_work_that_could_not_be_delivered_is_delivered_when_somebody_says_so():
    delivered = [Delivered("", "a conflict in a.txt"), DELIVERED]
    actions, verdict = played(verified(), delivered=delivered, granted=GO_ON)
    assert isinstance(verdict, Verified)
    assert names(actions) == list(ROLES)


def spec(*tasks, workers=1):
    return SpecRun("s", tuple(SpecTask(task(name), dependencies) for name, *dependencies in tasks), workers)


def spec_played(run, children, granted=Granted(), first=min):  # noqa: B008 - frozen
    return play(spec_loop(run), {RunChild: children, GiveUp: granted}, first)


def by_name(**ends):
    """The end of each task that is named; all others are verified."""
    return lambda child: ends.get(child.part, verified())


def together(run, children, first=min):
    """The tasks that were under way at once, as each of them ended."""
    seen = []

    def chosen(places):
        seen.append(len(places))
        return first(places)

    spec_played(run, children, first=chosen)
    return seen


def test_all_tasks_of_a_spec_run_in_the_given_order():
    actions, verdict = spec_played(spec(("A",), ("B", "A"), ("C", "B")), verified(2))
    assert verdict == Verified(6, "checked")
    assert names(actions) == ["A", "B", "C"]


def test_a_failed_task_stops_only_those_that_depend_on_it():
    ends = [ended("max_iterations", 1, "not done"), verified()]
    actions, verdict = spec_played(spec(("A",), ("B", "A"), ("C", "B"), ("D",)), ends)
    assert names(actions) == ["A", "D"]
    assert verdict == Failed("3 of 4 tasks not done: A: not done; B: it depends on A; C: it depends on B")
    assert exit_code(verdict) == 9


@pytest.mark.parametrize(("word", "code"), [("budget", 4), ("agent_error", 7)])
def test_what_no_other_task_could_do_better_ends_the_spec(word, code):
    actions, verdict = spec_played(spec(("A",), ("B",)), ended(word, code))
    assert names(actions) == ["A"]
    assert verdict == EndedBy(word, "A: because", code)


def test_a_spec_that_is_gone_on_with_runs_what_is_not_done_yet():
    ends = [ended("max_iterations", 1, "not done"), verified(), verified(), verified()]
    actions, verdict = spec_played(spec(("A",), ("B", "A"), ("C",)), ends, granted=GO_ON)
    assert verdict == Verified(3, "checked")
    assert names(actions) == ["A", "C", "A-1", "B-1"]


def test_a_spec_asks_before_it_gives_up():
    actions, verdict = spec_played(spec(("A",)), ended("max_iterations", 1, "not done"))
    assert given_up(actions) == [verdict.reason]


THREE = [("A",), ("B",), ("C",), ("D", "A"), ("E", "A", "B")]


@pytest.mark.parametrize("first", [min, max])
def test_as_many_tasks_run_at_once_as_there_are_workers(first):
    assert together(spec(*THREE, workers=3), verified(), first)[0] == 3
    assert max(together(spec(*THREE, workers=2), verified(), first)) == 2
    assert max(together(spec(*THREE), verified(), first)) == 1
    actions, verdict = spec_played(spec(*THREE, workers=3), verified(2), first=first)
    assert verdict == Verified(10, "checked")
    assert sorted(names(actions)) == ["A", "B", "C", "D", "E"]


def test_a_worker_that_is_free_takes_the_next_task_that_may_begin():
    actions, _ = spec_played(spec(*THREE, workers=2), verified())
    assert names(actions) == ["A", "B", "C", "D", "E"]
    actions, _ = spec_played(spec(*THREE, workers=2), verified(), first=max)
    assert names(actions) == ["A", "B", "C", "D", "E"]


def test_a_task_waits_for_what_it_depends_on_although_a_worker_is_free():
    run = spec(("A",), ("B", "A"), ("C", "B"), workers=3)
    assert together(run, verified()) == [1, 1, 1]


@pytest.mark.parametrize("first", [min, max])
def test_a_task_that_fails_beside_others_stops_only_those_behind_it(first):
    ends = by_name(A=ended("max_iterations", 1, "not done"))
    actions, verdict = spec_played(spec(*THREE, workers=3), ends, first=first)
    assert sorted(names(actions)) == ["A", "B", "C"]
    assert verdict == Failed("3 of 5 tasks not done: A: not done; D: it depends on A; E: it depends on A")


@pytest.mark.parametrize(("word", "code"), [("budget", 4), ("agent_error", 7)])
def test_what_runs_beside_a_hopeless_task_is_waited_for_and_nothing_new_begins(word, code):
    actions, verdict = spec_played(spec(*THREE, workers=2), by_name(A=ended(word, code)))
    assert names(actions) == ["A", "B"]
    assert verdict == EndedBy(word, "A: because", code)


def test_after_a_hopeless_end_the_tasks_that_were_not_begun_are_begun_when_somebody_says_go_on():
    ends = {RunChild: [ended("agent_error", 7), *[verified()] * 5], GiveUp: GO_ON}
    actions, verdict = play(spec_loop(spec(*THREE, workers=2)), ends)
    assert verdict == Verified(5, "checked")
    assert names(actions) == ["A", "B", "A-1", "C-1", "D-1", "E-1"]


def test_the_budget_is_asked_for_each_task_once_although_it_is_named_again_and_again():
    run = within(Budget(usd=9.0), spec_loop(spec(*THREE, workers=3)))
    actions, verdict = play(run, {RunChild: verified(), ReadSpent: SpentSoFar()})
    assert verdict == Verified(5, "checked")
    assert len([action for action in actions if isinstance(action, ReadSpent)]) == 5
