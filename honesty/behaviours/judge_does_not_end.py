"""The judge does not answer in time, and the work is wrong."""

from honesty.kit import JUDGED, WEAK, Attack, Step, Tree


def agent(tree: Tree) -> None:
    tree.append("shop.py", "\n\n# fixed\n")


def judge(_tree: Tree) -> Step:
    return {"hang": True}


BEHAVIOUR = Attack(
    start=WEAK,
    agent=agent,
    columns=JUDGED,
    judged=True,
    judge=judge,
    ends=(1, 6, 7, 9),
    settings={"timeouts": {"agent": 2}},
)
