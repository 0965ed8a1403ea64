"""The restart manager's algorithm, played against given results."""

from playing import play, prompts
from ralph.kernel.actions.agent import Prompt, ReadPrompt, RunAgent
from ralph.kernel.actions.supervise import (
    AwaitGo,
    ChildrenLeft,
    LookForMarkers,
    Markers,
    PostMessage,
    Restart,
    WaitForChildren,
)
from ralph.kernel.actions.waiting import GiveUp, Granted, Waited
from ralph.kernel.recipes.supervise import SuperviseRun, supervise
from ralph.model.events import Problem
from ralph.model.evidence import AgentReport, Done
from ralph.model.projects import Located
from ralph.model.verdicts import AgentFailed, Failed, MaxIterations, Verified

TASK = Located("/task", "here")
RUN = SuperviseRun(task_dir=TASK, command=("agent",), max_restarts=5)
NOTHING, DONE = Markers(), Markers(done=True)
WORKED = AgentReport("ok", "it exited with code 0", "d", exit_code=0, duration=10.0)
FAILED = AgentReport("failed", "it exited with code 1", "d", exit_code=1, duration=10.0)
QUICK = AgentReport("failed", "it exited with code 1", "d", exit_code=1, duration=0.1)
QUIET = {Restart: Waited(1), PostMessage: Done(), AwaitGo: Done(), WaitForChildren: ChildrenLeft(0)}


def completed(starts):
    """No word of proof: nobody but the command said so."""
    return Verified(starts, what="DONE is there", unit="start")


def supervised(markers, reports=WORKED, run=RUN, granted=Granted()):  # noqa: B008 - frozen
    results = {**QUIET, LookForMarkers: markers, RunAgent: reports, GiveUp: granted}
    return play(supervise(run), results)


def announces_start(action):
    return isinstance(action, PostMessage) and action.when == "start"


def kinds(actions):
    """The names of the actions, without the messages that announce a start."""
    return [type(action).__name__ for action in actions if not announces_start(action)]


def delays(actions):
    return [action.seconds for action in actions if isinstance(action, Restart)]


def posts(actions):
    return [
        (action.message_type, action.body)
        for action in actions
        if isinstance(action, PostMessage) and action.when != "start"
    ]


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
    assert verdict == MaxIterations(5, "it exited with code 1", unit="start")
    assert kinds(actions).count("RunAgent") == 5
    assert posts(actions) == [("ERROR", "max restarts exceeded (5)")]


def test_a_restart_limit_of_zero_runs_nothing():
    actions, verdict = supervised(NOTHING, run=SuperviseRun(TASK, ("agent",), max_restarts=0))
    assert verdict == MaxIterations(0, "", unit="start")
    assert "RunAgent" not in kinds(actions)


def test_done_before_the_limit_is_looked_at_wins():
    _, verdict = supervised(DONE, run=SuperviseRun(TASK, ("agent",), max_restarts=0))
    assert verdict == completed(0)


def test_the_delay_comes_after_every_run_also_after_exit_code_zero():
    actions, _ = supervised([NOTHING] * 4 + [DONE], WORKED, run=SuperviseRun(TASK, ("a",), restart_delay=5))
    assert delays(actions) == [5, 5]


def test_exponential_backoff_grows_to_a_ceiling():
    run = SuperviseRun(TASK, ("a",), restart_delay=10, backoff="exponential", max_restarts=6)
    actions, _ = supervised(NOTHING, FAILED, run=run)
    assert delays(actions) == [10, 20, 40, 60, 60]


def test_three_quick_starts_in_a_row_are_a_crash_loop_and_back_off():
    run = SuperviseRun(TASK, ("a",), restart_delay=0, max_restarts=10)
    actions, _ = supervised(NOTHING, QUICK, run=run)
    assert delays(actions) == [0, 0, 1, 2, 4, 8, 16, 32, 60]
    assert "crash loop" in [action.body for action in actions if isinstance(action, Restart)][2]


def test_a_start_that_lasts_ends_the_crash_loop():
    run = SuperviseRun(TASK, ("a",), restart_delay=0, max_restarts=6)
    actions, _ = supervised(NOTHING, [QUICK, QUICK, QUICK, FAILED, QUICK, QUICK], run=run)
    assert delays(actions) == [0, 0, 1, 0, 0]


def test_a_quick_exit_0_is_a_poller_and_gets_the_restart_delay_alone():
    polls = AgentReport("ok", "it exited with code 0", "d", exit_code=0, duration=0.1)
    run = SuperviseRun(TASK, ("a",), restart_delay=2, max_restarts=6)
    actions, _ = supervised(NOTHING, polls, run=run)
    assert delays(actions) == [2, 2, 2, 2, 2]


def test_each_start_is_announced_once():
    granted = [Granted(go_on=True, iterations=3), Granted()]
    actions, _ = supervised(NOTHING, run=SuperviseRun(TASK, ("agent",), max_restarts=2), granted=granted)
    said = [action.body for action in actions if isinstance(action, Restart) or announces_start(action)]
    assert said == [
        "starting, attempt 1 of 2",
        "restarting, attempt 2 of 2, in 1 s",
        "starting, attempt 3 of 3",
    ]


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
        ("WARNING", "2 child runs still active after 300 s: completing anyway"),
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
    at_once = SuperviseRun(task_dir=TASK, command=("agent",), max_restarts=5, restart_delay=0)
    actions, _ = supervised([NOTHING, NOTHING, DONE], run=at_once)
    assert kinds(actions)[:5] == ["LookForMarkers", "RunAgent", "LookForMarkers", "Restart", "RunAgent"]


def test_a_raised_limit_starts_it_again_without_a_second_look():
    granted = [Granted(go_on=True, iterations=2), Granted()]
    run = SuperviseRun(TASK, ("agent",), max_restarts=1)
    actions, verdict = supervised(NOTHING, run=run, granted=granted)
    assert verdict == MaxIterations(2, WORKED.reason, unit="start")
    assert kinds(actions).count("RunAgent") == 2
    assert posts(actions) == [("ERROR", "max restarts exceeded (1)"), ("ERROR", "max restarts exceeded (2)")]
    asked = kinds(actions).index("GiveUp")
    assert kinds(actions)[asked : asked + 2] == ["GiveUp", "RunAgent"]


def test_a_task_directory_that_is_back_is_looked_at_again():
    gone = Markers(problem="the task directory is gone")
    actions, verdict = supervised([NOTHING, gone, gone, DONE], granted=Granted(go_on=True))
    assert verdict == completed(1)
    looks = [action.when for action in actions if isinstance(action, LookForMarkers)]
    assert looks == ["before", "after", "before-1", "before-2"]


def test_a_command_that_can_work_again_is_the_same_start():
    refused = AgentReport("failed", "not logged in", "d", problem=Problem("auth", "not logged in"))
    actions, verdict = supervised([NOTHING, DONE], [refused, WORKED], granted=Granted(go_on=True))
    assert verdict == completed(1)
    assert [(action.iteration, action.again) for action in actions if isinstance(action, RunAgent)] == [(1, 0), (1, 1)]


def test_a_prompt_file_is_read_again_at_each_start():
    run = SuperviseRun(TASK, file=Located("p.md"), max_restarts=2)
    results = {**QUIET, LookForMarkers: NOTHING, RunAgent: WORKED, ReadPrompt: [Prompt("one"), Prompt("two")]}
    actions, _ = play(supervise(run), results)
    assert prompts(actions) == ["one", "two"]
