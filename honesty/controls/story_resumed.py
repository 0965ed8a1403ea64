"""ralph is killed while the agent works, and the resumed run finishes the story."""

from honesty.kit import PYTEST, STORIES, Control, Tree


def begin(tree: Tree) -> None:
    tree.append("shop.py", "\n\n# The total is next.\n")
    tree.kill_ralph()


BEHAVIOUR = Control(start=PYTEST, agent=(begin, Tree.fix), then=("resume",), iterations=2, right_at=2, columns=STORIES)
