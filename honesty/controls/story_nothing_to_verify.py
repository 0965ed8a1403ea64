"""The plan has no verify commands: reviewed work is accepted, and the end says that nothing was run."""

from honesty.kit import PYTEST, STORIES, Control, Tree

BEHAVIOUR = Control(start=PYTEST, agent=Tree.fix, plan={"verifyCommands": []}, proof="word", columns=STORIES)
