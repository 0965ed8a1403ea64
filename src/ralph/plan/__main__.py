"""Reads source files in a separate process: a hostile file that crashes or stalls a parser must not affect ralph.

Standard input is a list of `SourceText`. The first line of the output says that it is ready; each further one is the
outline of the next file, or `null` if there is none.
"""

import gc
import resource
import signal
import sys
from contextlib import suppress

import msgspec

from ralph.model.errors import RalphError
from ralph.plan.outlines import SourceText, outline_of

MEMORY = 2 << 30
SECONDS = 1.0
"""How many CPU seconds one file may take. A large one takes a tenth; a text that confuses the parser takes minutes.
Python code cannot interrupt the parser, so the process ends, and is started again after that file."""


def main() -> None:
    with suppress(ValueError, OSError):  # where the system does not know this limit, the time limit must do
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # This process lives for a second. Garbage collection over a million nodes would take as long as parsing them.
    gc.disable()
    sources = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=list[SourceText])
    say(b"ready")
    for source in sources:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            say(msgspec.json.encode(outline_of(source)))
        except RalphError as error:
            sys.exit(str(error))
        except Exception:  # noqa: BLE001 - whatever a stranger's text makes of a reader, the next file is read
            say(b"null")


def say(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
