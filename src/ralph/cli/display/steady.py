"""A rich console that never hides the cursor: a killed process could not show it again."""

from typing import Any

from rich.console import Console


class SteadyConsole(Console):
    def show_cursor(self, show: bool = True) -> bool:  # noqa: ARG002, FBT002 - rich's signature
        """Leave the cursor as it is."""
        return False


def steady_console(**options: Any) -> SteadyConsole:
    return SteadyConsole(highlight=False, **options)
