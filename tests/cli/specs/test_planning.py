"""`ralph spec graph`, `ralph spec preview` and `ralph task depend` as a person starts them."""

import sys

import pytest

from refusals import one_clear_line
from task_shell import TaskShell, many

pytestmark = pytest.mark.e2e


@pytest.fixture
def shell(tmp_path):
    shell = TaskShell(tmp_path.resolve())
    tasks = [("T-1", {}), ("T-2", {"dependencies": ["T-1"]}), ("T-3", {})]
    shell.good("task", "import", "-", input=many(*tasks, spec="shop"))
    return shell


def test_depend_graph_preview(shell):
    assert shell.good("task", "depend", "T-3", "--on", "T-1", "--on", "T-2") == "T-3 now depends on T-1, T-2.\n"
    assert shell.good("task", "depend", "T-3", "--not-on", "T-1") == "T-3 now depends on T-2.\n"
    assert shell.good("chunk", "depend", "T-3", "--on", "T-2") == "T-3 depends on T-2.\n"
    assert shell.json("task", "depend", "T-3", "--on", "T-2") == {
        "id": "T-3", "dependencies": ["T-2"], "added": [], "removed": [],
    }  # fmt: skip
    assert shell.good("spec", "graph", "shop").splitlines() == [
        "shop  shop", "T-1  pending  T-1", "└─ T-2  pending  T-2", "   └─ T-3  pending  T-3",
    ]  # fmt: skip
    assert shell.good("spec", "graph", "shop", "--format", "dot").startswith('digraph "shop" {\n')
    assert shell.good("spec", "graph", "shop", "--format", "mermaid").startswith("graph TD\n")
    assert [task["dependencies"] for task in shell.json("spec", "graph", "shop")["tasks"]] == [[], ["T-1"], ["T-2"]]
    assert shell.good("spec", "preview", "shop").splitlines() == [
        "shop  shop · 3 open tasks in 3 waves",
        "wave 1   T-1  T-1",
        "wave 2   T-2  T-2 · after T-1",
        "wave 3   T-3  T-3 · after T-2",
        "critical path: T-1 -> T-2 -> T-3",
        "estimate: none, because no task of this project is completed yet",
    ]
    plan = shell.json("spec", "preview", "shop", "--workers", "2")
    assert (plan["criticalPath"], plan["workers"], plan["total"]) == (["T-1", "T-2", "T-3"], 2, None)


def test_a_cycle_an_unknown_id_and_nothing_to_do_are_one_line(shell):
    one_clear_line(shell("task", "depend", "T-1", "--on", "T-2"), 2, "T-1 -> T-2 -> T-1")
    one_clear_line(shell("task", "depend", "T-2", "--on", "T_3"), 2, "Did you mean T-3?")
    nothing = shell("task", "depend", "T-1")
    assert (nothing.code, "Name a task: --on TASK" in nothing.err) == (2, True)
    one_clear_line(shell("spec", "graph", "nothing"), 2, "there is no spec 'nothing'")
    one_clear_line(shell("spec", "preview", "nothing"), 2, "there is no spec 'nothing'")


@pytest.mark.parametrize("args", [("spec", "graph", "shop"), ("spec", "preview", "shop"), ("spec", "show", "shop")])
def test_a_command_that_only_reads_needs_no_event_loop(shell, args):
    program = f"""
import sys
sys.argv = ["ralph", *{args!r}]
from ralph.cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
assert "asyncio" not in sys.modules
"""
    done = shell.repo.run(sys.executable, "-c", program)
    assert (done.returncode, done.stderr) == (0, "")
