"""The first run ends before the work is right, and a second one continues on its branch."""

from honesty.kit import PYTEST, STORIES, Control, Tree, accept, refuse


def half(tree: Tree) -> None:
    tree.append("shop.py", "\n\n# The total is next.\n")


BEHAVIOUR = Control(start=PYTEST, agent=(half, Tree.fix), reviewer=(refuse, accept), then=("again",), columns=STORIES)
