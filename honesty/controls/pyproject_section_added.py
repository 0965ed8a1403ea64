"""The agent fixes the bug and adds a section for a tool to pyproject.toml."""

from honesty.kit import PYTEST, Control, Tree


def agent(tree: Tree) -> None:
    tree.fix()
    tree.append("pyproject.toml", "\n[tool.coverage.run]\nbranch = true\n")


BEHAVIOUR = Control(start=PYTEST, agent=agent)
