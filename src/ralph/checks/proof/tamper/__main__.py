"""Reads a change in a separate process: a hostile file that crashes or stalls a parser must not affect ralph.

Standard input is a list of `FileChange`; each line of the output is a `Word` of `apart`.
"""

import gc
import resource
import sys
from contextlib import suppress

import msgspec

from ralph.checks.proof.tamper.apart import At, Done, Failed, Word
from ralph.checks.proof.tamper.judging import findings
from ralph.checks.proof.tamper.source import FileChange
from ralph.model.errors import RalphError

MEMORY = 3 << 30


def main() -> None:
    with suppress(ValueError, OSError):  # where the system does not know this limit, the time limit must do
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # This process lives for a second. Garbage collection over a million nodes would take as long as parsing them.
    gc.disable()
    changes = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=list[FileChange])
    try:
        say(Done(tuple(findings(changes, reading=lambda path: say(At(path))))))
    except RalphError as error:
        say(Failed(error.message, error.hint))


def say(word: Word) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(word) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
