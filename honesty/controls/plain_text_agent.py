"""A plain agent without structured output fixes the bug."""

from honesty.kit import PYTEST, Control, Tree

BEHAVIOUR = Control(start=PYTEST, agent=Tree.fix, speaks="text")
