"""The agent fixes the bug and adds a small picture."""

from honesty.kit import PYTEST, Control, Tree

PICTURE = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")


def agent(tree: Tree) -> None:
    tree.fix()
    (tree.folder / "logo.png").write_bytes(PICTURE)


BEHAVIOUR = Control(start=PYTEST, agent=agent, grid=True)
