"""The program `ralph-scripted-agent`: plays the next step of a script each time it is started.

usage: ralph-scripted-agent SCRIPT [ARGUMENT]...

SCRIPT is a .json or .yaml file. The arguments are those of the agent it stands in for. The prompt comes in on
standard input, or as the argument of -p or -x, or as the last argument.
"""

from __future__ import annotations

import os
import signal
import sys
from itertools import pairwise

from ralph.testing.formats import stream_of
from ralph.testing.play import Player, complain, write_all
from ralph.testing.script import load
from ralph.testing.shapes import ScriptError
from ralph.testing.turns import Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BAD_SCRIPT = 2
SCRIPT_ENDED = 96
PROMPT_FLAGS = ("-p", "--print", "--prompt", "-x", "--execute")


def main() -> None:
    # Like other programs, end at once when the reader is gone, and on the first Ctrl-C.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        sys.exit(_run(sys.argv[1:]))
    except (ScriptError, OSError) as error:
        complain(str(error))
        sys.exit(BAD_SCRIPT)


def _run(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help"):
        write_all(1 if argv else 2, (__doc__ or "").encode())
        return 0 if argv else BAD_SCRIPT
    path, *args = argv
    script = load(path)
    if args and args[-1] in ("--help", "--version"):
        # A question about the program itself uses no turn.
        write_all(1, f"0.0.0 (scripted {script.format})\n".encode())
        return 0
    prompt = _read_prompt(script.format, args)
    turn = Turn(script, path, prompt, args)
    if not turn.step:
        complain(f"{path}: no step is left to play")
        return SCRIPT_ENDED
    step = script.steps[turn.step - 1]
    Player(step, stream_of(script.format, args, prompt), prompt, _message_file(script.format, args)).play()
    turn.end()
    return _leave(step)


def _leave(step: dict[str, Any]) -> int:
    if "kill" in step:
        import resource

        # The crash is intended: leave no core file among the project's files.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.kill(os.getpid(), getattr(signal, step["kill"]))
    return step.get("exit", 0)


def _read_prompt(format_name: str, args: list[str]) -> str:
    given = b"" if os.isatty(0) else _read_stdin()
    if given or not args:
        return given.decode(errors="replace")
    # Codex's -p is a profile.
    flags = () if format_name == "codex" else PROMPT_FLAGS
    for flag, value in pairwise(args):
        if flag in flags and not value.startswith("-"):
            return value
    return args[-1]


def _read_stdin() -> bytes:
    pieces: list[bytes] = []
    try:
        while piece := os.read(0, 1 << 20):
            pieces.append(piece)
    except OSError:
        # Standard input is closed.
        return b""
    return b"".join(pieces)


def _message_file(format_name: str, args: list[str]) -> str | None:
    if format_name != "codex":
        return None
    from ralph.testing.formats.base import option

    return option(args, "-o") or option(args, "--output-last-message")


if __name__ == "__main__":
    main()
