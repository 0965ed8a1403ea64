"""Waiting for commits in an event loop. It is separate from the stores, so that read-only commands do not import
asyncio.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import suppress


async def ringing(
    rung: asyncio.Event,
    state: Callable[[], object],
    at_most: float,
    at_least: float = 0.0,
    look_again: float = math.inf,
    listen: Callable[[], None] | None = None,
) -> AsyncIterator[None]:
    """Yield at once, then for each new `state`, at the latest after `at_most` seconds, never twice within `at_least`.
    `rung` says that the state may be new; `look_again` is for callers without notifications. `listen` is called before
    each wait, so that a notification that nobody waits for wakes nobody.
    """
    loop = asyncio.get_running_loop()
    seen = state()
    while True:
        yield
        if at_least:
            await asyncio.sleep(at_least)
        until = loop.time() + at_most
        while seen == (seen := state()) and (left := until - loop.time()) > 0:
            if listen:
                listen()
            # Not wait_for: in Python 3.11 it swallows a cancellation that comes together with the bell.
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, look_again)):
                    await rung.wait()
            rung.clear()
