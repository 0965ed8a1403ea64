"""Findings and reviewers for tests about reviews."""

from ralph.model.reviews import ReviewBy, ReviewIssue

MODEL = ReviewBy("quick", "sonnet-quick", "sonnet")
SEED_ISSUE = {
    "file": "src/auth.py",
    "lines": [3, 4],
    "type": "race_condition",
    "severity": "medium",
    "description": "The check is stale when the value is used",
    "suggestion": "Hold the lock",
    "agentPrompt": "Hold the lock from the check to the use in src/auth.py",
}
"""All that the plain form of a review says of a finding."""


def issue(**changes):
    return SEED_ISSUE | {"quote": "if ready:", "confidence": 95, "introduced": True} | changes


def found(**changes):
    """A finding as ralph keeps it."""
    fields = {
        "file": "src/auth.py",
        "lines": (3, 4),
        "type": "race_condition",
        "severity": "medium",
        "description": "The check is stale when the value is used",
        "suggestion": "Hold the lock",
        "agent_prompt": "Hold the lock",
    }
    return ReviewIssue(**(fields | changes))
