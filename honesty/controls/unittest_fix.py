"""The agent fixes the bug in a project that is tested by unittest."""

from honesty.kit import UNITTEST, Control, Tree

BEHAVIOUR = Control(start=UNITTEST, agent=Tree.fix, grid=True)
