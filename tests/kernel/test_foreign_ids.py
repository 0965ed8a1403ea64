"""Ids that another spec has already."""

import pytest

from ralph.kernel.foreign_ids import own_id, prefixed, with_own_ids
from ralph.kernel.task_rules import LONGEST_ID, check_id
from ralph.model.tasks import Task


def task(name, spec="cart", needs=()):
    return Task(id=name, spec_id=spec, title=name, dependencies=tuple(needs), created_at=0, updated_at=0)


def fit(*tasks, **taken):
    fitted = with_own_ids(tasks, {name.replace("_", "-"): spec for name, spec in taken.items()})
    return {each.id: each.dependencies for each in fitted.tasks}, [str(each) for each in fitted.renamed]


def test_an_id_that_another_spec_has_gets_the_specs_id_before_it_and_dependencies_follow():
    ids, said = fit(task("T001"), task("T002", needs=["T001", "T000"]), T001="auth", T000="auth")
    assert ids == {"cart-T001": (), "T002": ("cart-T001", "T000")}
    assert said == ["T001 is cart-T001 here: the spec auth has a task T001"]


def test_what_nobody_else_has_stays_as_it_is():
    assert fit(task("T001"), task("T002", needs=["T001"]), T001="cart") == ({"T001": (), "T002": ("T001",)}, [])


def test_a_second_import_finds_the_task_that_was_renamed_before_also_when_the_other_spec_is_gone():
    both = {"T001": "auth", "cart_T001": "cart"}
    assert list(fit(task("T001"), **both)[0]) == ["cart-T001"]
    assert list(fit(task("T001"), cart_T001="cart")[0]) == ["cart-T001"]


def test_two_specs_at_once_that_have_the_same_ids():
    ids, _ = fit(task("T001", "auth"), task("T001"), task("T002", needs=["T001"]))
    assert ids == {"T001": (), "cart-T001": (), "T002": ("cart-T001",)}


def test_a_name_that_the_spec_uses_itself_is_not_given_twice():
    ids, _ = fit(task("T001"), task("cart-T001"), T001="auth")
    assert sorted(ids) == ["cart-T001", "cart-T001-2"]


def test_a_third_spec_that_happens_to_have_the_longer_name():
    assert own_id("cart", "T001", {"T001": "auth", "cart-T001": "shop"}) == "cart-T001-2"


@pytest.mark.parametrize("name", ["T001", "x" * 60, "y" * LONGEST_ID])
def test_a_name_with_its_spec_before_it_is_a_valid_id_where_there_is_room(name):
    made = prefixed("a-long-spec-id-" * 4, name)
    if len(name) < LONGEST_ID - 1:
        check_id("task", made)
    assert made.endswith(f"-{name}")
