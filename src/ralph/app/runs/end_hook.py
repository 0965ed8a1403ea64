"""The setting `onEnd`: a user's command that learns how a run ended."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from ralph.agents.environment import SESSION_MARKS
from ralph.app.runs.shown_view import shown_view
from ralph.config.schema import Settings
from ralph.model.errors import StateError
from ralph.model.runs import Run
from ralph.model.verdicts import AnyVerdict
from ralph.proc.capture import capture
from ralph.store.sql import Store

TIME = 300.0
"""How many seconds the command may take."""
HIDDEN = frozenset({"RALPH_RUN_ID", "RALPH_PARENT_RUN_ID", "RALPH_ATTEMPT_ID", *SESSION_MARKS})
LONGEST = 300


def run_end_hook(
    store: Store, run: Run, verdict: AnyVerdict, settings: Settings, project: Path, environ: Mapping[str, str]
) -> str:
    """Run the command for a run without a parent, and return a warning if it failed. Its output decides nothing.

    A ralph in it is not a part of the run, so the run's own variables are removed from its environment. So are the
    marks of the agent that may have started this ralph: an agent in the command is no nested session.
    """
    if not settings.on_end or run.parent_id or not verdict.is_told:
        return ""
    env = {name: value for name, value in environ.items() if name not in HIDDEN}
    env |= {"RALPH_END_RUN": run.id, "RALPH_END_VERDICT": verdict.kind, "RALPH_END_REASON": verdict.reason}
    said = capture(["/bin/sh", "-c", settings.on_end], timeout=TIME, cwd=project, env=env, given=_shown(store, run))
    if said.code == 0:
        return ""
    how = f"did not end within {TIME:g} s" if said.code is None else f"failed with exit code {said.code}"
    tail = " ".join(said.output.split())[-LONGEST:]
    return f"onEnd {how}{f': {tail}' if tail else ''}. The verdict of the run stays."


def _shown(store: Store, run: Run) -> bytes:
    """What is recorded about the run; nothing if its record is lost, which its verdict says."""
    try:
        return msgspec.json.encode(shown_view(store, [run]))
    except StateError:
        return b""
