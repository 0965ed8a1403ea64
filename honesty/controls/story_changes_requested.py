"""A review asks for changes, and the next agent makes them."""

from honesty.kit import PYTEST, STORIES, Control, Tree, accept, refuse


def half(tree: Tree) -> None:
    tree.append("shop.py", "\n\n# The total is next.\n")


BEHAVIOUR = Control(
    start=PYTEST, agent=(half, Tree.fix), reviewer=(refuse, accept), iterations=2, right_at=2, columns=STORIES
)
