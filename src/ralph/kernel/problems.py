"""What a recipe does about an agent that could not work."""

from ralph.model.events import ProblemKind
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.verdicts import AgentFailed

SILENT_FAILURES = 3
"""So many failures in a row without a word, and the agent will not come to work any more."""
# What a person can do where no further iteration can help.
NEXT: dict[ProblemKind, str] = {
    "auth": "Log the agent in again, or renew its key, then: ralph resume",
    "billing": "Top up the account or choose another agent, then: ralph resume",
    "model": "Choose a model that this account has (agent.flags), then run again",
}


def hopeless(report: AgentReport) -> AgentFailed | None:
    """A verdict at once for what repeating cannot mend."""
    if report.problem and (advice := NEXT.get(report.problem.kind)):
        return AgentFailed(f"{report.reason}. {advice}")
    return None


def is_limited(report: AgentReport | Evidence) -> bool:
    return report.problem is not None and report.problem.kind == "quota"


def is_too_long(report: AgentReport) -> bool:
    return report.problem is not None and report.problem.kind == "prompt_too_long"
