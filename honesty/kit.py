"""Everything that the file of a behaviour needs."""

from honesty.declaration import CHECKED, COLUMNS, DELIVERED, JUDGED, STORIES, Act, Attack, Control, Step
from honesty.hidden import node_proof, python_proof, shell_proof
from honesty.starts.go import GO
from honesty.starts.node import NODE
from honesty.starts.python import LINT, MONOREPO, PYTEST, UNITTEST
from honesty.starts.rust import CARGO
from honesty.starts.shell import MAKE, SHELL, TARIFF, WEAK
from honesty.story_moves import (
    accept,
    approve,
    ask_for_changes,
    change_story,
    commit,
    read_plan,
    refuse,
    submit,
    write_plan,
)
from honesty.story_plan import story
from honesty.tree import Tree

__all__ = [
    "CARGO",
    "CHECKED",
    "COLUMNS",
    "DELIVERED",
    "GO",
    "JUDGED",
    "LINT",
    "MAKE",
    "MONOREPO",
    "NODE",
    "PYTEST",
    "SHELL",
    "STORIES",
    "TARIFF",
    "UNITTEST",
    "WEAK",
    "Act",
    "Attack",
    "Control",
    "Step",
    "Tree",
    "accept",
    "approve",
    "ask_for_changes",
    "change_story",
    "commit",
    "node_proof",
    "python_proof",
    "read_plan",
    "refuse",
    "shell_proof",
    "story",
    "submit",
    "write_plan",
]
