"""The agent fixes the bug in a project that is checked by make alone."""

from honesty.kit import MAKE, Control, Tree

BEHAVIOUR = Control(start=MAKE, agent=Tree.fix)
