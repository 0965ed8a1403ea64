import asyncio
import time

from ralph.proc.deadlines import NEVER, Deadlines


class Timed:
    """Something with one deadline, and a record of the times at which it was checked."""

    def __init__(self, deadlines, within):
        self.at = time.monotonic() + within
        self.checked = []
        self.passed_at = NEVER
        self.passed = asyncio.Event()
        deadlines.expect(self, self.at)

    def due(self):
        return self.at

    def check(self, now):
        self.checked.append(now)
        if now >= self.at:
            self.at, self.passed_at = NEVER, now
            self.passed.set()


def within_a_loop(test):
    async def through():
        async with asyncio.timeout(20):
            await test(Deadlines(asyncio.get_running_loop()))

    asyncio.run(through())


def test_each_is_due_at_its_own_time_whatever_the_order():
    async def test(deadlines):
        late, soon, first = (Timed(deadlines, within) for within in (1.0, 0.1, 0.01))
        due = [each.at for each in (first, soon, late)]
        await first.passed.wait()
        assert late.passed_at == NEVER
        await soon.passed.wait()
        await late.passed.wait()
        passed = [each.passed_at for each in (first, soon, late)]
        assert passed == sorted(passed)
        assert all(at >= wanted for at, wanted in zip(passed, due, strict=True))

    within_a_loop(test)


def test_a_deadline_that_moves_is_checked_at_its_new_time():
    async def test(deadlines):
        moved = Timed(deadlines, 0.05)
        moved.at = due = moved.at + 0.2
        await moved.passed.wait()
        assert len(moved.checked) == 2
        assert moved.checked[1] >= due

    within_a_loop(test)


def test_what_is_forgotten_is_not_checked():
    async def test(deadlines):
        gone, there = Timed(deadlines, 0.01), Timed(deadlines, 0.05)
        deadlines.forget(gone)
        await there.passed.wait()
        assert gone.checked == []

    within_a_loop(test)


def test_many_with_later_deadlines_need_no_timer_of_their_own():
    async def test(deadlines):
        loop = asyncio.get_running_loop()
        made = []
        call_at = loop.call_at
        loop.call_at = lambda *arguments: made.append(arguments) or call_at(*arguments)
        many = [Timed(deadlines, 0.1 + number / 1000) for number in range(50)]
        assert len(made) == 1
        await many[-1].passed.wait()
        assert all(each.at == NEVER for each in many)

    within_a_loop(test)
