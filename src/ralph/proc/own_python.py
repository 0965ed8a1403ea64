"""Programs of ralph's own in another Python process, which loads modules only from where this process does.

They work in a project, and PYTHONPATH may point into it: an agent must not be able to put its own file in the place of
one of their modules.
"""

import os
import sys
from pathlib import Path

_MODULES = f"import sys; sys.path[:] = sys.argv.pop(1).split({os.pathsep!r}); "


def own_program(code: str) -> tuple[str, ...]:
    """The words that start this code. Words after them are its arguments."""
    path = os.pathsep.join(each for each in sys.path if Path(each).is_absolute())
    return (sys.executable, "-I", "-c", _MODULES + code, path)


def own_module(name: str) -> tuple[str, ...]:
    """The words that start this module, like `python -m`."""
    return own_program(f"import runpy; runpy.run_module({name!r}, run_name='__main__', alter_sys=True)")
