"""A git directory of ralph's own over the objects of a repository: what an agent wrote into `.git` does not count.

Settings, excludes, attributes, filters, hooks, replaced objects, sparse checkouts and flags in the index are all in a
git directory. Ralph does not check them one by one: it uses a git directory with only what ralph puts there.
"""

import os
from pathlib import Path

from ralph.git.attributes import UNSET
from ralph.git.loose_objects import SHA256_LENGTH
from ralph.model.git_rules import GitRules

# What an agent may have written for all repositories of the user does not count either.
ALONE = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
}
NO_COMMIT = "ref: refs/heads/none"
"""What HEAD says before the first commit: git does not accept a directory with an empty HEAD."""
ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\b": "\\b"})


def seal(folder: Path, rules: GitRules, common_dir: Path, top: Path, head: str) -> dict[str, str]:
    """The environment for work on the files below `top`, by the rules alone. `head` counts as the checked-out
    commit; it is empty if there is none yet.
    """
    own = [
        ("core.bare", "false"),
        ("core.excludesFile", str(folder / "ignore")),
        ("core.attributesFile", os.devnull),
        # The default would be the sealed directory, which is temporary.
        *([("lfs.storage", str(common_dir / "lfs"))] if rules.uses_lfs else []),
    ]
    _make(folder, [*_format(head), *own, *rules.settings], head)
    (folder / "ignore").write_bytes(rules.ignore)
    (folder / "info/exclude").write_bytes(rules.exclude)
    # Without any, the attributes in the tree would count.
    (folder / "info/attributes").write_bytes(rules.attributes or UNSET.encode() + b"\n")
    places = {"GIT_DIR": folder, "GIT_OBJECT_DIRECTORY": common_dir / "objects", "GIT_WORK_TREE": top}
    return {**ALONE, **{name: str(path) for name, path in places.items()}}


def top_of(folder: Path, rules: GitRules) -> Path:
    """The top of the working tree with the project's folder, whatever `core.worktree` says."""
    real = folder.resolve()
    return real.parents[rules.prefix.count("/") - 1] if rules.prefix else real


def _make(folder: Path, settings: list[tuple[str, str]], head: str) -> None:
    for name in ("refs", "info"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "HEAD").write_text(f"{head or NO_COMMIT}\n")
    (folder / "config").write_text("".join(_lines(*each) for each in settings), encoding="utf-8")


def _format(like: str) -> list[tuple[str, str]]:
    """The settings of the repository format. Extensions such as another hash or a partial clone need version 1."""
    version = [("core.repositoryFormatVersion", "1")]
    return [*version, ("extensions.objectFormat", "sha256")] if len(like) == SHA256_LENGTH else version


def _lines(key: str, value: str) -> str:
    section, _, rest = key.partition(".")
    middle, _, name = rest.rpartition(".")
    heading = f'[{section} "{middle.translate(ESCAPED)}"]' if middle else f"[{section}]"
    return f'{heading}\n\t{name} = "{value.translate(ESCAPED)}"\n'
