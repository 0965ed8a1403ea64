"""docs/tasks.md: its example is a task, and it names every option of every method."""

import re
from pathlib import Path

import pytest

from ralph.app.tasks.files import TaskRules, tasks_in
from ralph.app.tasks.roles import role_defaults
from ralph.app.tasks.text import parsed
from ralph.config.schema import Settings
from ralph.config.specs import default_roles
from ralph.kernel.completion import read_criterion
from ralph.model.tasks import CompletionCriteria
from ralph.model.verification import METHODS, External, MultiStage, Part, Semantic

PAGE = (Path(__file__).parents[3] / "docs/tasks.md").read_text(encoding="utf-8")


def test_example_is_a_task():
    examples = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    rules = TaskRules(role_defaults(Settings()), 0.0)
    assert [task.id for text in examples for task in tasks_in(parsed(text, "page"), "page", rules)] == ["TASK-001"]


def test_example_of_every_kind_of_criterion_is_read():
    (text,) = re.findall(r"```yml\n(.*?)```", PAGE, re.DOTALL)
    ((given,),) = [list(document.values()) for document in parsed(text, "page")]
    assert [read_criterion(each).kind for each in given] == ["judge", "check", "person", "time"]


@pytest.mark.parametrize("kind", [External, Semantic, MultiStage, CompletionCriteria])
def test_every_option_has_a_row(kind):
    for name in kind.__struct_fields__:
        if name == "shared":
            # Not of a task file: ralph itself puts the shared checks first.
            continue
        assert re.search(rf"^\| `{name}` \|", PAGE, re.MULTILINE), name


def test_methods_and_keys_of_stages_are_named():
    assert all(f"**`{method}`**" in PAGE for method in METHODS)
    assert all(name in PAGE for name in Part.__struct_fields__)


def test_defaults_of_the_roles_are_right():
    for name, role in default_roles().items():
        assert f"| `{name}` | `{role.promise}` | {role.max_iterations} | `{role.verification}` |" in PAGE
