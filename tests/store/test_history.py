"""The journals of a run and its parts: what a run that an agent started did is not among them."""

import pytest

from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.reviews import RecordReview
from ralph.kernel.stage_text import TaskText
from ralph.model.evidence import AgentReport
from ralph.model.reviews import Review, ReviewBy
from ralph.store.history import reviews_of_parts, rows_of_parts
from ralph.store.journal import Journal
from ralph.store.runs import NewRun, add_run

RUN = "0c0c0c0c"
OWN = (RUN, f"{RUN}.coder", f"{RUN}.coder.again")
STARTED = (f"{RUN}.coder.1d1d1d1d", f"{RUN}.2e2e2e2e")
BELOW_STARTED = tuple(f"{each}.coder" for each in STARTED)


@pytest.fixture
def family(store):
    for run_id in (*OWN, *STARTED, *BELOW_STARTED):
        is_part = run_id in (*OWN[1:], *BELOW_STARTED)
        add_run(store, NewRun(id=run_id, recipe="stage", project="p", options=b"{}", is_part=is_part))
        journal = Journal.take(store, run_id)
        journal.end(journal.begin(RunAgent(1, "Do it.")), AgentReport("ok", "it exited with code 0", "somewhere"))
        review = Review("final", "its own", "SHIP")
        asked = RecordReview(1, "final", ReviewBy("final", "its own"), TaskText("T-1", "t"), review)
        journal.end(journal.begin(asked), review)
        journal.flush()
    return store


@pytest.mark.parametrize("wanted", ["all", "streams"])
def test_runs_that_agents_started_are_not_parts_and_neither_are_their_parts(family, wanted):
    assert {row.run_id for row in rows_of_parts(family, RUN, wanted)} == set(OWN)


def test_a_run_that_an_agent_started_has_its_own_parts(family):
    started, below = STARTED[1], BELOW_STARTED[1]
    assert {row.run_id for row in rows_of_parts(family, started)} == {started, below}


def test_a_review_in_a_run_that_an_agent_started_is_none_of_the_run(family):
    assert {row.run_id for row in reviews_of_parts(family, RUN)} == set(OWN)
