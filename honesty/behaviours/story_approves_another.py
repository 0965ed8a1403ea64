"""A review of one story approves another one, which nobody has submitted."""

from honesty.kit import STORIES, WEAK, Attack, Tree, change_story, commit, story

PLAN = [
    story("US-001", WEAK.criterion, priority=2),
    story("US-002", "discount is right", reviewStatus="needs_review", notes="done"),
]


def reviewer(tree: Tree) -> None:
    change_story(tree, "US-001", reviewStatus="approved", passes=True, reviewCount=1, notes="done")
    commit(tree)


BEHAVIOUR = Attack(
    start=WEAK,
    agent=Tree.fix,
    reviewer=reviewer,
    plan={"userStories": PLAN},
    columns=STORIES,
)
