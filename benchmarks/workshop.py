"""A temporary directory with everything that is measured: agents, streams, and the commands to compare."""

import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from measure import Cost, cost
from ralph.testing.formats.base import Ending
from ralph.testing.formats.claude import Claude

RALPH = Path(sys.executable).with_name("ralph")
MEGABYTE = 1_000_000
MEMORY = "/dev/shm"  # noqa: S108 - a fresh directory is made in it
COMPLETION = "<response>DONE</response>"
SHORT, USUAL, LONG = "short", "usual", "long"
"""The agents: one answers in a few lines that it is not done, one prints as much as is usual before it says so, and one
prints a flood and says that it is done."""
USUAL_SIZE = 40_000
TEN_SECRETS = {f"SERVICE_{number}_API_KEY": f"Vq7{number}zL0pXw93kTf5{number}hNc2" for number in range(10)}

FIRST, LAST = 20, 620
"""A loop is measured between these starts of its command: before, it begins, and after, it ends."""
RESTLESS = f"""#!/bin/sh
cd "${{0%/*}}"
read n < starts || n=0
echo $((n += 1)) > starts
case $n in {FIRST} | {LAST}) cat /proc/$PPID/stat >> used;; esac
"""


def fastest_place(needed: int) -> str | None:
    """Memory, where the system has a file system of it with enough room; else the usual place for temporary files.

    Some file systems are many times slower to create files, for minutes, where many have been deleted: after a test
    run that would be all there is to measure.
    """
    if not os.access(MEMORY, os.W_OK):
        return None
    room = os.statvfs(MEMORY)
    return MEMORY if room.f_bavail * room.f_frsize > needed else None


class Workshop:
    def __init__(self, root: Path) -> None:
        self.project = root / "project"
        self.project.mkdir()
        # As in any loop, the prompt says what the loop waits for.
        (self.project / "prompt.md").write_text(f"Work on it. When it is done, end with {COMPLETION}\n")
        self.root = root
        self.home = root / "ralph-home"
        self.env = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(root),
            "RALPH_HOME": str(self.home),
            "LANG": os.environ.get("LANG", "C.UTF-8"),
        }
        _write_streams(root)

    def agent(self, kind: str, megabytes: int = 0) -> str:
        """A program named claude that prints a recorded stream; the middle of it as often as asked for."""
        folder = self.root / f"{kind}-{megabytes}"
        program = folder / "claude"
        if not program.exists():
            folder.mkdir()
            parts = ["begin", *["middle"] * megabytes, kind]
            program.write_text(f"#!/bin/sh\nexec cat {' '.join(str(self.root / part) for part in parts)}\n")
            program.chmod(0o755)
        return str(program)

    def one_line(self, size: int) -> str:
        """A program named claude that prints one line of this many bytes, and then that it is done."""
        program = self.root / f"line-{size}" / "claude"
        program.parent.mkdir(exist_ok=True)
        line = f"head -c {size} /dev/zero | tr '\\0' x; echo"
        program.write_text(f"#!/bin/sh\n{line}\nexec cat {self.root / LONG}\n")
        program.chmod(0o755)
        return str(program)

    def make_repository(self) -> None:
        for words in ("init -q", "add prompt.md", "-c user.name=a -c user.email=a@b commit -q -m base"):
            self.run("git", *words.split())

    def run(
        self, *argv: str, through_pipe: bool = False, expect: int = 0, env: Mapping[str, str] | None = None
    ) -> Cost:
        used = cost(argv, cwd=self.project, env={**self.env, **(env or {})}, through_pipe=through_pipe)
        if used.code != expect:
            raise SystemExit(f"{argv[0]} exited with {used.code} instead of {expect}: {' '.join(argv)[:500]}")
        return used

    def ralph(self, agent: str, *, iterations: int, expect: int, env: Mapping[str, str] | None = None) -> Cost:
        options = ("--quiet", "-f", "prompt.md", "--agent", agent, "-m", str(iterations))
        return self.run(str(RALPH), "run", *options, expect=expect, env=env)

    def ralph_shown(self, agent: str, *, iterations: int, expect: int) -> Cost:
        """As people run it: what the agent does is shown, here into a pipe."""
        options = ("-f", "prompt.md", "--agent", agent, "-m", str(iterations))
        return self.run(str(RALPH), "run", *options, expect=expect, through_pipe=True)

    def restless(self) -> str:
        """A command that ends at once and well, as one does that only polls. It lies in a task directory of its own."""
        program = Path(tempfile.mkdtemp(prefix="task-", dir=self.root)) / "command"
        program.write_text(RESTLESS)
        program.chmod(0o755)
        return str(program)

    def used(self, command: str) -> float:
        """The CPU seconds that the loop and its children took between the first and the last start that count."""
        first, last = map(_cpu_seconds, Path(command).with_name("used").read_text().splitlines())
        return last - first

    def supervise(self, command: str) -> Cost:
        limits = ("--max-restarts", str(LAST), "--restart-delay", "0")
        options = ("--quiet", "--task-dir", str(Path(command).parent), *limits)
        return self.run(str(RALPH), "supervise", *options, "--", command, expect=1)

    def bash_loop(self, agent: str, *, iterations: int, expect: int) -> Cost:
        one = f"{agent} -p < prompt.md | tee log.$$.$i | grep -q '{COMPLETION}'"
        return self._bash(f"{one} && exit 0", iterations, expect)

    def bare_loop(self, agent: str, *, iterations: int) -> Cost:
        return self._bash(f"{agent} -p < prompt.md > /dev/null", iterations, 1)

    def make_room(self) -> None:
        shutil.rmtree(self.project / ".ralph" / "runs", ignore_errors=True)
        for log in self.project.glob("log.*"):
            log.unlink()

    def _bash(self, one: str, iterations: int, expect: int) -> Cost:
        loop = f"i=0; while [ $i -lt {iterations} ]; do {one}; i=$((i+1)); done; exit 1"
        return self.run("bash", "-c", loop, expect=expect)


def _cpu_seconds(stat: str) -> float:
    *_, fields = stat.rpartition(")")
    return sum(map(int, fields.split()[11:15])) / os.sysconf("SC_CLK_TCK")


def _write_streams(root: Path) -> None:
    stream = Claude([], "")
    (root / "begin").write_bytes(stream.begin())
    middle = _middle(stream)
    (root / "middle").write_bytes(middle)
    not_yet = stream.say("Not yet.") + stream.end(Ending({"cost": 0.01}, "Not yet."))
    (root / USUAL).write_bytes(middle[: middle.rindex(b"\n", 0, USUAL_SIZE) + 1] + not_yet)
    (root / SHORT).write_bytes(not_yet)
    (root / LONG).write_bytes(stream.end(Ending({"cost": 0.01}, f"All is well. {COMPLETION}")))


def _middle(stream: Claude) -> bytes:
    """A megabyte as agents print it: tool calls with results of some kilobytes, now and then a paragraph."""
    made = b"".join(_until_full(stream))
    last = made.rindex(b"\n", 0, MEGABYTE) + 1
    return made[: last - 1] + b" " * (MEGABYTE - last) + b"\n"


def _until_full(stream: Claude) -> Iterator[bytes]:
    source = Path(random.__file__).read_text(encoding="utf-8")
    chance = random.Random(1)  # noqa: S311 - the same stream each time
    size = 0
    while size <= MEGABYTE:
        start, length = chance.randrange(len(source) // 2), chance.randrange(200, 3200)
        lines = stream.tool("Bash", {"command": "cat random.py"}, source[start : start + length], error=False)
        if chance.random() < 0.3:  # noqa: PLR2004 - about every third call
            lines += stream.say(source[start : start + 700])
        size += len(lines)
        yield lines
