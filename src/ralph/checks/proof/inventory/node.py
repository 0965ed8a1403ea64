"""Node's variable: a hook that watches jest, vitest and mocha, and a reporter for node's own test runner.

Node takes as many destinations as reporters. A command that names one reporter and no destination needs a second
destination from us, and one that names none must not have it: only node's error shows which of them it is.
"""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

NODE = "node"
"""The part to leave out if the command accepts our reporter neither with one destination nor with two."""
NODE_DEFAULT = "node-default"
"""The part to leave out if the command names a reporter: then ours does not print what node's default one would."""
NODE_REPORTER = "node-reporter"
"""The part to leave out if node is too old for reporters."""

DESTINATION = "--test-reporter-destination=stdout"
SPECIAL = re.compile(r'[\s"\\]')


def node_variables(env: Mapping[str, str], programs: Path, without: Collection[str]) -> dict[str, str]:
    """The variables. The user's options come first: the first of two hooks is loaded first."""
    options = [env.get("NODE_OPTIONS", ""), _option("--require", programs / "node/hook.cjs")]
    if NODE not in without and NODE_REPORTER not in without:
        options += [_option("--test-reporter", programs / "node/reporter.mjs"), DESTINATION]
        options += [DESTINATION] if NODE_DEFAULT in without else []
    return {"NODE_OPTIONS": " ".join(filter(None, options))}


def _option(name: str, path: Path) -> str:
    """The option. Versions of node that know no quotes get none if they are not needed."""
    value = str(path)
    if SPECIAL.search(value):
        value = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{name}={value}"
