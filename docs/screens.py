"""Capture docs/screens/: `ralph run`, `status --watch` and `show` in two sizes of a terminal. Needs tmux."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Self

from ralph.testing import ScriptedAgent, temp_repo

SIZES = ((80, 24), (160, 50))
SECONDS = 60
SESSION = "ralph-screens"
PROMPT = "Make the tests pass. When they do, end with <response>DONE</response>"
TODO = [
    {"text": "Read the failing test", "status": "completed"},
    {"text": "Fix the sum", "status": "in_progress"},
    {"text": "Run the tests", "status": "pending"},
]
TOOL = {"name": "Bash", "input": {"command": "make test"}, "output": "1 passed\n2 failed\nmake: *** [test] Error 1\n"}
CLAIM = {"say": "I fixed it.", "tool": TOOL, "final": "All done. <response>DONE</response>", "cost": 0.12}
WORK = ({"todo": TODO}, {"tool": TOOL, "stderr": "warning: the model is slow today\n"})
END = {"write": {"fixed": "yes\n"}, "final": "Now it is fixed. <response>DONE</response>", "cost": 0.31}
FILES = {
    "check.sh": "test -f fixed && exit\necho 'FAILED test_sum.py::test_sum'\necho '1 failed, 1 passed'\nexit 1\n",
    "look.sh": "i=0\nwhile [ ! -e ../go ] && [ $i -lt 600 ]; do i=$((i+1)); sleep 0.1; done\n",
}


def main() -> None:
    folder = Path(__file__).with_name("screens")
    folder.mkdir(exist_ok=True)
    # Without any session tmux ends, and a new one may come while it does.
    _tmux("new-session", "-d", "-s", SESSION, "sleep 600")
    try:
        for width, height in SIZES:
            for name, screen in _screens(width, height):
                lines = [line.rstrip() for line in screen.rstrip().splitlines()]
                (folder / f"{name}-{width}x{height}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    finally:
        _tmux("kill-session", "-t", f"={SESSION}")


def _screens(width: int, height: int) -> list[tuple[str, str]]:
    """A run in a repository of its own, as terminals of this size show it while it goes on and afterwards."""
    with tempfile.TemporaryDirectory() as directory:
        repo = temp_repo(Path(directory))
        go = repo.path.parent / "go"
        for name, text in FILES.items():
            repo.write(name, text)
        repo.git("add", ".")
        repo.git("commit", "-m", "Add the check")
        agent = ScriptedAgent(CLAIM, {"do": [*WORK, {"run": "sh look.sh"}], **END}, directory=Path(directory) / "bin")
        ralph = Path(sys.executable).with_name("ralph")
        env = {
            **repo.env,
            "PATH": f"{ralph.parent}:{os.environ['PATH']}",
            "TERM": "xterm-256color",
        }
        run = [str(ralph), "run", "-p", PROMPT, "--agent", agent.command]
        (repo.path / ".ralph").mkdir()
        settings = json.dumps({"guardrails": [{"command": "sh check.sh"}]})
        (repo.path / ".ralph/settings.json").write_text(settings, encoding="utf-8")
        with _Pane("run", width, height, repo.path, env, run) as running:
            running.wait_for("stderr: warning")
            with _Pane("watch", width, height, repo.path, env, [str(ralph), "status", "--watch"]) as watching:
                watched = watching.wait_for("> Bash(make test)")
            go.touch()
            ran = running.wait_for("Details: ralph show")
        with _Pane("show", width, height, repo.path, env, [str(ralph), "show"]) as showing:
            shown = showing.wait_for("files: ")
    screens = {"run": ran, "status-watch": watched, "show": shown}
    places = {agent.command: "claude", str(repo.path): "/home/ada/sum"}
    for place, shorter in places.items():
        screens = {name: screen.replace(place, shorter) for name, screen in screens.items()}
    return list(screens.items())


class _Pane:
    """A program in a terminal of this size, which stays open when the program has ended."""

    def __init__(self, name: str, width: int, height: int, folder: Path, env: dict[str, str], argv: list[str]) -> None:
        self._name = f"{SESSION}-{name}"
        variables = [word for key, value in env.items() for word in ("-e", f"{key}={value}")]
        size = ["-x", str(width), "-y", str(height)]
        words = " ".join(f"'{word}'" for word in argv)
        _tmux("new-session", "-d", "-s", self._name, *size, *variables, "-c", str(folder), f"{words}; sleep {SECONDS}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _tmux("kill-session", "-t", f"={self._name}")

    def wait_for(self, text: str) -> str:
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            screen = _tmux("capture-pane", "-p", "-t", self._name)
            if text in screen:
                return screen
            time.sleep(0.2)
        raise SystemExit(f"{text!r} did not come on the screen of {self._name}:\n{screen}")


def _tmux(*arguments: str) -> str:
    return subprocess.run(["tmux", *arguments], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
