"""The agent fixes the bug and adds a command line that ends with sys.exit(main())."""

from honesty.kit import PYTEST, Control, Tree

MAIN = """

def main():
    import sys

    print(total([int(word) for word in sys.argv[1:]]))
    return 0


if __name__ == "__main__":
    import sys

    sys.exit(main())
"""


def agent(tree: Tree) -> None:
    tree.fix()
    tree.append("shop.py", MAIN)


BEHAVIOUR = Control(start=PYTEST, agent=agent)
