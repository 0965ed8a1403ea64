"""Finds the runners' modules: the installed ones before any in the current directory, and unittest's to watch it."""

import os
import sys
from importlib.machinery import PathFinder

RUNNERS = frozenset({"pytest", "_pytest", "pluggy", "unittest", "ralph_inventory", "ralph_inventory_pytest"})
WATCHED = "unittest.runner"
HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = ("site-packages", "dist-packages")
LIBRARY = os.path.dirname(os.path.abspath(os.__file__))


class RunnerFinder:
    """Keeps a `pytest.py` in the tree from replacing pytest; PYTHONSAFEPATH would break projects that need that
    path.
    """

    def find_spec(self, name, path=None, target=None):  # noqa: ARG002 - the protocol has it
        if name in RUNNERS:
            return PathFinder.find_spec(name, installed())
        if name == WATCHED:
            return watched(PathFinder.find_spec(name, path))
        return None


def installed():
    return [entry for entry in sys.path if entry in {HERE, LIBRARY} or entry.endswith(PACKAGES)]


def watched(spec):
    """The same spec, whose loader also makes the text runner of the module report."""
    if spec is None or spec.loader is None:
        return spec
    loader = spec.loader
    execute = loader.exec_module

    def execute_and_watch(module):
        execute(module)
        import ralph_inventory_unittest

        ralph_inventory_unittest.watch(module.TextTestRunner)

    loader.exec_module = execute_and_watch
    return spec


def install():
    sys.meta_path.insert(0, RunnerFinder())
