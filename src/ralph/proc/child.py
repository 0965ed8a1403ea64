"""Starts one process and waits for it.

Most programs work in the directory of ralph itself. The system starts those with one call, which takes a third of the
time that `subprocess` needs; it cannot start a program in another directory.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from ralph.model.errors import StateError

STANDARD = 3
"""The number of standard streams: a process gets these descriptors, and no others."""
IGNORED_HERE = (signal.SIGPIPE, signal.SIGXFSZ)
"""The signals that Python ignores in this process. A process that it starts must not ignore them."""
OWN_FILES = Path("/proc/self/fd")
Streams = tuple[int, int, int]
"""The descriptors that become the standard input, output and error of a process."""


class Child:
    """A process that this process has started. It must be waited for once, and only here."""

    def __init__(self, pid: int, made: "subprocess.Popen[bytes] | None" = None) -> None:
        self.pid = pid
        self._made = made
        self._code: int | None = None
        self._waiting = threading.Lock()

    def wait(self) -> int:
        """Wait for its end, and return its exit code; negative is the number of a signal."""
        # Where the system does not report its end, a thread waits for it, while this process may be ending it.
        with self._waiting:
            if self._code is None:
                if self._made:
                    # Otherwise `subprocess` would wait for it too.
                    self._made.returncode = 0
                self._code = _exit_code(self.pid)
            return self._code


def _exit_code(pid: int) -> int:
    try:
        _, status = os.waitpid(pid, 0)
    except ChildProcessError as error:
        # `subprocess` returns 0 here, so a check that failed would seem to have passed.
        raise StateError(
            f"the exit code of process {pid} is lost: something else in this program has taken it.",
            "This is a bug in ralph: please report it.",
        ) from error
    return os.waitstatus_to_exitcode(status)


def start_child(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], streams: Streams) -> Child:
    """Start the program in its own session. An OSError says why it could not be started."""
    # Descriptors that are themselves standard streams, because this process was started without them, could overwrite
    # each other.
    if _is_here(cwd) and min(streams) >= STANDARD and _files_are_private():
        try:
            return Child(_spawned(argv, env, streams))
        except NotImplementedError:
            # Not every libc can start a process in its own session.
            pass
    feed, out, err = streams
    made = subprocess.Popen(argv, cwd=cwd, env=env, stdin=feed, stdout=out, stderr=err, start_new_session=True)
    return Child(made.pid, made)


def _is_here(folder: Path) -> bool:
    """Whether the program can be started directly. The folder of a name may have been replaced since the last time."""
    if sys.platform != "linux":
        return False
    try:
        return os.path.samestat(os.stat(folder), os.stat("."))  # noqa: PTH116 - for every process
    except OSError:
        return False


def _spawned(argv: Sequence[str], env: Mapping[str, str], streams: Streams) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, file, number) for number, file in enumerate(streams)]
    refused: OSError | None = None
    for path in _candidates(argv[0], env):
        try:
            return os.posix_spawn(path, list(argv), env, file_actions=actions, setsid=True, setsigdef=IGNORED_HERE)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            # As a shell does it: a later one on the PATH may work. If none does, the first refusal says why.
            refused = refused or error
    raise refused or FileNotFoundError(f"no {argv[0]} on the PATH")


def _candidates(program: str, env: Mapping[str, str]) -> list[str]:
    if "/" in program:
        return [program]
    paths = [os.path.join(folder, program) for folder in os.get_exec_path(env)]  # noqa: PTH118 - for every process
    return [path for path in paths if os.path.exists(path)]  # noqa: PTH110


@cache
def _files_are_private() -> bool:
    """Make the descriptors that this process inherited private, so that no child gets them. Python does so itself for
    those that it opens. Returns False if the descriptors cannot be listed.
    """
    try:
        names = os.listdir(OWN_FILES)  # noqa: PTH208 - names only
    except OSError:
        return False
    for name in names:
        # One of them was the descriptor of the listing itself, which is closed by now.
        with suppress(OSError):
            if int(name) >= STANDARD:
                os.set_inheritable(int(name), False)  # noqa: FBT003 - os has no keyword for it
    return True
