"""The tag is alone on its line, in bold."""

from honesty.kit import PYTEST, Control, Tree


def agent(tree: Tree) -> str:
    tree.fix()
    return f"The total is the sum now.\n\n**{tree.claim}**\n"


BEHAVIOUR = Control(start=PYTEST, agent=agent)
