"""The command `ralph`: a table of commands, each imported only when it is asked for."""

import gc
import sys

OBJECTS_BETWEEN_LOOKS = 20_000


def main() -> None:
    if sys.argv[1:] in (["--version"], ["-v"]):
        from ralph import __version__

        # Answered before click is imported: editors and scripts ask this often.
        sys.stdout.write(f"ralph {__version__}\n")
        return
    # Modules are made of objects that stay. To look for garbage among them every 700 new ones takes a tenth of a start.
    gc.set_threshold(OBJECTS_BETWEEN_LOOKS)
    from ralph.cli.group import run_cli

    run_cli()
