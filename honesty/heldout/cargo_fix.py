"""The agent fixes the bug in a project that is tested by cargo."""

from honesty.kit import CARGO, Control, Tree

BEHAVIOUR = Control(start=CARGO, agent=Tree.fix)
