"""The dependency graph of a spec, in each form."""

import re

import pytest

from ralph.app.tasks.dependencies import change_dependencies
from ralph.app.tasks.graph import spec_graph
from ralph.app.tasks.tasks import import_tasks
from ralph.cli.specs.graph_text import FORMATS
from ralph.model.errors import ConfigError
from ralph.store.sqlite import SqliteStore
from task_shell import many


@pytest.fixture
def store(tmp_path):
    with SqliteStore(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def graph(store, tmp_path):
    import_tasks(store, tmp_path, many(("LIB", {"title": "Library"}), spec="base"), "them")
    tasks = [
        ("A", {"title": 'Say "hi" <b>&'}),
        ("B", {"dependencies": ["A"]}),
        ("C", {"dependencies": ["A", "LIB"]}),
        ("D", {"dependencies": ["B", "C"]}),
        ("E", {"dependencies": ["D"]}),
    ]
    import_tasks(store, tmp_path, many(*tasks, spec="shop"), "them")
    return spec_graph(store, tmp_path, "shop")


def text(graph, form):
    return list(FORMATS[form](graph))


def test_it_has_its_own_tasks_and_those_of_other_specs_that_they_need(graph):
    assert [(task.id, task.dependencies) for task in graph.tasks] == [
        ("A", ()), ("B", ("A",)), ("LIB", ()), ("C", ("A", "LIB")), ("D", ("B", "C")), ("E", ("D",)),
    ]  # fmt: skip


def test_as_text_each_task_stands_below_what_it_depends_on(graph):
    assert text(graph, "text") == [
        "shop  shop",
        'A  pending  Say "hi" <b>&',
        "├─ B  pending  B",
        "│  └─ D  pending  D · also after C",
        "│     └─ E  pending  E",
        "└─ C  pending  C · also after LIB",
        "   └─ D  pending  D · also after B (see above)",
        "LIB  pending  Library · spec base",
        "└─ C  pending  C · also after A (see above)",
    ]


def test_as_mermaid_a_title_is_text_and_nothing_else(graph):
    lines = text(graph, "mermaid")
    assert lines[0] == "graph TD"
    assert '  t1["A: Say #34;hi#34; #60;b#62;#38; (pending)"]' in lines
    edges = {line.strip() for line in lines if "-->" in line}
    assert edges == {"t1 --> t2", "t1 --> t4", "t3 --> t4", "t2 --> t5", "t4 --> t5", "t5 --> t6"}
    assert all(re.fullmatch(r'graph TD|  t\d\["[^"<>&]*"\]|  t\d --> t\d', line) for line in lines)


def test_as_dot_quotes_are_escaped(graph):
    lines = text(graph, "dot")
    assert (lines[0], lines[-1]) == ('digraph "shop" {', "}")
    assert r'  "A" [label="A: Say \"hi\" <b>& (pending)"];' in lines
    assert '  "LIB" -> "C";' in lines


def test_a_graph_follows_the_dependencies(store, graph, tmp_path):
    change_dependencies(store, tmp_path, "C", not_on=["LIB"])
    assert [task.id for task in spec_graph(store, tmp_path, "shop").tasks] == ["A", "B", "C", "D", "E"]


def test_an_unknown_spec_is_refused(store, tmp_path):
    with pytest.raises(ConfigError, match="there is no spec 'nothing'"):
        spec_graph(store, tmp_path, "nothing")
