"""Seed 003: its test cases and its exit conditions, by name, with real processes."""

import json
import signal
import time
from pathlib import Path

import psutil
import pytest

from loops import is_alive, wait_until
from supervised import COUNT, done_after

TREE = (
    'setsid sh -c "echo \\$\\$ > $TASK_FOLDER/a; sleep 3600" & '
    'sh -c "setsid sleep 3600 & echo \\$! > $TASK_FOLDER/b; sleep 3600" & '
    'sleep 3600 & echo $! > "$TASK_FOLDER/c"; '
    'while [ ! -s "$TASK_FOLDER/a" ] || [ ! -s "$TASK_FOLDER/b" ]; do sleep 0.02; done; '
)


def pids(supervised):
    return [int((supervised.task / name).read_text()) for name in "abc"]


def gone(supervised):
    wait_until(lambda: not [pid for pid in pids(supervised) if is_alive(pid)], "something of the tree lives")


def test_run_with_immediate_success_exit_0(supervised):
    ended = supervised(done_after(1))
    assert ended.code == 0, ended.err
    assert supervised.starts == 1


def test_run_with_eventual_success_after_n_restarts(supervised):
    ended = supervised(done_after(4))
    assert ended.code == 0, ended.err
    assert supervised.starts == 4
    assert "✓ verified: DONE is there after 4 starts" in ended.err
    assert "4 starts of 100 · ended just now · DONE is there after 4 starts" in supervised.ralph("status").out


def test_exit_code_zero_alone_does_not_stop_the_loop(supervised):
    ended = supervised(COUNT + "exit 0", "--max-restarts", "2")
    assert ended.code == 1
    assert supervised.starts == 2


def test_run_with_max_restarts_exceeded(supervised):
    ended = supervised(COUNT + "exit 3", "--max-restarts", "2")
    assert ended.code == 1
    assert supervised.starts == 2
    assert "not done after 2 starts: it exited with code 3" in ended.err
    assert ("ERROR", "max restarts exceeded (2)") in supervised.messages()


def test_a_restart_limit_of_0_starts_nothing(supervised):
    assert supervised(COUNT, "--max-restarts", "0").code == 1
    assert supervised.starts == 0


def test_run_with_done_file_detection_before_the_first_run(supervised):
    (supervised.task / "DONE").touch()
    ended = supervised(COUNT)
    assert ended.code == 0
    assert supervised.starts == 0
    assert supervised.messages() == [("FACT", "task completed (DONE marker present, no active children)")]


def test_completion_fact_is_propagated_to_the_project_bus(supervised):
    supervised(done_after(1), "--project", "p", "--task", "t-1")
    text = (supervised.repo.path / "PROJECT-MESSAGE-BUS.md").read_text()
    assert "p/t-1: task completed (DONE marker present, no active children)" in text


@pytest.mark.parametrize(
    ("put", "told"),
    [
        (Path.mkdir, "DONE is a directory"),
        (lambda done: done.symlink_to("DONE"), "DONE cannot be looked at: Too many levels of symbolic links"),
    ],
    ids=["a directory", "a link to itself"],
)
def test_done_that_is_no_file_is_an_error(supervised, put, told):
    put(supervised.task / "DONE")
    ended = supervised(COUNT)
    assert ended.code == 9
    assert told in ended.err
    assert supervised.starts == 0


def test_done_that_leads_nowhere_is_not_there(supervised):
    (supervised.task / "DONE").symlink_to("nowhere")
    assert supervised(COUNT, "--max-restarts", "1").code == 1
    assert supervised.starts == 1


@pytest.mark.parametrize("instead", ["", '; echo > "$TASK_FOLDER"'], ids=["nothing", "a file"])
def test_a_task_directory_that_vanishes(supervised, instead):
    ended = supervised(f'rm -rf "$TASK_FOLDER"{instead}')
    assert ended.code == 9
    assert "is gone" in ended.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_run_with_context_cancellation(supervised, number):
    with supervised.start(TREE + "wait") as running:
        wait_until(lambda: all((supervised.task / name).exists() for name in "abc"), "the tree did not start")
        running.send(number)
        assert running.end().code == 130
    gone(supervised)
    assert (supervised.runs[0]["status"], supervised.runs[0]["verdict"]) == ("interrupted", None)


def test_run_with_fatal_error_executable_not_found(supervised):
    ended = supervised.ralph("supervise", "--task-dir", "task", "--", "no-such-program")
    assert ended.code == 7
    assert "no-such-program is not on PATH" in ended.err


def test_run_with_fatal_error_permission_denied(supervised):
    supervised.repo.write("agent.sh", "#!/bin/sh\n")
    ended = supervised.ralph("supervise", "--task-dir", "task", "--", "./agent.sh")
    assert ended.code == 7
    assert "is not executable" in ended.err


def test_run_with_restart_delay(supervised):
    began = time.monotonic()
    supervised(done_after(3), "--restart-delay", "0.3")
    assert time.monotonic() - began >= 0.6


@pytest.mark.e2e
def test_a_timeout_ends_the_tree_and_counts_as_a_restart(supervised):
    ended = supervised(COUNT + TREE + "wait", "--timeout", "2", "--max-restarts", "1")
    assert ended.code == 1
    assert supervised.starts == 1
    gone(supervised)


@pytest.mark.e2e
def test_a_command_that_ignores_term_is_killed_on_a_timeout(supervised):
    script = COUNT + 'trap "" TERM; echo $$ > "$TASK_FOLDER/a"; while :; do sleep 1; done'
    assert supervised(script, "--timeout", "1", "--max-restarts", "1").code == 1
    assert not is_alive(int((supervised.task / "a").read_text()))


def test_done_leaves_nothing_of_the_tree_alive(supervised):
    ended = supervised(TREE + 'touch "$TASK_FOLDER/DONE"; exit 0')
    assert ended.code == 0
    gone(supervised)


def test_done_is_noticed_while_the_agent_still_runs(supervised):
    supervised.repo.write(".ralph/settings.json", '{"supervise": {"doneGrace": 0.2}}')
    ended = supervised(TREE + 'touch "$TASK_FOLDER/DONE"; wait')
    assert ended.code == 0, ended.err
    gone(supervised)


def test_sigkill_of_ralph_leaves_nothing_of_the_tree_alive(supervised):
    with supervised.start(TREE + "wait") as running:
        wait_until(lambda: all((supervised.task / name).exists() for name in "abc"), "the tree did not start")
        running.send(signal.SIGKILL)
        running.end()
    gone(supervised)
    assert supervised.runs[0]["status"] == "interrupted"


def test_a_killed_loop_is_resumed_with_its_restart_count(supervised):
    script = COUNT + 'touch "$TASK_FOLDER/go"; [ -e "$TASK_FOLDER/end" ] && exit 0; sleep 3600'
    with supervised.start(script, "--max-restarts", "3") as running:
        wait_until((supervised.task / "go").exists, "it did not start")
        running.send(signal.SIGKILL)
        running.end()
    (supervised.task / "end").touch()
    assert supervised.ralph("resume").code == 1
    assert supervised.starts == 4


def test_wait_without_restart_by_exit_code_42(supervised):
    ended = supervised(COUNT + "exit 42")
    assert ended.code == 3
    assert supervised.starts == 1
    assert (supervised.runs[0]["status"], supervised.runs[0]["verdict"]) == ("stopped", "blocked")


def test_wait_without_restart_by_file_says_for_what_and_resumes_when_it_is_gone(supervised):
    script = COUNT + (
        'if [ -e "$TASK_FOLDER/answer" ]; then touch "$TASK_FOLDER/DONE"; '
        'else echo "an answer from Ann" > "$TASK_FOLDER/WAIT_WITHOUT_RESTART"; fi'
    )
    ended = supervised(script)
    assert ended.code == 3
    assert "an answer from Ann" in ended.err
    assert supervised.ralph("resume").code == 3
    (supervised.task / "answer").touch()
    (supervised.task / "WAIT_WITHOUT_RESTART").unlink()
    assert supervised.ralph("resume").code == 0
    assert supervised.starts == 2


def test_wait_without_restart_by_bus_message(supervised):
    ended = supervised(COUNT + "ralph bus post --type wait_without_restart 'waiting for the webhook'")
    assert ended.code == 3
    assert "waiting for the webhook" in ended.err
    assert supervised.starts == 1


def test_the_child_finds_its_surroundings(supervised):
    names = "TASK_FOLDER RUN_FOLDER RALPH_RUN_ID RALPH_MESSAGE_BUS"
    script = f'for n in {names}; do eval "echo $n=\\$$n"; done > "$TASK_FOLDER/env"; touch "$TASK_FOLDER/DONE"'
    assert supervised(script).code == 0
    found = dict(line.split("=", 1) for line in (supervised.task / "env").read_text().splitlines())
    assert found["TASK_FOLDER"] == str(supervised.task)
    assert found["RALPH_RUN_ID"] == supervised.runs[0]["id"]
    assert found["RUN_FOLDER"].endswith(f".ralph/runs/{found['RALPH_RUN_ID']}")
    assert found["RALPH_MESSAGE_BUS"] == f"{supervised.task}/TASK-MESSAGE-BUS.md"


def test_a_ralph_started_inside_becomes_a_child_run(supervised):
    inner = 'mkdir -p "$TASK_FOLDER/inner/t" && cd "$TASK_FOLDER/inner" && ralph supervise -q --task-dir t -- sh -c '
    inner += "'touch \"$TASK_FOLDER/DONE\"'"
    assert supervised(inner + '; touch "$TASK_FOLDER/DONE"').code == 0
    everything = supervised.ralph("runs", "--all", "--json").out
    parent, child = json.loads(everything)
    assert child["parentId"] == parent["id"]
    assert child["verdict"] == "verified"


def in_the_background(script):
    """A child run that goes on while the agent that started it ends."""
    # A project of its own, in which the command works.
    inner = 'mkdir -p "$TASK_FOLDER/inner/.ralph"; cd "$TASK_FOLDER/inner"; '
    return inner + f"ralph supervise -q --task-dir . -- sh -c '{script}' > log 2>&1 & "


@pytest.mark.e2e
def test_done_waits_for_children_that_go_on(supervised):
    child = in_the_background('sleep 1; touch "$TASK_FOLDER/DONE"')
    ended = supervised(child + 'touch "$TASK_FOLDER/DONE"', "--poll-interval", "0.05")
    assert ended.code == 0, ended.err
    by_parent = {run["parentId"] is None: run for run in json.loads(supervised.ralph("runs", "--all", "--json").out)}
    assert by_parent[False]["verdict"] == "verified"
    assert by_parent[True]["endedAt"] >= by_parent[False]["endedAt"]
    assert supervised.messages()[1:] == [("FACT", "task completed (DONE marker present, no active children)")]


def test_children_that_outlast_the_wait_timeout_are_warned_of_and_ended(supervised):
    child = in_the_background("echo $$ > new; mv new pid; exec sleep 600")
    await_child = 'while [ ! -s "$TASK_FOLDER/inner/pid" ]; do sleep 0.05; done; '
    ended = supervised(
        child + await_child + 'touch "$TASK_FOLDER/DONE"', "--wait-timeout", "0.3", "--poll-interval", "0.1"
    )
    assert ended.code == 0, ended.err
    assert ("WARNING", "1 child run still active after 0.3 s: completing anyway") in supervised.messages()
    pid = int((supervised.task / "inner/pid").read_text())
    wait_until(lambda: not is_alive(pid), "the command of the child run lives on")


def test_children_go_on_while_the_agent_is_restarted(supervised):
    child = in_the_background("echo $$ > new; mv new pid; exec sleep 600")
    once = f'[ -e "$TASK_FOLDER/inner/pid" ] || {{ {child} }}; '
    look = 'while [ ! -s "$TASK_FOLDER/inner/pid" ]; do sleep 0.05; done; '
    look += 'kill -0 $(cat "$TASK_FOLDER/inner/pid") && echo lives >> "$TASK_FOLDER/seen"'
    ended = supervised(once + look, "--max-restarts", "2", "--timeout", "20")
    assert ended.code == 1
    assert (supervised.task / "seen").read_text() == "lives\nlives\n"
    pid = int((supervised.task / "inner/pid").read_text())
    wait_until(lambda: not is_alive(pid), "the command of the child run lives on")


def test_two_loops_on_one_task_directory_are_refused(supervised):
    with supervised.start('touch "$TASK_FOLDER/on"; sleep 3600') as running:
        wait_until((supervised.task / "on").exists, "it did not start")
        ended = supervised(COUNT)
        assert ended.code == 2
        assert f"pid {running.pid}" in ended.err
        running.send()
        running.end()


@pytest.mark.e2e
def test_a_crash_loop_is_named(supervised):
    ended = supervised(COUNT + "exit 1", "--max-restarts", "4")
    assert ended.code == 1
    assert any("crash loop" in body for _, body in supervised.messages())


def test_an_agent_instead_of_a_command(supervised, tmp_path):
    from ralph.testing import ScriptedAgent, done

    agent = ScriptedAgent(done(), {"run": "touch task/DONE"}, directory=tmp_path / "bin")
    ended = supervised.ralph(
        *("supervise", "--task-dir", "task", "--restart-delay", "0", "-p", "Do it.", "--agent", agent.command)
    )
    assert ended.code == 0, ended.err
    assert agent.prompts == ["Do it.", "Do it."]
    for command in ("runs", "show"):
        assert 'supervise "Do it."' in supervised.ralph(command).out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--task-dir", "task"), "nothing to supervise"),
        (("--task-dir", "task", "-p", "x", "--", "true"), "a command and a prompt"),
        (("--task-dir", "nowhere", "--", "true"), "there is no task directory"),
        (("--max-restarts", "-1", "--", "true"), "max-restarts"),
    ],
)
def test_bad_input_is_one_clear_line(supervised, arguments, words):
    ended = supervised.ralph("supervise", *arguments)
    assert ended.code == 2
    assert words in ended.err
    assert "Traceback" not in ended.err


def test_no_watcher_stays_behind(supervised):
    home = str(supervised.repo.home)

    def watchers():
        for process in psutil.process_iter(["cmdline"]):
            try:
                if "guard_program" in " ".join(process.info["cmdline"] or ()) and process.environ().get("HOME") == home:
                    yield process.pid
            except psutil.Error:
                continue

    with supervised.start('until [ -e "$TASK_FOLDER/go" ]; do sleep 0.02; done; touch "$TASK_FOLDER/DONE"') as running:
        wait_until(lambda: len(list(watchers())) == 1, "there is no watcher")
        (supervised.task / "go").touch()
        assert running.end().code == 0
    wait_until(lambda: not list(watchers()), "a watcher stayed")
    assert list(watchers()) == []


def test_task_folder_reaches_a_known_agent_so_that_done_can_be_written(supervised, tmp_path):
    from ralph.testing import ScriptedAgent

    step = {"run": 'touch "$TASK_FOLDER/DONE"; env > "$RUN_FOLDER/seen"'}
    agent = ScriptedAgent(step, directory=tmp_path / "bin", name="claude")
    supervised.repo.write(".ralph/settings.json", '{"env": {"inherit": "allow-list"}}')
    limits = ("--task-dir", "task", "--restart-delay", "0", "--max-restarts", "2")
    ended = supervised.ralph("supervise", *limits, "-p", "Do it.", "--agent", agent.command)
    assert ended.code == 0, ended.err
    (seen,) = (supervised.repo.path / ".ralph/runs").glob("*/seen")
    assert f"RALPH_MESSAGE_BUS={supervised.task}/TASK-MESSAGE-BUS.md" in seen.read_text()


def test_an_old_wait_message_does_not_block_a_later_run(supervised):
    assert supervised(COUNT + "ralph bus post --type wait_without_restart 'the webhook'").code == 3
    ended = supervised(done_after(3))
    assert ended.code == 0, ended.err
    assert supervised.starts == 3


def test_an_agent_ended_by_the_grace_is_not_reported_as_finished(supervised):
    supervised.repo.write(".ralph/settings.json", '{"supervise": {"doneGrace": 0.2}}')
    ended = supervised('touch "$TASK_FOLDER/DONE"; sleep 3600')
    assert ended.code == 0
    assert "the agent did not finish: DONE is there, and it was ended after 0.2 s" in ended.err + ended.out
    assert "has finished" not in ended.err + ended.out


def test_the_last_allowed_start_is_followed_by_no_announcement_and_no_wait(supervised):
    began = time.monotonic()
    supervised(COUNT + "sleep 0.01; exit 1", "--max-restarts", "2", "--restart-delay", "0.1")
    assert time.monotonic() - began < 20
    bodies = [body for _, body in supervised.messages()]
    assert [body for body in bodies if "attempt" in body] == [
        "starting, attempt 1 of 2",
        "agent failed on restart #0: it exited with code 1; restarting, attempt 2 of 2, in 0.1 s",
    ]


def test_every_start_has_one_message_on_the_bus(supervised):
    supervised(done_after(4))
    starts = [body for _, body in supervised.messages() if "attempt" in body]
    assert [body.split("attempt ")[1].split(" of")[0] for body in starts] == ["1", "2", "3", "4"]


def test_project_and_task_are_inferred_from_the_path_and_stand_on_every_message(supervised):
    assert supervised(done_after(2)).code == 0
    supervised.ralph("bus", "post", "--task-dir", "task", "--type", "NOTE", "mine")
    found = json.loads(supervised.ralph("bus", "read", "--task-dir", "task", "--json").out)
    project = supervised.repo.path.name
    assert {(message["project"], message["task"]) for message in found} == {(project, "task")}
    text = (supervised.repo.path / "PROJECT-MESSAGE-BUS.md").read_text()
    assert f"{project}/task: task completed" in text
    assert f"project: {project}\ntask: task\n" in text


def test_the_timeout_is_reported_under_its_own_name(supervised):
    ended = supervised("sleep 3600", "--timeout", "0.2", "--max-restarts", "1")
    assert "it ran longer than --timeout (0.2 s) and was ended" in ended.err
    assert "timeouts.agent" not in ended.err


def test_a_process_that_merely_is_called_ralph_is_not_a_child_run(supervised):
    fake = supervised.repo.path / "ralph"
    fake.write_text("#!/bin/sh\nsleep 3600\n")
    fake.chmod(0o755)
    script = f'setsid {fake} & echo $! > "$TASK_FOLDER/pid"; touch "$TASK_FOLDER/DONE"'
    ended = supervised(script, "--wait-timeout", "30", "--poll-interval", "0.05")
    assert ended.code == 0, ended.err
    assert ("FACT", "task completed (DONE marker present, no active children)") in supervised.messages()
    assert not is_alive(int((supervised.task / "pid").read_text()))


def test_the_same_completion_is_not_posted_twice(supervised):
    for _ in range(2):
        assert supervised(done_after(1)).code == 0
    facts = [body for kind, body in supervised.messages() if kind == "FACT"]
    assert len(facts) == 1
    assert (supervised.repo.path / "PROJECT-MESSAGE-BUS.md").read_text().count("task completed") == 1
    (supervised.task / "DONE").unlink()
    assert supervised(done_after(1)).code == 0
    assert len([body for kind, body in supervised.messages() if kind == "FACT"]) == 2


def test_each_problem_is_told_once_before_the_verdict(supervised):
    (supervised.task / "DONE").mkdir()
    assert supervised(COUNT).err.count("DONE is a directory") == 2


def test_a_wish_to_wait_is_not_called_a_failure(supervised):
    ended = supervised("exit 42")
    assert ended.code == 3
    assert "it asks to wait: exit code 42" in ended.err
    assert "failed" not in ended.err
