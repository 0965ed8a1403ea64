"""Reviews as SARIF 2.1.0: what the specification demands of a file, and what stands in it."""

import json
import re
from urllib.parse import unquote

import pytest

from ralph.app.reviews.sarif import RULES, sarif
from ralph.app.reviews.views import ReviewView
from ralph.cli.json_text import json_text
from ralph.model.reviews import counts
from reviews import found

URI_REFERENCE = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/%-]+")
LEVELS = ("none", "note", "warning", "error")


def view(*issues, **changes):
    fields = {
        "run": "abc",
        "task": "T-1",
        "iteration": 1,
        "tier": "deep",
        "reviewer": "opus",
        "base": "c0ffee",
        "head": "deed",
        "tree": "beef",
        "decision": "REVISE",
        "issues": issues,
        "summary": counts(issues),
        "prior_findings": {},
        "note": "",
        "problem": "",
        "unseen": (),
    }
    return ReviewView(**(fields | changes))


def written(*views):
    return json.loads(json_text(sarif(views)))


def require(log):
    """What the SARIF 2.1.0 schema requires of the parts that are used here."""
    assert log["version"] == "2.1.0"
    assert isinstance(log["runs"], list)
    for run in log["runs"]:
        driver = run["tool"]["driver"]
        assert driver["name"]
        assert driver["version"]
        ids = [rule["id"] for rule in driver["rules"]]
        assert len(set(ids)) == len(ids)
        assert all(rule["shortDescription"]["text"] for rule in driver["rules"])
        assert all(isinstance(each["executionSuccessful"], bool) for each in run["invocations"])
        for result in run["results"]:
            _require_result(result, ids, run["originalUriBaseIds"])


def _require_result(result, rules, bases):
    assert result["message"]["text"]
    assert rules[result["ruleIndex"]] == result["ruleId"]
    assert result["level"] in LEVELS
    assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
    for location in result.get("locations", []):
        place = location["physicalLocation"]
        uri = place["artifactLocation"]["uri"]
        assert URI_REFERENCE.fullmatch(uri)
        assert not uri.startswith("/")
        assert place["artifactLocation"]["uriBaseId"] in bases
        if region := place.get("region"):
            assert 1 <= region["startLine"] <= region["endLine"]
            assert "snippet" not in region or isinstance(region["snippet"]["text"], str)


@pytest.mark.parametrize(
    "issue",
    [
        found(quote="if ready:"),
        found(file="a b/ünï#?.py", lines=(7, 7)),
        found(lines=(0, 0)),
        found(lines=(9, 3)),
        found(file="", description=""),
        found(file="/absolute.py", type="other", severity="low", passed_over="its severity is low"),
    ],
)
def test_any_finding_makes_a_file_that_the_specification_allows(issue):
    require(written(view(issue)))


def test_a_review_without_findings_is_a_run_without_results():
    log = written(view(decision="SHIP"), view(tier="quick"))
    require(log)
    assert [run["results"] for run in log["runs"]] == [[], []]
    assert [run["automationDetails"]["id"] for run in log["runs"]] == ["ralph/deep/T-1", "ralph/quick/T-1"]


def test_a_finding_is_told_with_its_place_its_weight_and_what_to_do():
    [result] = written(view(found(id="F1", file="a b.py", severity="high", quote="x = 1")))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert unquote(place["artifactLocation"]["uri"]) == "a b.py"
    assert place["region"] == {"startLine": 3, "endLine": 4, "snippet": {"text": "x = 1"}}
    assert (result["ruleId"], result["level"]) == ("race_condition", "error")
    told = result["properties"]
    assert (told["id"], told["blocking"], told["agentPrompt"]) == ("F1", True, "Hold the lock")


def test_what_does_not_block_says_why():
    [result] = written(view(found(severity="low", passed_over="its severity is low")))["runs"][0]["results"]
    assert (result["level"], result["properties"]["blocking"]) == ("note", False)
    assert result["properties"]["passedOver"] == "its severity is low"


def test_the_same_finding_has_the_same_fingerprint_in_another_line():
    first, moved, other = (
        written(view(each))["runs"][0]["results"][0]["partialFingerprints"]
        for each in (found(), found(lines=(70, 71)), found(file="b.py"))
    )
    assert first == moved != other


def test_every_type_of_a_finding_has_a_rule():
    for kind in RULES:
        require(written(view(found(type=kind))))
