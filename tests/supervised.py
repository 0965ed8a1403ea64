"""A task directory under `ralph supervise`: what the tests of seed 003 are made of."""

import json

from loops import Ended, Running
from ralph.testing import run_ralph


class Supervised:
    """A task directory, and `ralph supervise` in a project around it."""

    def __init__(self, repo):
        self.repo = repo
        self.agent = None
        self.task = repo.path / "task"
        self.task.mkdir()

    def __call__(self, script, *options):
        return self.ralph("supervise", *self._arguments(script, options))

    def start(self, script, *options):
        return Running(self, ("supervise", *self._arguments(script, options)), {})

    def ralph(self, *args, env=None):
        done = run_ralph(self.repo, *args, env=env, timeout=60)
        return Ended(done.returncode, done.stdout, done.stderr)

    def _arguments(self, script, options):
        given = ["--restart-delay", "0.05", *options]
        return ["--task-dir", "task", *given, "--", "sh", "-c", script]

    @property
    def starts(self):
        """How often the script was started: scripts that count write a line into `starts`."""
        file = self.task / "starts"
        return len(file.read_text().splitlines()) if file.exists() else 0

    def messages(self, *args):
        return [
            (message["type"], message["body"])
            for message in json.loads(self.ralph("bus", "read", "--task-dir", "task", "--json", *args).out)
        ]

    @property
    def runs(self):
        return json.loads(self.ralph("runs", "--json").out)


COUNT = 'echo x >> "$TASK_FOLDER/starts"; '


def done_after(number):
    """A script that counts its starts and writes DONE at the given one."""
    return COUNT + f'[ $(wc -l < "$TASK_FOLDER/starts") -ge {number} ] && touch "$TASK_FOLDER/DONE"; true'
