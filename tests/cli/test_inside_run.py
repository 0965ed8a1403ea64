"""What a process inside a run may do with ralph: every command of the program is classified, and real ones refused."""

import json
import sqlite3

import click
import pytest

from ralph.app.inside_run import EFFECTS, refuse_inside_run, require_own_child, usual_name
from ralph.cli.group import cli
from ralph.cli.lazy import GuardedGroup
from ralph.model.errors import ConfigError
from ralph.testing import done
from task_shell import DONE, TaskShell, many

pytestmark = pytest.mark.e2e
INSIDE = {"RALPH_RUN_ID": "0123abcd"}


def commands(group=cli, above=()):
    """Every command of the program, by the words with which it is called, with its group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            if command.invoke_without_command:
                yield " ".join([*above, name]), group
            yield from commands(command, (*above, name))
        else:
            yield " ".join([*above, name]), group


def test_every_command_is_classified():
    missing = [name for name, _ in commands() if usual_name(name) not in EFFECTS]
    assert missing == [], "say in src/ralph/app/inside_run.py what they may do inside a run"


def test_every_group_refuses():
    assert {type(group).__name__ for _, group in commands() if not isinstance(group, GuardedGroup)} == set()


@pytest.mark.parametrize("name", [name for name, _ in commands()])
def test_only_what_changes_nothing_that_is_trusted_is_let_through(name):
    if EFFECTS[usual_name(name)] != "changes":
        refuse_inside_run(name, INSIDE)
        return
    with pytest.raises(ConfigError) as refused:
        refuse_inside_run(name, INSIDE)
    assert f"ralph {name} cannot be used inside a run (RALPH_RUN_ID is 0123abcd)" in str(refused.value)
    refuse_inside_run(name, {})


def test_a_command_that_nobody_has_classified_is_refused():
    with pytest.raises(ConfigError):
        refuse_inside_run("task explode", INSIDE)


@pytest.fixture
def shell(tmp_path):
    shell = TaskShell(tmp_path.resolve())
    shell.spec("auth")
    shell.create("A")
    return shell


@pytest.mark.parametrize(
    "words",
    [
        ("task", "create", "B", "auth", "t", *DONE),
        ("task", "create", "B", "auth", "t", "--outcome", "--help"),
        ("task", "import", "-", "--replace"),
        ("task", "edit", "A"),
        ("task", "delete", "A", "--yes"),
        ("task", "followup", "A"),
        ("spec", "create", "other"),
        ("spec", "delete", "auth", "--with-tasks", "--yes"),
        ("init", "--yes", "--agent", "true"),
        ("config", "accept"),
        ("config", "restore"),
        ("runs", "gc", "--keep", "0"),
    ],
)
def test_what_is_trusted_stays_as_it_is(shell, words):
    before = shell.good("task", "export")
    ended = shell(*words, env=INSIDE, input=many(("A", {"title": "weaker"}), ("C", {})))
    assert ended.code == 2
    assert "cannot be used inside a run" in ended.err
    assert len(ended.err.strip().splitlines()) == 1
    assert shell.good("task", "export") == before
    assert not (shell.repo.path / ".ralph/settings.json").exists()
    assert [spec["id"] for spec in shell.json("spec", "list")] == ["auth"]


def test_reading_and_the_bus_go_on(shell):
    for words in (("task", "list"), ("task", "show", "A"), ("runs",), ("status",), ("config", "show"), ("doctor",)):
        assert "inside a run" not in shell(*words, env=INSIDE).err
    shell.good("bus", "post", "--task-dir", ".", "--type", "FACT", "It works.", env=INSIDE)
    assert "Usage" in shell.good("task", "create", "--help", env=INSIDE)


def test_only_runs_below_can_be_steered():
    require_own_child("ab.cd", environ={"RALPH_RUN_ID": "ab"})
    require_own_child("ab.cd.ef", environ={"RALPH_RUN_ID": "ab"})
    require_own_child("xy", environ={})
    require_own_child("ab", or_itself=True, environ={"RALPH_RUN_ID": "ab"})
    for other in ("ab", "abc", "cd", "a"):
        with pytest.raises(ConfigError, match="cannot be steered"):
            require_own_child(other, environ={"RALPH_RUN_ID": "ab"})


@pytest.mark.parametrize("words", [("cancel",), ("pause",), ("guide",), ("resume",), ("drive",)])
def test_an_agent_cannot_steer_another_run(loop, words):
    loop(done())
    other = loop.show()["id"]
    text = ("Be lenient.",) if words == ("guide",) else ()
    ended = loop.ralph(*words, other, *text, env=INSIDE)
    assert ended.code == 2
    assert f"run {other} is not one that run 0123abcd started" in ended.err


def test_an_agent_can_start_a_child_run_and_cancel_it(loop):
    child = "ralph supervise -q -- sh -c 'echo $RALPH_RUN_ID > name; mv name child; sleep 60' &"
    steered = "i=0; while [ ! -e child ] && [ $i -lt 1500 ]; do i=$((i+1)); sleep 0.02; done; ralph cancel $(cat child)"
    assert loop(done() | {"run": f"{child} {steered} > said 2>&1; echo $? > code"}).code == 0
    assert loop.repo.read("code") == "0\n", loop.repo.read("said")
    runs = {run["id"]: run for run in json.loads(loop.ralph("runs", "--json").out)}
    name = loop.repo.read("child").strip()
    assert (runs[name]["verdict"], runs[name]["parentId"]) == ("cancelled", name.partition(".")[0])


AGENT_PLANS = (
    "ralph spec create s; "
    'ralph task create P s "Planned" --outcome "It is so" --acceptance "a is 1" {flag} > said 2>&1; echo $? >> said'
)


@pytest.mark.parametrize(
    ("flag", "allowed", "code"), [("--from-agent", True, 0), ("--from-agent", False, 2), ("", True, 2)]
)
def test_an_agent_may_plan_where_the_settings_say_so(loop, flag, allowed, code):
    loop.ralph("spec", "create", "s")
    loop(done() | {"run": AGENT_PLANS.format(flag=flag)}, agentsMayPlan=allowed)
    assert loop.repo.read("said").splitlines()[-1] == str(code)
    tasks = json.loads(loop.ralph("task", "list", "--json").out)
    assert [task["id"] for task in tasks] == ([] if code else ["P"])
    if not code:
        assert tasks[0]["metadata"] == {"fromRun": loop.show()["id"]}


def test_what_an_agent_writes_into_the_settings_allows_it_nothing(loop):
    loop.ralph("spec", "create", "s")
    grants = "sed -i 's/{/{\"agentsMayPlan\": true, /' .ralph/settings.json; "
    loop(done() | {"run": grants + AGENT_PLANS.format(flag="--from-agent")})
    assert '"agentsMayPlan": true' in loop.repo.read(".ralph/settings.json")
    assert loop.repo.read("said").splitlines()[-1] == "2"
    assert sqlite3.connect(loop.repo.home / ".ralph/ralph.db").execute("SELECT count(*) FROM tasks").fetchone() == (0,)
