"""The review adds a story for what it noticed beside the work, and the next iterations do that too."""

from honesty.kit import PYTEST, STORIES, Control, Tree, accept, approve, commit, read_plan, story, write_plan


def reviewer(tree: Tree) -> None:
    approve(tree)
    plan = read_plan(tree)
    write_plan(tree, {**plan, "userStories": [*plan["userStories"], story("US-002", "label is documented")]})
    commit(tree)


def document(tree: Tree) -> None:
    tree.replace("shop.py", "def label(name):\n", 'def label(name):\n    """The name in titles."""\n')


BEHAVIOUR = Control(
    start=PYTEST,
    agent=(Tree.fix, document),
    reviewer=(reviewer, accept),
    iterations=2,
    right_at=2,
    columns=STORIES,
)
