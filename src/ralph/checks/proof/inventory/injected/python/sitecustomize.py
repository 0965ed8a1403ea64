"""Watches for test runners in every Python of a trial, then starts the sitecustomize that this one hides.

It prints nothing and changes nothing unless a runner is imported. It uses no annotations, because Python versions that
do not know them import it, too.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OLDEST_WATCHED = (3, 8)
OLDEST_CHAINED = (3, 5)
PACKAGES = ("site-packages", "dist-packages")


def give_way():
    """Make sure that nothing here comes before a module of the project."""
    if HERE in sys.path:
        sys.path.remove(HERE)
    sys.path.append(HERE)


def start_next():
    """Run the sitecustomize that would have been found without this one, unless it is in the checked tree."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    tree = os.environ.get("RALPH_INVENTORY_TREE", "")
    elsewhere = [entry for entry in sys.path if entry != HERE and not is_inside(entry, tree)]
    spec = PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.loader is not None:
        module = sys.modules["sitecustomize"] = module_from_spec(spec)
        spec.loader.exec_module(module)


def is_inside(entry, tree):
    """Whether the entry is part of the change. A package installed inside the tree, in a virtual environment, is the
    user's setup.
    """
    path = os.path.realpath(entry)
    return bool(tree) and (path + os.sep).startswith(os.path.realpath(tree) + os.sep) and not path.endswith(PACKAGES)


give_way()
if sys.version_info >= OLDEST_WATCHED and os.environ.get("RALPH_INVENTORY"):
    import ralph_inventory_finder

    ralph_inventory_finder.install()
if sys.version_info >= OLDEST_CHAINED:
    start_next()
