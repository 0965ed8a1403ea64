import re

import pytest

from ralph.kernel.completion import (
    GivenCriteria,
    RoleDefaults,
    check_criteria,
    completion_dict,
    completion_from_dict,
    criterion_data,
    default_criteria,
    filled,
    read_criterion,
    verification_of,
)
from ralph.model.tasks import CompletionCriteria, Criterion, TaskCompletionSpec
from ralph.model.verification import External, MultiStage, Semantic, StringMatch
from seed_task import judged_by_a_model

CODER = RoleDefaults("IMPLEMENTATION_COMPLETE", "external", max_iterations=15)
REVIEWER = RoleDefaults("REVIEW_PASSED", "semantic", max_iterations=5)
QA = RoleDefaults("QA_PASSED", "multi_stage", max_iterations=5)
TESTER = RoleDefaults("TESTS_PASSED", "external", {"command": "pytest"})
ACCEPTANCE = ("tokens are checked", "401 without one")
DONE = judged_by_a_model(*ACCEPTANCE)


@pytest.mark.parametrize("role", [CODER, REVIEWER, QA, RoleDefaults("DONE", "string_match")])
def test_role_without_criteria_checks_the_acceptance_criteria(role):
    criteria = default_criteria("coder", role, "Auth", DONE)
    assert (criteria.promise, criteria.description) == (role.promise, "Complete the coder stage of: Auth")
    assert verification_of(criteria, ACCEPTANCE) == Semantic(ACCEPTANCE)
    assert criteria.max_iterations is None


def test_role_with_a_config_in_the_settings_is_verified_by_that():
    assert verification_of(default_criteria("tester", TESTER, "Auth", DONE), ACCEPTANCE) == External("pytest")


@pytest.mark.parametrize("role", [CODER, TESTER])
def test_task_without_any_completion_counts_on_the_promise(role):
    criteria = default_criteria("coder", role, "Auth", None)
    assert criteria.promise == role.promise
    assert verification_of(criteria, ()) == StringMatch()


@pytest.mark.parametrize(
    ("role", "check"),
    [
        (CODER, Semantic(ACCEPTANCE)),
        (REVIEWER, Semantic(ACCEPTANCE)),
        (TESTER, External("pytest")),
        (RoleDefaults(), StringMatch()),
    ],
)
def test_promise_alone_takes_the_roles_method_if_it_needs_nothing_more(role, check):
    criteria = filled("x", role, "Auth", GivenCriteria(promise="MINE"))
    assert criteria.promise == "MINE"
    assert verification_of(criteria, ACCEPTANCE) == check


def test_multi_stage_by_name_alone_has_one_stage():
    for given in (GivenCriteria(promise="X"), GivenCriteria(verification_method="multi_stage")):
        check = verification_of(filled("qa", QA, "Auth", given), ACCEPTANCE)
        assert isinstance(check, MultiStage)
        assert [(part.name, part.check) for part in check.stages] == [("acceptance", Semantic(ACCEPTANCE))]


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"command": "true"}, External),
        ({"check_for": "x"}, Semantic),
        ({"negative_patterns": ["x"]}, Semantic),
        ({"stages": [{"name": "a"}]}, MultiStage),
    ],
)
def test_config_without_a_method_tells_the_method(config, kind):
    given = GivenCriteria(verification_config=config)
    for role in (CODER, REVIEWER, QA):
        assert isinstance(verification_of(filled("x", role, "Auth", given), ACCEPTANCE), kind)


def test_method_and_config_that_are_given_stay():
    config = {"negative_patterns": ["TODO"]}
    criteria = filled("x", TESTER, "Auth", GivenCriteria("P", "D", "semantic", config, 7))
    assert criteria == CompletionCriteria("P", "D", "semantic", config, 7)


def test_method_of_the_role_by_name_takes_its_config():
    given = GivenCriteria(verification_method="external")
    assert verification_of(filled("tester", TESTER, "Auth", given), ()) == External("pytest")


def test_external_without_a_command_is_refused():
    criteria = filled("coder", CODER, "Auth", GivenCriteria(verification_method="external"))
    with pytest.raises(ValueError, match="no command specified"):
        check_criteria(criteria, ACCEPTANCE)


def test_promise_is_held_to_its_rules():
    with pytest.raises(ValueError, match="markup"):
        filled("coder", CODER, "Auth", GivenCriteria(promise="<b>"))
    assert filled("coder", CODER, "Auth", GivenCriteria(promise="A  B")).promise == "A B"


@pytest.mark.parametrize("folder", ["../..", "..", "a/../..", "/tmp", "a/../../a"])
def test_working_dir_outside_of_the_worktree_is_refused(folder):
    config = {"command": "true", "working_dir": folder}
    with pytest.raises(ValueError, match="is outside of the worktree"):
        check_criteria(CompletionCriteria("P", "D", "external", config), ())
    stages = {"stages": [{"name": "build", "method": "external", "config": config}]}
    with pytest.raises(ValueError, match='stage "build": working_dir'):
        check_criteria(CompletionCriteria("P", "D", "multi_stage", stages), ())


@pytest.mark.parametrize("folder", [".", "a", "a/..", "a/../b", "./a//b/"])
def test_working_dir_inside_is_taken(folder):
    check_criteria(CompletionCriteria("P", "D", "external", {"command": "true", "working_dir": folder}), ())


def test_as_plain_data_and_back():
    spec = judged_by_a_model(*ACCEPTANCE, roles={"coder": CompletionCriteria("P", "D", "string_match")})
    data = completion_dict(spec)
    assert data == {
        "outcome": "It is so.",
        "acceptance_criteria": list(ACCEPTANCE),
        "coder": {
            "promise": "P",
            "description": "D",
            "verification_method": "string_match",
            "verification_config": {},
            "max_iterations": None,
        },
    }
    assert completion_from_dict(data) == spec


@pytest.mark.parametrize(("data", "criterion"), [
    ("a is 1", Criterion("judge", "a is 1")),
    ({"judge": "Is a 1?", "text": "a is 1"}, Criterion("judge", "a is 1", question="Is a 1?")),
    ({"check": "make"}, Criterion("check", "make", command="make")),
    ({"check": "make", "text": "it builds"}, Criterion("check", "it builds", command="make")),
    ({"person": "it looks right"}, Criterion("person", "it looks right")),
    ({"time": "before the fair"}, Criterion("time", "before the fair")),
])  # fmt: skip
def test_criterion_is_read_and_written(data, criterion):
    assert read_criterion(data) == criterion
    assert criterion_data(criterion) == data


def test_plain_text_and_a_named_judge_are_the_same():
    assert read_criterion({"judge": "a is 1"}) == read_criterion("a is 1")


@pytest.mark.parametrize(("data", "told"), [
    (" ", "is empty"),
    ({"check": " "}, "is empty"),
    ({"check": " ", "text": "it builds"}, "has no command"),
    ({"check": "make", "text": " "}, "has an empty text"),
    ({}, "not nothing"),
    ({"text": "a"}, "not nothing"),
    ({"check": "make", "person": "me"}, "not 'check', 'person'"),
    ({"chek": "make"}, "one of {judge: ...}, {check: ...}, {person: ...}, {time: ...}, not 'chek'"),
    ({"check": 1}, "each with a text"),
    (1, "must be a text or one of"),
    (["make"], "must be a text or one of"),
])  # fmt: skip
def test_criterion_that_cannot_be_read_says_why(data, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        read_criterion(data)


def test_model_judges_the_plain_criteria_alone():
    done = TaskCompletionSpec("o", (Criterion("check", "make", command="make"), Criterion("judge", "a", question="b")))
    assert (done.asked, done.judged) == (("make", "b"), ("b",))


def test_role_of_a_task_that_commands_alone_verify_gives_its_promise():
    done = TaskCompletionSpec("o", (Criterion("check", "make", command="make"),))
    assert verification_of(default_criteria("coder", CODER, "Auth", done), done.judged) == StringMatch()
    assert verification_of(default_criteria("tester", TESTER, "Auth", done), done.judged) == External("pytest")
