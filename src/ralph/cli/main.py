"""The command `ralph`: a table of commands, each imported only when it is asked for."""

import sys


def main() -> None:
    if sys.argv[1:] in (["--version"], ["-v"]):
        from ralph import __version__

        # Answered before click is imported: editors and scripts ask this often.
        sys.stdout.write(f"ralph {__version__}\n")
        return
    from ralph.cli.group import run_cli

    run_cli()
