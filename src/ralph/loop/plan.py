"""What a run is driven by: its recipe's options, and the settings at the time when it was stored."""

from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ralph.agents.registry import Agent
from ralph.config.schema import Settings, apply_schema
from ralph.loop.kinds import kind_of
from ralph.loop.kinds.base import Kind
from ralph.loop.trust import Seals, seals_in
from ralph.model.errors import StateError
from ralph.sandbox.choice import sandbox_of
from ralph.store.runs import NewRun


class Plan(Struct, frozen=True):
    recipe: str
    kind: Kind
    settings: Settings
    merged: dict[str, Any]
    """The settings as they are stored."""
    loop: Any
    """The options, of the type that the kind names."""
    agent: Agent | None
    seals: Seals = {}
    """What the run trusts, as it was at the start. A part of a run has none: those of its parent count."""

    @property
    def options(self) -> bytes:
        seals = {"seals": self.seals} if self.seals else {}
        return msgspec.json.encode({"settings": self.merged, "loop": self.loop, **seals})


def make_plan(recipe: str, settings: Settings, merged: dict[str, Any], loop: Any) -> Plan:
    kind = kind_of(recipe)
    sandbox_of(settings, kind.sandbox)
    return Plan(recipe, kind, settings, merged, loop, kind.agent(settings, loop))


def stored_plan(run_id: str, recipe: str, options: bytes) -> Plan:
    """The plan of a run that was stored before."""
    kind = kind_of(recipe)
    try:
        stored = msgspec.json.decode(options)
        settings = apply_schema(stored["settings"])
        loop = msgspec.convert(stored["loop"], kind.options)
    except (msgspec.ValidationError, KeyError) as error:
        raise StateError(
            f"run {run_id} was stored by another version of ralph, and this one cannot read its options: {error}.",
            "Start it again with the command that started it.",
        ) from error
    plan = make_plan(recipe, settings, stored["settings"], loop)
    return replace(plan, seals=seals_in(options)) if "seals" in stored else plan


def plan_to_drive(run_id: str, recipe: str, options: bytes, known: Plan | None) -> Plan:
    """The caller's plan, if the run was stored with it, and otherwise the stored plan. The seals come from the store,
    because a plan is sealed when it is stored.
    """
    if known is not None:
        sealed = replace(known, seals=seals_in(options))
        if sealed.options == options:
            return sealed
    return stored_plan(run_id, recipe, options)


def new_run(plan: Plan, run_id: str, project: str, *, is_part: bool = False) -> NewRun:
    return NewRun(
        id=run_id,
        recipe=plan.recipe,
        project=project,
        options=plan.options,
        is_part=is_part,
        task_id=plan.kind.task(plan.loop),
        label=plan.kind.label(plan.loop),
        unit=plan.kind.unit,
        limit=plan.kind.limit(plan.loop),
        agent=plan.agent.title if plan.agent else "",
    )
