"""Test loops without an account: a scripted agent, temporary repositories, the real `ralph`."""

TYPE_CHECKING = False  # typing's own constant would cost every start of the scripted agent an import
if TYPE_CHECKING:
    from typing import Any

    from ralph.testing.agent import ScriptedAgent, Start
    from ralph.testing.program import run_ralph
    from ralph.testing.repo import TempRepo, temp_repo
    from ralph.testing.steps import answers, crash, done, edits, fails, floods, hangs, says

__all__ = [
    "ScriptedAgent",
    "Start",
    "TempRepo",
    "answers",
    "crash",
    "done",
    "edits",
    "fails",
    "floods",
    "hangs",
    "run_ralph",
    "says",
    "temp_repo",
]

_MODULES = {
    "ScriptedAgent": "agent",
    "Start": "agent",
    "TempRepo": "repo",
    "run_ralph": "program",
    "temp_repo": "repo",
}


def __getattr__(name: str) -> "Any":
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'steps')}"), name)
