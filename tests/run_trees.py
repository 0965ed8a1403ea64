"""Runs below runs: each agent starts `ralph run` in a directory of its own, the deepest one plays the given steps."""

import json

from loops import wait_until
from ralph.testing import ScriptedAgent, done


def nest(loop, *steps, levels=3):
    """Prepare the loop and the directories below it. Returns the directories, the loop's own first."""
    root = loop.repo.path.parent
    below = [root / f"level-{number}" for number in range(2, levels + 1)]
    for directory, agent_steps in zip(below, [*_starting(below[1:]), steps], strict=True):
        agent = ScriptedAgent(*agent_steps, directory=directory / "bin")
        (directory / ".ralph").mkdir()
        (directory / ".ralph/settings.json").write_text(json.dumps({"agent": {"command": agent.command}}))
    loop.prepare(*_starting(below[:1])[0])
    return [loop.repo.path, *below]


def _starting(directories):
    """For each directory the steps of an agent that starts a run in it."""
    return [[{"run": f"cd {directory} && ralph run -p 'Go on.'"} | done()] for directory in directories]


def status(loop, *args):
    return json.loads(loop.ralph("status", "--json", *args).out)


def chain(top):
    """A run, its only child, the child's only child and so on."""
    runs = [top]
    while runs[-1]["children"]:
        (child,) = runs[-1]["children"]
        runs.append(child)
    return runs


def wait_for_file(path):
    wait_until(path.exists, f"no file {path} came")
