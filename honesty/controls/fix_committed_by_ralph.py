"""The agent fixes the bug, and ralph commits it."""

from honesty.kit import PYTEST, Control, Tree

BEHAVIOUR = Control(start=PYTEST, agent=Tree.fix, commits=True, columns=("run",))
