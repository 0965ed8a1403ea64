"""All stories are done, the user adds one, and a second run does that too."""

from honesty.kit import PYTEST, STORIES, Control, Tree


def document(tree: Tree) -> None:
    tree.replace("shop.py", "def label(name):\n", 'def label(name):\n    """The name in titles."""\n')


BEHAVIOUR = Control(start=PYTEST, agent=(Tree.fix, document), then=("again",), columns=STORIES)
