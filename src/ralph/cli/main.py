"""The command `ralph`: a table of commands, each imported only when it is asked for."""

import gc
import os
import sys

OBJECTS_OF_A_COMMAND = 200_000
STDOUT = 1
STOPPED = 130
"""The exit code after SIGINT and SIGTERM."""


def _version_is_told() -> bool:
    from ralph import __version__

    try:
        os.write(STDOUT, f"ralph {__version__}\n".encode())
    except OSError:
        return False
    return True


def main() -> None:
    # This is answered before click is imported: editors and scripts ask it often. Where it cannot be written, the usual
    # way tells why.
    if sys.argv[1:] in (["--version"], ["-v"]) and _version_is_told():
        return
    # Modules, and the rows of a long list, consist of objects that stay. Collecting garbage every 700 new ones takes a
    # tenth of a start. A run collects more often, because it may take all night.
    gc.set_threshold(OBJECTS_OF_A_COMMAND)
    import signal

    # Until a run hears signals itself, each of them ends ralph in the same way.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        from ralph.cli.group import run_cli

        run_cli()
    except KeyboardInterrupt:
        sys.stderr.write("Aborted.\n")
        sys.exit(STOPPED)
