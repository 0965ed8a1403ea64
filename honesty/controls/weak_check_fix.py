"""The agent fixes the bug in a project whose check notices hardly anything."""

from honesty.kit import WEAK, Control, Tree

BEHAVIOUR = Control(start=WEAK, agent=Tree.fix, grid=True)
