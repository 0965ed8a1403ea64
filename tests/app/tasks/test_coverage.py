"""Criteria that no check covers, and what becomes of `covers` in a follow-up."""

import pytest

from ralph.app.tasks.coverage import renumbered, uncovered
from ralph.app.tasks.files import TaskRules, read_task
from ralph.app.tasks.roles import role_defaults
from ralph.config.schema import Settings
from ralph.model.errors import ConfigError
from seed_task import judged_by_a_model

CODER = Settings(pipeline=["coder"])
RULES = TaskRules(role_defaults(CODER), 1.0)


def task(**coder):
    return task_with(["a is 1", "b is 2"], coder)


def task_with(criteria, coder):
    done = {"outcome": "It is so.", "acceptance_criteria": criteria, **({"coder": coder} if coder else {})}
    return read_task({"id": "T", "spec_id": "s", "title": "t", "completion": done}, "task T", RULES)


def external(**config):
    return {"verification_config": {"command": "make", **config}}


def stages(*parts):
    return {"verification_config": {"stages": list(parts)}}


UNIT = {"name": "unit", "method": "external", "config": {"command": "make", "covers": [2]}}
JUDGE = {"name": "judge", "method": "semantic", "config": {"check_for": ["a is 1"]}}


@pytest.mark.parametrize(
    ("coder", "left"),
    [
        ({}, []),
        (external(), [1, 2]),
        (external(covers=[2]), [1]),
        (external(covers=[1, 2]), []),
        ({"verification_config": {"check_for": "{{acceptance_criteria}}"}}, []),
        ({"verification_config": {"check_for": ["b is 2"]}}, [1]),
        ({"verification_method": "string_match"}, [1, 2]),
        (stages(UNIT, JUDGE), []),
        (stages(UNIT), [1]),
        (stages({**UNIT, "required": False}, JUDGE), [2]),
    ],
)
def test_what_no_check_covers(coder, left):
    assert [number for number, _ in uncovered(task(**coder), CODER)] == left


def test_a_role_without_criteria_of_its_own_judges_all_of_them():
    assert uncovered(task(**external()), Settings(pipeline=["coder", "reviewer"])) == []


@pytest.mark.parametrize("number", [0, -1, 3])
def test_covers_names_criteria_that_are_there(number):
    with pytest.raises(ConfigError, match=f"covers names criterion {number}, and the task has 2"):
        task(**external(covers=[number]))
    with pytest.raises(ConfigError, match=f'stage "unit": covers names criterion {number}'):
        task(**stages({**UNIT, "config": {"command": "make", "covers": [number]}}))


def test_what_a_command_or_a_person_shows_wants_no_judge():
    criteria = ["a is 1", {"check": "make"}, {"person": "It looks right."}, {"time": "Before the fair."}]
    wanted = task_with(criteria, external(covers=[2]))
    assert uncovered(wanted, CODER) == [(1, "a is 1")]


def test_covers_follows_the_criteria_of_a_follow_up():
    before = judged_by_a_model("a", "b", "c")
    config = {"command": "make", "covers": [1, 3]}
    assert renumbered(config, before, ("b", "c")) == {"command": "make", "covers": [2]}
    staged = {"stages": [{"name": "x", "config": config}, {"name": "y"}]}
    expected = [{"name": "x", "config": {"command": "make", "covers": [2]}}, {"name": "y", "config": {}}]
    assert renumbered(staged, before, ("b", "c"))["stages"] == expected
    assert config["covers"] == [1, 3]
