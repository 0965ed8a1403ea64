"""The tasks of a spec and the review of its whole branch, played against given results."""

import msgspec
import pytest
from msgspec.structs import replace

from playing import GO_ON, given_up, play
from ralph.kernel.actions.approval import AwaitPeople
from ralph.kernel.actions.reviews import FindReview, FoundReview, RecordReview
from ralph.kernel.actions.specs import AddedTask, AddFixingTask, Branch, LookAtBranch
from ralph.kernel.actions.waiting import ChildEnd, GiveUp, Granted, RunChild
from ralph.kernel.chunk_options import ChunkRun
from ralph.kernel.final_review import FinalReview
from ralph.kernel.recipes.spec import SpecRun, spec_loop
from ralph.kernel.stage_text import TaskText
from ralph.kernel.task_runs import SpecTask
from ralph.model.evidence import Done
from ralph.model.reviews import Review, ReviewBy, ReviewIssue
from ralph.model.verdicts import EndedBy, Failed, Verified

FINAL = ReviewBy("final", "opus")
LEAK = ReviewIssue("a.py", (3, 4), "memory_leak", "high", "it leaks", "close it", "Close the file in a.py.", id="F1")
WHOLE = Branch(TaskText("s", "The spec"), "b0", "tip")


def chunk(name):
    return ChunkRun(spec="s", task=TaskText(name, f"Make {name}"), limit=5)


def spec(*names, after=None, **fields):
    """One task for each name; `after` says which depend on which."""
    tasks = tuple(SpecTask(chunk(name), (after or {}).get(name, ())) for name in names)
    return SpecRun("s", tasks, **fields)


def final(**more):
    return FinalReview(FINAL, chunk(""), spec="s", base="b0", **more)


def verified(iterations=1, proof="checked"):
    return ChildEnd("r", "verified", "proven done", 0, iterations, proof=proof, commit="c1")


def ended(verdict, reason="because", code=9):
    return ChildEnd("r", verdict, reason, code, 1)


def by_name(**ends):
    """By the name of the part: its ends one after the other, the last for ever; those not named are verified."""
    left = {name: list(given) if isinstance(given, list) else [given] for name, given in ends.items()}

    def end(action):
        given = left.get(action.part.replace("-", "_"), [verified()])
        return given.pop(0) if len(given) > 1 else given[0]

    return end


def reviews(*decided):
    """What stands of the final review, one after the other."""
    given = list(decided)

    def found(_action):
        one = given.pop(0) if len(given) > 1 else given[0]
        return FoundReview("t", one)

    return found


SHIP = Review("final", "opus", "SHIP")
REVISE = Review("final", "opus", "REVISE", blocking=(LEAK,))


def played(run, children=None, branch=WHOLE, reviewed=SHIP, granted=Granted()):  # noqa: B008 - frozen
    names = iter(f"FINAL-{number}" for number in range(1, 99))
    given = {
        RunChild: by_name(**(children or {})),
        LookAtBranch: branch,
        FindReview: reviewed if callable(reviewed) else reviews(reviewed),
        RecordReview: lambda action: action.review,
        AddFixingTask: lambda _action: AddedTask(next(names)),
        AwaitPeople: Done(),
        GiveUp: granted,
    }
    return play(spec_loop(run), given)


def parts(actions):
    return [action.part for action in actions if isinstance(action, RunChild)]


def found(actions, kind):
    return [action for action in actions if isinstance(action, kind)]


class TestFailures:
    def test_a_failed_task_leaves_out_those_that_depend_on_it(self):
        run = spec("A", "B", "C", after={"B": ("A",)})
        actions, verdict = played(run, {"A": ended("max_iterations", "not done after 5 iterations", 1)})
        assert verdict == Failed("2 of 3 tasks not done: A: not done after 5 iterations; B: it depends on A")
        assert parts(actions) == ["A", "C"]

    def test_with_on_failure_stop_nothing_more_begins(self):
        actions, verdict = played(spec("A", "B", "C", on_failure="stop"), {"A": ended("failed", "broken")})
        assert isinstance(verdict, Failed)
        assert verdict.why.startswith("A: broken. Nothing more was begun")
        assert parts(actions) == ["A"]

    def test_gone_on_with_it_begins_what_failed_and_what_was_left_out(self):
        run = spec("A", "B", on_failure="stop")
        actions, verdict = played(run, {"A": [ended("failed"), verified()]}, granted=[GO_ON, Granted()])
        assert isinstance(verdict, Verified)
        assert parts(actions) == ["A", "A", "B"]

    def test_a_budget_ends_the_spec(self):
        _, verdict = played(spec("A", "B"), {"A": ended("budget", "the budget is spent", 4)})
        assert verdict == EndedBy("budget", "A: the budget is spent", 4)


class TestPeople:
    BLOCKED = ended("blocked", "A: a person must approve: 1. it looks good.", 3)

    def test_all_else_is_done_before_the_spec_waits(self):
        run = spec("A", "B", "C", after={"B": ("A",)})
        actions, verdict = played(run, {"A": [self.BLOCKED, verified()]})
        assert isinstance(verdict, Verified)
        assert parts(actions) == ["A", "C", "A", "B"]
        [waited] = found(actions, AwaitPeople)
        assert waited.why == "A: a person must approve: 1. it looks good."
        assert not given_up(actions)

    def test_what_is_still_not_approved_is_waited_for_again(self):
        actions, _ = played(spec("A"), {"A": [self.BLOCKED, self.BLOCKED, verified()]})
        assert [action.again for action in found(actions, AwaitPeople)] == [0, 1]

    def test_a_failure_beside_it_is_the_end(self):
        _, verdict = played(spec("A", "B"), {"A": self.BLOCKED, "B": ended("failed", "broken")})
        assert isinstance(verdict, Failed)
        assert "B: broken" in verdict.why


class TestFinalReview:
    def test_the_whole_branch_is_reviewed_after_the_last_task(self):
        actions, verdict = played(spec("A", final=final()))
        assert verdict == Verified(1, "checked")
        [looked] = found(actions, FindReview)
        assert (looked.base, looked.commit, looked.by) == ("b0", "tip", FINAL)
        assert isinstance(actions[0], RunChild)

    @pytest.mark.parametrize("branch", [replace(WHOLE, open=("D",)), replace(WHOLE, tip="b0")])
    def test_there_is_none_while_a_task_is_open_or_nothing_has_changed(self, branch):
        actions, verdict = played(spec("A", final=final()), branch=branch)
        assert isinstance(verdict, Verified)
        assert not found(actions, FindReview)

    def test_nothing_is_reviewed_where_tasks_failed(self):
        actions, _ = played(spec("A", final=final()), {"A": ended("failed")})
        assert not found(actions, LookAtBranch)

    def test_what_it_finds_becomes_a_task_that_is_run_like_any_chunk(self):
        actions, verdict = played(spec("A", final=final()), reviewed=reviews(REVISE, SHIP))
        assert isinstance(verdict, Verified)
        assert parts(actions) == ["A", "FINAL-1"]
        [added] = found(actions, AddFixingTask)
        assert added.relevant_files == ("a.py",)
        fixing = msgspec.convert(found(actions, RunChild)[1].loop, ChunkRun)
        assert fixing.task.id == "FINAL-1"
        assert "a.py:3-4: Close the file in a.py." in fixing.task.description
        assert fixing.relevant_files == ("a.py",)

    def test_after_the_last_round_the_spec_fails_with_the_findings(self):
        actions, verdict = played(spec("A", final=final()), reviewed=REVISE)
        assert isinstance(verdict, Failed)
        assert "after 2 tasks to fix what it found: a.py:3-4: it leaks" in verdict.why
        assert parts(actions) == ["A", "FINAL-1", "FINAL-2"]

    def test_gone_on_with_it_makes_one_more_task(self):
        actions, verdict = played(
            spec("A", final=final(rounds=1)), reviewed=reviews(REVISE, REVISE, SHIP), granted=[GO_ON, Granted()]
        )
        assert isinstance(verdict, Verified)
        assert parts(actions) == ["A", "FINAL-1", "FINAL-2"]

    def test_a_fixing_task_that_fails_ends_the_spec(self):
        _, verdict = played(
            spec("A", final=final()), {"FINAL_1": ended("max_iterations", "not done", 1)}, reviewed=reviews(REVISE)
        )
        assert verdict == EndedBy("max_iterations", "FINAL-1: not done", 1)

    def test_all_tasks_completed_before_leave_only_the_review(self):
        actions, verdict = played(spec(final=final()))
        assert verdict.reason.startswith("all tasks are completed, and the final review says SHIP")
        assert not parts(actions)
