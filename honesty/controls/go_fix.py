"""The agent fixes the bug in a project that is tested by go."""

from honesty.kit import GO, Control, Tree

BEHAVIOUR = Control(start=GO, agent=Tree.fix)
