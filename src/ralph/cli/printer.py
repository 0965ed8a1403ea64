"""Write lines from a thread of their own: a slow terminal must not slow the agent down."""

import threading
from collections import deque
from collections.abc import Callable

Job = Callable[[], None]
BACKLOG = 2000
PATIENCE = 10.0
"""How long, at the end, a terminal may take to show what is left, in seconds."""


class Printer:
    def __init__(self) -> None:
        self.dropped = 0
        self._jobs: deque[Job] = deque()
        self._changed = threading.Condition()
        self._working = False
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="printer", daemon=True)
        self._thread.start()

    def put(self, job: Job) -> None:
        """Always done, in its turn."""
        with self._changed:
            self._jobs.append(job)
            self._changed.notify_all()

    def offer(self, job: Job) -> bool:
        """Done in its turn, unless the terminal is too far behind: then it is left out, and counted."""
        with self._changed:
            if len(self._jobs) >= BACKLOG:
                self.dropped += 1
                return False
            self._jobs.append(job)
            self._changed.notify_all()
            return True

    def drain(self) -> None:
        """Wait until all is written; not for ever, if nobody reads."""
        with self._changed:
            self._changed.wait_for(lambda: not self._jobs and not self._working, PATIENCE)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._working = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: bool(self._jobs))
                job = self._jobs.popleft()
                self._working = True
            try:
                job()
            except (OSError, ValueError):
                # The reader has gone. The run goes on: its journal has everything.
                continue
