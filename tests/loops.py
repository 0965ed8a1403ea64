"""A project, a scripted agent and the real `ralph` program: what the behaviour tests are made of."""

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import psutil

from ralph.model.words import first_words
from ralph.testing import ScriptedAgent, run_ralph
from ralph.testing.program import ralph_program

PROMPT = "Do the work. When it is done, end with <response>DONE</response>"
NAMED = f'prompt "{first_words(PROMPT, 40)}"'
"""How lists name a run of it."""
PATIENCE = 30.0


@dataclass(frozen=True)
class Ended:
    """A run of the program that is over."""

    code: int
    out: str
    err: str
    agent: ScriptedAgent | None = None

    @property
    def prompts(self):
        """What the agent was asked for its work, commit messages aside."""
        return [prompt for prompt in self.agent.prompts if "commit message" not in prompt]


class Loop:
    """Calling it runs `ralph run` with an agent of these steps and these settings."""

    def __init__(self, repo, directory, settings_file):
        self.repo = repo
        self._bin = directory
        self._settings_file = settings_file
        self.agent = None

    def __call__(self, *steps, args=("-p", PROMPT), env=None, scripted=None, **settings):
        self.prepare(*steps, scripted=scripted, **settings)
        return self.ralph("run", *args, env=env)

    def prepare(self, *steps, scripted=None, **settings):
        """Write the script and the settings. `scripted` are options of the scripted agent, such as its format."""
        self.agent = ScriptedAgent(*steps, directory=self._bin, **(scripted or {}))
        self.settings(**{"agent": {"command": self.agent.command}, **settings})
        return self.agent

    def settings(self, **settings):
        self._settings_file.parent.mkdir(parents=True, exist_ok=True)
        self._settings_file.write_text(json.dumps(settings), encoding="utf-8")

    def ralph(self, *args, env=None):
        done = run_ralph(self.repo, *args, env=env)
        return Ended(done.returncode, done.stdout, done.stderr, self.agent)

    def show(self, *args):
        """The latest run, as JSON."""
        return json.loads(self.ralph("show", "--json", *args).out)

    def start(self, *args, env=None):
        return Running(self, args or ("run", "-p", PROMPT), env or {})

    def exists(self, path):
        return (self.repo.path / path).exists()


class Running:
    """The program while it runs. Leaving the block ends it and all that it started."""

    def __init__(self, loop, args, env):
        self._loop = loop
        self._out, self._err = (loop.repo.home / name for name in ("stdout", "stderr"))
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self._process = subprocess.Popen(
                [ralph_program(), *args],
                cwd=loop.repo.path,
                env={**loop.repo.env, **env},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            for each in self.descendants:
                with suppress(psutil.NoSuchProcess):
                    each.kill()
            self._process.kill()
            self._process.wait()

    @cached_property
    def pid(self):
        return self._process.pid

    @property
    def descendants(self):
        return psutil.Process(self.pid).children(recursive=True)

    @property
    def out(self):
        return self._out.read_text(encoding="utf-8")

    @property
    def err(self):
        return self._err.read_text(encoding="utf-8")

    def wait_for(self, path):
        """Until a file is there: how an agent says that it is ready."""
        wait_until(lambda: self._loop.exists(path) or self._is_over(), f"no file {path} came")

    def wait_for_output(self, text):
        """Until the agent's words are shown, and so are in its stream, too."""
        wait_until(lambda: text in self.out or self._is_over(), f"{text!r} was not shown")

    @property
    def is_over(self):
        return self._process.poll() is not None

    def _is_over(self):
        code = self._process.poll()
        assert code is None, f"it ended with {code}: {self.err}"
        return False

    def send(self, number=signal.SIGINT):
        os.kill(self.pid, number)

    def send_and_hear(self, number=signal.SIGINT):
        """Until it has said that it took notice."""
        self.send(number)
        wait_until(lambda: "Received signal" in self.err, "the signal was not heard")

    def end(self):
        code = self._process.wait(PATIENCE)
        return Ended(code, self.out, self.err, self._loop.agent)


def wait_until(condition, problem, patience=PATIENCE):
    until = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < until, problem
        time.sleep(0.01)


def waits(ready="ready", go="go"):
    """A step, or a guardrail's command, that says when it has begun and goes on when it is told to."""
    return f"touch {ready}; i=0; while [ ! -e {go} ] && [ $i -lt 1500 ]; do i=$((i+1)); sleep 0.02; done"


def is_alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
