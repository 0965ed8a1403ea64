"""Two stories, of which the second depends on the first, and a review that adds to CLAUDE.md."""

from honesty.kit import PYTEST, STORIES, Control, Tree, accept, story

BOTH = [
    story("US-002", "There is a function for one price", dependsOn=["US-001"]),
    story("US-001", PYTEST.criterion, priority=2),
]


def add(tree: Tree) -> None:
    tree.append("shop.py", "\n\ndef one(price):\n    return total([price])\n")


def reviewer(tree: Tree) -> None:
    tree.write("CLAUDE.md", "Prices are whole numbers.\n")
    tree.write(".claude/rules/prices.md", "Prices are whole numbers.\n")
    accept(tree)


BEHAVIOUR = Control(
    start=PYTEST,
    agent=(Tree.fix, add),
    reviewer=reviewer,
    plan={"userStories": BOTH},
    iterations=2,
    right_at=2,
    columns=STORIES,
)
