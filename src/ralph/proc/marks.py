"""How the descendants of an attempt are distinguished from all other processes.

Each has two marks, inherited from parent to child: a variable in its environment, and on Linux an unusual value of a
resource limit that nobody else sets and that is too high to limit anything. A daemon that clears its environment,
leaves its session and loses its parents still has the second.

The watcher program imports this with a bare interpreter: only the standard library, and little of it.
"""

from binascii import crc32

from ralph.proc.table import environments, realtime_limit

TYPE_CHECKING = False  # typing's own constant would cost an import at every start
if TYPE_CHECKING:
    from collections.abc import Iterable

TAG = "RALPH_ATTEMPT_ID"
"""The variable. Its value says which process of ralph, and which attempt, it belongs to."""
LOWEST = 1 << 62
ATTEMPTS = 1 << 32
PROCESSES = 1 << 28
"""The limit is the number of ralph's process, followed by the number of the attempt."""


class Mark:
    """What to look for, in the environment or as the limit."""

    __slots__ = ("_limits", "_variable")

    def __init__(self, variable: bytes, limits: range) -> None:
        self._variable = variable
        self._limits = limits

    def find(self, pids: "Iterable[int]") -> set[int]:
        """The processes with this mark among `pids`."""
        return {
            pid
            for pid, variables in environments(pids)
            if self._variable in variables or realtime_limit(pid) in self._limits
        }


def limit_for(token: str, tag: str) -> int:
    """The limit of an attempt's processes."""
    return _first_limit(token) + crc32(tag.encode())


def mark_of_attempt(token: str, tag: str) -> Mark:
    limit = limit_for(token, tag)
    return Mark(f"{TAG}={token}.{tag}\0".encode(), range(limit, limit + 1))


def mark_of_all(token: str) -> Mark:
    """The mark of the descendants of all attempts of this ralph process."""
    first = _first_limit(token)
    return Mark(f"{TAG}={token}.".encode(), range(first, first + ATTEMPTS))


def mark_of_variable(variable: str) -> Mark:
    return Mark(variable.encode() + b"\0", range(0))


def _first_limit(token: str) -> int:
    return LOWEST + int(token, 16) % PROCESSES * ATTEMPTS
