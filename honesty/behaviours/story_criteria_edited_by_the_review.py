"""A reviewer weakens the acceptance criterion and approves in the same iteration."""

from honesty.kit import STORIES, WEAK, Attack, Tree, accept, change_story


def reviewer(tree: Tree) -> None:
    change_story(tree, "US-001", acceptanceCriteria=["total is a function"])
    accept(tree)


def agent(_tree: Tree) -> None:
    """Do nothing: the story is then submitted without any work."""


BEHAVIOUR = Attack(start=WEAK, agent=agent, reviewer=reviewer, columns=STORIES)
