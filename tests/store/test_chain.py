"""The chain of a journal shows what changed it from outside."""

from hashlib import blake2b

import msgspec
import pytest

from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.commands import RunCommand
from ralph.kernel.actions.waiting import ChildEnd, RunChild
from ralph.model.evidence import Evidence
from ralph.model.verdicts import MaxIterations, Verified
from ralph.store.journal import DIGEST, INLINE, Journal, Tampered, check_chain, head_of, rows_of
from ralph.store.sql import Sql
from stores import change, perform, taken, worked

PASSED = Evidence("make test", passed=True, reason="exit code 0", exit_code=0)
CHANGES = {
    "body": ["UPDATE journal SET body = :bytes WHERE run_id = :run AND n = :n"],
    "line": ["UPDATE journal SET line = 'another' WHERE run_id = :run AND n = :n"],
    "mark": ["UPDATE journal SET mark = 'bad' WHERE run_id = :run AND n = :n"],
    "spent": ["UPDATE journal SET spent = '{}x' WHERE run_id = :run AND n = :n"],
    "kind": ["UPDATE journal SET what = 'noted' WHERE run_id = :run AND n = :n"],
    "key": ["UPDATE journal SET key = 'run-agent/9' WHERE run_id = :run AND n = :n"],
    "attempt": ["UPDATE journal SET attempt = attempt + 1 WHERE run_id = :run AND n = :n"],
    "moment": ["UPDATE journal SET at = at + 1 WHERE run_id = :run AND n = :n"],
    "digest": ["UPDATE journal SET digest = :bytes WHERE run_id = :run AND n = :n"],
    "hash": ["UPDATE journal SET hash = :bytes WHERE run_id = :run AND n = :n"],
    "body with its digest": ["UPDATE journal SET body = :bytes, digest = :digest WHERE run_id = :run AND n = :n"],
    "options": ["UPDATE runs SET options = :bytes WHERE id = :run"],
    "verdict": ["UPDATE runs SET verdict = 'verified' WHERE id = :run"],
    "reason": ["UPDATE runs SET reason = 'proven done after 1 iteration' WHERE id = :run"],
    "proof": ["UPDATE runs SET proof = 'checked' WHERE id = :run"],
    "recipe": ["UPDATE runs SET recipe = 'supervise' WHERE id = :run"],
    "status": ["UPDATE runs SET status = 'interrupted' WHERE id = :run"],
    "long text": ["UPDATE blobs SET data = :bytes"],
    "lost long text": ["DELETE FROM blobs"],
    "first row deleted": ["DELETE FROM journal WHERE run_id = :run AND n = 1"],
    "row deleted": ["DELETE FROM journal WHERE run_id = :run AND n = :n"],
    "row deleted and the rest moved up": [
        "DELETE FROM journal WHERE run_id = :run AND n = :n",
        "UPDATE journal SET n = -n WHERE run_id = :run AND n > :n",
        "UPDATE journal SET n = -n - 1 WHERE run_id = :run AND n < 0",
    ],
    "last row deleted": ["DELETE FROM journal WHERE run_id = :run AND what = 'closed'"],
    "all rows deleted": ["DELETE FROM journal WHERE run_id = :run"],
    "rows swapped": [
        "UPDATE journal SET n = -1 WHERE run_id = :run AND n = :n",
        "UPDATE journal SET n = :n WHERE run_id = :run AND n = :n + 1",
        "UPDATE journal SET n = :n + 1 WHERE run_id = :run AND n = -1",
    ],
    "row of another run": [
        "UPDATE journal SET n = 99 WHERE run_id = :run AND n = :n",
        "UPDATE journal SET run_id = :run WHERE run_id = 'other' AND n = :n",
    ],
}


def ended(store, run_id="run"):
    """A journal of a run that did not end well: opened, taken, begun, ended, begun, ended, closed."""
    journal = taken(store, run_id, options=b'{"limit": 3}')
    perform(journal, RunAgent(1, "x" * (INLINE + 1)), worked())
    perform(journal, RunCommand(1, "make test", "make_test"), PASSED)
    journal.close(MaxIterations(1, "no tag"))
    return journal


def test_an_untouched_journal_is_whole(store, another):
    journal = ended(store)
    assert check_chain(another, "run") == len(rows_of(another, "run")) == journal.n == 7
    assert head_of(another, "run") == journal.head


@pytest.mark.parametrize("name", CHANGES)
def test_whatever_is_changed_from_outside_is_found(store, another, name):
    ended(store, "other")
    ended(store)
    for text in CHANGES[name]:
        values = {"run": "run", "n": 4, "bytes": b"another", "digest": blake2b(b"another", digest_size=DIGEST).digest()}
        another.write(Sql(text, values))
    for look in (lambda: check_chain(store, "run"), lambda: Journal.take(store, "run", go_on=True)):
        with pytest.raises(Tampered, match=r"run run was changed from outside: .* Start it again with the command"):
            look()
    assert Tampered.exit_code == 6


def test_a_run_under_way_is_whole_at_every_moment(store, another):
    journal = taken(store, "run")
    for iteration in range(1, 4):
        perform(journal, RunAgent(iteration, "Do it."), worked())
        assert check_chain(another, "run") == 2 * iteration + 1
        journal.flush()
        assert check_chain(another, "run") == 2 * iteration + 2


def test_a_journal_that_was_gone_on_with_is_one_chain(store, another):
    ended(store)
    Journal.take(store, "run", go_on=True).close(Verified(2))
    assert [row.what for row in rows_of(another, "run")][-3:] == ["closed", "taken", "closed"]
    assert check_chain(another, "run") == 9


@pytest.fixture
def family(store):
    """A run whose part has ended, as the part's last hash in it says."""
    parent = taken(store, "run")
    begun = parent.begin(RunChild(1, "prompt", "part", {}))
    child = taken(store, "run.part", is_part=True)
    child.close(Verified(1))
    head = head_of(store, "run.part").hex()
    parent.end(begun, ChildEnd("run.part", "verified", "proven done", 0, 1, head=head))
    parent.close(Verified(1))
    return store


def test_a_part_that_was_replaced_is_found_in_the_run_above_it(family, another):
    assert check_chain(another, "run") == 5
    # A chain that is whole in itself, and not the one that was seen to end.
    another.write(Sql("DELETE FROM journal WHERE run_id = 'run.part'"))
    change(another, "run.part", status="queued", verdict=None)
    Journal.take(another, "run.part").close(Verified(1))
    assert check_chain(another, "run.part") == 3
    with pytest.raises(Tampered, match=r"the end of its part run\.part is not the one that it recorded"):
        check_chain(another, "run")


def test_a_part_that_was_gone_on_with_since_is_the_same_one(family, another):
    Journal.take(family, "run.part", go_on=True).close(Verified(2))
    assert check_chain(another, "run") == 5


def test_the_body_of_every_row_is_json(store, another):
    ended(store)
    for row in rows_of(another, "run"):
        msgspec.json.decode(row.body)
