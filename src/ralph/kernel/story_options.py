"""The options of a story loop."""

from msgspec import Struct

from ralph.kernel.actions.checks import Rules

FOLDER = "ralph"


class StoriesRun(Struct, frozen=True, omit_defaults=True):
    limit: int
    branch: str
    """The branch of the plan. All work is done on it."""
    folder: str = FOLDER
    """The folder of the plan, relative to the project."""
    cap: int = 5
    """After this many reviews a story is approved as it is."""
    skip_review: bool = False
    user_files: tuple[str, ...] = ()
    """The files that were not committed when the loop started. They belong to the user."""
    rules: Rules = Rules()
    check_timeout: float = 0.0
    project_rules: tuple[str, ...] = ()
    return_to: str = ""
    """The branch or commit to check out at the end; empty means that the loop's own branch stays checked out."""
