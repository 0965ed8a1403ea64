"""Input of a person at the terminal, line by line; a signal ends the wait."""

import os
import select
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager

import click

from ralph.cli.saying import safe_text


@contextmanager
def signal_pipe() -> Generator[int]:
    """A pipe that becomes readable with a signal. Waiting only for an answer would miss a signal that comes just
    before.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    before = signal.set_wakeup_fd(writer)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)


def ask_line(interrupted: int, question: str) -> str:
    """The typed line without surrounding blanks; EOFError if nobody types any more."""
    while True:
        click.echo(safe_text(question), nl=False)
        try:
            answer = _typed_line(interrupted).decode().strip()
        except UnicodeDecodeError:
            click.echo("That is not UTF-8 text. Type it again.")
            continue
        if all(character >= " " for character in answer):
            return answer
        click.echo("That contains control characters, such as those of the arrow keys. Type it again.")


def _typed_line(interrupted: int) -> bytes:
    keyboard, line = sys.stdin.fileno(), b""
    while not line.endswith(b"\n"):
        select.select([keyboard, interrupted], [], [])
        if not (typed := os.read(keyboard, 4096)):
            raise EOFError
        line += typed
    return line
