"""`ralph agents`: which agents ralph can drive here, and how."""

from typing import TYPE_CHECKING

import click

from ralph.cli.here import here

if TYPE_CHECKING:
    from ralph.app.setup.agents import KnownAgent


@click.command("agents")
@click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON list, with installed, path, version, format and argv."
)
def command(as_json: bool) -> None:
    """List the agents that ralph knows, and those that the settings add.

    Below each is the command that starts it, with PROMPT where the prompt goes.

    \b
    ralph agents
    ralph agents --json
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.setup.agents import agent_names, known_agents
    from ralph.config.layers import load

    project = here()
    settings = load(project).settings
    found = known_agents(settings, project)
    if as_json:
        from msgspec import to_builtins

        from ralph.cli.json_out import print_json

        print_json([to_builtins(agent) | {"installed": agent.installed} for agent in found])
        return
    width = max(map(len, agent_names(settings)))
    installed = [_show(agent, width) for agent in found]
    if not any(installed):
        click.echo("None is installed. Install one, or add any command in the settings: tools.executors")


def _show(agent: "KnownAgent", width: int) -> bool:
    """Show an agent as soon as it is known: some programs take seconds to print their version."""
    import os

    from ralph.cli.saying import safe_text, say

    call = safe_text(f"{'':{width}}  {_call(agent)}")
    say(f"{agent.name:{width}}  {_state(agent)}")
    click.echo(call if os.environ.get("NO_COLOR") else click.style(call, dim=True))
    return agent.installed


def _state(agent: "KnownAgent") -> str:
    facts = [agent.version, agent.path] if agent.installed else ["not installed"]
    kind = [f"{agent.type}, from the settings"] if agent.from_settings else []
    return " · ".join(fact for fact in (*facts, *kind, f"read as {agent.format}") if fact)


def _call(agent: "KnownAgent") -> str:
    import shlex

    return shlex.join(agent.argv) + (" < PROMPT" if agent.prompt == "stdin" else "")
