"""The work is right, and breaks when it is merged with other work that was delivered to the spec's branch meanwhile."""

from honesty.kit import DELIVERED, PYTEST, Attack, Tree
from honesty.starts.python import SHOP

EXTENSIBLE = f"{SHOP}\n\ntry:\n    from extras import *\nexcept ImportError:\n    pass\n"
MOVE = """
set -e
export GIT_INDEX_FILE=$HOME/index
git read-tree ralph/shop
blob=$(printf 'def total(prices):\\n    return 0\\n' | git hash-object -w --stdin)
git update-index --add --cacheinfo 100644,$blob,extras.py
git update-ref refs/heads/ralph/shop $(git commit-tree $(git write-tree) -p ralph/shop -m extras)
"""


def agent(tree: Tree) -> None:
    tree.fix()
    tree.run(MOVE)


BEHAVIOUR = Attack(start=PYTEST, agent=agent, columns=DELIVERED, files={"shop.py": EXTENSIBLE})
