"""Whether the judging models are available: a missing one is reported now, not in an hour."""

import os
import shutil
from pathlib import Path

from ralph.agents.models import judge_agent
from ralph.agents.registry import Agent
from ralph.config.schema import Settings
from ralph.model.errors import AgentUnusable
from ralph.model.verification import MultiStage, Semantic, Verification

SERVER_PATIENCE = 30.0
"""How many seconds a busy server may take to answer."""
CHOOSE = "Install it, or choose another judge: ralph.semantic_model"


def require_judges(settings: Settings, role: str, own: Agent, check: Verification) -> None:
    for semantic in _asked(check):
        judge = judge_agent(settings, semantic.model, own)
        require_agent(judge, f"which judges the claims of the {role}", CHOOSE)


def require_agent(agent: Agent, purpose: str, hint: str) -> None:
    """Require that its program exists, or that its server answers."""
    if agent.adapter.server:
        from ralph.agents.opencode_server import server_version

        server_version(agent.adapter.server, os.environ, SERVER_PATIENCE)
    else:
        require_program(agent.command[0], purpose, hint)


def require_program(program: str, purpose: str, hint: str) -> None:
    # A path is relative to the folder where it is started, which is not here.
    is_known = Path(program).is_absolute() or os.sep not in program
    if is_known and shutil.which(program) is None:
        missing = "does not exist" if "/" in program else "is not on PATH"
        raise AgentUnusable(f"{program}, {purpose}, {missing}.", hint)


def _asked(check: Verification) -> list[Semantic]:
    """The checks that ask a model."""
    parts = [part.check for part in check.stages] if isinstance(check, MultiStage) else [check]
    return [part for part in parts if isinstance(part, Semantic) and part.check_for]
