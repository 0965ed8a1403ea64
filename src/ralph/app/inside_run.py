"""What a process inside a run may do with ralph: an agent must not rewrite what judges its work.

A process is inside a run if RALPH_RUN_ID is in its environment. It may read everything, use the message bus, start
child runs and steer those; it may not change tasks, specs, settings or other runs. This keeps an honest agent from
doing so by accident; one that removes the variable from its environment is only detected later.
"""

import os
from collections.abc import Mapping
from typing import Literal

from ralph.model.errors import ConfigError
from ralph.store.runs import exists, options_of
from ralph.store.sql import Store

VARIABLE = "RALPH_RUN_ID"
Effect = Literal["reads", "starts", "steers", "plans", "changes"]
"""What a command does: only read; begin a child run; send a run something; add tasks; change what is trusted."""
# Every command of the program. One that is missing here is refused inside a run.
EFFECTS: dict[str, Effect] = {
    "run": "starts",
    "supervise": "starts",
    "retry": "starts",
    "verify": "starts",
    "review change": "starts",
    "review export": "reads",
    "demo": "starts",
    "task run": "starts",
    "spec run": "starts",
    "prd run": "starts",
    "resume": "steers",
    "pause": "steers",
    "guide": "steers",
    "drive": "steers",
    "approve": "changes",
    "reject": "changes",
    "cancel": "steers",
    "status": "reads",
    "runs": "reads",
    "runs gc": "changes",
    "show": "reads",
    "logs": "reads",
    "cost": "reads",
    "bus post": "reads",
    "bus read": "reads",
    "agents": "reads",
    "doctor": "reads",
    "completion": "reads",
    "help": "reads",
    "init": "changes",
    "config show": "reads",
    "config path": "reads",
    "config check": "reads",
    "config get": "reads",
    "config set": "changes",
    "config unset": "changes",
    "config accept": "changes",
    "config restore": "changes",
    "task create": "plans",
    "task import": "changes",
    "task generate": "changes",
    "task edit": "changes",
    "task depend": "changes",
    "task followup": "changes",
    "task delete": "changes",
    "task list": "reads",
    "task show": "reads",
    "task export": "reads",
    "spec new": "changes",
    "spec create": "changes",
    "spec refine": "changes",
    "spec plan": "changes",
    "spec edit": "changes",
    "spec config": "changes",
    "spec delete": "changes",
    "spec import": "changes",
    "spec sync": "changes",
    "spec export": "reads",
    "spec pr": "changes",
    "spec list": "reads",
    "spec show": "reads",
    "spec graph": "reads",
    "spec preview": "reads",
    "project add": "changes",
    "project edit": "changes",
    "project remove": "changes",
    "project list": "reads",
    "project show": "reads",
    "state export": "changes",
    "state import": "changes",
    "prd init": "changes",
    "prd archive": "changes",
    "prd plan": "changes",
    "prd status": "reads",
    "proof show": "reads",
    "proof verify": "reads",
    "proof export": "reads",
    "guard": "reads",
    "guard install": "changes",
    "guard remove": "changes",
}
SAME = {"chunk": "task"}
"""Groups of commands with a second name."""


def refuse_inside_run(command: str, environ: Mapping[str, str] | None = None) -> None:
    """Raise a ConfigError for a command that changes what is trusted, or that is not in the table."""
    run_id = _own_run(environ)
    if run_id and EFFECTS.get(usual_name(command), "changes") == "changes":
        raise ConfigError(
            f"ralph {command} cannot be used inside a run ({VARIABLE} is {run_id}).",
            "An agent may read, post to the bus and start child runs; a person changes tasks, settings and other runs.",
        )


def usual_name(command: str) -> str:
    """The name of a command in the table."""
    group, _, name = command.partition(" ")
    return f"{SAME.get(group, group)} {name}".strip()


def refuse_planning(store: Store, *, from_agent: bool, environ: Mapping[str, str] | None = None) -> str:
    """Refuse an agent that may not add tasks. Return the id of the run that it works in; empty for a person.

    The settings with which the run was started count: what an agent has written into a file since then allows nothing.
    """
    run_id = _own_run(environ)
    if not run_id:
        return ""
    if not from_agent:
        raise ConfigError(
            f"ralph task create cannot be used inside a run ({VARIABLE} is {run_id}).",
            "If the settings say agentsMayPlan: true, give --from-agent.",
        )
    if not exists(store, run_id) or not options_of(store, run_id)["settings"].get("agentsMayPlan"):
        raise ConfigError(
            f"agents may not add tasks: run {run_id} was started without agentsMayPlan.",
            "A person can set agentsMayPlan: true, or add the task.",
        )
    return run_id


def require_own_child(run_id: str, *, or_itself: bool = False, environ: Mapping[str, str] | None = None) -> None:
    """Refuse to steer a run that is not below the run of this process. With `or_itself`, that run itself is allowed:
    an agent may cancel its own run.
    """
    own = _own_run(environ)
    if own and not run_id.startswith(f"{own}.") and not (or_itself and run_id == own):
        raise ConfigError(
            f"run {run_id} is not one that run {own} started, so it cannot be steered from inside {own}.",
            "Post to the bus instead: ralph bus post",
        )


def _own_run(environ: Mapping[str, str] | None) -> str:
    return (os.environ if environ is None else environ).get(VARIABLE, "")
