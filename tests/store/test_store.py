"""What every store does, whatever database is behind it."""

import asyncio
import time

import pytest

from ralph.model.errors import StateError
from ralph.store.ringing import ringing
from ralph.store.sql import Lost, Sql
from stores import count, new_run

ADD = "INSERT INTO blobs (digest, data) VALUES (:digest, :data)"
BLOB = Sql(ADD, {"digest": b"d", "data": b"\0\xff"})
LONG = 30.0
WRITES_WHEN_TOLD = """
import sys
from ralph.store.open import open_store
from ralph.store.sql import Sql
with open_store() as store:
    print("ready", flush=True)
    for line in sys.stdin:
        values = {"digest": line.encode()}
        store.write(Sql("INSERT INTO blobs (digest, data) VALUES (:digest, :digest)", values), sync=True)
"""
IS_THERE = "SELECT 1 AS one FROM blobs WHERE digest = :digest"


def tell(process, text):
    process.stdin.write(f"{text}\n")
    process.stdin.flush()


def test_what_was_written_is_read_as_it_was(store, another):
    store.write(BLOB, sync=True)
    assert another.read("SELECT digest, data FROM blobs") == [{"digest": b"d", "data": b"\0\xff"}]


def test_a_store_that_is_opened_again_has_what_was_written_and_can_be_used(store, another):
    store.write(BLOB, sync=True)
    store.reopen()
    assert store.read(IS_THERE, digest=b"d") == [{"one": 1}]
    store.write(Sql("DELETE FROM blobs"), sync=True)
    assert another.read(IS_THERE, digest=b"d") == []


@pytest.mark.parametrize("value", [0.1 + 0.2, 1794842562.375042, 5e-324, 1.7976931348623157e308, -0.5])
def test_a_moment_comes_back_to_the_last_bit(store, value):
    store.write(
        Sql("INSERT INTO projects (id, name, remote, created_at) VALUES ('a', 'a', '', :value)", {"value": value})
    )
    assert store.read("SELECT created_at FROM projects") == [{"created_at": value}]


def test_a_large_number_and_its_sum_are_whole_numbers(store):
    for _ in range(2):
        new_run(store)
    store.write(Sql("UPDATE runs SET tokens_input = :many", {"many": 2**40}, must=2))
    [row] = store.read("SELECT sum(tokens_input) AS total FROM runs")
    assert (type(row["total"]), row["total"]) == (int, 2**41)


def test_a_percent_sign_a_colon_and_a_quote_are_text(store):
    new_run(store, "a", label="100% of :label '::text'")
    [row] = store.read("SELECT label FROM runs WHERE label LIKE '100% of :l%' AND label <> ':label'")
    assert row["label"] == "100% of :label '::text'"


def test_text_is_ordered_by_its_bytes(store):
    for name in ("b", "B", "a.b", "a-b", "a/b", "ä"):
        new_run(store, name)
    found = [row["id"] for row in store.read("SELECT id FROM runs ORDER BY id")]
    assert found == sorted(found, key=str.encode)
    assert store.read("SELECT id FROM runs WHERE id > :run || '.' AND id < :run || '/'", run="a") == [{"id": "a.b"}]


def test_all_is_written_or_nothing(store, another):
    with pytest.raises(Lost, match="another process changed it first"):
        store.write(BLOB, Sql("DELETE FROM blobs WHERE digest = :digest", {"digest": b"other"}, must=1))
    assert count(another, "blobs") == 0
    store.write(BLOB, Sql("DELETE FROM blobs WHERE digest = :digest", {"digest": b"d"}, must=1))
    assert count(another, "blobs") == 0


def test_whoever_comes_second_has_lost(store, another):
    another.write(BLOB)
    with pytest.raises(Lost, match="another process changed it first"):
        store.write(Sql("DELETE FROM runs"), BLOB)
    store.write(Sql(ADD, {"digest": b"e", "data": b""}))
    assert count(another, "blobs") == 2


def test_who_writes_about_what_was_removed_meanwhile_has_lost(store):
    word = "INSERT INTO control (run_id, at, said, text, said_by) VALUES ('gone', 0, 'stop', '', 'me')"
    with pytest.raises(Lost):
        store.write(Sql(word))


def test_a_mistake_of_our_own_is_not_taken_for_a_lost_race(store):
    with pytest.raises(StateError, match="cannot write the database: ") as caught:
        store.write(Sql(ADD, {"digest": b"d", "data": None}))
    assert not isinstance(caught.value, Lost)
    with pytest.raises(StateError, match="cannot read the database: ") as caught:
        store.read("SELECT nothing FROM nowhere")
    assert "\n" not in str(caught.value)
    assert count(store, "blobs") == 0


def test_the_version_tells_of_each_commit_of_another_and_of_none_of_its_own(store, another):
    for number in range(50):
        before = store.version()
        store.write(Sql(ADD, {"digest": b"mine %d" % number, "data": b""}))
        assert store.version() == before
        another.write(Sql(ADD, {"digest": b"theirs %d" % number, "data": b""}))
        assert store.version() != before


def test_a_write_that_was_undone_rings_nobody(store, another):
    before = store.version()
    with pytest.raises(Lost):
        another.write(BLOB, Sql("DELETE FROM runs", must=1))
    assert store.version() == before


def test_whoever_is_rung_sees_the_rows(database, store):
    with database.started(WRITES_WHEN_TOLD) as writer:
        assert writer.stdout.readline() == "ready\n"
        store.wait(LONG)
        for number in range(40):
            tell(writer, number)
            began = time.monotonic()
            store.wait(LONG)
            assert store.read(IS_THERE, digest=b"%d\n" % number), "rung before the rows could be read"
            assert time.monotonic() - began < LONG / 2, "nobody was rung"


def test_waiting_ends_without_a_commit_too(store):
    store.wait(LONG)
    began = time.monotonic()
    store.wait(0.1)
    assert 0.05 < time.monotonic() - began < LONG / 2


def test_what_came_before_the_waiting_began_is_not_slept_through(store, another):
    before = store.version()
    another.write(BLOB)
    began = time.monotonic()
    store.wait(LONG)
    assert time.monotonic() - began < LONG / 2
    assert store.version() != before


async def rung(store, *, at_least=0.0):
    """Asks for the next ring, in the background."""
    rings = store.rings(at_most=LONG, at_least=at_least)
    await anext(rings)
    return rings, asyncio.ensure_future(anext(rings))


async def soon(ring):
    async with asyncio.timeout(LONG / 2):
        await ring


def test_rings_come_for_commits_of_others_and_of_its_own(store, another):
    async def listen():
        rings, ring = await rung(store)
        await asyncio.sleep(0.05)
        assert not ring.done()
        for writer, name in ((another, b"a"), (store, b"b"), (another, b"c")):
            writer.write(Sql(ADD, {"digest": name, "data": b""}))
            await soon(ring)
            ring = asyncio.ensure_future(anext(rings))
        ring.cancel()
        await asyncio.wait([ring])
        await rings.aclose()

    asyncio.run(listen())


def test_many_listen_and_all_of_them_hear(store, another):
    async def listen():
        both = [await rung(store), await rung(store)]
        another.write(BLOB)
        for _, ring in both:
            await soon(ring)
        first, second = (rings for rings, _ in both)
        await first.aclose()
        ring = asyncio.ensure_future(anext(second))
        await asyncio.sleep(0)
        another.write(Sql(ADD, {"digest": b"e", "data": b""}))
        await soon(ring)
        await second.aclose()

    asyncio.run(listen())


def test_one_store_is_listened_to_in_one_event_loop_after_another(store, another):
    async def listen(name):
        rings, ring = await rung(store)
        another.write(Sql(ADD, {"digest": name, "data": b""}))
        await soon(ring)
        await rings.aclose()

    asyncio.run(listen(b"a"))
    asyncio.run(listen(b"b"))


def test_rings_are_never_closer_than_asked_for(store, another):
    async def listen():
        rings, ring = await rung(store, at_least=0.2)
        began = time.monotonic()
        another.write(BLOB)
        await soon(ring)
        await rings.aclose()
        return time.monotonic() - began

    assert asyncio.run(listen()) >= 0.19


def test_a_ring_comes_after_a_while_even_if_nothing_happens(store):
    async def listen():
        rings = store.rings(at_most=0.05)
        for _ in range(3):
            async with asyncio.timeout(LONG):
                await anext(rings)
        await rings.aclose()

    asyncio.run(listen())


def test_a_cancellation_that_comes_together_with_a_ring_is_not_swallowed():
    async def scenario():
        event = asyncio.Event()

        async def listen():
            async for _ in ringing(event, lambda: 0, at_most=LONG):
                pass

        task = asyncio.create_task(listen())
        for _ in range(3):
            await asyncio.sleep(0)
        event.set()
        await asyncio.sleep(0)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=LONG / 2)
        return done == {task} and task.cancelled()

    assert asyncio.run(scenario())


def test_waiting_costs_no_time_of_the_processor(store):
    store.wait(0)
    before = time.process_time()
    store.wait(0.5)
    assert time.process_time() - before < 0.2
