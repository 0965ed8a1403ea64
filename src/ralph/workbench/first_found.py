"""The programs that ralph itself needs, as they were before any agent worked."""

import os
import shutil
from functools import cache

OWN = ("git", "sh")


@cache
def first_found(program: str, path: str | None) -> str:
    """The program on this PATH when it was first asked for: an agent may put another one of this name there later."""
    found = shutil.which(program, path=path)
    # A PATH may have relative folders, and programs start in many different ones.
    return os.path.abspath(found) if found else program  # noqa: PTH100 - a link must keep its name


for _each in OWN:
    first_found(_each, os.environ.get("PATH"))
