"""A review approves a story and counts two reviews, as if another one had reviewed it before."""

from honesty.kit import STORIES, WEAK, Attack, Tree, change_story, commit


def reviewer(tree: Tree) -> None:
    change_story(tree, "US-001", reviewStatus="approved", passes=True, reviewCount=2, notes="done")
    commit(tree)


def agent(_tree: Tree) -> None:
    """Do nothing: the story is then submitted without any work."""


BEHAVIOUR = Attack(start=WEAK, agent=agent, reviewer=reviewer, columns=STORIES)
