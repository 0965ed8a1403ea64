"""Reviews as SARIF 2.1.0, which code hosts and editors read."""

import hashlib
from collections.abc import Sequence
from typing import Any, get_args
from urllib.parse import quote

from ralph import __version__
from ralph.app.reviews.views import ReviewView
from ralph.model.reviews import IssueType, ReviewIssue

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "SRCROOT"
LEVELS = {"high": "error", "medium": "warning", "low": "note"}
TYPES: tuple[IssueType, ...] = get_args(IssueType)
RULES: dict[IssueType, str] = {
    "security": "Security: injection, bypassed authentication, exposed secrets.",
    "race_condition": "Race condition: concurrent access, stale checks.",
    "memory_leak": "Memory leak: what is opened and never closed.",
    "error_handling": "Error handling: failures that are silent or lost.",
    "logic_bug": "Logic bug: off by one, wrong counts, edge cases.",
    "accessibility": "Accessibility: keyboard, screen readers, ARIA.",
    "syntax": "Syntax.",
    "types": "Types.",
    "architecture": "Architecture: existing patterns, unnecessary abstractions.",
    "other": "Another defect, or a criterion that is not met.",
}
Node = dict[str, Any]


def sarif(reviews: Sequence[ReviewView]) -> Node:
    """One SARIF run for each review."""
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(each) for each in reviews]}


def _run(review: ReviewView) -> Node:
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in RULES.items()]
    subject = review.task or review.run
    return {
        "tool": {"driver": {"name": "ralph", "version": __version__, "rules": rules}},
        "automationDetails": {"id": f"ralph/{review.tier}/{subject}"},
        "invocations": [{"executionSuccessful": review.decision is not None}],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The top of the repository."}}},
        "results": [_result(each) for each in review.issues],
        "properties": {
            "decision": review.decision,
            "tier": review.tier,
            "reviewer": review.reviewer,
            "run": review.run,
            "task": review.task,
            "base": review.base,
            "head": review.head,
            "tree": review.tree,
            "note": review.note,
        },
    }


def _result(issue: ReviewIssue) -> Node:
    result: Node = {
        "ruleId": issue.type,
        "ruleIndex": TYPES.index(issue.type),
        "level": LEVELS[issue.severity],
        "message": {"text": issue.description or "No description was given."},
        "partialFingerprints": {"ralphFinding/v1": _identity(issue)},
        "properties": {
            "id": issue.id,
            "severity": issue.severity,
            "confidence": issue.confidence,
            "introduced": issue.introduced,
            "requirement": issue.requirement,
            "suggestion": issue.suggestion,
            "agentPrompt": issue.agent_prompt,
            "blocking": not issue.passed_over,
            "passedOver": issue.passed_over,
        },
    }
    return result | ({"locations": [_location(issue)]} if issue.file else {})


def _location(issue: ReviewIssue) -> Node:
    place: Node = {"artifactLocation": {"uri": quote(issue.file.lstrip("/")), "uriBaseId": ROOT}}
    first, last = issue.lines
    if first > 0:
        snippet: Node = {"snippet": {"text": issue.quote}} if issue.quote else {}
        place["region"] = {"startLine": first, "endLine": max(first, last), **snippet}
    return {"physicalLocation": place}


def _identity(issue: ReviewIssue) -> str:
    """A key that is the same for the same finding on another line."""
    parts = (issue.requirement, issue.type, issue.file, " ".join(issue.description.split()))
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:32]
