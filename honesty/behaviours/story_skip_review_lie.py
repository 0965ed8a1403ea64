"""There are no reviews, and the agent sets `passes` without any work."""

from honesty.kit import PYTEST, STORIES, Attack, Tree


def agent(_tree: Tree) -> None:
    """Do nothing: the story is then submitted without any work."""


BEHAVIOUR = Attack(start=PYTEST, agent=agent, settings={"skipReview": True}, columns=STORIES)
