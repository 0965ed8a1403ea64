"""Commands that only look: each starts fast, because it loads neither an event loop nor a recipe."""

import subprocess
import sys

import pytest

from ralph.testing import done

LOOKING = (
    "runs",
    "runs --json",
    "status",
    "status --json",
    "show",
    "show --json",
    "cost",
    "logs",
    "task list",
    "task list --json",
    "task show T-1",
    "task show T-1 --json",
    "spec list",
    "spec list --json",
    "spec show auth",
    "spec show auth --json",
    "spec graph auth",
    "spec preview auth",
    "spec config auth",
    "spec export auth",
    "task export",
    "project list",
    "project show",
    "config show",
    "config show --origin",
    "config get maximumIterations",
    "config path",
    "config check",
    "bus read --task-dir .",
)
LOADED = """
import sys
from ralph.cli.group import cli
cli.main(standalone_mode=False)
print(*[name for name in sys.modules if name == "asyncio" or name.startswith("ralph.kernel.recipes.")], file=sys.stderr)
"""


@pytest.fixture
def project(loop):
    """A project with a run, a task and a message."""
    assert loop(done()).code == 0
    assert loop.ralph("spec", "create", "auth", "--title", "Authentication").code == 0
    task = ("T-1", "auth", "Log in", "--outcome", "A login", "--acceptance", "It works")
    assert loop.ralph("task", "create", *task).code == 0
    assert loop.ralph("bus", "post", "--task-dir", ".", "--type", "FACT", "It is so.").code == 0
    return loop.repo


def test_a_command_that_only_looks_loads_no_event_loop_and_no_recipe(project):
    loaded = {}
    for command in LOOKING:
        looked = subprocess.run(
            [sys.executable, "-c", LOADED, *command.split()],
            cwd=project.path,
            env=project.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert looked.returncode == 0, (command, looked.stderr)
        loaded[command] = looked.stderr.splitlines()[-1]
    assert {command: names for command, names in loaded.items() if names} == {}
