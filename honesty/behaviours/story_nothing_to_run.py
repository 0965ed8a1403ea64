"""The plan has no verify commands, and a reviewer approves wrong work: the end must not say proven."""

from honesty.kit import STORIES, WEAK, Attack, Tree


def agent(_tree: Tree) -> None:
    """Do nothing: the story is then submitted without any work."""


BEHAVIOUR = Attack(start=WEAK, agent=agent, plan={"verifyCommands": []}, columns=STORIES)
