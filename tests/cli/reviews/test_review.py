"""`ralph review` and `ralph review export`, as a person starts them."""

import json
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from loops import Loop
from ralph.testing import run_ralph
from review_scene import INJECTION, says, scenes

pytestmark = pytest.mark.e2e


@pytest.fixture
def scene(tmp_path, monkeypatch):
    yield from scenes(tmp_path, monkeypatch)


def ralph(scene, *arguments):
    return run_ralph(scene.repo, *arguments)


def test_ship_is_exit_code_0_and_says_what_it_rests_on(scene):
    scene.answers(says("SHIP"))
    done = ralph(scene, "review")
    assert done.returncode == 0, done.stderr
    assert "✓ final review by final: SHIP" in done.stderr
    assert "SHIP: reviewed by final after 1 look; nothing was run" in done.stderr


def test_revise_is_exit_code_1_and_says_what_to_fix(scene):
    scene.answers(says("REVISE", INJECTION))
    done = ralph(scene, "review", "main..work", "--tier", "quick")
    assert done.returncode == 1
    assert "✗ F1 high security in app.py:5: A name can end the query" in done.stderr
    assert "1 finding of quick to fix" in done.stderr


def test_json_has_the_form_that_readers_of_reviews_know(scene):
    scene.answers(says("REVISE", INJECTION))
    done = ralph(scene, "review", "--json")
    told = json.loads(done.stdout)
    assert (told["decision"], told["summary"]) == ("REVISE", {"total": 1, "high": 1, "medium": 0, "low": 0})
    assert {"file", "lines", "type", "severity", "description", "suggestion", "agentPrompt"} <= set(told["issues"][0])
    assert (told["tier"], told["reviewer"], told["verdict"], told["exitCode"]) == ("final", "final", "revise", 1)


def test_no_review_is_exit_code_9_and_a_missing_reviewer_7(scene):
    scene.answers({"final": "fine"}, {"final": "fine"})
    done = ralph(scene, "review", "--json")
    assert done.returncode == 9
    assert json.loads(done.stdout)["decision"] is None
    scene.settings(agent={"command": "claude-that-is-not-there"})
    assert ralph(scene, "review").returncode == 7


@pytest.mark.parametrize("arguments", [["nowhere"], ["--tier", "thorough"], ["a", "b"], ["HEAD..HEAD"]])
def test_what_cannot_be_meant_is_exit_code_2(scene, arguments):
    scene.answers(says("SHIP"))
    assert ralph(scene, "review", *arguments).returncode == 2


def test_what_is_not_committed_is_not_reviewed_and_that_is_said(scene):
    scene.answers(says("SHIP"))
    scene.repo.write("app.py", "draft\n")
    done = ralph(scene, "review")
    assert "1 uncommitted change not reviewed: a review is of commits." in done.stderr
    assert scene.repo.read("app.py") == "draft\n"


def test_it_is_a_run_like_any_other(scene):
    scene.answers({"exit": 3, "no_result": True}, {"exit": 3, "no_result": True}, says("SHIP"))
    assert ralph(scene, "review").returncode == 9
    shown = ralph(scene, "show").stdout
    assert "✗ final review by final: no decision: it exited with code 3" in shown
    gone_on = ralph(scene, "resume")
    assert gone_on.returncode == 0, gone_on.stderr
    assert [each["recipe"] for each in json.loads(ralph(scene, "runs", "--json").stdout)] == ["review"]


def test_what_reviews_found_is_written_into_a_file(scene):
    scene.answers(says("REVISE", INJECTION))
    ralph(scene, "review")
    done = ralph(scene, "review", "export", "-o", "found.sarif")
    assert done.returncode == 0, done.stderr
    log = json.loads(scene.repo.read("found.sarif"))
    assert log["version"] == "2.1.0"
    [result] = log["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("security", "error")
    told = json.loads(ralph(scene, "review", "export", "--format", "json").stdout)
    assert [each["decision"] for each in told["reviews"]] == ["REVISE"]


def test_a_file_that_cannot_be_written_is_exit_code_2(scene):
    scene.answers(says("SHIP"))
    ralph(scene, "review")
    done = ralph(scene, "review", "export", "-o", "no/such/folder.sarif")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "Name another file" in done.stderr


def test_help_is_about_the_review_and_names_the_export(scene):
    told = ralph(scene, "review", "--help").stdout
    assert told.startswith("Usage: ralph review [OPTIONS] [BASE..HEAD]")
    assert "ralph review export" in " ".join(told.split())


def test_the_reviewer_hears_nothing_of_the_run_that_it_could_steer(scene):
    """Inside a run a review may be started, and what judges it not be changed."""
    scene.answers({"run": f"ralph config accept > {scene.outside}/said 2>&1; true", **says("SHIP")})
    assert ralph(scene, "review").returncode == 0
    assert "cannot be used inside a run" in (scene.outside / "said").read_text()


def test_two_reviews_at_once_have_a_checkout_each(scene):
    """Each reviewer waits until the other one works, too: in one checkout they would wait for ever."""
    meet = f"pwd >> {scene.outside}/met; until [ $(wc -l < {scene.outside}/met) = 2 ]; do sleep 0.05; done"
    scene.answers(*[{"run": meet, **says("SHIP")}] * 2)
    with ThreadPoolExecutor(2) as pool:
        tiers = [pool.submit(ralph, scene, "review", "--tier", tier) for tier in ("quick", "deep")]
        codes = [each.result().returncode for each in tiers]
    assert codes == [0, 0]
    assert len(set((scene.outside / "met").read_text().split())) == 2


def test_a_review_that_is_killed_is_gone_on_with(scene):
    begun = scene.outside / "begun"
    scene.answers({"run": f"touch {begun}", "hang": True}, says("SHIP"))
    with Loop(scene.repo, scene.outside, scene.outside / "settings").start("review") as process:
        process.wait_for(begun)
        process.send(signal.SIGKILL)
    done = ralph(scene, "resume")
    assert done.returncode == 0, done.stderr
    assert len(scene.reviewer.starts) == 2
