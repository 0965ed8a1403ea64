"""What every format can express. Each method returns the lines that the agent would print."""

from __future__ import annotations

import json
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Ending:
    """The content of the agent's last line: its final message, what it spent, whether it failed."""

    def __init__(self, step: dict[str, Any], text: str) -> None:
        tokens = step.get("tokens", {})
        self.text = text
        self.cost: float = step.get("cost", 0)
        self.input: int = tokens.get("input", 0)
        self.output: int = tokens.get("output", 0)
        self.cache_read: int = tokens.get("cache_read", 0)
        self.cache_write: int = tokens.get("cache_write", 0)
        error = step.get("is_error", False)
        self.error_status: int = 500 if error is True else int(error)
        """The HTTP status of the failed request; 0 if nothing failed."""


class Stream:
    shell = "Bash"
    writer = ("Write", "file_path")
    """The tool that writes a file, and the name of its argument for the path."""
    quiet = False
    """Whether nothing is printed before the end."""

    def __init__(self, args: list[str], prompt: str) -> None:
        self.args = args
        self.prompt = prompt
        self.began = time.time()

    @classmethod
    def prints_text(cls, args: list[str]) -> bool:
        """Whether the agent, started like this, prints only its final message."""
        return option(args, "--output-format") == "text"

    def begin(self) -> bytes:
        return b""

    def say(self, text: str) -> bytes:
        raise NotImplementedError

    def think(self, text: str) -> bytes:
        raise NotImplementedError

    def tool(self, name: str, arguments: dict[str, Any], output: str, *, error: bool) -> bytes:
        raise NotImplementedError

    def todo(self, items: list[dict[str, str]]) -> bytes:
        raise NotImplementedError

    def end(self, ending: Ending) -> bytes:
        raise NotImplementedError

    def ran(self, command: str, output: str, code: int) -> bytes:
        output = output.rstrip("\n")
        shown = f"Exit code {code}\n{output}" if code else output
        return self.tool(self.shell, {"command": command}, shown, error=code != 0)

    def changed(self, path: str, content: str, kind: str) -> bytes:
        """The lines for a changed file; `kind` is add, update or delete."""
        if kind == "delete":
            return self.ran(f"rm {path}", "", 0)
        name, path_argument = self.writer
        done = f"File {'created' if kind == 'add' else 'updated'} successfully at: {path}"
        return self.tool(name, {path_argument: path, "content": content}, done, error=False)

    def filler(self, kind: str, payload: str) -> bytes:
        """Lines without meaning, as long as the payload makes them."""
        if kind == "tool":
            return self.tool(self.shell, {"command": "seq 1000000"}, payload, error=False)
        return self.say(payload)

    @property
    def milliseconds(self) -> int:
        return int((time.time() - self.began) * 1000)


def line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode(errors="replace") + b"\n"


def option(args: list[str], name: str) -> str | None:
    """The value of `--name value` or `--name=value`."""
    for position, arg in enumerate(args):
        if arg == name and position + 1 < len(args):
            return args[position + 1]
        if arg.startswith(f"{name}="):
            return arg[len(name) + 1 :]
    return None


def new_id(prefix: str = "", length: int = 24) -> str:
    return prefix + os.urandom(length // 2).hex()


def new_uuid() -> str:
    digits = new_id(length=32)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def timestamp() -> str:
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"
