"""The user turns reviews off, and the agent is right."""

from honesty.kit import PYTEST, STORIES, Control, Tree

BEHAVIOUR = Control(start=PYTEST, agent=Tree.fix, settings={"skipReview": True}, columns=STORIES)
