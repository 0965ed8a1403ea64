"""The agent fixes the bug in a project that is tested by node."""

from honesty.kit import NODE, Control, Tree

BEHAVIOUR = Control(start=NODE, agent=Tree.fix, grid=True)
