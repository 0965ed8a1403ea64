"""spec-kit folders: read, renamed where ids meet, and ticked."""

import pytest

from exchanges import changed_lines
from ralph.model.errors import ConfigError

TASKS = """\
# Tasks: Cart

## Phase 1: Setup

- [x] T001 Create the structure
- [ ] T002 [P] Write cart.py in src/cart.py
- [ ] T003 [P] Write price.py in src/price.py

```
- [ ] T999 An example
```

## Phase 2: Shop

- [~] T004 [P] [US1] Join them (depends on T001, T050)
  Use both files.
- [ ] T005 [US1] Show the cart
"""


def folder(exchange, name="001-cart", tasks=TASKS):
    exchange.write(f"specs/{name}/spec.md", f"# Feature Specification: The {name}\n\nShoppers keep what they choose.\n")
    exchange.write(f"specs/{name}/plan.md", "# Implementation Plan\n\nOne file each.\n")
    exchange.write(f"specs/{name}/tasks.md", tasks)


def test_a_folder_becomes_a_spec(exchange):
    folder(exchange)
    imported = exchange.imports("specs/001-cart")
    assert (imported.spec, imported.title, imported.format) == ("001-cart", "The 001-cart", "spec-kit")
    assert imported.source == "specs/001-cart/tasks.md"
    assert imported.tasks == ("T001", "T002", "T003", "T004", "T005")
    tasks = exchange.tasks()
    assert tasks["T002"].title == "Write cart.py in src/cart.py"
    assert "Phase 1: Setup" in tasks["T002"].description
    assert "Use both files." in tasks["T004"].description
    assert tasks["T002"].relevant_files == ("specs/001-cart/spec.md", "specs/001-cart/plan.md")
    text = exchange.bytes(".ralph/specs/001-cart/spec.md").decode()
    assert "Shoppers keep what they choose." in text
    assert "One file each." in text


def test_order_phases_and_parallel_marks_become_dependencies(exchange):
    folder(exchange)
    imported = exchange.imports("specs/001-cart")
    assert {name: task.dependencies for name, task in exchange.tasks().items()} == {
        "T001": (),
        "T002": ("T001",),
        "T003": ("T001",),
        "T004": ("T002", "T003", "T001"),
        "T005": ("T004",),
    }
    assert imported.notes == ("T004 depends on 'T050', which is not in the plan: left out",)


def test_what_was_done_before_is_skipped_and_said_and_never_completed(exchange):
    folder(exchange)
    imported = exchange.imports("specs/001-cart")
    assert imported.closed == {"T001": "done before the import"}
    assert exchange.statuses() == {
        "T001": "skipped", "T002": "pending", "T003": "pending", "T004": "pending", "T005": "pending",
    }  # fmt: skip
    assert exchange.tasks()["T001"].metadata["import"]["note"] == "done before the import"


def test_two_spec_kit_folders_with_t001(exchange):
    folder(exchange, "001-cart")
    folder(exchange, "002-pay")
    first, second = exchange.import_all(everything=True)
    assert first.renamed == {}
    assert second.renamed == {f"T00{number}": f"002-pay-T00{number}" for number in range(1, 6)}
    assert exchange.tasks("002-pay")["002-pay-T005"].dependencies == ("002-pay-T004",)
    exchange.complete("002-pay-T002", "T005")
    before = exchange.bytes("specs/002-pay/tasks.md"), exchange.bytes("specs/001-cart/tasks.md")
    synced = exchange.sync("002-pay")
    assert [(each.task, each.original, each.is_new) for each in synced.tasks] == [("002-pay-T002", "T002", True)]
    assert changed_lines(before[0], exchange.bytes("specs/002-pay/tasks.md")) == {
        6: (b"- [ ] T002 [P] Write cart.py in src/cart.py\n", b"- [x] T002 [P] Write cart.py in src/cart.py\n")
    }
    assert exchange.bytes("specs/001-cart/tasks.md") == before[1]


def test_several_plans_are_listed_and_none_is_chosen(exchange):
    folder(exchange, "001-cart")
    folder(exchange, "002-pay")
    with pytest.raises(ConfigError) as refused:
        exchange.imports()
    assert "2 plans here: specs/001-cart (spec-kit), specs/002-pay (spec-kit)" in str(refused.value)


def test_an_id_that_stands_twice_is_refused_and_nothing_is_written(exchange):
    folder(exchange, tasks="- [ ] T001 a\n- [ ] T001 b\n")
    with pytest.raises(ConfigError, match="has 'T001' twice"):
        exchange.imports("specs/001-cart")
    assert exchange.tasks() == {}
    assert not (exchange.path / ".ralph/specs/001-cart/spec.md").exists()


def test_a_second_import_takes_over_what_is_new_and_changed(exchange):
    folder(exchange)
    exchange.imports("specs/001-cart")
    exchange.complete("T002", "T003")
    with pytest.raises(ConfigError, match="the spec 001-cart exists already"):
        exchange.imports("specs/001-cart")
    edited = TASKS.replace("Write price.py", "Write money.py").replace("[ ] T005", "[x] T005") + "- [ ] T006 New\n"
    exchange.write("specs/001-cart/tasks.md", edited.replace("- [~] T004", "- T004"))
    again = exchange.imports("specs/001-cart", replace=True)
    assert again.reopened == ("T003",)
    assert again.gone == ("T004",)
    assert exchange.statuses() == {
        "T001": "skipped", "T002": "completed", "T003": "pending", "T004": "pending", "T005": "skipped",
        "T006": "pending",
    }  # fmt: skip
    assert exchange.tasks()["T003"].title.startswith("Write money.py")


def test_a_spec_keeps_its_ids_when_the_other_one_is_gone(exchange):
    from ralph.app.tasks.specs import remove_spec

    folder(exchange, "001-cart")
    folder(exchange, "002-pay")
    exchange.import_all(everything=True)
    remove_spec(exchange.store, exchange.path, "001-cart", with_tasks=True)
    exchange.imports("specs/002-pay", replace=True)
    assert set(exchange.tasks()) == {f"002-pay-T00{number}" for number in range(1, 6)}
