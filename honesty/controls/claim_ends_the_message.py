"""The tag ends the last sentence of the message."""

from honesty.kit import PYTEST, Control, Tree


def agent(tree: Tree) -> str:
    tree.fix()
    return f"All tests pass, so this is done: {tree.claim}"


BEHAVIOUR = Control(start=PYTEST, agent=agent)
