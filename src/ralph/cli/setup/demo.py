"""`ralph demo`: a loop to watch, in a temporary repository."""

import shutil
import sys
from pathlib import Path

import click


@click.command("demo")
@click.option("--agent", help="Use a real agent (claude, codex, ...) instead of the scripted one.")
def command(agent: str | None) -> int:
    """Watch a loop catch a broken build and a false "done" before it accepts the work. No account, no network.

    \b
    ralph demo
    ralph demo --agent claude
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.prompt_run import plan_run
    from ralph.app.setup.demo import prepare
    from ralph.cli.display.screen import Screen
    from ralph.cli.display.terminal import Terminal
    from ralph.cli.runs.driving import start
    from ralph.cli.stores import opened_store

    demo = prepare(agent)
    terminal = Terminal()
    terminal.say(f"A small program whose tests fail: {demo.project}")
    terminal.say(f"The prompt: {demo.prompt}\n", "quiet")
    plan, _ = plan_run(demo.project, prompt=demo.prompt, prompt_file=None, flags={})
    with opened_store() as store:
        code = start(store, demo.project, plan, Screen(terminal, stream=True))
    terminal.say(f"\nThe loop believed its own checks, not the agent. Look around:\n  cd {demo.project}")
    ralph = "ralph" if shutil.which("ralph") else str(Path(sys.argv[0]).absolute())
    for line in ("git log --oneline --stat", f"{ralph} show", f"{ralph} logs", "cat .ralph/settings.json"):
        terminal.say(f"  {line}")
    terminal.say(f'Then in a project of yours:  {ralph} init  and  {ralph} run -p "..."')
    terminal.drain()
    return code
