"""The real program on a terminal of its own."""

import os
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

RALPH = Path(sys.executable).with_name("ralph")
PATIENCE = 30.0
TERMINAL = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
"""Makes the terminal on stdin the controlling one, so that Ctrl-C becomes a signal, then becomes the program."""


class Terminal:
    """The real program on a pseudo-terminal: read the screen, type on the keyboard."""

    def __init__(
        self,
        project: Path,
        env: dict[str, str],
        *arguments: str,
        program: Sequence[str | Path] = (RALPH,),
        columns: int | None = None,
    ) -> None:
        """Without `columns` the terminal does not know its size."""
        self.screen = ""
        self._seen = 0
        self._master, slave = os.openpty()
        self._is_open = True
        if columns:
            self.resize(columns)
        self.process = subprocess.Popen(
            [sys.executable, "-c", TERMINAL, *program, *arguments],
            cwd=project, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        )  # fmt: skip
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.hang_up()

    def expect(self, text: str) -> None:
        """Wait for the text. It may be wrapped at any of its spaces."""
        pattern = re.compile(r"\s+".join(map(re.escape, text.split(" "))))
        until = time.monotonic() + PATIENCE
        while not (found := pattern.search(self.screen, self._seen)):
            assert time.monotonic() < until, f"{text!r} did not come:\n{self.screen}"
            assert self._read(), f"it ended before {text!r} came:\n{self.screen}"
        self._seen = found.end()

    def type(self, keys: str | bytes) -> None:
        os.write(self._master, keys if isinstance(keys, bytes) else keys.encode())

    def resize(self, columns: int) -> None:
        termios.tcsetwinsize(self._master, (24, columns))

    def hang_up(self) -> None:
        """Close the window: the kernel tells whoever is in the foreground."""
        if self._is_open:
            self._is_open = False
            os.close(self._master)

    def answer(self, question: str, line: str) -> None:
        self.expect(question)
        self.type(f"{line}\n")

    def end(self) -> int:
        while self._read():
            pass
        return self.process.wait(PATIENCE)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], PATIENCE)
        assert ready, f"nothing more came:\n{self.screen}"
        try:
            data = os.read(self._master, 65536)
        except OSError:
            # Linux says so when the last holder of the other side is gone.
            return False
        self.screen += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)
