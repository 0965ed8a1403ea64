"""What a recipe does about an agent that could not work."""

from ralph.kernel.actions.checks import Answer
from ralph.model.events import Problem, ProblemKind
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.reviews import Review
from ralph.model.verdicts import AgentFailed

SILENT_FAILURES = 3
"""After this many failures in a row without output, the agent is given up."""
SAME_DENIALS = 3
"""After this many iterations in a row with the same denied permission, the agent is given up."""
# What a person can do if no further iteration can help. A resumed run keeps its settings, so new ones need a new run.
NEXT: dict[ProblemKind, str] = {
    "auth": "Log the agent in again, or renew its key, then: ralph resume",
    "billing": "Top up the account, then: ralph resume. Or choose another agent, then run again",
    "model": "Choose a model that this account has (agent.flags), then run again",
    "missing": "Install or start it, then: ralph resume. Or choose another agent, then run again",
}


def hopeless(report: AgentReport) -> AgentFailed | None:
    """The verdict for a problem that a retry cannot fix."""
    if report.problem and (advice := NEXT.get(report.problem.kind)):
        return AgentFailed(f"{report.reason}. {advice}")
    return None


def is_hopeless(problem: Problem | None) -> bool:
    return problem is not None and problem.kind in NEXT


def judge_failed(seen: Evidence) -> AgentFailed | None:
    """The verdict if the model that must judge will never answer. A part that only warns ends nothing."""
    if seen.problem and seen.required and (advice := NEXT.get(seen.problem.kind)):
        return AgentFailed(f"{seen.reason.removeprefix('not verified: ')}. {advice}")
    return next(filter(None, map(judge_failed, seen.parts)), None) if seen.required else None


def reviewer_failed(review: Review) -> AgentFailed | None:
    """The verdict if the reviewer will never answer."""
    if review.cause and not review.decision and (advice := NEXT.get(review.cause.kind)):
        return AgentFailed(f"the {review.tier} review could not be made: {review.problem}. {advice}")
    return None


def denied_for_good(report: AgentReport) -> AgentFailed:
    flag = report.problem.allowed_by if report.problem else ""
    advice = f"Allow it (agent.flags: {flag}), then run again" if flag else "Allow it, then: ralph resume"
    return AgentFailed(f"in {SAME_DENIALS} iterations in a row {report.denial}. {advice}")


def is_limited(report: AgentReport | Answer) -> bool:
    return report.problem is not None and report.problem.kind == "quota"


def is_too_long(report: AgentReport) -> bool:
    return report.problem is not None and report.problem.kind == "prompt_too_long"
