import json
import subprocess

import pytest

from ralph.model.evidence import Evidence
from ralph.model.verdicts import MaxIterations, Verified
from ralph.store.journal import Journal
from ralph.testing.program import ralph_program
from refusals import one_clear_line
from seed_task import COMPLETE
from task_shell import DONE, TaskShell, add_stage, add_task_run, many, verified

pytestmark = pytest.mark.e2e


@pytest.fixture
def shell(tmp_path):
    return TaskShell(tmp_path.resolve())


@pytest.fixture
def auth(shell):
    """A project with a spec."""
    shell.spec("auth")
    return shell


# Create


def test_create_with_the_flags_of_two_roles(shell):
    shell.good("spec", "create", "my-spec", "--title", "Mine")
    told = shell.good(
        "task", "create", "TASK-001", "my-spec", "Implement JWT auth",
        "--outcome", "All API endpoints require valid JWT tokens",
        "--acceptance", "JWT middleware validates tokens",
        "--acceptance", "Login endpoint returns valid JWT",
        "--acceptance", "Invalid tokens return 401",
        "--coder-promise", "AUTH_IMPLEMENTED",
        "--coder-verify", "external",
        "--coder-verify-cmd", "grep -r 'jwt.verify' src/",
        "--tester-promise", "AUTH_TESTS_PASS",
        "--tester-verify", "external",
        "--tester-verify-cmd", "pytest tests/test_auth.py --cov-fail-under=80",
    )  # fmt: skip
    assert told == "Created TASK-001. See it: ralph task show TASK-001\n"
    task = shell.show("TASK-001")
    assert (task["specId"], task["title"], task["status"]) == ("my-spec", "Implement JWT auth", "pending")
    assert task["outcome"] == "All API endpoints require valid JWT tokens"
    assert [each["criterion"] for each in task["acceptanceCriteria"]] == [
        "JWT middleware validates tokens",
        "Login endpoint returns valid JWT",
        "Invalid tokens return 401",
    ]
    roles = {role["role"]: role for role in task["roles"]}
    assert list(roles) == ["coder", "reviewer", "tester", "qa"]
    assert [role["promise"] for role in roles.values()] == [
        "AUTH_IMPLEMENTED", "REVIEW_PASSED", "AUTH_TESTS_PASS", "QA_PASSED",
    ]  # fmt: skip
    assert [role["given"] for role in roles.values()] == [True, False, True, False]
    assert [role["maxIterations"] for role in roles.values()] == [15, 5, 10, 5]
    assert roles["coder"]["verificationConfig"] == {"command": "grep -r 'jwt.verify' src/"}
    assert roles["qa"]["verificationMethod"] == "semantic"


def test_create_with_every_other_flag(auth):
    auth.create("A")
    auth.create(
        "B", "--description", "Why.", "--depends-on", "A", "--priority", "-2", "--assignee", "me",
        "--qa-description", "All is well", "--qa-verify", "string_match", "--qa-max-iterations", "2",
    )  # fmt: skip
    task = auth.show("B")
    assert (task["description"], task["dependencies"], task["priority"], task["assignee"]) == ("Why.", ["A"], -2, "me")
    qa = next(role for role in task["roles"] if role["role"] == "qa")
    assert (qa["description"], qa["verificationMethod"], qa["maxIterations"]) == ("All is well", "string_match", 2)
    assert auth.ids() == ["A", "B"]


def test_what_a_task_may_change_is_kept_shown_and_exported(auth, tmp_path):
    auth.create("A", "--may-change", "tests/old/**", "--may-change", "Makefile")
    assert auth.show("A")["mayChange"] == ["tests/old/**", "Makefile"]
    assert "may change tests/old/**, Makefile" in auth.good("task", "show", "A").splitlines()
    assert [task["mayChange"] for task in auth.json("task", "list")] == [["tests/old/**", "Makefile"]]
    exported = auth.good("task", "export", "A", "--format", "json")
    assert json.loads(exported)["task"]["may_change"] == ["tests/old/**", "Makefile"]
    text = json.dumps({"task": {**json.loads(exported)["task"], "may_change": ["docs/**"]}})
    auth.good("task", "import", "-", "--replace", input=text)
    assert auth.show("A")["mayChange"] == ["docs/**"]
    auth.create("B")
    assert auth.show("B")["mayChange"] == []
    assert "may change" not in auth.good("task", "show", "B")


def test_typed_criteria_and_what_a_chunk_is_told_are_kept_shown_and_exported(auth):
    auth.create(
        "A",
        *("--check", "pytest -q", "--check", "make lint", "--person", "It looks right", "--time", "Quiet for a week"),
        *("--relevant-file", "src/a.py", "--relevant-file", "docs", "--max-iterations", "7"),
    )
    task = auth.show("A")
    kinds = [(each["kind"], each["criterion"], each["command"]) for each in task["acceptanceCriteria"]]
    assert kinds == [
        ("judge", "No token gets 401", ""),
        ("check", "pytest -q", "pytest -q"),
        ("check", "make lint", "make lint"),
        ("person", "It looks right", ""),
        ("time", "Quiet for a week", ""),
    ]
    assert (task["relevantFiles"], task["maxIterations"]) == (["src/a.py", "docs"], 7)
    lines = auth.good("task", "show", "A").splitlines()
    assert {"files to check: src/a.py, docs", "a chunk: 0 of at most 7 iterations", "  [ ] check: pytest -q"} <= set(
        lines
    )
    [listed] = auth.json("task", "list")
    assert listed["acceptanceCriteria"][:2] == ["No token gets 401", {"check": "pytest -q"}]
    exported = auth.good("task", "export", "A")
    auth.good("task", "import", "-", "--replace", input=exported.replace("docs", "src/b.py"))
    assert auth.show("A")["relevantFiles"] == ["src/a.py", "src/b.py"]
    assert auth.show("A")["acceptanceCriteria"] == task["acceptanceCriteria"]


def test_a_criterion_that_no_check_covers_is_named(auth):
    auth.settings(pipeline=["coder"])
    roles = {"coder": {"verification_config": {"command": "make"}}}
    done = {"outcome": "o", "acceptance_criteria": ["a is 1", "b is 2"], **roles}
    told = auth("task", "import", "-", input=many(("A", {"completion": done})))
    assert told.code == 0
    assert told.err == (
        "ralph: task A: no check covers criteria 1 (a is 1); 2 (b is 2). "
        "Let a semantic check judge that, or add covers: [1, 2] to the command that proves it.\n"
    )
    roles["coder"]["verification_config"]["covers"] = [1, 2]
    auth.good("task", "import", "-", "--replace", input=many(("A", {"completion": {**done, **roles}})))


def test_roles_of_the_settings_have_flags(auth):
    auth.settings(roles={"writer": {"promise": "WRITTEN"}, "tester": {"verificationConfig": {"command": "make test"}}})
    assert "--writer-promise" in auth.good("task", "create", "--help")
    auth.create("T", "--writer-max-iterations", "3", "--tester-promise", "TESTED")
    roles = {role["role"]: role for role in auth.show("T")["roles"]}
    assert (roles["writer"]["promise"], roles["writer"]["maxIterations"]) == ("WRITTEN", 3)
    assert roles["tester"]["verificationConfig"] == {"command": "make test"}


def test_help_shows_the_flags_even_if_the_settings_are_broken(shell):
    shell.repo.write(".ralph/settings.json", "{")
    shown = shell.good("task", "create", "--help")
    for name in ("promise", "description", "verify", "verify-cmd", "max-iterations"):
        assert f"--coder-{name} " in shown
        assert f"--qa-{name} " in shown
    one_clear_line(shell("task", "create", "T", "s", "t", *DONE), 2, "settings.json is not valid JSON")


@pytest.mark.parametrize(
    ("flags", "missing"), [((), "the outcome is"), (DONE[:2], "acceptance criteria are"), (DONE[2:], "the outcome is")]
)
def test_task_without_criteria_is_refused_with_an_example(auth, flags, missing):
    one_clear_line(auth("task", "create", "T", "auth", "t", *flags), 2, f"task T: {missing} missing", "A good one: ")
    assert auth.ids() == []


@pytest.mark.parametrize("flag", ["--check", "--person", "--time"])
def test_a_typed_criterion_goes_with_an_outcome(auth, flag):
    one_clear_line(auth("task", "create", "T", "auth", "t", flag, "x"), 2, "the outcome is missing")
    refused = auth("task", "create", "T", "auth", "t", flag, "x", "--without-criteria")
    assert (refused.code, "cannot be combined with criteria" in refused.err) == (2, True)


def test_task_may_say_that_it_has_no_criteria(auth):
    done = auth("task", "create", "T", "auth", "t", "--without-criteria")
    assert (done.code, done.out.split()[0]) == (0, "Created")
    assert done.err == "ralph: task T has no criteria: verification steps and reviews alone will say when it is done.\n"
    assert auth.show("T")["outcome"] is None
    assert "No criteria" in auth.good("task", "show", "T")
    refused = auth("task", "create", "U", "auth", "t", "--without-criteria", *DONE)
    assert (refused.code, "cannot be combined with criteria" in refused.err) == (2, True)


def test_vague_criteria_get_a_warning_each(auth):
    done = auth("task", "create", "T", "auth", "t", *DONE, "--acceptance", "It works correctly", "--acceptance", "etc.")
    assert done.code == 0
    first, second = done.err.splitlines()
    assert first.startswith('ralph: task T: a criterion is vague: "works correctly" cannot be verified: ')
    assert second.startswith('ralph: task T: a criterion is vague: "etc"')
    assert auth.ids() == ["T"]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("T", "nowhere", "t", *DONE), ["there is no spec nowhere", "ralph spec create nowhere"]),
        (("a b", "auth", "t", *DONE), ["the task id 'a b' must be letters"]),
        (("T", "auth", "", *DONE), ["the title is empty"]),
        (("T", "auth", "t", *DONE, "--depends-on", "T"), ["task T depends on itself"]),
        (("T", "auth", "t", *DONE, "--depends-on", "U"), ["task T depends on 'U', which is not a task"]),
        (("T", "auth", "t", *DONE, "--coder-promise", "<promise>X</promise>"), ["role coder: the promise", "markup"]),
        (("T", "auth", "t", *DONE, "--coder-promise", "X\nY"), ["must be one line"]),
        (("T", "auth", "t", *DONE, "--coder-verify", "external"), ["role coder: no command specified"]),
        (("T", "auth", "t", *DONE, "--description", "\udcff"), ["not text"]),
    ],
)
def test_bad_task_is_one_clear_line(auth, args, told):
    one_clear_line(auth("task", "create", *args), 2, *told)
    assert auth.ids() == []


def test_duplicate_id_is_refused(auth):
    auth.create("T", title="first")
    one_clear_line(auth("task", "create", "T", "auth", "second", *DONE), 2, "there is a task T already")
    assert auth.show("T")["title"] == "first"


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--coder-verify", "magic"), "--coder-verify"),
        (("--coder-verify", "semantic", "--coder-verify-cmd", "true"), "--coder-verify-cmd goes with"),
        (("--nobody-promise", "X"), "--nobody-promise"),
        (("--coder-max-iterations", "0"), "--coder-max-iterations"),
    ],
)
def test_bad_flags_of_roles_are_usage_errors(auth, flags, told):
    done = auth("task", "create", "T", "auth", "t", *DONE, *flags)
    assert (done.code, told in done.err, "Traceback" in done.err) == (2, True, False)


# Import and export


def shared(task):
    return {key: value for key, value in task.items() if key not in ("createdAt", "updatedAt")}


def test_complete_task_goes_from_one_project_to_another(shell, tmp_path):
    shell.repo.write("task.yaml", COMPLETE)
    told = shell("task", "import", "task.yaml")
    assert (told.code, told.out) == (0, "Imported 1 task: TASK-001\n")
    [warning] = told.err.splitlines()
    assert warning.startswith("ralph: task TASK-001: no check covers criteria 1 (JWT middleware validates tokens on")
    shown = shell.good("task", "show", "TASK-001")
    assert "  [ ] Passwords are hashed with bcrypt\n      not verified yet\n" in shown
    assert "  coder: promise AUTH_IMPLEMENTED · 0/15 iterations · has not run\n" in shown
    assert "    external: test -f src/auth/middleware.py && test -f" in shown
    assert "      acceptance_verified: semantic: JWT middleware validates tokens; Login returns JWT; 401 for" in shown
    other = TaskShell(tmp_path.resolve() / "other")
    for form in ("yaml", "json"):
        exported = shell.good("task", "export", "TASK-001", "--format", form)
        assert other("task", "import", "--replace", "-", input=exported).code == 0
        assert other.good("task", "export", "TASK-001", "--format", form) == exported
        assert shared(other.show("TASK-001")) == shared(shell.show("TASK-001"))
    assert [spec["id"] for spec in other.json("spec", "list")] == ["auth-feature"]


def test_import_takes_the_spec_from_the_flag_and_creates_it(shell):
    shell.repo.write(".ralph/specs/s/spec.md", "intro\n\n## The *title* ##\n")
    done = {"outcome": "o", "acceptance_criteria": ["c"]}
    text = json.dumps([{"id": "A", "title": "a", "completion": done}, {"id": "B", "title": "b", "completion": done}])
    one_clear_line(shell("task", "import", "-", input=text), 2, "standard input, task A: it names no spec")
    assert shell.good("task", "import", "-", "--spec", "s", input=text) == "Imported 2 tasks: A, B\n"
    assert shell.ids("--spec", "s") == ["A", "B"]
    assert shell.json("spec", "show", "s")["title"] == "The *title*"


@pytest.mark.parametrize(
    ("tasks", "told"),
    [
        ([("A", {}), ("A", {})], "the task id A occurs twice"),
        ([("A", {"dependencies": ["A"]})], "task A depends on itself"),
        ([("A", {"dependencies": ["X"]})], "task A depends on 'X'"),
        (
            [("A", {"dependencies": ["B"]}), ("B", {"dependencies": ["C"]}), ("C", {"dependencies": ["A"]})],
            "these tasks wait for each other: A -> B -> C -> A",
        ),
        ([("A", {}), ("OLD", {})], "there is a task OLD already"),
        ([("A", {}), ("B", {"completion": None})], "task B: the outcome is missing"),
        ([("A", {}), ("B", {"wat": 1})], 'task B: unknown key "wat"'),
        ([("A", {}), ("B", {"completion": {"outcome": "o", "acceptance_criteria": ["c"], "boss": {}}})], "'boss'"),
    ],
)
def test_import_is_all_or_nothing(auth, tasks, told):
    auth.create("OLD")
    one_clear_line(auth("task", "import", "-", input=many(*tasks)), 2, told)
    assert auth.ids() == ["OLD"]
    assert [spec["id"] for spec in auth.json("spec", "list")] == ["auth"]


def test_cycle_through_a_task_that_is_there(auth):
    auth.create("A")
    auth.create("B", "--depends-on", "A")
    changed = many(("A", {"dependencies": ["B"]}))
    one_clear_line(auth("task", "import", "--replace", "-", input=changed), 2, "A -> B -> A")
    assert auth.show("A")["dependencies"] == []


def test_replace_keeps_what_ralph_knows_of_a_task(auth):
    auth.create("T")
    auth.set_status("T", "failed", iteration=4)
    before = auth.show("T")
    auth.good("task", "import", "--replace", "-", input=many(("T", {"title": "new"})))
    after = auth.show("T")
    assert (after["title"], after["status"], after["iteration"]) == ("new", "failed", 4)
    assert after["createdAt"] == before["createdAt"]


def test_import_of_tasks_without_criteria(auth):
    text = many(("A", {"completion": None}), ("B", {}))
    done = auth("task", "import", "--without-criteria", "-", input=text)
    assert (done.code, done.out) == (0, "Imported 2 tasks: A, B\n")
    assert done.err.startswith("ralph: task A has no criteria")
    assert auth.show("B")["outcome"] == "o"


def test_files_that_cannot_be_used_are_one_clear_line(auth):
    auth.repo.write("big.yaml", "x" * (1024 * 1024 + 1))
    (auth.repo.path / "bad.yaml").write_bytes(b"a: \xff")
    auth.repo.write("bomb.yaml", "a: &a [x]\nb: &b [*a, *a]\n")
    one_clear_line(auth("task", "import", "gone.yaml"), 2, "gone.yaml cannot be read: No such file")
    one_clear_line(auth("task", "import", "."), 2, "Is a directory")
    one_clear_line(auth("task", "import", "big.yaml"), 2, "larger than 1 MiB")
    one_clear_line(auth("task", "import", "bad.yaml"), 2, "not UTF-8: byte 4")
    one_clear_line(auth("task", "import", "bomb.yaml"), 2, "no use for an alias")


def test_export_chooses_tasks_and_files(auth):
    auth.good("spec", "create", "other")
    auth.create("A", "--priority", "5")
    auth.create("B")
    auth.create("C", spec="other")
    assert [task["id"] for task in json.loads(auth.good("task", "export", "--format", "json"))["tasks"]] == [
        "B",
        "C",
        "A",
    ]
    auth.good("task", "export", "--spec", "auth", "-o", "out.json")
    assert [task["id"] for task in json.loads(auth.repo.read("out.json"))["tasks"]] == ["B", "A"]
    auth.good("task", "export", "A", "-o", "out.yaml")
    assert auth.repo.read("out.yaml").startswith("task:\n  id: A\n")
    one_clear_line(auth("task", "export", "C", "--spec", "auth"), 2, "there is no task 'C' in spec auth")
    one_clear_line(auth("task", "export", "-o", "no/such/dir.yaml"), 2, "cannot write no/such/dir.yaml")


def test_nothing_to_export_is_said(shell):
    one_clear_line(shell("task", "export"), 2, "there is no task to export")


def test_eight_programs_write_at_once(shell):
    commands = [["task", "import", "-"]] * 4
    commands += [["task", "create", f"C{number}", "auth", "t", *DONE] for number in range(4)]
    texts = [many((f"I{number}", {}), (f"J{number}", {"dependencies": [f"I{number}"]})) for number in range(4)]
    shell.spec("auth")
    programs = [
        subprocess.Popen(
            [ralph_program(), *command],
            cwd=shell.repo.path,
            env=shell.repo.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for command in commands
    ]
    told = [program.communicate(text) for program, text in zip(programs, [*texts, *([""] * 4)], strict=True)]
    assert [program.returncode for program in programs] == [0] * 8, told
    assert sorted(shell.ids()) == sorted(f"{kind}{number}" for kind in "CIJ" for number in range(4))


# List and show


def test_list_is_in_running_order(auth):
    auth.create("A", "--priority", "3")
    auth.create("Z", "--priority", "1", title="Second")
    auth.create("B", "--depends-on", "A", "--priority", "-5")
    assert auth.ids() == ["Z", "A", "B"]
    lines = auth.good("task", "list").splitlines()
    assert lines[0] == "Z  pending      Second · spec auth · priority 1"
    assert lines[2].endswith("· priority -5 · after A")


def test_json_is_utf8_whatever_the_terminal_can_show(auth):
    auth.create("T", title="Café ✓")
    for args in (("task", "list"), ("task", "show", "T"), ("spec", "show", "auth")):
        shown = auth.good(*args, "--json", env={"PYTHONIOENCODING": "ascii"})
        assert '"title": "Café ✓"' in shown
        assert json.loads(shown)


def test_list_selects(auth):
    assert auth.good("task", "list").startswith("There are no tasks yet.")
    auth.good("spec", "create", "other")
    for name, spec in (("A", "auth"), ("B", "auth"), ("C", "other")):
        auth.create(name, spec=spec)
    auth.set_status("A", "completed")
    assert auth.ids("--spec", "auth") == ["A", "B"]
    assert auth.ids("--status", "pending") == ["B", "C"]
    assert auth.ids("--spec", "auth", "--status", "completed") == ["A"]
    one_clear_line(auth("task", "list", "--spec", "none"), 2, "there is no spec 'none'")


def test_task_whose_run_was_killed_is_not_shown_as_running(auth):
    auth.create("T")
    auth.set_status("T", "running")
    assert auth.ids("--status", "interrupted") == ["T"]
    auth.run_task("T")
    assert auth.ids("--status", "running") == ["T"]


def test_projects_have_tasks_of_their_own(auth, tmp_path):
    auth.create("T")
    other = tmp_path / "elsewhere"
    other.mkdir()
    done = subprocess.run(
        [ralph_program(), "task", "list", "--json"], cwd=other, env=auth.repo.env, stdout=subprocess.PIPE, check=True
    )
    assert json.loads(done.stdout) == []


@pytest.mark.parametrize("args", [("show",), ("edit",), ("delete", "--yes"), ("followup",), ("export",)])
def test_unknown_task_is_one_clear_line(auth, args):
    one_clear_line(auth("task", *args, "NOPE"), 2, "there is no task 'NOPE'", "ralph task list")


def record(shell, name, role, verdict, *criteria):
    """A run of the task whose one stage saw this."""
    with shell.store() as store:
        project = shell.project(store)
        whole = add_task_run(store, project, name)
        run = add_stage(store, project, name, role, whole, limit=7)
        journal = Journal.take(store, run)
        parts = tuple(Evidence(*each) for each in criteria)
        verified(journal, Evidence("semantic", passed=False, reason="", parts=parts))
        journal.close(verdict)
        Journal.take(store, whole).close(verdict)
        return run


def test_show_gives_the_evidence_for_each_criterion(auth):
    auth.create("T", "--acceptance", "Login returns a token", "--acceptance", "Logout ends it", "--qa-promise", "OK")
    seen = [("No token gets 401", True, "the test\nshows it"), ("Login returns a token", False, "it gives 500")]
    run = record(auth, "T", "qa", MaxIterations(7, "it gives 500"), *seen)
    shown = auth.good("task", "show", "T")
    assert f"  [x] No token gets 401\n      qa, run {run}: the test shows it\n" in shown
    assert f"  [ ] Login returns a token\n      qa, run {run}: it gives 500\n" in shown
    assert "  [ ] Logout ends it\n      not verified yet\n" in shown
    assert f"  qa: promise OK · 0/7 iterations · max_iterations, run {run}\n" in shown
    assert "    last: not done after 7 iterations: it gives 500\n" in shown
    assert "  coder: promise IMPLEMENTATION_COMPLETE · 0/15 iterations · has not run\n" in shown
    task = auth.show("T")
    assert [(each["passed"], each["runId"]) for each in task["acceptanceCriteria"]] == [
        (True, run), (False, run), (None, None),
    ]  # fmt: skip
    qa = next(role for role in task["roles"] if role["role"] == "qa")
    assert (qa["runId"], qa["verdict"], qa["maxIterations"]) == (run, "max_iterations", 7)


# Follow up


def test_followup_takes_what_was_left_over(auth):
    auth.create("A")
    auth.create(
        "T", "--depends-on", "A", "--priority", "4", "--description", "As it was.",
        "--acceptance", "Login returns a token", "--coder-verify-cmd", "make",
    )  # fmt: skip
    record(auth, "T", "qa", MaxIterations(7, "login is missing"), ("No token gets 401", True, "yes"))
    assert auth.good("task", "followup", "T") == "Created T-2. See it: ralph task show T-2\n"
    task = auth.show("T-2")
    assert [each["criterion"] for each in task["acceptanceCriteria"]] == ["Login returns a token"]
    assert task["description"] == "Left over from T: not done after 7 iterations: login is missing.\n\nAs it was."
    assert (task["dependencies"], task["priority"], task["specId"], task["title"]) == (["A"], 4, "auth", "A title")
    assert task["outcome"] == DONE[1]
    coder = task["roles"][0]
    assert (coder["given"], coder["verificationConfig"]) == (True, {"command": "make"})
    assert auth.good("task", "followup", "T", "Other").startswith("Created T-3.")
    assert auth.show("T-3")["title"] == "Other"


def test_followup_waits_for_a_completed_task(auth):
    auth.create("T")
    record(auth, "T", "qa", Verified(1), ("No token gets 401", True, "yes"))
    auth.set_status("T", "completed")
    one_clear_line(auth("task", "followup", "T"), 2, "task T is verified: nothing is left over", "--acceptance")
    auth.good("task", "followup", "T", "--id", "NEXT", "--outcome", "More", "--acceptance", "Logout ends it")
    task = auth.show("NEXT")
    assert (task["dependencies"], task["outcome"]) == (["T"], "More")
    assert [each["criterion"] for each in task["acceptanceCriteria"]] == ["Logout ends it"]


def test_followup_is_held_to_the_rules(auth):
    auth.create("T")
    one_clear_line(auth("task", "followup", "T", "--id", "a b"), 2, "the task id 'a b' must be letters")
    one_clear_line(auth("task", "followup", "T", "--id", "T"), 2, "there is a task T already")
    auth("task", "create", "U", "auth", "u", "--without-criteria")
    one_clear_line(auth("task", "followup", "U", "--acceptance", "c"), 2, "the outcome is missing")
    assert auth("task", "followup", "U").out.startswith("Created U-2.")
