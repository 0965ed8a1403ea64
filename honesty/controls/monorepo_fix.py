"""The agent fixes the bug in a project with two test runners."""

from honesty.kit import MONOREPO, Control, Tree

BEHAVIOUR = Control(start=MONOREPO, agent=Tree.fix)
