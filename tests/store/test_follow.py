"""What is new, from any process: each row once, in order."""

import asyncio
import time

from ralph.kernel.actions.agent import RunAgent
from ralph.model.verdicts import Verified
from ralph.store import gc
from ralph.store.follow import PAGE, Follower, follow, last_id, news, watch
from ralph.store.journal import INLINE
from stores import count, perform, taken, worked

ITERATIONS, WRITERS = 30, 3
ROWS = 2 * ITERATIONS + 3
WRITES = f"""
import sys
from ralph.kernel.actions.agent import RunAgent
from ralph.model.verdicts import Verified
from ralph.store.open import open_store
from stores import perform, taken, worked
with open_store() as store:
    print("ready", flush=True)
    sys.stdin.readline()
    journal = taken(store, sys.argv[1])
    for iteration in range({ITERATIONS}):
        perform(journal, RunAgent(iteration, "Do it."), worked())
    journal.close(Verified(1))
"""
WATCHES = """
import sys
from ralph.store.follow import watch
from ralph.store.open import open_store
left = int(sys.argv[1])
with open_store() as store:
    print("ready", flush=True)
    for rows in watch(store, at_most=20.0):
        for row in rows:
            print(row.id, row.run_id, row.n, flush=True)
        left -= len(rows)
        if left <= 0:
            break
"""
FOLLOWS = """
import asyncio
import sys
from ralph.store.follow import Follower, follow
from ralph.store.open import open_store
async def main(left):
    with open_store() as store:
        print("ready", flush=True)
        async for rows in follow(Follower(store)):
            for row in rows:
                print(row.id, row.run_id, row.n, flush=True)
            left -= len(rows)
            if left <= 0:
                return
asyncio.run(main(int(sys.argv[1])))
"""


def numbers(rows):
    return [(row.run_id, row.n) for row in rows]


def ended(store, run_id=None):
    journal = taken(store, run_id)
    journal.close(Verified(1))
    return journal.run_id


def test_news_are_what_stands_behind_a_place(store, another):
    journal = taken(store, "a")
    place = last_id(another)
    assert news(another, place) == []
    perform(journal, RunAgent(1, "x" * (INLINE + 1)), worked())
    journal.flush()
    begun, end = news(another, place)
    assert (begun.what, end.what) == ("begun", "ended")
    assert (begun.line, end.mark, len(begun.body) > INLINE) == ("agent", "ok", True)
    assert news(another, begun.id) == [end]
    assert numbers(news(another, 0)) == [("a", 1), ("a", 2), ("a", 3), ("a", 4)]


def test_a_run_is_followed_with_all_below_it_and_no_other(store):
    for run_id in ("a", "ab", "a-b", "a.x", "b", "a.x.y"):
        ended(store, run_id)
    assert list(dict.fromkeys(row.run_id for row in news(store, 0, "a"))) == ["a", "a.x", "a.x.y"]
    assert {row.run_id for row in news(store, 0, "a.x")} == {"a.x", "a.x.y"}


def test_more_than_a_page_comes_in_pages(store, another):
    journal = taken(store, "a")
    begun = journal.begin(RunAgent(1, "Do it."))
    for number in range(PAGE + 10):
        journal.note(begun, number)
    journal.flush()
    following = watch(another)
    first, second, third = next(following), next(following), next(following)
    assert (len(first), len(second), third) == (PAGE, 13, [])
    assert [row.n for row in [*first, *second]] == list(range(1, PAGE + 14))


def test_a_row_that_comes_after_others_were_removed_is_seen(store, another):
    """An id that came again would be behind the place of whoever follows."""
    ended(store)
    place = last_id(another)
    [tree] = gc.trees(store)
    store.write(*gc.removal(tree))
    assert count(another, "journal") == 0
    new = ended(store)
    assert [row.run_id for row in news(another, place)] == [new] * 3


def test_following_begins_with_what_is_there_and_goes_on_with_what_comes(store, another):
    async def scenario():
        journal = taken(store, "a")
        following = follow(Follower(another))
        async with asyncio.timeout(30):
            found = numbers(await anext(following))
            journal.begin(RunAgent(1, "Do it."))
            began = time.monotonic()
            found += numbers(await anext(following))
        await following.aclose()
        return found, time.monotonic() - began

    found, seconds = asyncio.run(scenario())
    assert found == [("a", 1), ("a", 2), ("a", 3)]
    assert seconds < 0.9, "it was not rung"


def test_a_process_follows_its_own_rows_too(store):
    async def scenario():
        journal = taken(store, "a")
        following = follow(Follower(store, last_id(store)))
        waiting = asyncio.ensure_future(anext(following))
        await asyncio.sleep(0.05)
        began = time.monotonic()
        journal.begin(RunAgent(1, "Do it."))
        async with asyncio.timeout(30):
            found = numbers(await waiting)
        await following.aclose()
        return found, time.monotonic() - began

    found, seconds = asyncio.run(scenario())
    assert found == [("a", 3)]
    assert seconds < 0.9, "it was not rung"


def test_all_who_follow_see_each_row_once_and_in_order_while_others_write(database, store):
    writers = [database.start(WRITES, f"run{number}") for number in range(WRITERS)]
    followers = [database.start(script, WRITERS * ROWS) for script in (WATCHES, FOLLOWS)]
    processes = [*writers, *followers]
    try:
        for process in processes:
            assert process.stdout.readline() == "ready\n"
        for writer in writers:
            writer.stdin.write("go\n")
            writer.stdin.flush()
        seen = [process.communicate(timeout=100)[0].split("\n")[:-1] for process in followers]
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    there = [f"{row['id']} {row['run_id']} {row['n']}" for row in store.read("SELECT * FROM journal ORDER BY id")]
    assert len(there) == WRITERS * ROWS
    assert seen == [there, there]
