"""A story that is too large is split into two, which have all of its criteria."""

from honesty.kit import PYTEST, STORIES, Control, Tree, read_plan, story, submit, write_plan

CRITERIA = (PYTEST.criterion, "discount(price, percent) takes off the percent")


def split(tree: Tree) -> None:
    parts = [
        story("US-002", CRITERIA[0], splitFrom="US-001"),
        story("US-003", CRITERIA[1], splitFrom="US-001", priority=2, dependsOn=["US-002"]),
    ]
    write_plan(tree, {**read_plan(tree), "userStories": parts})
    tree.fix()


BEHAVIOUR = Control(
    start=PYTEST,
    agent=(split, submit),
    plan={"userStories": [story("US-001", *CRITERIA)]},
    iterations=3,
    right_at=3,
    columns=STORIES,
)
