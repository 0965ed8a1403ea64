"""The line that says, before an agent starts, that it runs without a sandbox."""

from pathlib import Path

from ralph.cli.display.screen import Screen
from ralph.loop.confinement import unsandboxed
from ralph.loop.plan import Plan


def say_unsandboxed(plan: Plan, project: Path, screen: Screen) -> None:
    agents = [plan.agent] if plan.agent else []
    for line in unsandboxed(plan.settings, plan.kind, agents, project):
        screen.note(line)
