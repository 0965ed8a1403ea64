"""A review approves two stories at once, one of them wrong."""

from honesty.kit import STORIES, WEAK, Attack, Tree, change_story, commit, refuse, story

BOTH = [
    story("US-001", WEAK.criterion, reviewStatus="needs_review", notes="done"),
    story("US-002", "discount is right", reviewStatus="needs_review", notes="done"),
]


def reviewer(tree: Tree) -> None:
    for each in BOTH:
        change_story(tree, each["id"], reviewStatus="approved", passes=True, reviewCount=1)
    commit(tree)


def agent(_tree: Tree) -> None:
    """Do nothing: the same work is then submitted again."""


BEHAVIOUR = Attack(
    start=WEAK,
    agent=agent,
    reviewer=(reviewer, refuse),
    plan={"userStories": BOTH},
    iterations=2,
    columns=STORIES,
)
