"""Python's variables: our `sitecustomize` and our pytest plugin on PYTHONPATH, and no compiled files in the tree.

PYTHONSAFEPATH is left alone: `python -m pytest` in a project that imports from the current directory is honest and
common. Against a `pytest.py` or `unittest.py` in the tree, our `sitecustomize` finds the installed one first; a command
that prevents it from being loaded has a runner that reports nothing, which is a finding by itself.
"""

import os
from collections.abc import Mapping
from pathlib import Path


def python_variables(env: Mapping[str, str], programs: Path) -> dict[str, str]:
    entries = [str(programs / "python"), *filter(None, env.get("PYTHONPATH", "").split(os.pathsep))]
    return {"PYTHONPATH": os.pathsep.join(entries), "PYTHONDONTWRITEBYTECODE": "1"}
