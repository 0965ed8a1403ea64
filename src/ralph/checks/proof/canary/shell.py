"""A shell script that does all its work and then fails."""

import re

from ralph.checks.proof.canary.edits import newline
from ralph.checks.proof.canary.failing_script import EXIT_CODE, FailingScript

EXIT = re.compile(rb"(?P<before>^|[;&|({]|\bthen\b|\belse\b|\bdo\b)(?P<space>\s*)exit\b(?P<code>[ \t]+[\w$?\"{}]+)?")
FAILURE = re.compile(rb"\s*\"?[1-9]\d*\"?")
EXEC = re.compile(rb"(?:^|[;&|({]|\bthen\b|\belse\b|\bdo\b)[ \t]*exec[ \t]+(?![\d<>&{])")
LAST_EXEC = re.compile(rb"^exec[ \t]+(?![\d<>&{])")
TRAP = re.compile(rb"^\s*trap\b.*\bexit\b.*\b(EXIT|0)\b", re.MULTILINE)


def failing_shell(content: bytes) -> FailingScript:
    lines = content.splitlines(keepends=True)
    last = _last_command(lines)
    if last is None:
        return FailingScript(refusal="has no command")
    if lines[last].rstrip().endswith(b"\\"):
        return FailingScript(refusal="ends in the middle of a command")
    if TRAP.search(content):
        return FailingScript(refusal="decides in a trap how it ends")
    lines[last] = LAST_EXEC.sub(b"", lines[last])
    if any(EXEC.search(line) for line in lines if not line.lstrip().startswith(b"#")):
        return FailingScript(refusal="hands over to another program before its end")
    end = newline(content)
    text = b"".join(map(_with_failing_exits, lines))
    first = b"" if text.endswith(b"\n") else end
    return FailingScript(text + first + f"exit {EXIT_CODE}".encode() + end)


def _last_command(lines: list[bytes]) -> int | None:
    commands = [at for at, line in enumerate(lines) if line.strip() and not line.lstrip().startswith(b"#")]
    return commands[-1] if commands else None


def _with_failing_exits(line: bytes) -> bytes:
    return line if line.lstrip().startswith(b"#") else EXIT.sub(_failing_exit, line)


def _failing_exit(found: "re.Match[bytes]") -> bytes:
    """The exit, changed so that it fails. An exit that already fails stays as it is, and so does one inside quotes,
    which belongs to another program.
    """
    before = found.string[: found.start("code") if found["code"] else found.end()]
    if FAILURE.fullmatch(found["code"] or b"") or before.count(b"'") % 2 or before.count(b'"') % 2:
        return found[0]
    return found["before"] + found["space"] + f"exit {EXIT_CODE}".encode()
