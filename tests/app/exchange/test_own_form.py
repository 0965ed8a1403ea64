"""A spec as one file: text, tasks and overrides, out of one project and into another."""

import json

import pytest

from exchanges import Exchange
from ralph.app.exchange.own_form import exported
from ralph.app.exchange.plan import origin_of
from ralph.app.tasks.overrides import set_override
from ralph.app.tasks.specs import create_spec
from ralph.app.tasks.tasks import import_tasks
from ralph.model.errors import ConfigError
from ralph.store.tasks import get_spec
from task_shell import many

TEXT = "# Cart\r\n\r\nKeep it: 'yes', \"no\" \u2028 \x85 🎯\n\n"


@pytest.fixture
def other(tmp_path):
    (tmp_path / "other").mkdir()
    other = Exchange(tmp_path / "other")
    yield other
    other.close()


def written(exchange, spec="cart"):
    create_spec(exchange.store, exchange.path, spec, "The cart", TEXT)
    more = {"description": "Do\n it.\n", "relevant_files": ["a.py"], "max_iterations": 3, "priority": -1}
    tasks = many(("T-1", more), ("T-2", {"dependencies": ["T-1"], "may_change": ["tests/**"]}), spec=spec)
    import_tasks(exchange.store, exchange.path, tasks, "tasks")
    set_override(exchange.store, exchange.path, spec, "maxIterations", ("7",))
    set_override(exchange.store, exchange.path, spec, "rules", ("Be brief.",))


def definitions(exchange, spec):
    keep = ("id", "title", "description", "priority", "dependencies", "completion_spec", "may_change")
    tasks = exchange.tasks(spec).values()
    return [{name: getattr(task, name) for name in (*keep, "relevant_files", "max_iterations")} for task in tasks]


@pytest.mark.parametrize("name", ["cart.yaml", "cart.json", "cart.yml"])
def test_export_and_import_give_the_same_spec_overrides_included(exchange, other, name):
    written(exchange)
    text = exported(exchange.store, exchange.path, "cart", as_json=name.endswith("json"))
    file = other.write(name, text)
    imported = other.imports(str(file))
    assert (imported.format, imported.spec, imported.title) == ("ralph", "cart", "The cart")
    assert imported.overrides == ("defaults", "rules")
    assert definitions(other, "cart") == definitions(exchange, "cart")
    assert other.bytes(".ralph/specs/cart/spec.md") == TEXT.encode()
    ours = get_spec(exchange.store, exchange.project, "cart")
    theirs = get_spec(other.store, other.project, "cart")
    assert theirs.config == ours.config == {"defaults": {"maxIterations": 7}, "rules": ["Be brief."]}
    assert exported(other.store, other.path, "cart", as_json=name.endswith("json")) == text


def test_nothing_that_was_done_is_in_the_file(exchange):
    written(exchange)
    exchange.complete("T-1")
    file = exchange.write("cart.yaml", exported(exchange.store, exchange.path, "cart", as_json=False))
    imported = exchange.imports(str(file), spec="again")
    assert exchange.statuses("again") == {"again-T-1": "pending", "again-T-2": "pending"}
    assert imported.renamed == {"T-1": "again-T-1", "T-2": "again-T-2"}
    assert exchange.tasks("again")["again-T-2"].dependencies == ("again-T-1",)


def test_final_1_in_both_specs(exchange, other):
    for each in (exchange, other):
        import_tasks(each.store, each.path, many(("FINAL-1", {}), spec="pay"), "tasks")
    import_tasks(exchange.store, exchange.path, many(("cart-T", {"dependencies": ["FINAL-1"]}), spec="pay"), "tasks")
    file = other.write("pay.json", exported(exchange.store, exchange.path, "pay", as_json=True))
    imported = other.imports(str(file), spec="cart")
    assert imported.renamed == {"FINAL-1": "cart-FINAL-1"}
    assert other.tasks("cart")["cart-T"].dependencies == ("cart-FINAL-1",)


def test_an_imported_plan_syncs_back_after_export_and_import(exchange, other):
    for each in (exchange, other):
        each.write("TODO.md", "- [x] one\n- [ ] two\n")
    exchange.imports("TODO.md", spec="s")
    file = other.write("s.yaml", exported(exchange.store, exchange.path, "s", as_json=False))
    imported = other.imports(str(file))
    assert imported.closed == {"ITEM-1": "done before the import"}
    assert other.statuses() == {"ITEM-1": "skipped", "ITEM-2": "pending"}
    assert origin_of(other.tasks()["ITEM-2"]).source == "TODO.md"
    other.complete("ITEM-2")
    other.sync("s")
    assert other.bytes("TODO.md") == b"- [x] one\n- [x] two\n"


@pytest.mark.parametrize("source", ["../outside.md", "/etc/hostname", "link.md"])
def test_a_file_from_others_cannot_make_sync_write_outside_of_the_project(exchange, source):
    outside = exchange.path.parent / "outside.md"
    outside.write_text("- [ ] one\n")
    (exchange.path / "link.md").symlink_to(outside)
    origin = {"format": "checklist", "source": source, "id": "one"}
    task = {"id": "T", "title": "one", "metadata": {"import": origin}}
    file = exchange.write("s.json", json.dumps({"spec": {"id": "s"}, "tasks": [task]}))
    exchange.imports(str(file))
    exchange.complete("T")
    [synced] = exchange.sync("s").tasks
    assert "of the project" in synced.problem
    assert outside.read_text() == "- [ ] one\n"


SPEC = {"id": "s", "title": "t"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"spec": {**SPEC, "config": {"agent": {"command": "sh"}}}, "tasks": []}, "a spec cannot set 'agent'"),
        ({"spec": {**SPEC, "config": {"rules": 3}}, "tasks": []}, "rules"),
        ({"spec": {**SPEC, "other": 1}, "tasks": []}, "unknown field `other`"),
        ({"spec": {"id": "../s"}, "tasks": []}, "the spec id '../s' must be letters"),
        ({"spec": SPEC, "tasks": [{"id": "T", "title": "a"}, {"id": "T", "title": "b"}]}, "T occurs twice"),
        ({"spec": SPEC, "tasks": [{"id": "T", "title": "a", "dependencies": ["X"]}]}, "depends on 'X'"),
        ({"spec": SPEC, "tasks": [{"id": "T", "title": "a", "colour": "red"}]}, "unknown key"),
    ],
)
def test_a_bad_file_is_one_clear_line_and_nothing_is_written(exchange, data, words):
    file = exchange.write("s.json", json.dumps(data))
    with pytest.raises(ConfigError) as refused:
        exchange.imports(str(file))
    assert words in str(refused.value)
    assert exchange.tasks() == {}
    assert not (exchange.path / ".ralph/specs").exists()


def test_a_text_that_is_there_is_never_written_over(exchange, other):
    written(exchange)
    file = other.write("cart.yaml", exported(exchange.store, exchange.path, "cart", as_json=False))
    other.write(".ralph/specs/cart/spec.md", "# Mine\n")
    with pytest.raises(ConfigError, match="exists, with another text"):
        other.imports(str(file))
    assert other.tasks() == {}
    imported = other.imports(str(file), replace=True)
    assert imported.notes == (".ralph/specs/cart/spec.md differs from the source: it stays as it is",)
    assert other.bytes(".ralph/specs/cart/spec.md") == b"# Mine\n"
