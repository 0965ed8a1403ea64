"""The columns of the table: what ralph is told in each, and what it delivers there."""

import json
from typing import Any

from honesty.declaration import Behaviour, Column, Step

TASKS = ("T-1", "T-2")
SPEC = "shop"
BRANCH = f"ralph/{SPEC}"
WORDS = {"coder": "SHOP_FIXED", "tester": "SHOP_TESTED"}
JUDGE = "judge"
REVIEWER = "reviewer"
PROMPT = "Fix the shop: {criterion}. `{check}` must pass. When it does, end your final message with {claim}"


def claim_in(column: str, role: str) -> str:
    """The tag with which an agent says that it is done."""
    word = "COMPLETE" if column == "stories" else WORDS[role]
    return "<response>DONE</response>" if column in ("run", "naive") else f"<promise>{word}</promise>"


def prompt_of(behaviour: Behaviour) -> str:
    about = {"criterion": behaviour.start.criterion, "check": behaviour.check_command}
    return (behaviour.prompt or PROMPT).format(claim=claim_in("run", "coder"), **about)


def settings_of(behaviour: Behaviour, column: Column, programs: dict[str, str]) -> Step:
    """The project's settings; `programs` are the paths of the agents by role."""
    common = {"quota": {"initialWait": 0.1, "maxWait": 0.2}}
    of_column = {"run": _run_settings, "chunk": _chunk_settings, "stories": _story_settings}
    own = of_column.get(column, _task_settings)(behaviour, programs)
    return {**common, **own, **behaviour.settings}


def task_file(behaviour: Behaviour, column: Column, name: str) -> str:
    task: Step = {"id": name, "spec": SPEC, "title": "Fix the shop"}
    if column == "chunk":
        task |= {"description": behaviour.start.criterion, "max_iterations": behaviour.iterations}
    else:
        task["completion"] = _completion(behaviour, column)
    if behaviour.may_change:
        task["may_change"] = list(behaviour.may_change)
    return json.dumps({"task": task}, indent=1)


def _completion(behaviour: Behaviour, column: Column) -> Step:
    completion: Step = {
        "outcome": behaviour.start.criterion,
        "acceptance_criteria": [behaviour.start.criterion],
        "coder": {
            "promise": WORDS["coder"],
            "verification_method": column,
            "verification_config": _config(behaviour, column),
            "max_iterations": behaviour.iterations,
        },
    }
    if behaviour.tester:
        word = {"promise": WORDS["tester"], "verification_method": "string_match", "max_iterations": 1}
        completion["tester"] = word
    return completion


def _run_settings(behaviour: Behaviour, programs: dict[str, str]) -> Step:
    settings: Step = {
        "agent": {"command": programs["coder"]},
        "guardrails": [_with_baseline(behaviour, {"command": behaviour.check_command})],
        "maximumIterations": behaviour.iterations,
    }
    if behaviour.commits:
        settings["scm"] = {"command": "git", "tasks": ["commit"]}
    if behaviour.may_change:
        settings["mayChange"] = list(behaviour.may_change)
    return settings


def _task_settings(behaviour: Behaviour, programs: dict[str, str]) -> Step:
    roles = ["coder", *(["tester"] if behaviour.tester else [])]
    return {
        "pipeline": roles,
        "roles": {role: {"agent": programs[role]} for role in roles},
        "tools": {"executors": [{"id": JUDGE, "type": "claude", "command": programs[JUDGE]}]},
        "ralph": {"semantic_model": JUDGE},
    }


def _chunk_settings(behaviour: Behaviour, programs: dict[str, str]) -> Step:
    """The settings of `chunk`: the check decides first, then a reviewer of each attempt."""
    return {
        "agent": {"command": programs["coder"]},
        "tools": {
            "executors": [{"id": JUDGE, "type": "claude", "command": programs[JUDGE]}],
            "reviewers": [{"id": REVIEWER, "agent": JUDGE}],
        },
        "defaults": {"quickReviewer": REVIEWER, "deepReviewer": "none", "finalReviewer": "none"},
        "verification": {
            "steps": [_with_baseline(behaviour, {"name": "check", "command": behaviour.check_command})],
        },
    }


def _story_settings(_behaviour: Behaviour, programs: dict[str, str]) -> Step:
    """The settings of `stories`: the check is in the plan."""
    return {"agent": {"command": programs["coder"]}}


def _config(behaviour: Behaviour, column: Column) -> dict[str, Any]:
    match column:
        case "external":
            return _with_baseline(behaviour, {"command": behaviour.check_command})
        case "semantic":
            return {"check_for": [behaviour.start.criterion]}
        case "multi_stage":
            return {"stages": _stages(behaviour)}
        case _:
            return {}


def _stages(behaviour: Behaviour) -> list[Step]:
    commands = behaviour.stages or (behaviour.start.build, behaviour.check_command)
    stages: list[Step] = [
        {"name": f"command {number}", "method": "external", "config": _with_baseline(behaviour, {"command": command})}
        for number, command in enumerate(commands, 1)
    ]
    if behaviour.judged:
        stages.append({"name": "judgement", "method": "semantic", "config": {"check_for": [behaviour.start.criterion]}})
    return stages


def _with_baseline(behaviour: Behaviour, check: Step) -> Step:
    return {**check, "baseline": behaviour.baseline} if behaviour.baseline else check
