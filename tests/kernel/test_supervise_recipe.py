"""The restart manager's algorithm, played against given results."""

from playing import play
from ralph.kernel.actions import (
    AwaitGo,
    ChildrenLeft,
    LookForMarkers,
    Markers,
    PostMessage,
    Restart,
    RunAgent,
    Waited,
    WaitForChildren,
)
from ralph.kernel.recipes.supervise import SuperviseRun, supervise
from ralph.model.events import Problem
from ralph.model.evidence import AgentReport
from ralph.model.verdicts import AgentFailed, Failed, MaxIterations, Verified

RUN = SuperviseRun(task_dir="/task", command=("agent",), max_restarts=5)
NOTHING, DONE = Markers(), Markers(done=True)
WORKED = AgentReport("ok", "it exited with code 0", "d", exit_code=0, duration=10.0)
FAILED = AgentReport("failed", "it exited with code 1", "d", exit_code=1, duration=10.0)
QUICK = AgentReport("failed", "it exited with code 1", "d", exit_code=1, duration=0.1)
QUIET = {Restart: Waited(1), PostMessage: None, AwaitGo: None, WaitForChildren: ChildrenLeft(0)}


def completed(starts):
    """No word of proof: nobody but the command said so."""
    return Verified(starts, "DONE is there", "start")


def supervised(markers, reports=WORKED, run=RUN):
    return play(supervise(run), {**QUIET, LookForMarkers: markers, RunAgent: reports})


def kinds(actions):
    return [type(action).__name__ for action in actions]


def delays(actions):
    return [action.seconds for action in actions if isinstance(action, Restart)]


def posts(actions):
    return [(action.message_type, action.body) for action in actions if isinstance(action, PostMessage)]


def test_done_is_checked_before_the_first_run():
    actions, verdict = supervised(DONE)
    assert verdict == completed(0)
    assert "RunAgent" not in kinds(actions)


def test_done_is_checked_after_every_run():
    actions, verdict = supervised([NOTHING, DONE])
    assert verdict == completed(1)
    assert kinds(actions) == ["LookForMarkers", "RunAgent", "LookForMarkers", "WaitForChildren", "PostMessage"]


def test_exit_code_zero_does_not_stop_the_loop():
    actions, verdict = supervised([NOTHING, NOTHING, NOTHING, DONE], WORKED)
    assert verdict == completed(2)
    assert kinds(actions).count("RunAgent") == 2


def test_max_restarts_exceeded_posts_an_error_and_fails():
    actions, verdict = supervised(NOTHING, FAILED)
    assert verdict == MaxIterations(5, "it exited with code 1", unit="restart")
    assert kinds(actions).count("RunAgent") == 5
    assert posts(actions) == [("ERROR", "max restarts exceeded (5)")]


def test_a_restart_limit_of_zero_runs_nothing():
    actions, verdict = supervised(NOTHING, run=SuperviseRun("/task", ("agent",), max_restarts=0))
    assert verdict == MaxIterations(0, "", unit="restart")
    assert "RunAgent" not in kinds(actions)


def test_done_before_the_limit_is_looked_at_wins():
    _, verdict = supervised(DONE, run=SuperviseRun("/task", ("agent",), max_restarts=0))
    assert verdict == completed(0)


def test_the_delay_comes_after_every_run_also_after_exit_code_zero():
    actions, _ = supervised([NOTHING] * 4 + [DONE], WORKED, run=SuperviseRun("/task", ("a",), restart_delay=5))
    assert delays(actions) == [5, 5]


def test_exponential_backoff_grows_to_a_ceiling():
    run = SuperviseRun("/task", ("a",), restart_delay=10, backoff="exponential", max_restarts=6)
    actions, _ = supervised(NOTHING, FAILED, run=run)
    assert delays(actions) == [10, 20, 40, 60, 60, 60]


def test_three_quick_starts_in_a_row_are_a_crash_loop_and_back_off():
    run = SuperviseRun("/task", ("a",), restart_delay=0, max_restarts=10)
    actions, _ = supervised(NOTHING, QUICK, run=run)
    assert delays(actions) == [0, 0, 1, 2, 4, 8, 16, 32, 60, 60]
    assert "crash loop" in [action.body for action in actions if isinstance(action, Restart)][2]


def test_a_start_that_lasts_ends_the_crash_loop():
    run = SuperviseRun("/task", ("a",), restart_delay=0, max_restarts=6)
    actions, _ = supervised(NOTHING, [QUICK, QUICK, QUICK, FAILED, QUICK, QUICK], run=run)
    assert delays(actions) == [0, 0, 1, 0, 0, 0]


def test_a_failure_is_posted_as_a_warning_and_a_success_as_information():
    actions, _ = supervised([NOTHING] * 4 + [DONE], [FAILED, WORKED])
    said = [(action.message_type, action.body) for action in actions if isinstance(action, Restart)]
    assert said[0][0] == "WARNING"
    assert said[0][1].startswith("agent failed on restart #0: it exited with code 1; restarting, attempt 2 of 5")
    assert said[1][0] == "INFO"


def test_active_children_after_the_wait_timeout_are_a_warning_and_the_task_completes():
    results = {**QUIET, LookForMarkers: DONE, WaitForChildren: ChildrenLeft(2), RunAgent: WORKED}
    actions, verdict = play(supervise(RUN), results)
    assert verdict == completed(0)
    assert posts(actions) == [
        ("WARNING", "2 child runs still active after 300 s: completing all the same"),
        ("FACT", "task completed (DONE marker present, 2 child runs still active)"),
    ]


def test_completion_is_a_fact_for_the_project_too():
    actions, _ = supervised(DONE)
    (post,) = [action for action in actions if isinstance(action, PostMessage)]
    assert post.to_project
    assert post.body == "task completed (DONE marker present, no active children)"


def test_exit_code_42_waits_without_a_restart():
    waits = AgentReport("failed", "it exited with code 42", "d", exit_code=42, duration=10.0)
    actions, _ = supervised([NOTHING, NOTHING, DONE], waits)
    assert kinds(actions)[:4] == ["LookForMarkers", "RunAgent", "LookForMarkers", "AwaitGo"]
    assert delays(actions) == []


def test_a_marker_that_asks_to_wait_is_named():
    actions, _ = supervised([NOTHING, Markers(waits_for="a code review"), DONE])
    assert [action.waits_for for action in actions if isinstance(action, AwaitGo)] == ["a code review"]


def test_done_wins_over_a_wish_to_wait():
    actions, verdict = supervised([NOTHING, Markers(done=True, waits_for="x")])
    assert verdict == completed(1)
    assert "AwaitGo" not in kinds(actions)


def test_a_problem_with_the_task_directory_ends_the_run():
    actions, verdict = supervised([NOTHING, Markers(problem="DONE is a directory")])
    assert verdict == Failed("DONE is a directory")
    assert posts(actions) == [("ERROR", "DONE is a directory")]


def test_an_agent_that_cannot_work_is_fatal():
    hopeless = AgentReport("failed", "not logged in", "d", problem=Problem("auth", "not logged in"))
    _, verdict = supervised(NOTHING, hopeless)
    assert isinstance(verdict, AgentFailed)


def test_a_wish_to_wait_that_comes_during_the_delay_is_heard():
    wish = Markers(waits_for="a person")
    actions, verdict = supervised([NOTHING, NOTHING, wish, NOTHING, DONE])
    assert verdict == completed(2)
    assert kinds(actions)[:6] == [
        "LookForMarkers",
        "RunAgent",
        "LookForMarkers",
        "Restart",
        "LookForMarkers",
        "AwaitGo",
    ]


def test_without_a_delay_there_is_no_second_look():
    at_once = SuperviseRun(task_dir="/task", command=("agent",), max_restarts=5, restart_delay=0)
    actions, _ = supervised([NOTHING, NOTHING, DONE], run=at_once)
    assert kinds(actions)[:5] == ["LookForMarkers", "RunAgent", "LookForMarkers", "Restart", "RunAgent"]
