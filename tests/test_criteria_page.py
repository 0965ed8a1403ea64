"""The examples of docs/criteria.md: each task file is taken, and the first one is driven to its end."""

import re
from pathlib import Path

import pytest

from ralph.testing import ScriptedAgent, edits, run_ralph
from task_crew import TaskCrew

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/criteria.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
GREET = """\
echo "Hello, ${1:-world}!"
"""


@pytest.fixture
def crew(tmp_path):
    return TaskCrew(tmp_path)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_each_task_file_is_taken_without_a_warning_about_its_words(crew, number):
    done = run_ralph(crew.repo, "task", "import", "-", input=EXAMPLES[number])
    assert done.returncode == 0, done.stderr
    assert "nobody can verify" not in done.stderr
    for name in re.findall(r"\bid: (\S+)", EXAMPLES[number]):
        assert run_ralph(crew.repo, "task", "show", name).returncode == 0


def test_there_are_examples_of_each_kind():
    assert len(EXAMPLES) == 4
    assert [word for word in ("check:", "person:", "semantic", "external", "dependencies") if word not in PAGE] == []


def test_the_words_to_avoid_get_a_warning(crew):
    vague = EXAMPLES[0].replace("greet.sh prints a greeting for the name that it is given", "It works correctly")
    done = run_ralph(crew.repo, "task", "import", "-", input=vague)
    assert "works correctly" in done.stderr


def test_the_first_example_is_proven_done(crew):
    done = run_ralph(crew.repo, "task", "import", "-", input=EXAMPLES[0])
    assert done.returncode == 0, done.stderr
    crew.hire({"defaults": {"quickReviewer": "none", "deepReviewer": "none"}}, coder=[])
    ended = crew.ralph("task", "run", "GREET-1", "--agent", greeter(crew))
    assert ended.code == 0, ended.err
    assert "proven done" in ended.err


def greeter(crew):
    """An agent that does what the example asks for."""
    return ScriptedAgent(edits({"greet.sh": GREET}), directory=crew.repo.home / "greeter").command


@pytest.mark.parametrize("page", ["criteria", "overnight"])
def test_the_commands_of_the_pages_are_there(crew, page):
    text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
    for command in set(re.findall(r"\bralph ([a-z]+(?: run)?)\b(?= -|`| \[)", text)) - {"ralph"}:
        assert run_ralph(crew.repo, *command.split(), "--help").returncode == 0, command
