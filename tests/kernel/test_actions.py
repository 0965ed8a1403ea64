"""What holds for every action of every family."""

import inspect
import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from choosing import action_types, chosen, result_of
from ralph.kernel.actions.agent import CommitMessage, Prompt, ReadCommitMessage, ReadPrompt, RunAgent, Said
from ralph.kernel.actions.base import describe
from ralph.kernel.actions.checks import (
    Answer,
    AskModel,
    Change,
    ReadChange,
    Recorded,
    RecordEvidence,
    Rules,
    RunCheck,
)
from ralph.kernel.actions.commands import NoteUserChanges, RunCommand, RunScmTask, StageChanges, Staged, UserChanges
from ralph.kernel.actions.proof import (
    CanaryTrees,
    Composed,
    ExcuseFailure,
    Judged,
    JudgeTrials,
    TrialRef,
    Tried,
    TryCheck,
)
from ralph.kernel.actions.reviews import RecordReview, RunReviewer
from ralph.kernel.actions.stories import EditPlan
from ralph.kernel.actions.story_plan import WritePlanFile
from ralph.kernel.actions.supervise import LookForMarkers, Markers, PostMessage, Restart
from ralph.kernel.actions.tasks import Delivered, DeliverWork, OpenWorktree, Saved, SaveWork, SetUpWorktree, Worktree
from ralph.kernel.actions.waiting import ChildEnd, GiveUp, Granted, ReadSpent, RunChild, Wait, Waited
from ralph.kernel.stage_text import TaskText
from ralph.loop.perform import PERFORMERS, performer
from ralph.model.evidence import NOTHING, AgentReport, Evidence, Result
from ralph.model.projects import Located
from ralph.model.proof import Finding
from ralph.model.reviews import Review, ReviewBy
from ralph.model.rows import Line, parse_key
from ralph.model.verification import External, NamedCheck
from reviews import found

TYPES = action_types()
MAKE, LOOK = External("make"), NamedCheck("look", {}, "look")
TREES = Composed("base", "commit", "commit", "base")
LOOKED = TrialRef("base", "tree", "digest")
NAMING = {
    "iteration",
    "slug",
    "role",
    "retry",
    "shortened",
    "empty",
    "call",
    "again",
    "number",
    "when",
    "message_type",
}
"""The fields that any action may take its key from."""
NAMING_ONE_KIND = {
    RunChild: {"part"},
    ReadSpent: {"before"},
    # Which trial it is, and whether other checks ran first: two trials of one check are not the same.
    TryCheck: {"trial", "before"},
    # What was decided: a story may be approved at the cap and sent back in one iteration.
    EditPlan: {"what"},
    # Which of the two files it writes.
    WritePlanFile: {"document"},
    # How often the base was looked at.
    ExcuseFailure: {"base"},
}
every_type = pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.__name__)
a_choice = st.sampled_from(TYPES).flatmap(chosen)
SAID = Said("It is so.")
SEEN = Evidence("multi_stage", passed=True, reason="so")
PARTS = (
    Evidence("unit", passed=True, reason="yes"),
    Evidence("lint", passed=False, reason="no"),
    Evidence("types", passed=False, reason="maybe", required=False),
)
BY, TASK = ReviewBy("deep", "mine"), TaskText("T-1", "t")
SHIPPED = Review("deep", "mine", "SHIP", note="nothing blocking was named", stands=True)
TREE = Worktree("w", "w", "ralph/s--T-1", "c0ffee", "ralph/s")


def tag(kind):
    return str(kind.__struct_config__.tag)


def test_every_action_has_one_performer_and_every_performer_an_action():
    kinds = [tag(kind) for kind in TYPES]
    assert len(set(kinds)) == len(kinds)
    assert sorted(kinds) == sorted(PERFORMERS)


@every_type
def test_the_performer_takes_the_action_and_gives_its_result(kind):
    perform = performer(tag(kind))
    assert inspect.iscoroutinefunction(perform)
    first, _bench = inspect.signature(perform).parameters.values()
    assert first.annotation is kind
    assert inspect.signature(perform).return_annotation is kind.result
    assert issubclass(kind.result, Result)


@given(a_choice)
def test_an_action_is_written_as_what_it_is_and_says_what_goes_on(action):
    assert action.title
    written = msgspec.json.decode(msgspec.json.encode(action))
    assert written["do"] == action.kind
    assert msgspec.convert(written, type(action)) == action


@given(a_choice, st.data())
def test_a_result_is_read_as_it_was_written(action, data):
    result = data.draw(result_of(action))
    assert msgspec.json.decode(msgspec.json.encode(result), type=action.result) == result


@given(a_choice, st.data())
def test_every_action_can_be_put_into_words_with_and_without_a_result(action, data):
    result = data.draw(result_of(action))
    for line in (describe(action, None), describe(action, result)):
        assert isinstance(line, Line)
        assert isinstance(line.text, str)
    assert isinstance(result.complaint, str)
    assert result.spent.seconds >= 0


@given(a_choice, st.data())
def test_no_prose_stands_in_a_key(action, data):
    """Every field but those that name it may change, and it is still the same action of the run."""
    other = data.draw(chosen(type(action)))
    named = NAMING | NAMING_ONE_KIND.get(type(action), set())
    changes = {name: getattr(other, name) for name in action.__struct_fields__ if name not in named}
    assert replace(action, **changes).key == action.key


@every_type
def test_a_key_names_kind_and_iteration(kind):
    @settings(max_examples=10)
    @given(chosen(kind))
    def holds(action):
        assert parse_key(action.key)[:2] == (action.kind, action.iteration)
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", action.kind)

    holds()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (RunAgent(1, "p"), RunAgent(2, "p")),
        (AskModel(1, "judge", "q"), AskModel(1, "commit-message", "q")),
        (AskModel(1, "judge", "q", slug="a"), AskModel(1, "judge", "q", slug="b")),
        (AskModel(1, "judge", "q"), AskModel(1, "judge", "q", retry=1)),
        (RunCheck(1, "a", "a", LOOK), RunCheck(1, "a", "a_2", LOOK)),
        (ReadChange(1, "", "c0ffee", "beef", (), SAID, 9), ReadChange(1, "again-1", "c0ffee", "beef", (), SAID, 9)),
        (TryCheck(1, "commit", "a", "a", MAKE, "t"), TryCheck(1, "base", "a", "a", MAKE, "t")),
        (TryCheck(1, "base", "a", "a", MAKE, "t"), TryCheck(1, "base", "a", "a", MAKE, "t", number=2)),
        (TryCheck(1, "commit", "a", "a", MAKE, "t"), TryCheck(1, "commit", "a", "a", MAKE, "t", before=(MAKE,))),
        (
            ExcuseFailure(1, "a", "a", LOOKED, (LOOKED,), "strict", "no"),
            ExcuseFailure(1, "a", "a", LOOKED, (LOOKED,) * 3, "strict", "no"),
        ),
        (RecordEvidence(1, SEEN), RecordEvidence(1, SEEN, again=1)),
        (RunAgent(1, "p"), RunAgent(1, "p", retry=1)),
        (RunAgent(1, "p", retry=1), RunAgent(1, "p", again=1)),
        (RunAgent(1, "p"), RunAgent(1, "p", shortened=True)),
        (RunAgent(1, "p", shortened=True), RunAgent(1, "p", shortened=True, again=1)),
        (RunCommand(1, "a", "a"), RunCommand(1, "a", "a_2")),
        (RunScmTask(1, "git", "push", slug="push"), RunScmTask(1, "git", "push", slug="push_2")),
        (RunChild(1, "stage", "coder", {}), RunChild(1, "stage", "coder", {}, again=1)),
        (GiveUp(1, "why"), GiveUp(1, "why", again=1)),
        (PostMessage(1, Located("t"), "ERROR", "b", when="before"), PostMessage(1, Located("t"), "ERROR", "b")),
    ],
)
def test_what_is_not_the_same_has_another_key(one, other):
    assert one.key != other.key


def report(**fields):
    return AgentReport(**{"status": "ok", "reason": "it exited with code 0", "attempt_dir": "d", **fields})


def evidence(**fields):
    return Evidence(**{"check": "make test", "passed": True, "reason": "exit code 0", **fields})


@pytest.mark.parametrize(
    ("action", "result", "line"),
    [
        (RunAgent(1, "p"), None, Line("agent", "head")),
        (AskModel(1, "commit-message", "q"), None, Line("agent, commit message", "busy")),
        (AskModel(1, "commit-message", "q"), Answer(text="Do it"), Line()),
        (
            AskModel(1, "commit-message", "q"),
            Answer(reason="it exited with code 1"),
            Line("✗ no commit message: it exited with code 1", "bad"),
        ),
        (AskModel(1, "judge", "q"), None, Line("asking a model to judge", "busy")),
        (AskModel(1, "judge", "q"), Answer(duration=2, cost_usd=0.5), Line("· a model has judged · 2.0s · $0.5")),
        (AskModel(1, "judge", "q"), Answer(reason="429"), Line("✗ no judgement: 429", "bad")),
        (
            RunAgent(1, "p"),
            report(duration=62, cost_usd=0.5, tools=3),
            Line("✓ the agent has finished · 1m2s · $0.5 · 3 tools", "ok"),
        ),
        (
            RunAgent(1, "p"),
            report(status="failed", reason="it exited with code 1"),
            Line("✗ the agent failed: it exited with code 1 · 0.0s", "bad"),
        ),
        (RunCommand(1, "make test", "make_test"), None, Line("guardrail make test", "step")),
        (
            RunCommand(1, "make test", "make_test"),
            evidence(duration=2),
            Line("✓ guardrail make test: exit code 0 (2.0s)", "ok"),
        ),
        (
            RunCommand(1, "make test", "make_test", "PREPEND"),
            evidence(passed=False, reason="exit code 2", output_end="a\nb", log="the.log", kept_log="kept.log"),
            Line("✗ guardrail make test: exit code 2 (0.0s) → PREPEND\n    a\n    b\n    see kept.log", "bad"),
        ),
        (
            RunAgent(1, "p"),
            report(status="failed", reason="it exited with code 1: bye", complaint_tail="no key\n\nbye\n"),
            Line(
                "✗ the agent failed: it exited with code 1: bye · 0.0s\n    no key\n    bye\n    see d/stderr.log",
                "bad",
            ),
        ),
        (StageChanges(1, "git"), Staged(pending=False), Line("· nothing to commit")),
        (
            StageChanges(1, "git"),
            Staged(pending=True, paths=("a", "b"), shared=("b",)),
            Line("! the commit also has what you changed before the run in b: the agent changed it too", "warn"),
        ),
        (
            NoteUserChanges(0, "git"),
            UserChanges("h", "t", ("a", "b"), 5),
            Line("· commits leave out what you changed before the run: a, b and 3 more"),
        ),
        (ReadCommitMessage(1, Said("x")), CommitMessage("", "no words"), Line("✗ no commit message: no words", "bad")),
        (RunCheck(1, "unit", "unit", LOOK), None, Line("check unit", "step")),
        (
            RunCheck(1, "unit", "unit", LOOK),
            evidence(reason="exit code 0, as expected", duration=2),
            Line("✓ unit: exit code 0, as expected (2.0s)", "ok"),
        ),
        (
            RunCheck(1, "unit", "unit", LOOK),
            evidence(passed=False, reason="exit code 2, expected 0"),
            Line("✗ unit: exit code 2, expected 0 (0.0s)", "bad"),
        ),
        (
            RunCheck(1, "unit", "unit", LOOK, required=False),
            evidence(passed=False, reason="exit code 2, expected 0"),
            Line("! unit: exit code 2, expected 0 (0.0s)", "warn"),
        ),
        (AskModel(1, "review", "q"), None, Line("asking a model to review", "busy")),
        (AskModel(1, "review", "q"), Answer(duration=2), Line("· a model has reviewed · 2.0s")),
        (AskModel(1, "review", "q"), Answer(reason="429"), Line("✗ no review: 429", "bad")),
        (
            AskModel(1, "review", "q"),
            Answer(duration=2, touched=("a.py", "b.py")),
            Line("· a model has reviewed · 2.0s\n  ! it wrote into its checkout, which was discarded: a.py", "warn"),
        ),
        (RunReviewer(1, "deep", BY, TASK, "b", "c", ()), None, Line("deep review by mine", "step")),
        (
            RunReviewer(1, "deep", BY, TASK, "b", "c", ()),
            Answer(reason="exit code 3"),
            Line("✗ no review by mine: exit code 3", "bad"),
        ),
        (
            RecordReview(1, "deep", BY, TASK, SHIPPED),
            SHIPPED,
            Line("✓ deep review by mine: SHIP (nothing blocking was named; as before, the files are unchanged)", "ok"),
        ),
        (
            RecordReview(1, "final", replace(BY, tier="final", name="My own"), TASK, SHIPPED),
            Review("final", "mine", "REVISE", blocking=(found(id="F1"),), stubborn=("F1",)),
            Line(
                "✗ final review by My own: REVISE: 1 finding to fix\n"
                "  ✗ F1 medium race_condition in src/auth.py:3-4: The check is stale when the value is used\n"
                "  ! not fixed twice: F1",
                "bad",
            ),
        ),
        (
            RecordReview(1, "deep", BY, TASK, SHIPPED),
            Review("deep", "mine", problem="it exited with code 3"),
            Line("✗ deep review by mine: no decision: it exited with code 3", "bad"),
        ),
        (
            RecordReview(1, "deep", BY, TASK, SHIPPED),
            Review(
                "deep",
                "mine",
                "REVISE",
                blocking=(found(id="F1"),),
                recorded=(found(severity="low", passed_over="its severity is low"),),
                unseen=("huge.bin",),
                stubborn=("F1",),
            ),
            Line(
                "✗ deep review by mine: REVISE: 1 finding to fix\n"
                "  ✗ F1 medium race_condition in src/auth.py:3-4: The check is stale when the value is used\n"
                "  · low race_condition in src/auth.py:3-4: The check is stale when the value is used"
                " (its severity is low)\n"
                "  ! not seen: huge.bin\n"
                "  ! not fixed twice: F1. The next attempt keeps the work",
                "bad",
            ),
        ),
        (ReadChange(1, "", "c0ffee", "beef", (), SAID, 9), Change(), Line()),
        (
            ReadChange(1, "", "c0ffee", "beef", ("TODO",), SAID, 9),
            Change('found the negative pattern "TODO" in a.py:2'),
            Line('✗ found the negative pattern "TODO" in a.py:2', "bad"),
        ),
        (TryCheck(1, "base", "unit", "unit", MAKE, "t"), None, Line("trial on the base: unit", "busy")),
        (
            TryCheck(1, "commit", "unit", "unit", MAKE, "t"),
            Tried(passed=False, reason="exit code 1", duration=2, runners=("pytest",), tests=3, failed=1),
            Line("· trial on a clean checkout: unit fails: exit code 1, 3 tests, 1 failed (2.0s)"),
        ),
        (
            TryCheck(1, "base", "unit", "unit", MAKE, "t"),
            Tried(passed=True, reason="exit code 0, as expected", duration=2, cached=True),
            Line("· trial on the base: unit passes: exit code 0 (as before)"),
        ),
        (
            TryCheck(1, "canary", "unit", "unit", MAKE, "t"),
            Tried(passed=False, reason="exit code 1, expected 0", duration=2, runners=("pytest",), tests=7, failed=7),
            Line("· trial with tests that must fail: unit fails: exit code 1, 7 tests, 7 failed (2.0s)"),
        ),
        (
            JudgeTrials(1, "unit", "unit", TREES, (), CanaryTrees(), Rules()),
            Judged((Finding("gone", "block", "test_a is gone", "tests/test_a.py", 3),), left_out=("base: too slow",)),
            Line("✗ unit: does not hold\n  ✗ tests/test_a.py:3: test_a is gone\n  · not tried: base: too slow", "bad"),
        ),
        (JudgeTrials(1, "unit", "unit", TREES, (), CanaryTrees(), Rules()), Judged(), Line()),
        (
            RecordEvidence(1, SEEN),
            Recorded("multi_stage", passed=False, reason="lint: no", duration=3, parts=PARTS),
            Line("✗ multi_stage: lint: no (3.0s)\n  ✓ unit: yes\n  ✗ lint: no\n  ! types: maybe", "bad"),
        ),
        (ReadPrompt(1), Prompt(), Line()),
        (ReadPrompt(1), Prompt(guidance=("Mind the API.",), seen=3), Line("· guided: Mind the API.", "warn")),
        (SaveWork(1, "m"), Saved("c0ffee1234", "t", changed=True), Line("· committed as c0ffee12")),
        (SaveWork(1, "m"), Saved("c0ffee1234", "t", changed=False), Line()),
        (OpenWorktree(0, "s", "T-1"), TREE, Line("· worktree w on ralph/s--T-1")),
        (SetUpWorktree(0, TREE), evidence(check="init"), Line()),
        (DeliverWork(1, TREE, "T-1", "m"), Delivered("abcdef123456"), Line("· delivered as abcdef12 on ralph/s")),
        (DeliverWork(1, TREE, "T-1", "m"), Delivered("", "a conflict"), Line("✗ not delivered: a conflict", "bad")),
        (Wait(1, 60, None, "429"), None, Line("⏳ 429: waiting, not counted as an iteration", "warn")),
        (Wait(1, 60, None, "429"), Waited(61), Line("· waited 1m1s: 429")),
        (GiveUp(3, "not done"), Granted(), Line()),
        (GiveUp(3, "not done"), Granted(go_on=True), Line("· continued by a person", "warn")),
        (
            RunChild(1, "stage", "coder", {}),
            ChildEnd("r.coder", "verified", "proven done after 1 iteration", 0, 1),
            Line("✓ stage coder: verified: proven done after 1 iteration · r.coder", "ok"),
        ),
        (LookForMarkers(1, Located("t"), ""), Markers(problem="it is gone"), Line()),
        (Restart(1, Located("t"), "INFO", "restarting", 1.0), None, Line("· restarting", "quiet")),
        (Restart(1, Located("t"), "INFO", "restarting", 1.0), Waited(1), Line()),
        (Restart(1, Located("t"), "WARNING", "restarting", 0), Waited(0), Line("· restarting", "warn")),
        (PostMessage(1, Located("t"), "ERROR", "too many"), None, Line("✗ too many", "bad")),
    ],
)
def test_the_words_on_every_screen(action, result, line):
    assert describe(action, result) == line


def test_a_wait_says_when_it_ends():
    assert Wait(1, 60, None, "429").until(1000.0) == 1060.0
    assert Wait(1, 60, 5000.0, "429").until(1000.0) == 5000.0
    assert Restart(1, Located("t"), "INFO", "b", 5.0).until(1000.0) == 1005.0
    assert RunAgent(1, "p").until(1000.0) is None


def test_a_restart_without_a_delay_is_no_effect_that_must_be_on_disk_first():
    assert Restart(1, Located("t"), "INFO", "b", 1.0).effect
    assert not Restart(1, Located("t"), "INFO", "b", 0).effect


def test_a_result_says_what_was_spent_and_what_is_wrong():
    assert report(cost_usd=0.5, duration=3).spent.usd == 0.5
    assert evidence(passed=False, reason="exit code 1").complaint == "make test: exit code 1"
    assert ChildEnd("r.a", "failed", "because", 9).complaint == "because"
    assert ChildEnd("r.a", "verified", "done", 0).complaint == ""
    assert Waited(5).spent.seconds == 5
    assert Answer(cost_usd=0.5, duration=3).spent.usd == 0.5
    assert Answer(reason="429").complaint == "429"


def test_what_a_verification_spent_stands_with_its_parts_and_not_once_more_with_the_whole():
    whole = Recorded("multi_stage", passed=False, reason="no", duration=3)
    assert (whole.spent, whole.complaint) == (NOTHING, "multi_stage: no")
