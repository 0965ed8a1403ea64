"""Resume is replay: whatever the moment of a crash, a new generator comes to the same end."""

import asyncio
from contextlib import closing, contextmanager

import pytest
from msgspec.structs import replace

from playing import CLAIMED, UNCLAIMED, WORKED, crashed, failed, passed, play
from ralph.kernel.actions import ReadPrompt, ReadResponse, RunAgent, RunCommand
from ralph.kernel.limits import Budget, within
from ralph.kernel.recipes.prompt import Guardrail, PromptRun, Scm, prompt_loop
from ralph.loop.drive import drive
from ralph.loop.stop import Stop
from ralph.model.errors import AgentUnusable, Cancelled, StateError
from ralph.model.events import Tokens
from ralph.model.verdicts import BudgetSpent, Verified
from ralph.store import schema
from ralph.store.database import connect, transaction
from ralph.store.journal import Ended, Journal, entries
from ralph.store.runs import begin_run

GUARDRAIL = Guardrail("make test", "PREPEND", "Fix it.")
RUN = PromptRun(limit=9, completion="DONE", file="p.md", guardrails=(GUARDRAIL,), scm=Scm("git", ("commit", "push")))
PAID = replace(WORKED, cost_usd=0.5, tokens=Tokens(10, 5))
LONG = "A prompt too long to stand in the journal's own table. " * 200
SCENARIO = {
    # A crash, a failed guardrail, an iteration without a claim, and the end: with all kinds of actions.
    ReadPrompt: [LONG, LONG, "short", "short"],
    RunAgent: [crashed(tail="boom"), PAID, PAID, replace(PAID, tail="message"), PAID, replace(PAID, tail="message")],
    RunCommand: [failed(output="x" * 6000), passed(), passed()],
    ReadResponse: [UNCLAIMED, CLAIMED],
}


def recording(recipe, results):
    """The recipe, and each result that passes through to it."""
    result = None
    while True:
        try:
            action = recipe.send(result)
        except StopIteration as end:
            return end.value
        result = yield action
        results.append(result)


RESULTS = []
ACTIONS, VERDICT = play(recording(prompt_loop(RUN), RESULTS), SCENARIO)


class Killed(BaseException):
    """As a signal that cannot be caught: nothing below may handle it."""


class World:
    """Gives each action its result, however often and in however many processes it is performed."""

    def __init__(self, tmp_path):
        self._environ = {"RALPH_HOME": str(tmp_path)}
        self.performed = []
        with self.connection() as connection:
            self.run_id = begin_run(connection, recipe="prompt", version=1, project="/p", options={}).id

    @contextmanager
    def connection(self):
        with closing(connect(self._environ)) as connection:
            yield connection
        connection.engine.dispose()

    def drive(self, recipe=None, *, dies_in=None, dies_after=None, stop=None):
        """As one process: it may die in the middle of an action, or between two."""

        async def perform(action, seq, _attempt):
            self.performed.append(seq)
            if seq == dies_in:
                raise Killed
            assert action == ACTIONS[seq - 1]
            return RESULTS[seq - 1]

        def heard(record):
            if isinstance(record, Ended) and not record.replayed and record.seq == dies_after:
                raise Killed

        async def run():
            with self.connection() as connection:
                self.journal = Journal(connection, self.run_id)
                self.journal.listen(heard)
                verdict = await drive(recipe or prompt_loop(RUN), self.journal, perform, stop or Stop())
                self.journal.flush()
                return verdict

        return asyncio.run(run())

    def dies(self, **when):
        with pytest.raises(Killed):
            self.drive(**when)

    def entries(self):
        with self.connection() as connection:
            return entries(connection, self.run_id)

    def cut_after(self, seq):
        with self.connection() as connection, transaction(connection):
            connection.execute(schema.journal.delete().where(schema.journal.c.seq > seq))


every_action = pytest.mark.parametrize(
    "seq",
    range(1, len(ACTIONS) + 1),
    ids=[f"{n}-{action.__struct_config__.tag}" for n, action in enumerate(ACTIONS, 1)],
)


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def test_the_scenario_has_every_kind_of_action():
    kinds = {"read-prompt", "run-agent", "run-command", "read-response", "read-commit-message", "stage-changes"}
    assert {action.__struct_config__.tag for action in ACTIONS} == {*kinds, "run-scm-task"}
    assert Verified(4) == VERDICT


def first_unwritten(seq):
    """Ends reach the disk with the next start of an action with effects; a pure read has no start on disk."""
    return max((n for n in range(1, seq + 1) if ACTIONS[n - 1].effect), default=1)


@every_action
def test_a_crash_in_the_middle_of_an_action_repeats_one_action_with_effects_at_most(world, seq):
    world.dies(dies_in=seq)
    world.performed.clear()
    assert world.drive() == VERDICT
    first = first_unwritten(seq)
    assert world.performed == list(range(first, len(ACTIONS) + 1))
    attempts = {entry.seq: entry.attempt for entry in world.entries()}
    assert attempts == {n: 2 if n == first and ACTIONS[n - 1].effect else 1 for n in range(1, len(ACTIONS) + 1)}


@every_action
def test_a_crash_between_two_actions_ends_the_same(world, seq):
    world.dies(dies_after=seq)
    assert world.drive() == VERDICT


@every_action
def test_a_journal_cut_after_any_entry_leads_to_the_same_verdict(world, seq):
    world.drive()
    world.cut_after(seq)
    world.performed.clear()
    assert world.drive() == VERDICT
    assert world.performed == list(range(seq + 1, len(ACTIONS) + 1))


@every_action
def test_cost_tokens_and_iterations_survive(world, seq):
    world.dies(dies_in=seq)
    world.drive()
    assert (world.journal.cost_usd, world.journal.tokens, world.journal.iterations) == (2.5, Tokens(50, 25), 4)


def test_a_crash_in_every_single_action_of_one_run_ends_the_same(world):
    for seq in range(1, len(ACTIONS) + 1):
        world.dies(dies_in=seq)
    assert world.drive() == VERDICT
    killed = [entry for entry in world.entries() if entry.ended_at is None]
    assert len(killed) == sum(1 for n in range(1, len(ACTIONS) + 1) if ACTIONS[first_unwritten(n) - 1].effect)


def test_a_complete_journal_is_replayed_without_performing_anything(world):
    world.drive()
    before = world.entries()
    world.performed.clear()
    assert world.drive() == VERDICT
    assert world.performed == []
    assert world.entries() == before


def test_a_budget_counts_what_was_spent_before_the_crash(world):
    budget = Budget(usd=1.2)
    world.dies(recipe=within(budget, prompt_loop(RUN)), dies_in=9)
    assert world.drive(within(budget, prompt_loop(RUN))) == BudgetSpent("USD", 1.5, 1.2)


@pytest.mark.parametrize(
    ("change", "seq"),
    [({"file": "other.md"}, 1), ({"count": True}, 2), ({"guardrails": (Guardrail("make lint"),)}, 5)],
)
def test_a_journal_that_does_not_fit_the_recipe_offers_a_retry(world, change, seq):
    world.drive()
    world.performed.clear()
    with pytest.raises(StateError, match=rf"does not fit: at step {seq} .*ralph retry {world.run_id}") as caught:
        world.drive(prompt_loop(replace(RUN, **change)))
    assert caught.value.exit_code == 9
    assert world.performed == []


def test_an_action_that_could_not_be_performed_is_noted_and_made_again(world):
    async def perform(action, seq, attempt):
        raise AgentUnusable("claude is not on PATH.")

    async def run():
        with world.connection() as connection:
            journal = Journal(connection, world.run_id)
            with pytest.raises(AgentUnusable):
                await drive(prompt_loop(replace(RUN, file=None, prompt=LONG)), journal, perform, Stop())
            journal.flush()

    asyncio.run(run())
    (entry,) = world.entries()
    assert (entry.error, entry.result) == ("claude is not on PATH.", None)
    assert entry.ended_at is not None


def test_a_stop_lets_the_replay_pass_and_begins_nothing_new(world):
    world.dies(dies_in=5)
    stop = Stop()
    stop.requested = "SIGTERM"
    world.performed.clear()
    with pytest.raises(Cancelled, match="stopped by SIGTERM"):
        world.drive(stop=stop)
    assert world.performed == []
    assert world.drive() == VERDICT
