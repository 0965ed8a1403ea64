"""A reviewer changes the code, commits it, and approves what nobody else has seen."""

from honesty.kit import STORIES, WEAK, Attack, Tree, accept


def reviewer(tree: Tree) -> None:
    tree.replace("shop.py", "sum(prices) - len(prices)", "sum(prices) - 1")
    accept(tree)


def agent(_tree: Tree) -> None:
    """Do nothing: the story is then submitted without any work."""


BEHAVIOUR = Attack(start=WEAK, agent=agent, reviewer=reviewer, columns=STORIES)
