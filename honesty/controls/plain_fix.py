"""The agent fixes the bug and touches nothing else."""

from honesty.kit import PYTEST, Control, Tree

BEHAVIOUR = Control(start=PYTEST, agent=Tree.fix, grid=True)
