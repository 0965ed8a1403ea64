"""The changes to files, read from git's objects.

Everything is treated as text, whatever an agent's attributes and settings say: nothing that is committed can hide from
it.
"""

from collections.abc import Callable, Sequence

from ralph.git.command import Git

DIFF = (
    *("diff-tree", "-r", "--patch", "--text", "--inter-hunk-context=0", "--no-color", "--no-renames"),
    *("--submodule=short", "--ignore-submodules=none", "--no-relative", "--no-ext-diff", "--no-textconv"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)
# A replacement object would show other content than what is delivered.
AS_COMMITTED = {"GIT_ATTR_NOSYSTEM": "1"}


async def read_diff(
    git: Git, base: str, to: str, take: Callable[[bytes], None], *, paths: Sequence[str] = (), context: int = 3
) -> None:
    """Give `take` the unified diff from one commit or tree to another, limited to `paths` if some are given."""
    named = [f":(top,literal){path}" for path in paths]
    done = await git.run(*DIFF, f"--unified={context}", base, to, "--", *named, sink=take, env=AS_COMMITTED)
    if done.code != 0:
        raise git.failed("diff", done)


async def read_file(git: Git, commit: str, path: str, most: int) -> bytes | None:
    """The beginning of a file as it was committed; None if there is no such file."""
    found = _Beginning(most)
    done = await git.run("cat-file", "blob", f"{commit}:{path}", sink=found.take, env=AS_COMMITTED)
    return bytes(found.data) if done.code == 0 else None


class _Beginning:
    def __init__(self, most: int) -> None:
        self.data = bytearray()
        self._most = most

    def take(self, data: bytes) -> None:
        self.data += data[: self._most - len(self.data)]
