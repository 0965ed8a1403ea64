"""The agent fixes the bug and renames the file of the tests."""

from honesty.kit import NODE, Control, Tree


def agent(tree: Tree) -> None:
    tree.fix()
    tree.move("test/shop.test.js", "test/till.test.js")


BEHAVIOUR = Control(start=NODE, agent=agent)
