"""What a check that asks models has spent."""

from collections.abc import Sequence

from msgspec.structs import replace

from ralph.model.events import Tokens
from ralph.model.evidence import AgentReport, Evidence


def with_costs(evidence: Evidence, of: Sequence[AgentReport | Evidence]) -> Evidence:
    known = [each.cost_usd for each in of if each.cost_usd is not None]
    tokens = sum((each.tokens for each in of), Tokens())
    return replace(evidence, cost_usd=sum(known) if known else None, tokens=tokens)
