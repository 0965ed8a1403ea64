"""What ran, why it stopped, what each check saw: runs as people and programs want to read them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from ralph.app.kinds import kind_of
from ralph.app.kinds.base import Kind
from ralph.app.plan import plan_again
from ralph.kernel.actions import AnyAction, ReadClaim, RunAgent, RunCommand, RunScmTask, Verify
from ralph.kernel.feedback import GAP, agent_note, guardrail_note
from ralph.kernel.recipes.prompt import Guardrail
from ralph.kernel.slugs import unique_slugs
from ralph.kernel.stage_text import claim_note, claim_problem, not_verified
from ralph.model.errors import ConfigError
from ralph.model.runs import Entry, Run
from ralph.store.database import connect
from ralph.store.journal import entries
from ralph.store.runs import STEP, children, find_run, list_runs, whole
from ralph.store.state_dir import StateDir, directory_name

_actions = msgspec.json.Decoder(AnyAction)


class Step(Struct, frozen=True):
    """One attempt at one action, with its result if it came to one."""

    entry: Entry
    action: AnyAction
    result: Any

    @property
    def killed(self) -> bool:
        return self.entry.ended_at is None


class Attempt(Struct, frozen=True):
    """One attempt at an iteration: the agent's run, and all that was seen of it."""

    number: int
    attempt: int
    steps: list[Step]

    @property
    def has_agent(self) -> bool:
        """Otherwise its steps are around the iterations, or around other runs."""
        return any(isinstance(step.action, RunAgent) for step in self.steps)


def runs(project: Path | None, limit: int | None) -> list[Run]:
    return list_runs(connect(), project=None if project is None else str(project), limit=limit)


def open_run(prefix: str | None, project: Path) -> tuple[Run, list[Attempt]]:
    """The run whose id begins so, or the latest one of the project."""
    connection = connect()
    run = find_run(connection, prefix) if prefix else _latest(connection, project)
    return run, attempts(entries(connection, run.id))


def parts(run: Run) -> list[tuple[Run, list[Attempt]]]:
    """The runs that this one is made of, each with its own parts behind it."""
    connection = connect()
    found = [child for child in children(connection, run.id) if STEP in child.options]
    return [each for part in found for each in ((part, attempts(entries(connection, part.id))), *parts(part))]


def attempts(found: list[Entry]) -> list[Attempt]:
    """In the order in which they happened. A new attempt begins whenever the agent's work is begun again."""
    result: list[Attempt] = []
    for entry in found:
        step = _step(entry)
        last = result[-1] if result else None
        if last is None or last.number != entry.iteration:
            result.append(Attempt(entry.iteration, 1, []))
        elif _begins(step) and any(map(_begins, last.steps)):
            result.append(Attempt(entry.iteration, last.attempt + 1, []))
        result[-1].steps.append(step)
    return result


def attempt_dir(run: Run, attempt: Attempt) -> Path:
    begun = next((step for step in attempt.steps if _begins(step)), None)
    name = f"iteration-{attempt.number}"
    if begun and isinstance(begun.action, RunAgent):
        name = directory_name(begun.action, begun.entry.attempt)
    return StateDir(Path(run.project)).run_dir(run.id) / name


def action_name(action: AnyAction) -> str:
    match action:
        case RunAgent(purpose="work"):
            return "agent"
        case RunAgent():
            return "agent, commit message"
        case RunCommand(command=command):
            return f"guardrail {command}"
        case RunScmTask(command=command, task=task):
            return f"{command} {task}"
        case _:
            return getattr(action, "name", "") or str(action.__struct_config__.tag)


def loop_label(run: Run) -> str:
    """What it works on, such as a task and a role."""
    kind = kind_of(run.recipe)
    if kind is None or kind.version != run.recipe_version:
        return ""
    return kind.label(msgspec.convert(run.options["loop"], kind.options))


def unit(run: Run) -> str:
    """What it counts."""
    kind = kind_of(run.recipe)
    return kind.unit if kind else Kind.unit


def run_json(run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        "parentId": run.parent_id,
        "recipe": run.recipe,
        "status": run.status,
        "verdict": run.verdict,
        "reason": run.reason,
        "iterations": run.iterations,
        "startedAt": run.started_at,
        "endedAt": run.ended_at,
        "costUsd": run.cost_usd,
        "tokens": run.tokens.total,
        "project": run.project,
    }


def feedback(run: Run, attempt: Attempt) -> str:
    """What the next iteration was told of this one."""
    known: Sequence[Guardrail] = getattr(plan_again(run).loop, "guardrails", ())
    guardrails = dict(zip(unique_slugs(each.command for each in known), known, strict=True))
    notes: list[str] = []
    for step in attempt.steps:
        match step.action:
            case RunAgent(purpose="work") if step.result and not step.result.ok:
                notes.append(agent_note(step.result).text)
            case RunCommand(slug=slug) if step.result and not step.result.passed:
                notes.append(guardrail_note(step.result, "APPEND", guardrails[slug].hint).text)
            case ReadClaim(expected=expected, earlier=earlier) if step.result:
                if problem := claim_problem(step.result, expected, earlier):
                    notes.append(claim_note(problem, expected, earlier).text)
            case Verify() if step.result and not step.result.passed:
                notes.append(not_verified(step.result).text)
            case _:
                pass
    return GAP.join(notes)


def attempt_json(run: Run, attempt: Attempt) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "attempt": attempt.attempt,
        "actions": [_step_json(step) for step in attempt.steps],
        "evidence": [_camel(step.result) for step in attempt.steps if hasattr(step.result, "passed")],
        "feedback": feedback(run, attempt),
    }


def _begins(step: Step) -> bool:
    return isinstance(step.action, RunAgent) and step.action.purpose == "work"


def _latest(connection: Connection, project: Path) -> Run:
    found = list_runs(connection, project=str(project), limit=1)
    if not found:
        raise ConfigError("nothing has run in this project yet.", 'Begin: ralph run -p "..."')
    return whole(connection, found[0])


def _step(entry: Entry) -> Step:
    action = _actions.decode(entry.action)
    result: Any = None if entry.result is None else msgspec.json.decode(entry.result, type=action.result)
    return Step(entry, action, result)


def _step_json(step: Step) -> dict[str, Any]:
    return {
        "kind": step.entry.kind,
        "attempt": step.entry.attempt,
        "startedAt": step.entry.started_at,
        "endedAt": step.entry.ended_at,
        "error": step.entry.error,
        "result": _camel(step.result),
    }


def _camel(value: Any) -> Any:
    """Every field, also those that are at their defaults: programs want to find them all."""
    if not isinstance(value, Struct):
        return value
    return {_camel_name(name): _camel(getattr(value, name)) for name in value.__struct_fields__}


def _camel_name(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.title() for part in tail)
