"""The agent fixes what the linter reports."""

from honesty.kit import LINT, Control, Tree

BEHAVIOUR = Control(start=LINT, agent=Tree.fix)
