import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.kernel.task_rules import (
    VAGUE,
    check_dependencies,
    check_id,
    check_new_ids,
    in_order,
    read_promise,
    vague,
)
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task


def task(name, *after, priority=0):
    return Task(id=name, spec_id="s", title=name, priority=priority, dependencies=after, created_at=0.0, updated_at=0.0)


def ids(tasks):
    return [each.id for each in tasks]


@pytest.mark.parametrize("name", ["TASK-001", "a", "0", "a.b_c-d", "x" * 64, "v1.2"])
def test_good_ids(name):
    check_id("task", name)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "must be letters"),
        ("a b", "must be letters"),
        ("../up", "must be letters"),
        ("-a", "begin with a letter or digit"),
        (".hidden", "begin with a letter or digit"),
        ("é", "must be letters"),
        ("a\n", "must be letters"),
        ("a/b", "must be letters"),
        ("a..b", "'..'"),
        ("a.", "end in '.'"),
        ("a.lock", "'.lock'"),
        ("x" * 65, "has 65 characters; 64 is the most"),
    ],
)
def test_ids_that_cannot_name_a_directory_or_a_branch(name, problem):
    with pytest.raises(ConfigError) as refused:
        check_id("task", name)
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_promise_keeps_single_blanks_and_makes_one_of_many():
    assert read_promise("AUTH_IMPLEMENTED") == "AUTH_IMPLEMENTED"
    assert read_promise("all  is\t done") == "all is done"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("a\nb", "must be one line"),
        ("a\n", "must be one line"),
        ("a\u2028b", "must be one line"),
        (" a", "blanks around it"),
        ("a ", "blanks around it"),
        ("<promise>A</promise>", "contains markup"),
        ("a > b", "contains markup"),
        ("a\x1bb", "control characters"),
    ],
)
def test_bad_promises(text, problem):
    with pytest.raises(ValueError, match=problem) as refused:
        read_promise(text)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "text", ["Login works correctly", "it is Clean code", "user-friendly", "handles a, b, etc.", "looks as\nexpected"]
)
def test_vague_criteria_are_told_with_a_reason(text):
    assert "cannot be verified: " in vague(text)


@pytest.mark.parametrize("text", ["Invalid tokens return 401", "fetch succeeds", "is goods are listed", ""])
def test_criteria_that_can_be_verified(text):
    assert vague(text) is None


def test_every_phrase_of_the_table_is_found():
    for phrase, why in VAGUE.items():
        assert vague(f"The thing {phrase}.").endswith(why)


def test_dependency_on_itself():
    with pytest.raises(ConfigError, match="task A depends on itself"):
        check_dependencies([task("A", "A")])


def test_unknown_dependency():
    with pytest.raises(ConfigError, match="task A depends on 'B', which is not a task"):
        check_dependencies([task("A", "B")])


def test_cycle_is_named_in_full():
    tasks = [task("C", "A"), task("A", "B", "D"), task("B", "C"), task("D"), task("E", "A")]
    with pytest.raises(ConfigError, match="wait for each other: A -> B -> C -> A"):
        check_dependencies(tasks)


def test_cycle_of_two():
    with pytest.raises(ConfigError, match=": A -> B -> A"):
        check_dependencies([task("B", "A"), task("A", "B")])


def test_a_long_chain_is_no_problem():
    tasks = [task(f"T{n}", f"T{n + 1}") for n in range(3000)]
    with pytest.raises(ConfigError, match="not a task of this project"):
        check_dependencies(tasks)
    tasks.append(task("T3000"))
    check_dependencies(tasks)
    assert ids(in_order(tasks)) == [f"T{n}" for n in range(3000, -1, -1)]


def test_duplicate_ids():
    with pytest.raises(ConfigError, match="the task id A occurs twice"):
        check_new_ids([task("A"), task("B"), task("A")])


def test_order_is_by_dependency_then_priority_then_id():
    tasks = [
        task("late", priority=5),
        task("b"),
        task("a", "first"),
        task("first", priority=9),
        task("soon", priority=-1),
    ]
    assert ids(in_order(tasks)) == ["soon", "b", "late", "first", "a"]


def test_order_ignores_what_is_not_of_the_spec():
    assert ids(in_order([task("A", "elsewhere")])) == ["A"]


@given(st.lists(st.tuples(st.integers(-2, 2), st.sets(st.integers(0, 9)))), st.randoms())
def test_each_task_comes_after_those_it_depends_on(made, random):
    tasks = [
        task(f"T{number}", *(f"T{other}" for other in after if other < number), priority=priority)
        for number, (priority, after) in enumerate(made)
    ]
    random.shuffle(tasks)
    ordered = in_order(tasks)
    assert sorted(ids(ordered)) == sorted(ids(tasks))
    for place, each in enumerate(ordered):
        assert set(each.dependencies) <= set(ids(ordered[:place]))
