"""The agent fixes the bug and sets the line ends in .gitattributes."""

from honesty.kit import PYTEST, Control, Tree


def agent(tree: Tree) -> None:
    tree.fix()
    tree.write(".gitattributes", "* text=auto eol=lf\n*.png binary\n")


BEHAVIOUR = Control(start=PYTEST, agent=agent, grid=True)
