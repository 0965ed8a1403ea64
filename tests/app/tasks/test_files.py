import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.app.tasks.files import TaskRules, file_data, read_task, task_data, tasks_in
from ralph.app.tasks.roles import role_defaults
from ralph.app.tasks.text import json_text, parsed, yaml_text
from ralph.config.schema import Settings
from ralph.kernel.completion import leaves, read_criterion, verification_of
from ralph.model.errors import ConfigError
from ralph.model.tasks import CompletionCriteria, Task, TaskCompletionSpec
from ralph.model.verification import External, Semantic
from seed_task import COMPLETE

NOW = 12.5
RULES = TaskRules(role_defaults(Settings()), NOW)
DONE = {"outcome": "It is so.", "acceptance_criteria": ["a is 1"]}
LEAST = {"id": "T", "spec_id": "s", "title": "t", "completion": DONE}


def read(text, name="tasks.yaml", rules=RULES):
    return tasks_in(parsed(text, name), name, rules)


def refusal(data, rules=RULES):
    with pytest.raises(ConfigError) as refused:
        read_task(data, "task T", rules)
    told = str(refused.value)
    assert "\n" not in told
    assert len(told) < 600
    return told


def unreadable(text, name="tasks.yaml"):
    with pytest.raises(ConfigError) as refused:
        read(text, name)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def with_role(**criteria):
    return {**LEAST, "completion": {**DONE, "coder": criteria}}


def test_complete_task_is_read():
    (task,) = read(COMPLETE)
    assert (task.id, task.spec_id, task.priority, task.dependencies) == ("TASK-001", "auth-feature", 1, ())
    assert task.description.endswith("functionality.\n")
    assert (task.created_at, task.updated_at, task.status) == (NOW, NOW, "pending")
    done = task.completion_spec
    assert len(done.acceptance_criteria) == 7
    assert list(done.roles) == ["coder", "reviewer", "tester", "qa"]
    assert done.roles["tester"] == CompletionCriteria(
        "AUTH_TESTS_PASS",
        "All auth tests pass with >80% coverage",
        "external",
        {
            "command": "pytest tests/test_auth.py -v --cov=src/auth --cov-fail-under=80",
            "success_exit_code": 0,
            "output_not_contains": "FAILED",
        },
        10,
    )
    assert [part.name for part in verification_of(done.roles["qa"], ()).stages] == [
        "all_tests_pass",
        "no_security_issues",
        "acceptance_verified",
    ]


def test_complete_task_goes_out_and_in_again():
    tasks = read(COMPLETE)
    assert read(yaml_text(file_data(tasks))) == tasks
    assert read(json_text(file_data(tasks)), "tasks.json") == tasks
    assert parsed(yaml_text(file_data(tasks)), "x") == parsed(COMPLETE, "x")


def test_written_shape_is_that_of_a_person():
    shown = yaml_text(file_data(read(COMPLETE)))
    assert shown.startswith('task:\n  id: TASK-001\n  spec_id: auth-feature\n  title: "Implement JWT authentication"\n')
    assert "  description: |\n    Add JWT-based" in shown
    assert "        command: |\n          test -f src/auth/middleware.py &&\n" in shown
    assert "    acceptance_criteria:\n      - " in shown


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
lines = texts.map(lambda text: "x" + " ".join(text.split())).filter(lambda text: len(text.splitlines()) == 1)
# Two dashes stand between spec and task in the name of a branch.
names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,20}", fullmatch=True).filter(lambda name: "--" not in name)
some_text = texts.map(lambda text: f"{text}x")
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
criteria = st.builds(
    CompletionCriteria,
    promise=st.sampled_from(["DONE", "1e5", "it is done", "null", "~", "- x", "#1"]),
    description=some_text,
    verification_method=st.just("external"),
    verification_config=st.fixed_dictionaries({"command": some_text}),
    max_iterations=st.none() | st.integers(1, 100),
)
acceptance = st.one_of(
    some_text,
    st.fixed_dictionaries({"check": some_text}, optional={"text": some_text}),
    st.fixed_dictionaries({"judge": some_text}, optional={"text": some_text}),
    st.fixed_dictionaries({"person": some_text}, optional={"text": some_text}),
    st.fixed_dictionaries({"time": some_text}, optional={"text": some_text}),
).map(read_criterion)
tasks = st.builds(
    Task,
    id=names,
    spec_id=names,
    title=lines,
    description=texts,
    priority=st.integers(-9, 9),
    dependencies=st.lists(names, unique=True).map(tuple),
    assignee=texts,
    created_at=st.just(NOW),
    updated_at=st.just(NOW),
    metadata=st.dictionaries(texts, values, max_size=3),
    completion_spec=st.none()
    | st.builds(
        TaskCompletionSpec,
        outcome=some_text,
        acceptance_criteria=st.lists(acceptance, min_size=1, max_size=3).map(tuple),
        roles=st.dictionaries(st.sampled_from(["coder", "qa"]), criteria),
    ),
    may_change=st.lists(lines, unique=True, max_size=2).map(tuple),
    relevant_files=st.lists(lines.filter(lambda path: not leaves(path)), unique=True, max_size=2).map(tuple),
    max_iterations=st.none() | st.integers(1, 100),
)


@given(st.lists(tasks, min_size=1, max_size=3))
def test_any_task_goes_out_and_in_again(made):
    rules = TaskRules(RULES.roles, NOW, without_criteria=True)
    assert read(yaml_text(file_data(made)), rules=rules) == made
    assert read(json_text(file_data(made)), "tasks.json", rules) == made


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\x85", "\u2028", "\u2029"])
def test_every_kind_of_line_end_goes_out_and_in_again(end):
    text = f"one\n{end}two{end}"
    made = [Task(id="A", spec_id="s", title="x", description=text, created_at=NOW, updated_at=NOW)]
    rules = TaskRules(RULES.roles, NOW, without_criteria=True)
    assert read(yaml_text(file_data(made)), rules=rules) == made


@pytest.mark.parametrize(
    "text",
    [
        "task: {task}",
        "tasks: [{task}]",
        "[{task}]",
        "{task}",
        "--- {task}\n",
        "- task: {task}",
        '{{\n\t"tasks": [{task}]}}',
    ],
)
def test_every_shape_of_a_file_is_taken(text):
    (task,) = read(text.format(task=json.dumps(LEAST)))
    assert task.id == "T"


def test_several_documents_are_taken():
    other = {**LEAST, "id": "U"}
    text = f"# é𝄞\n{json.dumps(LEAST)}\n---\ntasks:\n  - {json.dumps(other)}\n...\n---\n---\n"
    assert [task.id for task in read(text)] == ["T", "U"]


def test_other_names_of_keys_are_taken():
    (task,) = read(json.dumps({"id": "T", "spec": "s", "title": "t", "depends_on": ["A"], "completion_spec": DONE}))
    assert (task.spec_id, task.dependencies) == ("s", ("A",))
    assert task.completion_spec.outcome == "It is so."
    assert "dependencies occurs twice, also as depends_on" in refusal(
        {**LEAST, "dependencies": [], "depends_on": ["A"]}
    )


def test_camel_case_is_taken_too():
    role = {"verificationMethod": "external", "verificationConfig": {"command": "make"}, "maxIterations": 3}
    done = {"outcome": "It is so.", "acceptanceCriteria": ["a is 1"], "coder": role}
    camel = {"id": "T", "specId": "s", "title": "t", "dependsOn": ["A"], "mayChange": ["tests/**"], "completion": done}
    snake = {
        "id": "T",
        "spec_id": "s",
        "title": "t",
        "dependencies": ["A"],
        "may_change": ["tests/**"],
        "completion": {
            **DONE,
            "coder": {
                "verification_method": "external",
                "verification_config": {"command": "make"},
                "max_iterations": 3,
            },
        },
    }
    assert read_task(camel, "task T", RULES) == read_task(snake, "task T", RULES)
    assert "may_change occurs twice, also as mayChange" in refusal({**LEAST, "may_change": [], "mayChange": []})
    assert 'unknown key "mayChanges". Did you mean "may_change"' in refusal({**LEAST, "mayChanges": []})


@pytest.mark.parametrize("pattern", ["", " ", "a\nb"])
def test_a_pattern_of_what_may_change_is_one_line(pattern):
    assert "the pattern in may_change" in refusal({**LEAST, "may_change": [pattern]})


def test_keys_without_a_value_count_as_not_there():
    data = {**LEAST, "description": None, "dependencies": None, "completion": {**DONE, "coder": None}}
    task = read_task(data, "task T", RULES)
    assert (task.description, task.dependencies, task.completion_spec.roles) == ("", (), {})


def test_spec_can_come_from_outside():
    data = {key: value for key, value in LEAST.items() if key != "spec_id"}
    assert "it names no spec. Add spec_id to it, or give --spec" in refusal(data)
    rules = TaskRules(RULES.roles, NOW, spec="given")
    assert read_task(data, "task T", rules).spec_id == "given"
    assert read_task(LEAST, "task T", rules).spec_id == "s"


def test_partly_given_role_is_filled_up():
    task = read_task(with_role(promise="MINE"), "task T", RULES)
    criteria = task.completion_spec.roles["coder"]
    assert (criteria.promise, criteria.description) == ("MINE", "Complete the coder stage of: t")
    assert verification_of(criteria, ("a is 1",)) == Semantic(("a is 1",))
    task = read_task(with_role(verification_config={"command": "make"}), "task T", RULES)
    assert verification_of(task.completion_spec.roles["coder"], ()) == External("make")


def test_roles_of_the_settings_are_known():
    rules = TaskRules({"writer": RULES.roles["coder"]}, NOW)
    data = {**LEAST, "completion": {**DONE, "writer": {"promise": "WRITTEN"}}}
    assert list(read_task(data, "task T", rules).completion_spec.roles) == ["writer"]
    assert "completion has 'writer', which is not a role" in refusal(data)


@pytest.mark.parametrize("missing", ["outcome", "acceptance_criteria"])
def test_task_without_criteria_is_refused_with_an_example(missing):
    done = {key: value for key, value in DONE.items() if key != missing}
    assert f"{missing.partition('_')[0]}" in refusal({**LEAST, "completion": done})
    assert 'A good one: outcome "' in refusal({**LEAST, "completion": done})
    assert "is missing" in refusal({**LEAST, "completion": None})


def test_task_may_be_without_criteria_if_that_is_said():
    rules = TaskRules(RULES.roles, NOW, without_criteria=True)
    assert read_task({**LEAST, "completion": None}, "task T", rules).completion_spec is None
    assert "the outcome is missing" in refusal({**LEAST, "completion": {"acceptance_criteria": ["a"]}}, rules)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({**LEAST, "titel": "x"}, 'unknown key "titel". Did you mean "title"?'),
        ({**LEAST, "id": 1}, '"id" must be text, not a whole number'),
        ({**LEAST, "id": "a b"}, "the task id 'a b' must be letters"),
        ({**LEAST, "spec_id": "../x"}, "the spec id '../x' must be letters"),
        ({"id": "T"}, '"title" is missing'),
        ({**LEAST, "title": " "}, "the title is empty"),
        ({**LEAST, "title": "a\nb"}, "the title must be one line"),
        ({**LEAST, "priority": "high"}, '"priority" must be a whole number, not text'),
        ({**LEAST, "priority": 10**9}, '"priority" must be at most 1000000'),
        ({**LEAST, "dependencies": "A"}, '"dependencies" must be a list, not text'),
        ({**LEAST, "dependencies": ["A", 2]}, '"dependencies[1]" must be text, not a whole number'),
        ({**LEAST, "metadata": {1: "x"}}, "the key 1 is not text"),
        ({**LEAST, "description": "a\0b"}, "has a character that is not text"),
        ({**LEAST, "title": "\ud800"}, "has a character that is not text"),
        ({**LEAST, "metadata": {"a": float("inf")}}, "a number that is not finite"),
        ({**LEAST, "completion": "x"}, '"completion" must be an object, not text'),
        ({**LEAST, "completion": {**DONE, "outcome": 1}}, '"completion.outcome" must be text, not a whole number'),
        ({**LEAST, "completion": {**DONE, "acceptance_criteria": "a"}}, 'acceptance_criteria" must be a list'),
        ({**LEAST, "completion": {**DONE, "acceptance_criteria": [" "]}}, "acceptance criterion 1 is empty"),
        (
            {**LEAST, "completion": {**DONE, "acceptance_criteria": ["a", {"chek": "make"}]}},
            "acceptance criterion 2 must be a text or one of {judge: ...}, {check: ...}",
        ),
        ({**LEAST, "relevant_files": ["/etc/passwd"]}, "the relevant file '/etc/passwd' is outside of the project"),
        ({**LEAST, "relevant_files": ["a/../../b"]}, "is outside of the project"),
        ({**LEAST, "relevant_files": [" "]}, "the path in relevant_files is empty"),
        ({**LEAST, "max_iterations": 0}, '"max_iterations" must be at least 1'),
        ({**LEAST, "completion": {**DONE, "outcom": "x"}}, 'not a role; the nearest key is "outcome". Roles are coder'),
        ({**LEAST, "completion": {**DONE, "coder": "x"}}, '"completion.coder" must be a mapping'),
        (with_role(promis="X"), 'unknown key "completion.coder.promis". Did you mean "promise"?'),
        (with_role(promise="<b>X</b>"), "task T, role coder: the promise '<b>X</b>' contains markup"),
        (with_role(promise=" X"), "task T, role coder: the promise ' X' has blanks around it"),
        (with_role(max_iterations=0), '"completion.coder.max_iterations" must be at least 1'),
        (with_role(verification_method="magic"), 'must be one of "string_match", "semantic", "external"'),
        (with_role(verification_method="external"), "task T, role coder: no command specified"),
        (with_role(verification_config={"command": "x", "working_dir": "../.."}), "is outside of the worktree"),
        (with_role(verification_config={"command": "x", "timeot": 3}), "unknown field `timeot`"),
        (with_role(verification_config={"stages": []}), "multi_stage needs at least one stage"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line_with_its_place(data, told):
    assert told in refusal(data)


def test_nesting_without_end_is_refused():
    deep: object = "x"
    for _ in range(500):
        deep = [deep]
    assert "nested too deeply" in refusal({**LEAST, "metadata": {"a": deep}})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "tasks.yaml contains no task"),
        ("tasks: []", "tasks.yaml contains no task"),
        ("just words", "holds 'just words' where a task should be"),
        ("- 1", "holds '1' where a task should be"),
        ("task: {}\nspec: x", "has 'spec' beside its tasks"),
        ("id: T\n---\nid: T\nid: U\n", 'the key "id" occurs twice at line 4'),
        ("a: [", "tasks.yaml is not valid YAML"),
        ("a: &x [1]\nb: *x\n", "tasks have no use for an alias at line 2"),
        ("a: !!python/object/apply:os.system [id]", "no use for a tag"),
        ("[" * 2000 + "]" * 2000, "nested too deeply"),
        ("title: t", "tasks.yaml, task number 1: "),
        ("- id: A\n  title: 3", "tasks.yaml, task A: "),
    ],
)
def test_text_that_is_no_task_is_one_line(text, told):
    assert told in unreadable(text)


def test_json_that_is_broken_is_called_so():
    assert "tasks.json is not valid JSON: " in unreadable('{"id": ', "tasks.json")


def test_nothing_that_ralph_keeps_is_written():
    task = read_task(LEAST, "task T", RULES)
    assert task_data(task) == {**LEAST, "priority": 0, "dependencies": []}
