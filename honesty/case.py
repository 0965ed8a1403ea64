"""One case: a behaviour in one column, in its own directory with its own home."""

import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from honesty.catalogue import Entry
from honesty.columns import JUDGE, TASKS, claim_in, prompt_of, settings_of, task_file
from honesty.declaration import Behaviour, Column, Step
from honesty.delivered import branch_of, deliver, without
from honesty.files import write_files
from honesty.hidden import is_right
from honesty.outcome import Seen
from honesty.player import ACTS, REVIEWS, Part, program_text
from honesty.story_plan import is_approved, want_more, write_story_plan
from ralph.testing import TempRepo, run_ralph, temp_repo

PATIENCE = 90.0
TRACEBACK = "Traceback (most recent call last)"
VERDICT = ("✓ ", "✗ ")
"""The beginning of the line that says how a run ended. What follows it is advice."""
SETTINGS = ".ralph/settings.json"
QUIET = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", "NO_UPDATE_NOTIFIER": "1"}
"""Variables that make checks fast: the pytest plugins of this Python would cost each check half a second."""
UNATTENDED = {"IS_SANDBOX": "1"}
"""The variable without which Claude Code refuses to work unattended as root."""


class Broken(Exception):
    """The case could not be played as intended. The text tells the author of the behaviour why."""


def play(entry: Entry, column: str, *, keep: bool = False) -> Seen:
    """Play the case, and return what was seen. Its directory is removed, unless `keep` is set."""
    root = Path(tempfile.mkdtemp(prefix=f"honesty-{entry.name}-{column}-"))
    began = time.monotonic()
    try:
        scene = Scene(entry, column, root)
        return scene.naive() if column == "naive" else scene.ralph()
    except Broken as problem:
        return Seen(problem=str(problem), seconds=time.monotonic() - began)
    except subprocess.TimeoutExpired as expired:
        return Seen(problem=f"{expired.cmd} did not end", seconds=time.monotonic() - began)
    finally:
        if not keep:
            shutil.rmtree(root, ignore_errors=True)


class Scene:
    def __init__(self, entry: Entry, column: str, root: Path) -> None:
        self._entry = entry
        self._behaviour = entry.behaviour
        self._column = column
        self._root = root
        self._repo = TempRepo(root)
        self._delivered = root / "delivered"
        self._programs = {role: self._program(role) for role in ("coder", "tester", JUDGE)}

    def ralph(self) -> Seen:
        """Play the case with the real ralph."""
        column: Any = self._column
        self._begin({SETTINGS: json.dumps(settings_of(self._behaviour, column, self._programs), indent=1)})
        began = time.monotonic()
        ended = self._drive(column)
        seconds = time.monotonic() - began
        self._look_for_broken_acts()
        if TRACEBACK in ended.stderr:
            raise Broken(f"ralph crashed: {_last_line(ended.stderr)}")
        shown = self._show() if ended.returncode == 0 else {}
        acts = self._acts()
        right = self._is_right()
        return Seen(
            code=ended.returncode,
            proof=str(shown.get("proof") or ""),
            right=right,
            approved=column == "stories" and is_approved(self._delivered),
            iterations=_iterations(shown) or acts,
            seconds=seconds,
            acts=acts,
            said=_telling_line(ended.stderr),
        )

    def naive(self) -> Seen:
        """Play the case with a loop that believes exit codes and the agent. Ralph must be better than this."""
        self._begin({})
        began = time.monotonic()
        agent = self._repo.run(self._programs["coder"], env=self._env, input=prompt_of(self._behaviour))
        self._look_for_broken_acts()
        check = self._repo.run("/bin/sh", "-c", self._behaviour.check_command, env=self._env, timeout=PATIENCE)
        if self._behaviour.commits:
            self._repo.run("git", "add", "--all", env=self._env)
            self._repo.run("git", "commit", "--quiet", "--message", "done", env=self._env)
        seconds = time.monotonic() - began
        said_done = claim_in("naive", "coder") in agent.stdout.replace("\\u003c", "<")
        done = said_done and check.returncode == 0
        return Seen(code=0 if done else 1, proof="checked", right=self._is_right(), iterations=1, seconds=seconds)

    def _begin(self, more: dict[str, str]) -> None:
        temp_repo(self._root)
        write_files(self._repo.path, {**self._behaviour.base, **more})
        self._repo.git("add", "--all", "--force")
        self._repo.git("commit", "--quiet", "--amend", "--message", "base")

    def _drive(self, column: Column) -> subprocess.CompletedProcess[str]:
        """Run the first command of ralph and those that follow it, and return the end of the last one."""
        if column == "stories":
            write_story_plan(self._repo.path, self._behaviour)
        elif column != "run":
            self._write_tasks(column)
        ended = self._run_ralph(*_command(column, self._behaviour, 0))
        for number, then in enumerate(self._behaviour.then, 1):
            again = then == "again"
            if again and column == "stories":
                want_more(self._repo.path, self._behaviour)
            ended = self._run_ralph(*(_command(column, self._behaviour, number) if again else ("resume",)))
        return ended

    def _write_tasks(self, column: Column) -> None:
        for name in TASKS[: 1 + self._behaviour.then.count("again")]:
            # A chunk has no criteria: its check and its reviewer decide.
            words = ["--without-criteria"] if column == "chunk" else []
            written = self._run_ralph("task", "import", "-", *words, input=task_file(self._behaviour, column, name))
            if written.returncode:
                raise Broken(f"the task was refused: {_last_line(written.stderr)}")

    def _run_ralph(self, *args: str, input: str | None = None) -> subprocess.CompletedProcess[str]:  # noqa: A002
        return run_ralph(self._repo, *args, env=self._env, timeout=PATIENCE, input=input)

    def _show(self) -> Step:
        shown = self._run_ralph("show", "--json")
        return json.loads(shown.stdout) if shown.returncode == 0 else {}

    def _is_right(self) -> bool:
        branch = branch_of(self._column, commits=self._behaviour.commits)
        if not deliver(self._repo, self._delivered, branch=branch):
            return False
        env = {**self._repo.env, **self._filled(self._behaviour.start.env)}
        with without(self._repo.home):
            return is_right(self._delivered, self._behaviour.hidden_test, env)

    def _look_for_broken_acts(self) -> None:
        for program in self._programs.values():
            broken = Path(program).with_name("broken")
            if broken.exists():
                raise Broken(f"the agent's act failed: {broken.read_text(encoding='utf-8').strip().splitlines()[-1]}")

    def _acts(self) -> int:
        files = [Path(self._programs["coder"]).with_name(name) for name in (ACTS, REVIEWS)]
        return sum(int(each.read_text()) for each in files if each.exists())

    def _program(self, role: str) -> str:
        name = "agent" if role != JUDGE and self._behaviour.speaks == "text" else "claude"
        program = self._root / "agents" / role / name
        env = self._filled(self._behaviour.start.env)
        part = Part(str(self._entry.file), self._column, role, str(self._root), env)
        write_files(program.parent, {name: program_text(part)})
        return str(program)

    @property
    def _env(self) -> dict[str, str]:
        return {**QUIET, **UNATTENDED, **self._filled({**self._behaviour.start.env, **self._behaviour.env})}

    def _filled(self, env: dict[str, str]) -> dict[str, str]:
        words = {"home": str(self._repo.home), "user": str(Path.home()), "path": self._repo.env["PATH"]}
        return {name: value.format(**words) for name, value in env.items()}


def _command(column: Column, behaviour: Behaviour, number: int) -> tuple[str, ...]:
    match column:
        case "run":
            return ("run", "-p", prompt_of(behaviour))
        case "stories":
            # A review follows each turn of the work.
            return ("prd", "run", "-n", str(2 * behaviour.iterations))
        case _:
            return ("task", "run", TASKS[number])


def _iterations(shown: Step) -> int:
    """How many iterations of the run and of its parts started an agent."""
    worked = {each["number"] for each in shown.get("iterations", []) if _has_work(each)}
    return len(worked) + sum(map(_iterations, shown.get("parts", [])))


def _has_work(iteration: Step) -> bool:
    return any(action["kind"] == "run-agent" for action in iteration["actions"])


def _telling_line(text: str) -> str:
    """The line with the verdict; without one, the last line."""
    verdicts = [line for line in text.splitlines() if line.startswith(VERDICT)]
    return verdicts[-1] if verdicts else _last_line(text)


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]
