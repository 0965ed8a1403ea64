"""Playing one step in a directory of its own, as a real process."""

import subprocess

import pytest

from ralph.testing import ScriptedAgent


@pytest.fixture
def work(tmp_path):
    directory = tmp_path / "work"
    directory.mkdir()
    return directory


@pytest.fixture
def scripted(tmp_path):
    """An agent that plays the steps."""

    def make(*steps, **options):
        return ScriptedAgent(*steps, directory=tmp_path / "bin", **options)

    return make


@pytest.fixture
def play(scripted, work):
    """What one start of an agent with this one step gives."""

    def start(step, *args, prompt="the prompt", **options):
        agent = scripted(step, **options)
        return subprocess.run(
            [agent.command, *args], cwd=work, input=prompt.encode(), capture_output=True, timeout=60, check=False
        )

    return start
