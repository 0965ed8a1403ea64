"""Performs a step: each action is a method, named after its key."""

from __future__ import annotations

import os
import signal
import sys
import time

from ralph.testing.files import remove, write_text
from ralph.testing.formats.base import Ending
from ralph.testing.script import plan
from ralph.testing.shapes import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph.testing.formats.base import Stream

DEFAULT_LINE = 1000
PROMPT_UNEXPECTED = 97


class Player:
    def __init__(self, step: dict[str, Any], stream: Stream, prompt: str, message_file: str | None) -> None:
        self._step = step
        self._stream = stream
        self._prompt = prompt
        self._message_file = message_file
        self._begun = False
        self._ended = False
        self._last_said = ""

    def play(self) -> None:
        actions = plan(self._step)
        if ("hang", "hard") in actions:
            # It is installed at the beginning: a test that waits for a line of output may send the signal right after
            # it.
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
        for key, value in actions:
            getattr(self, f"_do_{key}")(value)
        if "kill" not in self._step:
            self._end()

    def _show(self, lines: bytes) -> None:
        """Print lines of the stream; its first line comes with the first of them."""
        if self._stream.quiet:
            return
        if not self._begun:
            self._begun = True
            lines = self._stream.begin() + lines
        write_all(1, lines)

    def _end(self) -> None:
        if self._ended or self._step.get("no_result"):
            return
        self._ended = True
        lines = self._stream.end(Ending(self._step, self._last_said))
        if self._stream.quiet:
            write_all(1, lines)
        else:
            self._show(lines)
        if self._message_file:
            write_text(self._message_file, self._last_said)

    def _do_expect_prompt(self, text: str) -> None:
        if text not in self._prompt:
            complain(f"the prompt lacks {text!r}; it was: {self._prompt!r}")
            sys.exit(PROMPT_UNEXPECTED)

    def _do_echo_prompt(self, _: bool) -> None:  # noqa: FBT001 - the key's value, here always true
        self._do_say(self._prompt)

    def _do_write(self, files: dict[str, str]) -> None:
        for path, content in files.items():
            self._change(path, content, "w")

    def _do_append(self, files: dict[str, str]) -> None:
        for path, content in files.items():
            self._change(path, content, "a")

    def _do_delete(self, paths: list[str]) -> None:
        for path in paths:
            remove(path)
            self._show(self._stream.changed(path, "", "delete"))

    def _change(self, path: str, content: str, mode: str) -> None:
        kind = write_text(path, content, mode)
        self._show(self._stream.changed(path, content, kind))

    def _do_run(self, command: str) -> None:
        import subprocess

        ran = subprocess.run(
            ["/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        self._show(self._stream.ran(command, ran.stdout.decode(errors="replace"), ran.returncode))

    def _do_spawn(self, child: dict[str, Any]) -> None:
        import subprocess

        # It keeps this program's output open, like a real agent's background process.
        subprocess.Popen(
            ["/bin/sh", "-c", child["command"]],
            stdin=subprocess.DEVNULL,
            start_new_session=child.get("setsid", False),
        )

    def _do_say(self, text: str) -> None:
        self._last_said = text
        self._show(self._stream.say(text))

    def _do_final(self, text: str) -> None:
        self._do_say(text)
        self._end()

    def _do_think(self, text: str) -> None:
        self._show(self._stream.think(text))

    def _do_tool(self, call: dict[str, Any]) -> None:
        lines = self._stream.tool(
            call["name"], call.get("input", {}), call.get("output", ""), error=call.get("error", False)
        )
        self._show(lines)

    def _do_todo(self, items: list[dict[str, str]]) -> None:
        self._show(self._stream.todo(items))

    def _do_raw(self, text: str) -> None:
        write_all(1, text.encode(errors="replace") + b"\n")

    def _do_raw_base64(self, text: str) -> None:
        import base64

        try:
            write_all(1, base64.b64decode(text))
        except ValueError as error:
            raise ScriptError(f"raw_base64: {error}") from error

    def _do_stderr(self, text: str) -> None:
        write_all(2, text.encode(errors="replace") + b"\n")

    def _do_flood(self, wanted: dict[str, Any]) -> None:
        from ralph.testing.flood import flood

        self._show(b"")
        size, kind = wanted.get("line", DEFAULT_LINE), wanted.get("kind", "text")
        for piece in flood(self._stream, wanted["bytes"], size, kind):
            write_all(1, piece)

    def _do_line_of(self, wanted: dict[str, Any]) -> None:
        from ralph.testing.flood import one_line

        self._show(b"")
        write_all(1, one_line(self._stream, wanted["bytes"]))

    def _do_sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def _do_hang(self, _: object) -> None:
        while True:
            signal.pause()

    def _do_close_stdout(self, _: bool) -> None:  # noqa: FBT001 - the key's value, here always true
        self._end()
        # It is replaced and not closed: the next opened file must not become the output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def complain(problem: str) -> None:
    write_all(2, f"ralph-scripted-agent: {problem}\n".encode(errors="replace"))
