"""What calls of agents and models have cost, and for what they were made."""

import json

from msgspec.structs import replace

from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.checks import Answer, AskModel, Recorded, RecordEvidence
from ralph.model.events import Tokens
from ralph.model.evidence import Evidence
from ralph.store.costs import calls_of
from ralph.store.journal import INLINE
from stores import perform, taken, worked

PROJECT = "p"
OPTIONS = json.dumps({"settings": {}, "loop": {"spec": "s"}}).encode()


def ran(store, run_id=None, *, recipe="chunk", task="T-1", label="T-1"):
    return taken(store, run_id, project=PROJECT, recipe=recipe, task_id=task, label=label, options=OPTIONS)


def attempt(journal, number, folder, cost=0.5, **tokens):
    perform(journal, RunAgent(number, "p"), replace(worked(cost=cost, **tokens), attempt_dir=f".ralph/{folder}"))
    journal.flush()


def asked(journal, number, cost=0.1, **tokens):
    perform(journal, AskModel(number, "judge", "p"), Answer(cost_usd=cost, tokens=Tokens(**tokens)))
    journal.flush()


def told(store, project=PROJECT):
    return [
        (call.spec, call.task, call.role, call.iteration, call.spent.usd, call.spent.tokens.total)
        for call in calls_of(store, project)
    ]


def test_calls_of_a_chunk_have_the_numbers_of_its_folders(store):
    """A second run of the task goes on with them, and so does what is asked in its iterations."""
    journal = ran(store)
    attempt(journal, 1, "specs/s/iterations/T-1/iteration-3", input=100)
    asked(journal, 1, output=7)
    asked(journal, 2, output=8)
    assert told(store) == [
        ("s", "T-1", "", 3, 0.5, 100),
        ("s", "T-1", "", 3, 0.1, 7),
        ("s", "T-1", "", 2, 0.1, 8),
    ]


def test_a_stage_has_its_role_and_a_spec_no_task(store):
    attempt(ran(store, recipe="stage", label="T-1 coder"), 1, "specs/s/iterations/T-1/coder/iteration-1", input=5)
    asked(ran(store, recipe="spec", task=None, label="s"), 1, output=6)
    assert told(store) == [("s", "T-1", "coder", 1, 0.5, 5), ("s", "", "", 1, 0.1, 6)]


def test_a_run_that_an_agent_started_counts_for_the_task_above_it(store):
    above = ran(store)
    inside = ran(store, f"{above.run_id}.0a0a0a0a", recipe="prompt", task=None, label="")
    attempt(inside, 4, "runs/0a0a0a0a/iteration-4", input=9)
    assert told(store) == [("s", "T-1", "", 0, 0.5, 9)]


def test_a_call_counts_with_a_cost_alone_and_with_tokens_alone(store):
    journal = ran(store)
    perform(journal, AskModel(1, "judge", "p"), Answer(cost_usd=0.2))
    perform(journal, AskModel(2, "judge", "p"), Answer(tokens=Tokens(output=3)))
    perform(journal, AskModel(3, "judge", "p"), Answer())
    journal.flush()
    assert told(store) == [("s", "T-1", "", 1, 0.2, 0), ("s", "T-1", "", 2, None, 3)]


def test_a_report_that_is_too_large_for_its_row_has_the_number_of_its_folder_too(store):
    journal = ran(store)
    report = replace(worked(cost=0.5, input=1), final="x" * 2 * INLINE, attempt_dir=".ralph/T-1/iteration-7")
    perform(journal, RunAgent(1, "p"), report)
    journal.flush()
    assert told(store) == [("s", "T-1", "", 7, 0.5, 1)]


def test_runs_of_no_spec_and_of_other_projects_stand_apart(store):
    attempt(ran(store, recipe="prompt", task=None, label=""), 1, "runs/a/iteration-1", cost=None, input=9)
    assert told(store) == [("", "", "", 0, None, 9)]
    assert told(store, "another") == []


def test_checks_cost_time_alone(store):
    journal = ran(store)
    seen = Evidence("make", passed=True, reason="exit code 0", duration=3.0)
    perform(journal, RecordEvidence(1, seen), Recorded("make", passed=True, reason="exit code 0", duration=3.0))
    journal.flush()
    assert told(store) == []
