"""The iterations of a chunk, also those that were taken back: `ralph show TASK`, its JSON, and two of them compared."""

import pytest

from chunk_crew import BAD, GOOD, SHIP, ChunkCrew, issue, revise, writes

BETTER = writes(work__txt="good, at last\n")


@pytest.fixture(scope="module")
def crew(tmp_path_factory):
    """Three attempts in two runs: a step fails at the limit; then a review takes one back, and the next ships."""
    crew = ChunkCrew(tmp_path_factory.mktemp("crew"))
    crew.task()
    crew.hire([BAD], defaults={"maxIterations": 1})
    assert crew.run().code == 1
    crew.hire([GOOD, BETTER], quick=[revise(issue("the file is rude")), SHIP], deep=[SHIP])
    assert crew.run().code == 0
    return crew


@pytest.fixture(scope="module")
def iterations(crew):
    return crew.json("show", "T-1")["iterations"]


def test_an_iteration_has_the_fields_of_the_seeds_chunk_iteration(crew, iterations):
    failed, revised, shipped = iterations
    assert [each["status"] for each in iterations] == ["failed", "failed", "completed"]
    assert [each["iteration"] for each in iterations] == [1, 2, 3]
    assert {each["chunkId"] for each in iterations} == {"T-1"}
    assert len({each["id"] for each in iterations}) == 3
    assert revised["executionOutput"] == GOOD["final"]
    for each in iterations:
        assert isinstance(each["executionDuration"], int)
        assert each["createdAt"] <= each["completedAt"]
        assert crew.git("cat-file", "-t", each["commitHash"]).strip() == "commit"
    (step,) = failed["verificationResults"]
    assert {key: step[key] for key in ("step", "command", "passed")} == {
        "step": "Made",
        "command": "grep -q good work.txt",
        "passed": False,
    }
    assert {"output", "duration"} <= set(step)
    assert failed.get("reviewResult") is None
    assert revised["reviewResult"]["decision"] == "REVISE"
    assert revised["reviewResult"]["issues"][0]["agentPrompt"] == "Fix this: the file is rude"
    assert "Fix this: the file is rude" in revised["feedbackForNextIteration"]
    assert (shipped["reviewResult"]["decision"], shipped.get("feedbackForNextIteration")) == ("SHIP", None)


def test_a_run_has_its_own_iterations_under_the_numbers_of_the_task(crew, iterations):
    shown = crew.json("show", iterations[-1]["runId"])
    assert [(each["number"], each["iteration"]) for each in shown["iterations"]] == [(1, 2), (2, 3)]


def test_attempts_are_compared_over_all_runs_of_the_task(crew):
    diff = crew.ralph("show", "T-1", "--diff", "1..3")
    assert diff.code == 0, diff.err
    assert diff.out.startswith("diff --git a/work.txt b/work.txt")
    assert "\n-bad\n+good, at last\n" in diff.out


def test_zero_is_what_the_work_began_with(crew):
    assert "new file mode" in crew.ralph("show", "T-1", "--diff", "0..2").out


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("1-3", "--diff '1-3' does not name two attempts"),
        ("1..9", "there is no attempt 9 with a commit. These have one: 0, 1, 2, 3"),
    ],
)
def test_attempts_that_are_not_there_are_one_line(crew, wanted, told):
    ended = crew.ralph("show", "T-1", "--diff", wanted)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err


def test_an_attempt_that_nothing_holds_any_more_is_told(crew, iterations):
    crew.git("update-ref", "-d", f"refs/ralph/discarded/{iterations[0]['runId']}/T-1/1")
    crew.git("reflog", "expire", "--expire=now", "--all")
    crew.git("gc", "--quiet", "--prune=now")
    ended = crew.ralph("show", "T-1", "--diff", "1..3")
    assert ended.code == 2
    assert "the commit of attempt 1 is gone from the repository" in ended.err
    assert crew.ralph("show", "T-1", "--diff", "2..3").code == 0


def test_a_task_that_has_not_run_is_told(crew):
    crew.task("T-9")
    ended = crew.ralph("show", "T-9")
    assert (ended.code, "task T-9 has not run yet" in ended.err) == (2, True)
