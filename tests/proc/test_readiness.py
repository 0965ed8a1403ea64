import asyncio
import os
import select

import pytest

from ralph.proc.readiness import Readiness, readiness


@pytest.fixture(params=["the best that there is", "the loop itself"])
def watching(request):
    """How descriptors are watched, inside a running loop."""
    is_best = request.param == "the best that there is"
    if is_best and not hasattr(select, "epoll"):
        pytest.skip("this system has no epoll")
    return readiness if is_best else lambda: Readiness(asyncio.get_running_loop())


@pytest.fixture
def pipes():
    made = [os.pipe() for _ in range(2)]
    yield made
    for end in (end for ends in made for end in ends):
        os.close(end)


@pytest.fixture
def pipe(pipes):
    return pipes[0]


def test_it_calls_while_there_is_something_to_read(watching, pipe):
    async def heard():
        watched, said, done = watching(), [], asyncio.Event()

        def call():
            said.append(os.read(pipe[0], 1))
            if said[-1] == b"c":
                done.set()

        watched.add(pipe[0], call)
        os.write(pipe[1], b"abc")
        async with asyncio.timeout(10):
            await done.wait()
        watched.remove(pipe[0])
        return said

    assert asyncio.run(heard()) == [b"a", b"b", b"c"]


def test_it_does_not_call_for_what_another_call_has_removed(watching, pipes):
    async def heard():
        watched, said = watching(), []
        files = [read for read, _ in pipes]

        def call(file):
            said.append(file)
            for each in files:
                watched.remove(each)

        for file, (_, write) in zip(files, pipes, strict=True):
            watched.add(file, lambda file=file: call(file))
            os.write(write, b"x")
        # Both are readable by now: each turn of the loop takes all that is ready.
        for _ in range(5):
            await asyncio.sleep(0)
        return said

    assert len(asyncio.run(heard())) == 1


def test_what_is_watched_in_one_loop_is_not_in_the_next(pipe):
    async def watch(call):
        readiness().add(pipe[0], call)
        return readiness()

    async def later():
        os.write(pipe[1], b"x")
        for _ in range(5):
            await asyncio.sleep(0)
        return readiness()

    said = []
    first = asyncio.run(watch(lambda: said.append("first")))
    assert asyncio.run(later()) is not first
    assert said == []
