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
    # The version is printed before click is imported: editors and scripts ask for it often. If it cannot be written,
    # the usual path reports why.
    if sys.argv[1:] in (["--version"], ["-v"]) and _version_is_told():
        return
    # Modules, and the rows of a long list, consist of objects that stay. Collecting garbage every 700 new ones takes a
    # tenth of a start. A run collects more often, because it may take all night.
    gc.set_threshold(OBJECTS_OF_A_COMMAND)
    from ralph.cli.interrupts import hear_interrupts

    hear_interrupts()
    try:
        from ralph.cli.group import run_cli

        run_cli()
    except KeyboardInterrupt:
        sys.stderr.write("Aborted.\n")
        sys.exit(STOPPED)
