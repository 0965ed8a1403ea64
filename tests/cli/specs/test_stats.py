"""`ralph spec show --stats`: every figure from work that really happened."""

import json

import pytest

from chunk_crew import GOOD, ChunkCrew
from code_host import CodeHost

pytestmark = pytest.mark.e2e


@pytest.fixture
def crew(tmp_path):
    crew = ChunkCrew(tmp_path)
    crew.host = CodeHost(crew.repo, tmp_path)
    return crew


def stats(crew):
    return json.loads(crew.ralph("spec", "show", "s", "--stats", "--json", env=crew.host.env).out)["stats"]


def test_before_anything_ran_all_is_unknown_or_nothing(crew):
    crew.task()
    found = stats(crew)
    assert (found["completed"], found["shareShippedAtFirst"]) == (0, None)
    assert found["interventions"] == {
        "guide": 0, "reject": 0, "retry": 0, "skip": 0, "edit": 0, "commit": None, "total": 0,
    }  # fmt: skip
    assert (found["pullRequests"]["opened"], found["pullRequests"]["share"]) == (0, None)
    told = crew.ralph("spec", "show", "s", "--stats").out
    assert "shipped at the first iteration: unknown (no task is completed yet)" in told
    assert "pull requests merged without requested changes: unknown (gh is not on PATH)" in told


def test_the_share_that_shipped_at_the_first_iteration(crew):
    crew.task("T-1")
    crew.task("T-2", dependencies=["T-1"])
    good = {"write": {"work.txt": "good\n", "more.txt": "2\n"}, "final": "More."}
    crew.hire([GOOD, {"write": {"work.txt": "bad\n"}, "final": "x"}, good])
    assert crew.ralph("spec", "run", "s").code == 0
    found = stats(crew)
    assert (found["completed"], found["shippedAtFirst"], found["shareShippedAtFirst"]) == (2, 1, 0.5)
    assert found["interventions"]["total"] == 0
    told = crew.ralph("spec", "show", "s", "--stats").out
    assert "shipped at the first iteration: 50% (1 of 2 completed tasks)" in told


def test_pull_requests_are_asked_of_gh(crew):
    crew.task("T-1")
    crew.hire([GOOD])
    assert crew.ralph("spec", "run", "s", "--pr", env=crew.host.env).code == 0
    assert stats(crew)["pullRequests"]["share"] is None
    crew.host.change_pr(state="MERGED", reviews=[{"state": "APPROVED"}])
    first = crew.host.prs[0]
    others = [
        {**first, "number": 13, "reviews": [{"state": "CHANGES_REQUESTED"}, {"state": "APPROVED"}]},
        {**first, "number": 14, "state": "CLOSED"},
        {**first, "number": 15, "state": "OPEN"},
    ]
    crew.host.set(prs=[first, *others])
    found = stats(crew)["pullRequests"]
    assert (found["opened"], found["merged"], found["closed"]) == (4, 2, 1)
    assert (found["mergedWithoutRequestedChanges"], round(found["share"], 2)) == (1, 0.33)
    told = crew.ralph("spec", "show", "s", "--stats", env=crew.host.env).out
    assert "pull requests merged without requested changes: 33% (1 of 3 that were merged or closed)" in told
    crew.host.set(fails="list")
    assert "unknown (gh pr list failed: HTTP 401" in crew.ralph("spec", "show", "s", "--stats", env=crew.host.env).out
