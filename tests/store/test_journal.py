import json

import pytest

from ralph.kernel.actions import ReadPrompt, ReadResponse, RunAgent, RunCommand, Wait, Waited
from ralph.model.errors import StateError
from ralph.model.events import Tokens
from ralph.model.evidence import Evidence
from ralph.store.journal import INLINE, Begun, Ended, Journal, entries
from ralph.store.runs import find_run
from stores import new_run, opened, worked

AGENT = RunAgent(1, "Do it.")
CHECK = RunCommand(1, "make test", "make_test")
PASSED = Evidence("make test", passed=True, reason="exit code 0", exit_code=0)


@pytest.fixture
def connection(tmp_path):
    with opened(tmp_path) as connection:
        yield connection


@pytest.fixture
def on_disk(tmp_path):
    """Read with a connection of its own: what another process would see at this moment."""

    def look(run_id):
        with opened(tmp_path) as connection:
            return entries(connection, run_id)

    return look


@pytest.fixture
def journal(connection):
    return Journal(connection, new_run(connection).id)


def perform(journal, action, result, *, attempt=1):
    seq = journal.take_seq()
    journal.begin(seq, attempt, action)
    journal.end(Ended(seq, attempt, action, result))


def state(entry):
    return entry.seq, entry.attempt, entry.kind, entry.ended_at is not None, entry.result is not None, entry.error


def test_a_start_is_on_disk_before_the_action_is_performed(journal, on_disk):
    journal.begin(journal.take_seq(), 1, AGENT)
    (entry,) = on_disk(journal.run_id)
    assert state(entry) == (1, 1, "run-agent", False, False, None)
    assert b"Do it." in entry.action


def test_an_end_is_on_disk_before_the_next_action_starts(journal, on_disk):
    perform(journal, AGENT, worked())
    journal.begin(journal.take_seq(), 1, CHECK)
    assert [state(entry) for entry in on_disk(journal.run_id)] == [
        (1, 1, "run-agent", True, True, None),
        (2, 1, "run-command", False, False, None),
    ]


def test_the_last_end_is_on_disk_after_a_flush(journal, on_disk):
    perform(journal, CHECK, PASSED)
    journal.flush()
    assert state(on_disk(journal.run_id)[0]) == (1, 1, "run-command", True, True, None)


def test_a_pure_read_leaves_its_result_and_no_start(journal, on_disk):
    journal.begin(journal.take_seq(), 1, ReadPrompt(1, "PROMPT.md"))
    assert on_disk(journal.run_id) == []
    journal.end(Ended(1, 1, ReadPrompt(1, "PROMPT.md"), "the prompt"))
    journal.begin(journal.take_seq(), 1, AGENT)
    first, second = on_disk(journal.run_id)
    assert state(first) == (1, 1, "read-prompt", True, True, None)
    assert state(second) == (2, 1, "run-agent", False, False, None)


def test_an_attempt_that_could_not_be_made_keeps_its_problem_and_can_be_made_again(journal, connection, on_disk):
    journal.begin(journal.take_seq(), 1, AGENT)
    journal.fail(1, 1, AGENT, "claude is not on PATH.")
    journal.flush()
    again = Journal(connection, journal.run_id)
    assert [entry.error for entry in again.past(1)] == ["claude is not on PATH."]
    again.begin(again.take_seq(), 2, AGENT)
    assert [state(entry) for entry in on_disk(journal.run_id)] == [
        (1, 1, "run-agent", True, False, "claude is not on PATH."),
        (1, 2, "run-agent", False, False, None),
    ]


def test_no_attempt_is_ever_overwritten(journal, connection):
    journal.begin(journal.take_seq(), 1, AGENT)
    again = Journal(connection, journal.run_id)
    with pytest.raises(StateError, match="cannot write the database"):
        again.begin(again.take_seq(), 1, AGENT)


def test_a_new_journal_knows_the_past(journal, connection):
    perform(journal, AGENT, worked())
    journal.begin(journal.take_seq(), 1, CHECK)
    again = Journal(connection, journal.run_id)
    assert [entry.result is not None for entry in again.past(1)] == [True]
    assert [entry.result is not None for entry in again.past(2)] == [False]
    assert again.past(3) == []


def test_iterations_cost_and_tokens_are_counted_with_the_run(journal, connection):
    perform(journal, AGENT, worked(cost=0.25, input=10))
    perform(journal, RunAgent(2, "Again."), worked(cost=None, output=5))
    perform(journal, CHECK, PASSED)
    journal.flush()
    run = find_run(connection, journal.run_id)
    assert (run.iterations, run.cost_usd, run.tokens) == (2, 0.25, Tokens(input=10, output=5))


def test_what_is_replayed_counts_once(journal, connection):
    perform(journal, AGENT, worked(cost=0.25, input=10))
    journal.flush()
    again = Journal(connection, journal.run_id)
    again.replayed(Ended(again.take_seq(), 1, AGENT, worked(cost=0.25, input=10), replayed=True))
    perform(again, RunAgent(2, "Again."), worked(cost=0.5))
    again.flush()
    run = find_run(connection, journal.run_id)
    assert (run.iterations, run.cost_usd, run.tokens.total) == (2, 0.75, 10)


def test_a_long_prompt_is_stored_once(journal, connection, on_disk):
    prompt = "ä" * INLINE
    for iteration in range(1, 6):
        perform(journal, ReadPrompt(iteration, "PROMPT.md"), prompt)
        perform(journal, RunAgent(1, prompt), worked())
    journal.flush()
    assert connection.exec_driver_sql("SELECT COUNT(*) FROM blobs").scalar_one() == 2
    seen = on_disk(journal.run_id)
    assert [entry.result for entry in seen[::2]] == [f'"{prompt}"'.encode()] * 5
    assert all(f'"{prompt}"'.encode() in entry.action for entry in seen[1::2])


def test_a_short_one_needs_no_second_table(journal, connection):
    perform(journal, ReadPrompt(1, "PROMPT.md"), "short")
    journal.flush()
    assert connection.exec_driver_sql("SELECT COUNT(*) FROM blobs").scalar_one() == 0


def test_any_text_comes_back_as_it_was(journal, on_disk):
    texts = ["", "blob:abc", "\N{SMILING FACE WITH SUNGLASSES}\0\n'\"\\", "x" * (INLINE + 1)]
    for text in texts:
        perform(journal, ReadPrompt(1, "PROMPT.md"), text)
    journal.flush()
    assert [json.loads(entry.result) for entry in on_disk(journal.run_id)] == texts


def test_the_stream_is_marked_in_batches(journal, connection):
    journal.begin(journal.take_seq(), 1, AGENT)
    for size in (1, 2, 2):
        journal.mark(1, 1, size=size, events=size * 10)
    assert connection.exec_driver_sql("SELECT COUNT(*) FROM stream_marks").scalar_one() == 0
    journal.flush()
    marks = connection.exec_driver_sql("SELECT bytes, events FROM stream_marks ORDER BY bytes").all()
    assert marks == [(1, 10), (2, 20)]


def test_a_run_that_waits_says_so(journal, connection):
    wait = Wait(1, seconds=60, until=None, reason="rate limit")
    journal.begin(journal.take_seq(), 1, wait)
    assert find_run(connection, journal.run_id).status == "waiting"
    journal.end(Ended(1, 1, wait, Waited(60)))
    journal.flush()
    assert find_run(connection, journal.run_id).status == "running"


def test_who_listens_hears_each_start_and_each_end(journal):
    heard = []
    journal.listen(heard.append)
    perform(journal, AGENT, worked())
    read = ReadResponse(1, "somewhere", "DONE")
    perform(journal, read, PASSED)
    assert heard == [
        Begun(1, 1, AGENT),
        Ended(1, 1, AGENT, worked()),
        Begun(2, 1, read),
        Ended(2, 1, read, PASSED),
    ]


def fill(connection):
    pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


def make_room(connection):
    connection.exec_driver_sql("PRAGMA max_page_count = 1000000")


def test_a_full_disk_is_one_clear_error(journal, connection):
    fill(connection)
    with pytest.raises(StateError, match=r"cannot write the database: .*full.* make room, then ralph resume"):
        perform(journal, RunAgent(1, "x" * 100_000), worked())


def test_what_a_full_disk_kept_out_gets_in_when_there_is_room(journal, connection, on_disk):
    perform(journal, AGENT, worked(cost=0.25))
    fill(connection)
    begun = []
    journal.listen(begun.append)
    with pytest.raises(StateError):
        journal.begin(journal.take_seq(), 1, RunAgent(2, "x" * 100_000))
    assert begun == []
    make_room(connection)
    journal.flush()
    # The second action has never begun, so there is nothing of it.
    assert [state(entry) for entry in on_disk(journal.run_id)] == [(1, 1, "run-agent", True, True, None)]
    assert find_run(connection, journal.run_id).cost_usd == 0.25
