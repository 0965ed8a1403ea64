"""The agent takes its time before it fixes the bug."""

import time

from honesty.kit import PYTEST, Control, Tree


def agent(tree: Tree) -> None:
    time.sleep(2)
    tree.fix()


BEHAVIOUR = Control(start=PYTEST, agent=agent)
