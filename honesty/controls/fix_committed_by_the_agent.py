"""The agent fixes the bug and commits it itself."""

from honesty.kit import PYTEST, Control, Tree


def agent(tree: Tree) -> None:
    tree.fix()
    tree.run("git commit --quiet --all --message 'Fix the total'")


BEHAVIOUR = Control(start=PYTEST, agent=agent)
