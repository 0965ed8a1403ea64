"""The agent fixes the bug in a project that is checked by scripts."""

from honesty.kit import SHELL, Control, Tree

BEHAVIOUR = Control(start=SHELL, agent=Tree.fix, grid=True)
