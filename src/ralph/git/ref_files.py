"""Refs as git keeps them in files: a file for each, or a line in `packed-refs`. What is unusual is left to git."""

import re
import stat
from pathlib import Path

from ralph.git.checkout import HASH, HEADS, Checkout

REF = re.compile(r"refs/(heads|ralph|notes)(/(?![.-])[A-Za-z0-9_.+@=,-]+)+")
"""The names that are read here. Git allows more, and forbids some of these."""
FORBIDDEN = re.compile(r"\.\.|\.lock(/|$)|\.(/|$)")
SYMBOLIC = "ref: "
LONGEST = 4096


def read_ref(common_dir: Path, ref: str) -> str | None:
    """The object that the ref names, which may be gone; empty if there is no such ref; None if git must be asked."""
    if not REF.fullmatch(ref) or FORBIDDEN.search(ref) or (common_dir / "reftable").exists():
        return None
    try:
        said = short_text(common_dir / ref)
        if said is None:
            # A ref that is packed meanwhile is written there before its file is deleted.
            return _packed(common_dir, ref)
    except (OSError, UnicodeDecodeError):
        return None
    return said.strip() if HASH.fullmatch(said.strip()) else None


def read_head(at: Checkout) -> tuple[str, str] | None:
    """The branch that is checked out there, and its commit; None if git must be asked."""
    try:
        said = short_text(at.git_dir / "HEAD")
    except (OSError, UnicodeDecodeError):
        return None
    if said is None or not said.endswith("\n"):
        return None
    if HASH.fullmatch(said[:-1]):
        return "", said[:-1]
    ref = said[:-1].removeprefix(SYMBOLIC)
    commit = read_ref(at.common_dir, ref) if said.startswith(SYMBOLIC + HEADS) else None
    return (ref.removeprefix(HEADS), commit) if commit else None


def is_checked_out(common_dir: Path, ref: str) -> bool | None:
    """Whether a working tree of the repository has the branch checked out; None if git must be asked."""
    try:
        heads = [short_text(each / "HEAD") for each in (common_dir, *(common_dir / "worktrees").glob("*"))]
    except (OSError, UnicodeDecodeError):
        return None
    if None in heads or (common_dir / "reftable").exists():
        return None
    return f"{SYMBOLIC}{ref}\n" in heads


def short_text(path: Path) -> str | None:
    """The text of a short regular file; None if there is none. A link, for git, may be a ref of another kind."""
    try:
        about = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISDIR(about.st_mode):
        return None
    if not stat.S_ISREG(about.st_mode) or about.st_size > LONGEST:
        raise OSError
    return path.read_text(encoding="utf-8")


def _packed(common_dir: Path, ref: str) -> str:
    path, wanted = common_dir / "packed-refs", f" {ref}\n".encode()
    if not path.exists():
        return ""
    with path.open("rb") as lines:
        return next((line[: -len(wanted)].decode() for line in lines if line.endswith(wanted)), "")
