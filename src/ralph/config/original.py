"""Settings files that the original program wrote: its different notation is read as it was meant."""

from typing import Any, cast

from ralph.config.merge import is_object

SCHEMA = "$schema"
SCM_TASKS = ("commit", "push")


def as_meant(data: dict[str, Any]) -> dict[str, Any]:
    """The same settings: `null` if a list is unset, and names in the letter case of the schema."""
    meant = {key: value for key, value in data.items() if key != SCHEMA}
    if "guardrails" in meant:
        meant["guardrails"] = _guardrails(meant["guardrails"])
    if is_object(agent := meant.get("agent")) and agent.get("flags", ()) is None:
        meant["agent"] = {**agent, "flags": []}
    if is_object(scm := meant.get("scm")) and isinstance(scm.get("tasks"), list):
        meant["scm"] = {**scm, "tasks": [_task(each) for each in cast("list[Any]", scm["tasks"])]}
    return meant


def _guardrails(given: Any) -> Any:
    if given is None:
        return []
    return [_guardrail(each) for each in cast("list[Any]", given)] if isinstance(given, list) else given


def _guardrail(given: Any) -> Any:
    action = given.get("failAction") if is_object(given) else None
    return {**given, "failAction": action.upper()} if isinstance(action, str) else given


def _task(given: Any) -> Any:
    return given.lower() if isinstance(given, str) and given.lower() in SCM_TASKS else given
