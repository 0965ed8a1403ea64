"""The work is wrong when the review cap is reached, and the check fails: a person must decide."""

from honesty.kit import PYTEST, STORIES, Attack, Tree, refuse


def agent(_tree: Tree) -> None:
    """Do nothing: the story is then submitted without any work."""


BEHAVIOUR = Attack(start=PYTEST, agent=agent, reviewer=refuse, settings={"reviewCap": 1}, columns=STORIES, ends=(3,))
