import json
from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.kernel.actions.agent import Prompt, ReadPrompt, RunAgent
from ralph.kernel.actions.commands import RunCommand
from ralph.kernel.actions.waiting import Wait, Waited
from ralph.model.errors import StateError
from ralph.model.events import Tokens
from ralph.model.evidence import Evidence
from ralph.model.projects import Located
from ralph.model.verdicts import MaxIterations, Verified
from ralph.store.journal import INLINE, Journal, chained, rows_of
from ralph.store.runs import get_run
from ralph.store.sql import Lost, Sql
from stores import change, count, new_run, opened, perform, taken, worked

AGENT = RunAgent(1, "Do it.")
CHECK = RunCommand(1, "make test", "make_test")
PASSED = Evidence("make test", passed=True, reason="exit code 0", exit_code=0)
FAILED = Evidence("make test", passed=False, reason="exit code 2", exit_code=2)
FILE = Located("PROMPT.md")
BEGINNING = [("opened", "prompt", 0), ("taken", "", 0)]


@pytest.fixture
def journal(store):
    return taken(store)


def again(store, journal):
    """Taken anew, after its process has died."""
    change(store, journal.run_id, owner=None)
    return Journal.take(store, journal.run_id)


def on_disk(another, journal):
    """What another process would see at this moment."""
    return [(row.what, row.key, row.attempt) for row in rows_of(another, journal.run_id)]


def test_the_first_rows_are_the_options_and_who_drives_it(store, another):
    journal = taken(store, options=b'{"a": 1}')
    opened_row, taken_row = rows_of(another, journal.run_id)
    assert (opened_row.what, opened_row.body) == ("opened", b'{"a": 1}')
    assert (taken_row.what, json.loads(taken_row.body)) == ("taken", json.loads(_owner(another, journal)))


def _owner(store, journal):
    return store.read("SELECT owner FROM runs WHERE id = :id", id=journal.run_id)[0]["owner"]


def test_a_start_is_on_disk_before_the_action_is_performed(journal, another):
    journal.begin(AGENT)
    assert on_disk(another, journal) == [*BEGINNING, ("begun", "run-agent/1", 1)]
    row = rows_of(another, journal.run_id)[-1]
    assert json.loads(row.body) == {"do": "run-agent", "iteration": 1, "prompt": "Do it."}
    assert (row.line, row.mark) == ("agent", "head")


def test_an_end_is_on_disk_before_the_next_action_starts(journal, another):
    perform(journal, AGENT, worked())
    assert on_disk(another, journal)[2:] == [("begun", "run-agent/1", 1)]
    journal.begin(CHECK)
    assert on_disk(another, journal)[2:] == [
        ("begun", "run-agent/1", 1),
        ("ended", "run-agent/1", 1),
        ("begun", "run-command/1/make_test", 1),
    ]


def test_the_last_end_is_on_disk_after_a_flush(journal, another):
    perform(journal, CHECK, PASSED)
    journal.flush()
    row = rows_of(another, journal.run_id)[-1]
    assert (row.what, row.line, row.mark) == ("ended", "✓ guardrail make test: exit code 0 (0.0s)", "ok")
    assert json.loads(row.body)["exitCode"] == 0


def test_a_pure_read_leaves_its_result_and_no_start(journal, another):
    begun = journal.begin(ReadPrompt(1, FILE))
    assert on_disk(another, journal) == BEGINNING
    journal.end(begun, Prompt("the prompt"))
    journal.begin(AGENT)
    assert on_disk(another, journal)[2:] == [("ended", "read-prompt/1", 1), ("begun", "run-agent/1", 1)]


def test_what_was_noted_is_written_with_the_next_flush(journal, another):
    begun = journal.begin(AGENT)
    journal.note(begun, [[10, 1.5]])
    assert on_disk(another, journal)[-1] == ("begun", "run-agent/1", 1)
    journal.end(begun, worked())
    journal.flush()
    assert on_disk(another, journal)[-2:] == [("noted", "run-agent/1", 1), ("ended", "run-agent/1", 1)]
    assert rows_of(another, journal.run_id)[-2].body == b"[[10,1.5]]"


def test_an_attempt_that_could_not_be_made_keeps_its_problem_and_can_be_made_again(journal, store, another):
    begun = journal.begin(AGENT)
    journal.fail(begun, "claude is not on PATH.")
    journal.flush()
    row = rows_of(another, journal.run_id)[-1]
    assert (row.what, row.line, row.mark) == ("failed", "✗ agent: claude is not on PATH.", "bad")
    assert get_run(another, journal.run_id).last_reason == "claude is not on PATH."
    next_one = again(store, journal)
    assert next_one.past_ends == {}
    assert next_one.begin(AGENT).attempt == 2
    assert on_disk(another, journal)[2:] == [
        ("begun", "run-agent/1", 1),
        ("failed", "run-agent/1", 1),
        ("taken", "", 0),
        ("begun", "run-agent/1", 2),
    ]


def test_an_action_that_was_begun_and_not_ended_is_another_attempt(journal, store):
    journal.begin(AGENT)
    assert again(store, journal).begin(AGENT).attempt == 2


def test_no_attempt_is_ever_overwritten(journal, store, another):
    journal.begin(AGENT)
    before = rows_of(another, journal.run_id)
    next_one = again(store, journal)
    with pytest.raises(Lost):
        perform(journal, CHECK, PASSED)
    next_one.begin(AGENT)
    assert rows_of(another, journal.run_id)[:3] == before


def test_a_new_journal_knows_the_past(journal, store):
    perform(journal, AGENT, worked(cost=0.25))
    journal.begin(CHECK)
    next_one = again(store, journal)
    assert set(next_one.past_ends) == {"run-agent/1"}
    assert next_one.past_ends["run-agent/1"].body == rows_of(store, journal.run_id)[3].body
    assert (next_one.was_begun, next_one.recipe, next_one.options) == (True, "prompt", b"{}")
    assert next_one.spent.usd == 0.25


def test_ends_are_in_the_order_of_their_rows(journal, another):
    first, second = journal.begin(AGENT), journal.begin(CHECK)
    numbers = [journal.end(second, PASSED), journal.end(first, worked())]
    journal.flush()
    ends = [(row.n, row.key) for row in rows_of(another, journal.run_id) if row.what == "ended"]
    assert ends == list(zip(numbers, ["run-command/1/make_test", "run-agent/1"], strict=True))


def test_iterations_cost_and_tokens_are_counted_with_the_run(journal, another):
    perform(journal, AGENT, worked(cost=0.25, input=10))
    perform(journal, RunAgent(2, "Again."), worked(cost=None, output=5))
    perform(journal, CHECK, FAILED)
    journal.flush()
    run = get_run(another, journal.run_id)
    assert (run.iterations, run.cost_usd, run.tokens) == (2, 0.25, Tokens(input=10, output=5))
    assert run.last_reason == "guardrail make test: exit code 2"


def is_synced(store):
    """Whether SQLite waited for the disk at its last commit."""
    return store.read("PRAGMA synchronous") == [{"synchronous": 2}]


def test_the_ends_of_an_iteration_and_of_the_run_survive_a_loss_of_power_and_nothing_else_costs_it(tmp_path):
    with opened(tmp_path) as store:
        journal = taken(store)
        begun = journal.begin(AGENT)
        assert not is_synced(store)
        journal.end(begun, worked())
        begun = journal.begin(CHECK)
        assert is_synced(store), "the agent's work is paid for"
        journal.end(begun, PASSED)
        journal.flush()
        assert not is_synced(store)
        journal.close(Verified(1))
        assert is_synced(store)


def test_what_is_replayed_counts_once(journal, store, another):
    perform(journal, AGENT, worked(cost=0.25, input=10))
    journal.flush()
    next_one = again(store, journal)
    next_one.replayed(AGENT, worked(cost=0.25, input=10))
    perform(next_one, RunAgent(2, "Again."), worked(cost=0.5))
    next_one.flush()
    run = get_run(another, journal.run_id)
    assert (run.iterations, run.cost_usd, run.tokens.total) == (2, 0.75, 10)


def test_a_long_text_is_stored_once(journal, store, another):
    prompt = "ä" * INLINE
    for iteration in range(1, 6):
        perform(journal, ReadPrompt(iteration, FILE), Prompt(prompt))
        perform(journal, RunAgent(iteration, "short"), worked())
    journal.flush()
    assert count(store, "blobs") == 1
    read = [row for row in rows_of(another, journal.run_id, verified=True) if row.key.startswith("read-prompt")]
    assert [json.loads(row.body)["text"] for row in read] == [prompt] * 5


def test_a_short_one_needs_no_second_table(journal, store):
    perform(journal, ReadPrompt(1, FILE), Prompt("short"))
    journal.flush()
    assert count(store, "blobs") == 0


def test_any_text_comes_back_as_it_was(journal, another):
    texts = ["", "blob:abc", "\N{SMILING FACE WITH SUNGLASSES}\0\n'\"\\ 100% :name", "x" * (INLINE + 1)]
    for iteration, text in enumerate(texts):
        perform(journal, ReadPrompt(iteration, FILE), Prompt(text))
    journal.flush()
    rows = rows_of(another, journal.run_id, verified=True)
    assert [json.loads(row.body).get("text", "") for row in rows[2:]] == texts


def test_a_line_and_a_reason_may_come_from_an_agent_that_writes_anything(journal, another):
    broken = Evidence("c", passed=False, reason="before\0after")
    perform(journal, RunCommand(1, "printf '\\0' \0", "printf"), broken)
    journal.close(MaxIterations(1, "a\0b"))
    assert rows_of(another, journal.run_id, verified=True)[3].line.startswith("✗ guardrail printf '\\0' : beforeafter")
    run = get_run(another, journal.run_id)
    assert (run.last_reason, run.reason) == ("guardrail c: beforeafter", "not done after 1 iteration: ab")


def test_secrets_are_taken_out_of_what_is_shown(journal, another):
    journal.hide(lambda text: text.replace(b"hunter2", b"***"))
    perform(journal, RunCommand(1, "login hunter2", "login"), Evidence("login hunter2", passed=False, reason="hunter2"))
    journal.flush()
    shown = [row.line for row in rows_of(another, journal.run_id)]
    assert "hunter2" not in "".join(shown)
    assert "login ***" in shown[-1]
    assert get_run(another, journal.run_id).last_reason == "guardrail login ***: ***"


def test_a_run_that_waits_says_so_and_until_when(journal, another):
    begun = journal.begin(Wait(1, seconds=60, until_moment=None, reason="rate limit"))
    run = get_run(another, journal.run_id)
    assert (run.status, run.now.doing, run.now.until) == ("waiting", "waiting: rate limit", begun.at + 60)
    journal.end(begun, Waited(60))
    journal.flush()
    assert get_run(another, journal.run_id).status == "running"


def test_one_that_waits_beside_its_work_does_not_wait(journal, another):
    journal.begin(AGENT)
    journal.begin(Wait(1, seconds=60, until_moment=None, reason="rate limit"))
    assert get_run(another, journal.run_id).status == "running"


def test_a_paused_run_says_so(journal, another):
    journal.pause(paused=True)
    assert get_run(another, journal.run_id).status == "paused"
    journal.pause(paused=False)
    assert get_run(another, journal.run_id).status == "running"


def test_an_end_is_kept_with_its_reason_and_code(journal, another):
    journal.close(MaxIterations(3, "no tag"))
    run = get_run(another, journal.run_id)
    assert (run.status, run.verdict, run.exit_code) == ("ended", "max_iterations", 1)
    assert run.reason == "not done after 3 iterations: no tag"
    assert run.ended_at >= run.started_at
    assert run.owner is None
    last = rows_of(another, journal.run_id)[-1]
    assert (last.what, last.line, last.mark) == ("closed", f"max_iterations: {run.reason}", "bad")


def test_one_that_was_given_up_can_be_taken_at_once(journal, store):
    journal.close(Verified(1), "interrupted")
    assert "closed" not in [row.what for row in rows_of(store, journal.run_id)]
    assert Journal.take(store, journal.run_id).was_begun


def test_an_ended_run_is_gone_on_with_only_if_that_is_asked_for(journal, store):
    journal.close(MaxIterations(3))
    with pytest.raises(Lost):
        Journal.take(store, journal.run_id)
    assert Journal.take(store, journal.run_id, go_on=True).n == 4
    run = get_run(store, journal.run_id)
    assert (run.status, run.verdict, run.ended_at) == ("running", None, None)


def test_after_a_write_that_failed_the_journal_refuses(journal, store, another):
    perform(journal, AGENT, worked())
    another.write(Sql("ALTER TABLE journal RENAME TO away"))
    with pytest.raises(StateError, match="cannot write the database"):
        journal.begin(CHECK)
    another.write(Sql("ALTER TABLE away RENAME TO journal"))
    for attempt in (journal.flush, lambda: journal.begin(CHECK), lambda: journal.close(Verified(1))):
        with pytest.raises(StateError, match="an earlier write of this run's journal failed"):
            attempt()
    # A row behind the gap would break the chain; what was there before is whole, and is gone on with.
    assert on_disk(another, journal)[2:] == [("begun", "run-agent/1", 1)]
    assert again(store, journal).begin(AGENT).attempt == 2


def fill(store):
    [pages] = store.read("PRAGMA page_count")
    store.read(f"PRAGMA max_page_count = {pages['page_count']}")


def make_room(store):
    store.read("PRAGMA max_page_count = 1000000")


def test_a_full_disk_is_one_clear_error_and_loses_nothing_of_before(tmp_path):
    with opened(tmp_path) as store, opened(tmp_path) as another:
        journal = taken(store)
        perform(journal, AGENT, worked(cost=0.25))
        journal.flush()
        fill(store)
        with pytest.raises(StateError, match=r"cannot write the database: .*full.* free some space, then ralph resume"):
            journal.begin(RunAgent(2, "x" * 100_000))
        make_room(store)
        # The second action has never begun, so there is nothing of it.
        assert on_disk(another, journal)[2:] == [("begun", "run-agent/1", 1), ("ended", "run-agent/1", 1)]
        assert get_run(another, journal.run_id).cost_usd == 0.25
        assert again(store, journal).begin(RunAgent(2, "x")).attempt == 1


def test_a_run_is_written_before_anybody_drives_it(store, another):
    run_id = new_run(store)
    assert (get_run(another, run_id).status, rows_of(another, run_id)) == ("queued", [])


@given(st.floats(min_value=0.001, max_value=1e12) | st.integers(0, 10**12))
def test_the_chain_writes_a_time_as_it_always_did(at):
    """Otherwise every journal that an earlier ralph wrote would seem to have been changed."""
    row = {"run_id": "a", "n": 3, "what": "ended", "key": "k/1", "attempt": 1, "at": at, "line": "ä", "mark": "ok"}
    text = f"a\0003\0ended\0k/1\0001\0{float(at)!r}\0ä\0ok\0{{}}"
    expected = blake2b(b"before" + text.encode() + b"\0digest", digest_size=20).digest()
    assert chained(b"before", {**row, "spent": "{}", "digest": b"digest"}) == expected
