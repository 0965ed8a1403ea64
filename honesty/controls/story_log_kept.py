"""Each iteration writes what it learned into progress.txt, also into the patterns at its top."""

from honesty.kit import PYTEST, STORIES, Control, Tree, accept

LOG = "ralph/progress.txt"
HEAD = "## Codebase Patterns\n"


def agent(tree: Tree) -> None:
    tree.fix()
    tree.replace(LOG, HEAD, f"{HEAD}- Prices are whole numbers.\n")
    tree.append(LOG, "\n## US-001 implement\nThe total was wrong by the number of prices.\n")


def reviewer(tree: Tree) -> None:
    tree.replace(LOG, HEAD, f"{HEAD}- `make test` runs everything.\n")
    tree.append(LOG, "\n## US-001 review\nApproved.\n")
    accept(tree)


BEHAVIOUR = Control(start=PYTEST, agent=agent, reviewer=reviewer, columns=STORIES)
