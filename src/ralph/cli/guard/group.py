"""`ralph guard`: the stop guard, called by the hooks of an agent that another program runs."""

import os
import sys
from typing import TYPE_CHECKING

import click

from ralph.cli.lazy import VARIABLE, LazyGroup
from ralph.model.errors import ConfigError, RalphError

if TYPE_CHECKING:
    from ralph.app.guard.call import HookCall
    from ralph.app.guard.stop import Answer
    from ralph.loop.plan import Plan
    from ralph.loop.run import Driven
    from ralph.store.sql import Store

TABLE = {
    "install": ("ralph.cli.guard.install", "Add the guard to the hooks of Claude Code or Codex."),
    "remove": ("ralph.cli.guard.remove", "Remove the guard from the hooks of Claude Code and Codex."),
}


@click.group("guard", cls=LazyGroup, table=TABLE, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Let an agent that you start yourself stop only when its work is proven.

    Claude Code and Codex call `ralph guard` as a hook; `ralph guard install` adds the hook. When an agent wants to
    stop, ralph runs the checks of the project, as `ralph run` does when an agent says that it is done. If they fail,
    the agent gets the reason and continues. After guard.maxBlocks refusals in a row it may stop, and ralph tells you
    that the work is not proven. An error in ralph itself never keeps an agent from stopping.

    \b
    ralph guard install --agent claude
    ralph guard remove
    """  # noqa: D301 - click reads the backspace characters
    if ctx.invoked_subcommand is not None:
        return
    if sys.stdin.isatty():
        click.echo(ctx.get_help())
        return
    try:
        said = _answer()
    except Exception as error:  # noqa: BLE001 - an exit code of 2 would refuse the stop, again and again
        why = str(error) if isinstance(error, RalphError) else f"{error!r}."
        click.echo(f"ralph guard: nothing was checked: {why}", err=True)
        return
    if said:
        _print(said)


def _answer() -> "Answer | None":
    """The answer; None if there is nothing to say, as inside ralph's own loops, which prove the work themselves."""
    from ralph.app.guard.call import LARGEST, PLANS, START, STOP, read_call

    data = sys.stdin.buffer.read(LARGEST + 1)
    if VARIABLE in os.environ:
        return None
    call = read_call(data)
    if call.hook_event_name not in (START, STOP):
        raise ConfigError(
            f"{call.hook_event_name!a} is not an event that the guard handles.", f"Call it at {START} and {STOP}."
        )
    if call.hook_event_name == START:
        return _begun(call)
    return None if call.permission_mode == PLANS else _stopped(call)


def _begun(call: "HookCall") -> None:
    import asyncio

    from ralph.app.guard.sessions import begin
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        asyncio.run(begin(store, call, os.environ))


def _stopped(call: "HookCall") -> "Answer | None":
    import asyncio

    from ralph.app.guard.stop import answer, plan_stop, store_stop, unchecked
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        try:
            stopping = asyncio.run(plan_stop(store, call, os.environ))
            if stopping is None:
                return None
            run_id = store_stop(store, stopping)
            driven = asyncio.run(_driven(store, run_id, stopping.plan))
            return answer(store, stopping, run_id, driven)
        except RalphError as error:
            return unchecked(store, call, error)


async def _driven(store: "Store", run_id: str, plan: "Plan") -> "Driven":
    """Drive the run without a screen, because an agent reads the result."""
    from ralph.loop.run import drive_run
    from ralph.loop.stop import Stop
    from ralph.loop.streams import Streams

    stop = Stop()
    # A signal means that the agent or its user no longer waits for the result.
    stop.at_once = True
    with stop.on_signals(lambda: None):
        return await drive_run(store, run_id, stop, Streams(), plan=plan, is_locked=True)


def _print(said: "Answer") -> None:
    """Print the answer in the form that Claude Code and Codex read. Standard error is for people who debug their
    hooks.
    """
    # It is plain ASCII, which the agent can read whatever the terminal's encoding is.
    from json import dumps

    if said.refused:
        click.echo(dumps({"decision": "block", "reason": said.refused}))
    elif said.told:
        click.echo(dumps({"systemMessage": f"ralph: {said.told}"}))
        click.echo(f"ralph guard: {said.told}", err=True)
