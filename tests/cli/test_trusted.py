"""Settings and tasks that an agent changed during a run: named at the next start, accepted, or put back.

Real processes: a scripted agent that writes files and the database, other ralphs beside it, kill -9 and resume.
"""

import json
import signal
import sqlite3

import pytest

from loops import PROMPT, wait_until, waits
from ralph.testing import done, hangs
from task_crew import GOOD, TaskCrew

pytestmark = pytest.mark.e2e
FILE = ".ralph/settings.json"
WEAKENS = f"sed -i 's/exit 1/exit 0/' {FILE}"
FAILS = {"guardrails": [{"command": "exit 1", "hint": "token=hunter2"}], "maximumIterations": 1}
NAMED = "Accept it: ralph config accept. Restore it: ralph config restore"


def start_again(loop, **env):
    return loop.ralph("run", "-p", PROMPT, "--agent", loop.agent.command, env=env)


def test_settings_that_an_agent_changed_are_named_until_they_are_accepted(loop):
    assert loop(done() | {"run": WEAKENS}, **FAILS).code == 1
    run = loop.show()["id"]
    for _ in range(2):
        refused = start_again(loop)
        assert refused.code == 2
        assert f"{FILE} was changed during run {run}: guardrails" in refused.err
        assert "exit 1" in refused.err
        assert "exit 0" in refused.err
        assert "hunter2" not in refused.err
        assert NAMED in refused.err
        assert len(refused.err.strip().splitlines()) == 1
    accepted = loop.ralph("config", "accept")
    assert accepted.code == 0
    assert f"Accepted: {FILE} was changed during run {run}" in accepted.out
    assert "hunter2" not in accepted.out
    assert start_again(loop).code == 0
    assert loop.ralph("config", "accept").out == "Nothing was changed during a run.\n"


def test_settings_that_an_agent_changed_are_put_back(loop):
    loop(done() | {"run": WEAKENS}, **FAILS)
    restored = loop.ralph("config", "restore")
    assert restored.out.startswith(f"Put back: {FILE} was changed during run")
    assert json.loads(loop.repo.read(FILE))["guardrails"] == FAILS["guardrails"]
    assert start_again(loop).code == 1


def test_settings_that_a_person_puts_back_by_hand_are_fine(loop):
    loop(done() | {"run": f"cp {FILE} before; {WEAKENS}"}, **FAILS)
    assert start_again(loop).code == 2
    loop.repo.write(FILE, loop.repo.read("before"))
    assert start_again(loop).code == 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (f"rm {FILE}", f"{FILE} was changed during run"),
        (f"rm {FILE}; mkfifo {FILE}", "is not a regular file"),
        ('echo \'{"tamper": "off"}\' > .ralph/settings.local.json', 'tamper (not set) → "off"'),
        ("echo 'tamper: off' > .ralph/config.yaml", "it was not there before"),
        ("echo 'tamper: off' > ~/.ralph/config.yaml", "config.yaml was changed during run"),
        (f"echo ' ' >> {FILE}", "its text differs"),
        (f"touch -d 2001-01-01 before; {WEAKENS}; touch -r before {FILE}", "guardrails"),
    ],
)
def test_every_settings_file_and_every_kind_of_change_is_seen(loop, change, told):
    before = loop(done() | {"run": change}, **FAILS)
    assert before.code == 1
    refused = start_again(loop)
    assert (refused.code, told in refused.err) == (2, True), refused.err
    loop.ralph("config", "restore")
    assert not loop.exists(".ralph/settings.local.json")
    assert not loop.exists(".ralph/config.yaml")
    assert start_again(loop).code == 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (f"rm {FILE}", "no agent is chosen"),
        (f"rm {FILE}; mkfifo {FILE}", "is not a regular file"),
        (f"echo {{bad > {FILE}", "is not valid JSON"),
        ("echo 'a: [' > ~/.ralph/config.yaml", "is not valid YAML"),
    ],
)
def test_settings_that_cannot_be_used_any_more_are_named_as_changed(loop, change, told):
    loop(done() | {"run": change}, **FAILS)
    run = loop.show()["id"]
    refused = loop.ralph("run", "-p", PROMPT)
    assert refused.code == 2
    problem, changed = refused.err.strip().splitlines()
    assert told in problem
    assert f"was changed during run {run}" in changed
    assert NAMED in changed
    assert "changed during" not in loop.ralph("show", "nope").err
    assert loop.ralph("config", "restore").code == 0
    assert loop.ralph("run", "-p", PROMPT).code == 1


def test_a_directory_in_place_of_the_settings_is_moved_aside(loop):
    loop(done() | {"run": f"rm {FILE}; mkdir {FILE}; echo kept > {FILE}/note"}, **FAILS)
    assert start_again(loop).code == 2
    restored = loop.ralph("config", "restore")
    assert restored.code == 0, restored.err
    assert json.loads(loop.repo.read(FILE))["guardrails"] == FAILS["guardrails"]
    [note] = (loop.repo.path / ".ralph").glob("settings.json.aside-*/note")
    assert note.read_text() == "kept\n"


def test_a_persons_edit_between_runs_is_nothing_to_ask_about(loop):
    loop(done(), **FAILS)
    loop.repo.write(FILE, loop.repo.read(FILE).replace("exit 1", "exit 0"))
    assert start_again(loop).code == 0


def test_a_child_run_cannot_use_settings_that_its_parents_agent_weakened(loop):
    child = f"{WEAKENS}; ralph supervise --max-restarts 1 -- touch DONE > said 2>&1; echo $? >> said"
    loop(done() | {"run": child}, **FAILS)
    told = loop.repo.read("said")
    assert f"{FILE} was changed during run" in told
    assert told.splitlines()[-1] == "2"


def test_a_ralph_beside_it_is_refused_while_the_run_is_going_on(loop):
    loop.prepare({"run": f"{WEAKENS}; {waits()}"} | done(), **FAILS)
    with loop.start() as running:
        running.wait_for("ready")
        beside = loop.ralph("supervise", "--max-restarts", "1", "--", "true")
        assert (beside.code, FILE in beside.err) == (2, True), beside.err
        assert loop.ralph("config", "accept").code == 0
        assert loop.ralph("supervise", "--task-dir", ".", "--max-restarts", "1", "--", "touch", "DONE").code == 0
        loop.repo.write("go", "")
        running.end()
    assert start_again(loop).code == 0, "what was accepted stays accepted"


def test_a_killed_run_tells_too(loop):
    loop.prepare({"run": f"{WEAKENS}; touch ready"} | hangs(), **FAILS)
    with loop.start() as running:
        running.wait_for("ready")
        running.send(signal.SIGKILL)
        wait_until(lambda: not running_owner(loop), "it lives")
    refused = start_again(loop)
    assert (refused.code, FILE in refused.err) == (2, True), refused.err


def test_a_person_may_edit_between_a_stop_and_the_resume(loop):
    loop.prepare({"run": "touch ready"} | hangs(), done(), **{**FAILS, "maximumIterations": 2})
    with loop.start() as running:
        running.wait_for("ready")
        running.send_and_hear(signal.SIGINT)
        running.send(signal.SIGINT)
        running.end()
    loop.repo.write(FILE, loop.repo.read(FILE).replace("exit 1", "exit 0"))
    assert loop.ralph("resume").code == 1, "it goes on with the settings that it began with"
    assert start_again(loop).code == 0


def test_a_run_whose_options_were_changed_in_the_database_is_neither_resumed_nor_started_again(loop):
    loop.prepare({"run": "touch ready"} | hangs(), done(), **FAILS)
    with loop.start() as running:
        running.wait_for("ready")
        running.send(signal.SIGKILL)
        wait_until(lambda: not running_owner(loop), "it lives")
    with database(loop) as opened:
        opened.execute("UPDATE runs SET options = CAST(replace(CAST(options AS TEXT), 'exit 1', 'exit 0') AS BLOB)")
    opened.close()
    for command in ("resume", "retry"):
        refused = loop.ralph(command)
        assert refused.code == 6
        assert "its options are not those that it was started with" in refused.err
        assert "ralph retry" not in refused.err
    assert len(loop.agent.starts) == 1


@pytest.fixture
def crew(tmp_path):
    return TaskCrew(tmp_path)


def definition(crew):
    """The task as a person wrote it, without its progress and its times."""
    progress = ("status:", "iteration:", "created_at:", "updated_at:")
    lines = crew.ralph("task", "export", "T-1").out.splitlines()
    return "\n".join(line for line in lines if not line.strip().startswith(progress))


UPDATE = "UPDATE tasks SET completion_spec = replace(completion_spec, 'grep -q good', 'grep -q bad')"


def by_sql(crew, statement):
    """An agent's step that changes the database."""
    crew.repo.home.joinpath("change.py").write_text(
        f"import sqlite3\nwith sqlite3.connect({str(crew.repo.home / '.ralph/ralph.db')!r}) as db:\n"
        f"    db.execute({statement!r})\n"
    )
    return {"run": f"python3 {crew.repo.home / 'change.py'}"}


def test_criteria_that_an_agent_changed_by_sql_are_named_and_put_back(crew):
    crew.task()
    crew.hire(coder=[by_sql(crew, UPDATE) | GOOD])
    assert crew.run().code == 0
    before = definition(crew)
    assert "grep -q bad" in before
    refused = crew.run("--again")
    assert (refused.code, "task T-1 was changed during run" in refused.err) == (2, True), refused.err
    assert "completion_spec.coder.verification_config.command" in refused.err
    assert crew.ralph("config", "restore").out.startswith("Put back: task T-1")
    assert "grep -q good" in definition(crew)
    assert crew.run("--again", "--dry-run").code == 0
    assert crew.status_of() == "completed"


def test_a_task_that_an_agent_deleted_comes_back(crew):
    crew.task()
    crew.hire(coder=[by_sql(crew, "DELETE FROM tasks") | GOOD])
    before = definition(crew)
    crew.run()
    crew.task("T-2")
    refused = crew.run(name="T-2")
    assert (refused.code, "task T-1 was changed during run" in refused.err) == (2, True), refused.err
    crew.ralph("config", "restore")
    assert definition(crew) == before


def test_overrides_of_a_spec_that_an_agent_changed_by_sql_are_named_and_put_back(crew):
    crew.task()
    weaker = 'UPDATE specs SET config = \'{"verification": {"enabled": false}}\''
    crew.hire(coder=[by_sql(crew, weaker) | GOOD])
    assert crew.ralph("spec", "config", "s", "rules", "Keep to it").code == 0
    crew.run()
    refused = crew.run("--again")
    assert refused.code == 2
    assert "spec s was changed during run" in refused.err
    assert "verification.enabled (not set) → false" in refused.err
    restored = crew.ralph("config", "restore")
    assert "Put back: spec s was changed during run" in restored.out
    assert crew.json("spec", "config", "s") == {"rules": ["Keep to it"]}


def test_an_agent_that_imports_weaker_criteria_gets_nowhere(crew):
    crew.task()
    weaker = "ralph task export T-1 | sed 's/grep -q good/grep -q bad/' | ralph task import - --replace > said 2>&1"
    crew.hire(coder=[{"run": f"{weaker}; cp said {crew.repo.home}/said"} | GOOD])
    before = definition(crew)
    assert crew.run().code == 0
    assert "cannot be used inside a run" in crew.repo.home.joinpath("said").read_text()
    assert definition(crew) == before


def test_a_person_may_edit_other_tasks_while_a_spec_runs(crew):
    crew.task("T-1")
    crew.task("T-2", dependencies=["T-1"])
    crew.hire(coder=[{"run": waits(f"{crew.repo.home}/ready", f"{crew.repo.home}/go")} | GOOD, GOOD])
    with crew.start("spec", "run", "s") as running:
        wait_until(crew.repo.home.joinpath("ready").exists, "no agent came")
        text = crew.ralph("task", "export", "T-2").out.replace("Make T-2", "Make T-2 well")
        crew.repo.home.joinpath("T-2.yaml").write_text(text)
        edited = crew.ralph("task", "import", str(crew.repo.home / "T-2.yaml"), "--replace")
        assert edited.code == 0, edited.err
        beside = crew.ralph("supervise", "--max-restarts", "1", "--", "touch", "DONE")
        assert beside.code == 0, beside.err
        crew.repo.home.joinpath("go").touch()
        assert running.end().code == 0


def database(loop):
    return sqlite3.connect(loop.repo.home / ".ralph/ralph.db")


def running_owner(loop):
    """Whether a ralph is driving the latest run."""
    return json.loads(loop.ralph("runs", "--json").out)[0]["status"] != "interrupted"
