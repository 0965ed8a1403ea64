"""Which agent and which model play a part that the settings leave open, or name."""

import pytest

from ralph.agents.registry import choose_executor
from ralph.agents.tools import agent_of_tool, planner_for, reviewer_for
from ralph.config.schema import apply_schema
from ralph.model.errors import ConfigError

REVIEWERS = [
    {"id": "sonnet-quick", "model": "claude-sonnet-4-5-20250929", "checks": ["syntax", "types", "obvious_bugs"]},
    {"id": "opus-thorough", "name": "Opus (Thorough)", "model": "claude-opus-4-5-20251101"},
    {"id": "by-codex", "agent": "codex", "model": "gpt-5"},
    {"id": "gpt", "model": "gpt-5"},
    {"id": "google", "model": "gemini-3"},
    {"id": "house", "model": "house-model"},
    {"id": "program", "command": "coderabbit --json"},
    {"id": "quick-agent", "agent": "fast"},
]
EXECUTORS = [{"id": "fast", "type": "codex", "command": "/opt/codex", "model": "mini"}]


def settings(executor="claude", **defaults):
    return apply_schema(
        {"tools": {"reviewers": REVIEWERS, "executors": EXECUTORS}, "defaults": {"executor": executor, **defaults}}
    )


def plays(tier, executor="claude", **defaults):
    """The command line of the agent that reviews."""
    given = settings(executor, **defaults)
    own = choose_executor(given)
    by = reviewer_for(given, tier, own)
    agent = agent_of_tool(given, by.model, by.agent, own)
    return [*agent.command, *agent.flags]


READS = ["--permission-mode", "default", "--disallowedTools", "Edit,Write,NotebookEdit"]


@pytest.mark.parametrize(("tier", "model"), [("quick", "sonnet"), ("deep", "opus"), ("final", "opus")])
def test_claude_reviews_with_a_model_for_each_tier(tier, model):
    assert plays(tier) == ["claude", "--model", model, *READS]


@pytest.mark.parametrize("tier", ["quick", "deep", "final"])
def test_other_agents_review_with_their_default_model(tier):
    assert plays(tier, "codex") == ["codex", "--sandbox", "read-only"]
    assert plays(tier, "fast") == ["/opt/codex", "--model", "mini", "--sandbox", "read-only"]


@pytest.mark.parametrize(
    ("reviewer", "line"),
    [
        ("sonnet-quick", ["claude", "--model", "claude-sonnet-4-5-20250929", *READS]),
        ("by-codex", ["codex", "--model", "gpt-5", "--sandbox", "read-only"]),
        ("gpt", ["codex", "--model", "gpt-5", "--sandbox", "read-only"]),
        ("google", ["gemini", "--model", "gemini-3", "--approval-mode", "default"]),
        ("house", ["amp", "--mode", "house-model"]),
        ("quick-agent", ["/opt/codex", "--model", "mini", "--sandbox", "read-only"]),
    ],
)
def test_a_reviewer_names_its_agent_or_its_models_vendor_or_is_the_executor(reviewer, line):
    assert plays("quick", "amp", quickReviewer=reviewer) == line


def reviewer(tier, **defaults):
    given = settings(**defaults)
    by = reviewer_for(given, tier, choose_executor(given))
    return by and by.reviewer


def test_the_final_reviewer_also_makes_the_deep_review_unless_another_is_named():
    assert reviewer("deep", finalReviewer="opus-thorough") == "opus-thorough"
    assert reviewer("deep", finalReviewer="opus-thorough", deepReviewer="gpt") == "gpt"
    assert reviewer("quick", finalReviewer="opus-thorough") == "quick"


def test_none_switches_a_tier_off():
    assert reviewer("quick", quickReviewer="none") is None
    assert reviewer("deep", quickReviewer="none") == "deep"
    assert reviewer("final", finalReviewer="none") is None
    assert reviewer("deep", finalReviewer="none", deepReviewer="deep") == "deep"


def test_a_built_in_reviewer_can_be_named_for_another_tier():
    given = settings(quickReviewer="deep")
    by = reviewer_for(given, "quick", choose_executor(given))
    assert (by.tier, by.reviewer, by.model) == ("quick", "deep", "opus")


def test_a_program_needs_nobody_who_works():
    by = reviewer_for(settings(quickReviewer="program"), "quick", None)
    assert (by.command, by.model, by.agent) == ("coderabbit --json", "", "")


def test_the_checks_of_a_reviewer_come_with_it():
    given = settings(quickReviewer="sonnet-quick")
    assert reviewer_for(given, "quick", choose_executor(given)).checks == ("syntax", "types", "obvious_bugs")


def test_a_reviewer_has_a_name_for_screens():
    given = settings(quickReviewer="opus-thorough", finalReviewer="gpt")
    own = choose_executor(given)
    assert [reviewer_for(given, tier, own).called for tier in ("quick", "final")] == ["Opus (Thorough)", "gpt"]


def test_a_reviewer_that_there_is_not_is_refused_with_those_that_there_are():
    with pytest.raises(ConfigError, match="there is no reviewer 'sonet'") as refused:
        reviewer("quick", quickReviewer="sonet")
    assert "sonnet-quick" in str(refused.value)


def test_how_much_an_agent_may_do_is_replaced_by_reading():
    given = apply_schema(
        {
            "agent": {
                "command": "claude",
                "flags": ["--dangerously-skip-permissions", "--permission-mode acceptEdits", "--settings s.json"],
            }
        }
    )
    agent = agent_of_tool(given, "", "", choose_executor(given))
    assert agent.flags == ["--settings", "s.json", *READS]


def test_the_planner_is_claudes_best_model_or_the_executor():
    given = settings()
    assert planner_for(given, choose_executor(given)) == ("planner", "opus", "", "")
    other = settings("codex")
    assert planner_for(other, choose_executor(other)) == ("planner", "", "", "")
