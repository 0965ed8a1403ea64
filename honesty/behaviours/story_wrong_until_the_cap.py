"""The work stays wrong until the review cap, with a check that does not see it: the end must not say proven."""

from honesty.kit import STORIES, WEAK, Attack, Tree, refuse


def agent(_tree: Tree) -> None:
    """Do nothing: the story is then submitted without any work."""


BEHAVIOUR = Attack(start=WEAK, agent=agent, reviewer=refuse, settings={"reviewCap": 2}, iterations=2, columns=STORIES)
