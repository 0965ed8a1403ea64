"""Resume is replay by key: whatever the moment of a crash, a new generator comes to the same end."""

import msgspec
import pytest
from msgspec.structs import replace

from driving import Killed, actions_in_a_row, dying_after
from playing import CLAIMED, UNCLAIMED, WORKED, crashed, failed, passed, play_all, tried
from ralph.kernel.actions.agent import Prompt, ReadPrompt, ReadResponse, RunAgent
from ralph.kernel.actions.checks import Answer, AskModel, Rules
from ralph.kernel.actions.commands import RunCommand, Staged
from ralph.kernel.actions.proof import (
    CanaryTrees,
    ComposeCanary,
    Excused,
    ExcuseFailure,
    Snapshot,
    TakeSnapshot,
    TryCheck,
)
from ralph.kernel.actions.waiting import SpentSoFar
from ralph.kernel.budget import Budget, within
from ralph.kernel.prompt_options import Guardrail, PromptRun, ScmTasks
from ralph.kernel.recipes.prompt import prompt_loop
from ralph.loop.stop import Stop
from ralph.model.errors import AgentUnusable, Cancelled, StateError
from ralph.model.events import Tokens
from ralph.model.projects import Located
from ralph.model.verdicts import BudgetSpent, Verified
from ralph.store.journal import check_chain
from ralph.store.runs import spent_by

GUARDRAIL = Guardrail("make test", "PREPEND", "Fix it.")
PROMPT = PromptRun(
    limit=9,
    completion="DONE",
    file=Located("p.md"),
    guardrails=(GUARDRAIL,),
    scm=ScmTasks("git", ("commit", "push")),
    rules=Rules(protected=("LICENSE",)),
)
PAID = replace(WORKED, cost_usd=0.5, tokens=Tokens(10, 5))
LONG = Prompt("A prompt too long to stand in the journal's own table. " * 200)
GUIDED = "Mind the API."
SCENARIO = {
    # A crash, a person's word, a failed guardrail, an iteration without a claim, a claim that holds since the test that
    # fails on a clean checkout is flaky: with all kinds of actions.
    ReadPrompt: [LONG, replace(LONG, guidance=(GUIDED,), seen=7), Prompt("short", seen=7), Prompt("short", seen=7)],
    RunAgent: [crashed(tail="boom"), *[PAID] * 5],
    AskModel: Answer(text="Do it", cost_usd=0.5, tokens=Tokens(10, 5)),
    RunCommand: [failed(output="x" * 6000), passed(), passed()],
    ReadResponse: [UNCLAIMED, CLAIMED],
    TakeSnapshot: [Snapshot("the-start"), Snapshot("the-work")],
    TryCheck: lambda action: tried(action, passed=action.trial == "base", tests=2, duration=1.0),
    ExcuseFailure: [Excused("test_a fails", is_suspect=True), Excused()],
    ComposeCanary: CanaryTrees("the-canary", must_fail=("test_canary",)),
}


def recording(recipe, results):
    """The recipe, and each result that passes through to it, by the key of its action."""
    result = None
    while True:
        try:
            action = recipe.send(result)
        except StopIteration as end:
            return end.value
        result = yield action
        results[action.key] = result


RESULTS = {}
ACTIONS, VERDICT = play_all(recording(prompt_loop(PROMPT), RESULTS), SCENARIO)
KEYS = [action.key for action in ACTIONS]
every_action = pytest.mark.parametrize("seq", range(len(ACTIONS)), ids=KEYS)


@pytest.fixture
def world(world):
    world.results = RESULTS
    return world


def loop(**changes):
    return prompt_loop(replace(PROMPT, **changes))


def first_unwritten(seq):
    """Ends reach the disk with the next start of an action with effects; a pure read has no start on disk."""
    return max((n for n in range(seq + 1) if ACTIONS[n].effect), default=0)


def attempts(world):
    """How often each action was ended, and under which attempt."""
    return {row.key: row.attempt for row in world.rows if row.what == "ended"}


def test_the_scenario_has_every_kind_of_action():
    work = {
        "read-prompt",
        "run-agent",
        "restore-protected",
        "run-command",
        "read-response",
        "feedback",
    }
    scm = {"note-user-changes", "stage-changes", "ask-model", "read-commit-message", "run-scm-task"}
    proof = {"take-snapshot", "try-check", "excuse-failure", "compose-trees", "compose-canary", "judge-trials"}
    assert {action.kind for action in ACTIONS} == work | scm | proof | {"verify", "write-proof"}
    assert Verified(4, "checked") == VERDICT


@every_action
def test_a_crash_in_the_middle_of_an_action_repeats_one_action_with_effects_at_most(world, seq):
    world.dies(loop(), dying_in=KEYS[seq])
    assert world.drive(loop()) == VERDICT
    first = first_unwritten(seq)
    assert world.performed == KEYS[first:]
    again = KEYS[first] if ACTIONS[first].effect else None
    assert attempts(world) == {key: 2 if key == again else 1 for key in KEYS}


@every_action
def test_a_crash_between_two_actions_ends_the_same(world, seq):
    world.dies(dying_after(loop(), KEYS[seq]))
    assert world.drive(loop()) == VERDICT
    assert world.performed == KEYS[first_unwritten(seq) :]


@every_action
def test_cost_tokens_and_iterations_survive(world, seq):
    world.dies(loop(), dying_in=KEYS[seq])
    world.drive(loop())
    assert (world.journal.spent.usd, world.journal.spent.tokens, world.journal.iterations) == (2.5, Tokens(50, 25), 4)
    assert (world.run.cost_usd, world.run.iterations) == (2.5, 4)


@every_action
def test_a_persons_word_stands_in_the_prompt_of_one_call_only(world, seq):
    world.dies(loop(), dying_in=KEYS[seq])
    world.drive(loop())
    calls = [row for row in world.rows if row.what == "begun" and row.name.kind == "run-agent"]
    told = {row.key: GUIDED in msgspec.json.decode(row.body)["prompt"] for row in calls}
    assert told == {f"run-agent/{number}": number == 2 for number in range(1, 5)}


def test_a_journal_cut_after_any_row_leads_to_the_same_verdict(world):
    world.drive(loop())
    rows = world.rows
    for last in reversed(rows[1:]):
        world.cut_after(last.n)
        done = {row.key for row in rows if row.what == "ended" and row.n <= last.n}
        assert world.drive(loop()) == VERDICT
        assert world.performed == [key for key in KEYS if key not in done]
        world.cut_after(last.n)


def test_a_crash_in_every_single_action_of_one_run_ends_the_same(world):
    for key in KEYS:
        world.dies(loop(), dying_in=key)
    assert world.drive(loop()) == VERDICT
    begun = [row for row in world.rows if row.what == "begun"]
    # Killed in itself, and in each read behind it.
    dead = sum(1 for seq in range(len(ACTIONS)) if ACTIONS[first_unwritten(seq)].effect)
    assert len(begun) == dead + sum(action.effect for action in ACTIONS)
    assert len(world.keys("taken")) == len(KEYS) + 1
    assert check_chain(world.store, world.run.id) == len(world.rows)


def test_no_earlier_row_is_ever_changed(world):
    seen = []
    for key in KEYS:
        world.dies(loop(), dying_in=key)
        assert world.rows[: len(seen)] == seen
        seen = world.rows
    world.drive(loop())
    assert world.rows[: len(seen)] == seen


def test_a_complete_journal_is_replayed_without_performing_anything(world):
    world.drive(loop())
    before = world.rows
    assert world.drive(loop()) == VERDICT
    assert world.performed == []
    # Whoever takes a run says so, and nothing else is new.
    assert [row.what for row in world.rows[len(before) :]] == ["taken"]


def test_a_budget_counts_what_was_spent_before_the_crash(world):
    async def perform(begun):
        world.performed.append(begun.key)
        if begun.key == dying_in:
            raise Killed
        if begun.action.kind == "read-spent":
            world.journal.flush()
            spent = spent_by(world.store, world.run.id)
            return SpentSoFar(spent.usd or 0.0, spent.tokens.total, spent.seconds)
        return RESULTS.get(begun.key) or SpentSoFar()

    recipe, dying_in = within(Budget(usd=1.2), loop()), "read-prompt/4"
    with pytest.raises(Killed):
        world.drive(recipe, perform=perform)
    world.its_process_died()
    dying_in = ""
    with pytest.raises(StopAsking):
        world.drive(asking_up_to(within(Budget(usd=1.2), loop()), "give-up"), perform=perform)
    assert [key for key in world.performed if key.startswith("run-agent/4")] == []


class StopAsking(Exception):
    pass


def asking_up_to(recipe, kind):
    """The recipe, until it asks for an action of this kind."""
    result = None
    while True:
        action = recipe.send(result)
        if action.kind == kind:
            assert action.why == BudgetSpent("USD", 1.5, 1.2).reason
            raise StopAsking
        result = yield action


@pytest.mark.parametrize(
    "changes",
    [
        {"file": Located("other.md")},
        {"count": True},
        {"limit": 4},
        {"guardrails": (Guardrail("make test", "APPEND", "Another hint."),)},
    ],
    ids=["another file", "other words", "another limit", "another hint"],
)
def test_a_reworded_recipe_goes_on_where_it_was(world, changes):
    world.dies(loop(), dying_in=KEYS[-1])
    assert world.drive(loop(**changes)) == VERDICT
    assert world.performed == KEYS[first_unwritten(len(KEYS) - 1) :]


def test_one_more_action_is_performed_where_an_older_recipe_had_none(world):
    """The guardrail is new: it is run for the iterations of before, too, and nothing else is done again."""
    second = {"stage-changes/2": Staged(pending=False), "run-scm-task/2/push": passed(), "read-response/2": UNCLAIMED}
    world.results = {**RESULTS, **second}
    world.dies(loop(guardrails=()), dying_in="run-agent/4")
    assert world.drive(loop()) == VERDICT
    rails = [key for key in KEYS if key.startswith("run-command")]
    assert world.performed[:3] == [rails[0], "feedback/2", rails[1]]
    assert world.performed[3:] == KEYS[KEYS.index("run-agent/4") :]


def test_one_action_less_leaves_its_result_unused(world):
    world.dies(loop(), dying_in="run-agent/3")
    # What proves the claim of the fourth iteration proves that of the third.
    third = {key.replace("/4", "/3"): result for key, result in RESULTS.items() if "/4" in key}
    world.results = {**third, **RESULTS, "read-response/3": CLAIMED}
    assert world.drive(loop(scm=None)) == Verified(3, "checked")
    assert "run-agent/2" not in world.performed


def test_a_result_that_this_ralph_cannot_read_offers_a_retry(world):
    world.drive(actions_in_a_row(RunCommand(1, "make", "make")), perform=_gives(passed()))

    class Other(RunCommand, frozen=True, tag="run-command"):
        result = type(WORKED)

    with pytest.raises(StateError, match=r"cannot read the result of run-command/1/make.*ralph retry r"):
        world.drive(actions_in_a_row(Other(1, "make", "make")))
    assert world.performed == []


def _gives(result):
    async def perform(_begun):
        return result

    return perform


def test_a_key_that_is_asked_for_twice_is_an_error(world):
    twice = RunAgent(1, "some words")
    with pytest.raises(StateError, match=r"asked twice for one of run-agent/1.*a bug in ralph"):
        world.drive(actions_in_a_row(twice, RunAgent(1, "other words")), perform=_gives(WORKED))
    assert world.keys("begun") == ["run-agent/1"]


def test_a_key_that_is_asked_for_twice_is_an_error_in_a_replay_too(world):
    world.drive(actions_in_a_row(RunAgent(1, "p")), perform=_gives(WORKED))
    with pytest.raises(StateError, match="asked twice"):
        world.drive(actions_in_a_row(RunAgent(1, "p"), RunAgent(1, "p")), perform=_gives(WORKED))


def test_an_action_that_could_not_be_performed_is_noted_and_made_again(world):
    async def perform(begun):
        if begun.action.kind == "run-agent":
            raise AgentUnusable("claude is not on PATH.")
        return RESULTS[begun.key]

    with pytest.raises(AgentUnusable):
        world.drive(loop(), perform=perform)
    world.journal.flush()
    world.its_process_died()
    [row] = [row for row in world.rows if row.what == "failed"]
    assert (row.key, row.attempt, row.line) == ("run-agent/1", 1, "✗ agent: claude is not on PATH.")
    assert world.run.last_reason == "claude is not on PATH."
    assert world.drive(loop()) == VERDICT
    assert attempts(world)["run-agent/1"] == 2
    assert len([row for row in world.rows if row.what == "failed"]) == 1


def test_a_stop_lets_the_replay_pass_and_begins_nothing_new(world):
    world.dies(loop(), dying_in=KEYS[5])
    stop = Stop()
    stop.requested = "SIGTERM"
    with pytest.raises(Cancelled, match="stopped by SIGTERM"):
        world.drive(loop(), stop=stop)
    assert world.performed == []
    world.its_process_died()
    assert world.drive(loop()) == VERDICT
