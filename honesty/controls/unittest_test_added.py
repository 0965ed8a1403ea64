"""The agent fixes the bug and adds a test."""

from honesty.kit import UNITTEST, Control, Tree

ADDED = """\
import unittest

from shop import total


class TotalTest(unittest.TestCase):
    def test_one(self):
        self.assertEqual(total([7]), 7)
"""


def agent(tree: Tree) -> None:
    tree.fix()
    tree.write("tests/test_totals.py", ADDED)


BEHAVIOUR = Control(start=UNITTEST, agent=agent)
