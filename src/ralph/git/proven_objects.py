"""A proof that the files of a tree are stored as their names say. Git does not check that when it reads
`.git/objects`.
"""

import re
from collections.abc import Mapping

from ralph.git.command import Git
from ralph.git.objects import damaged

# It hashes everything that is not a folder. It reports what is missing, and does not fetch it.
BLOBS = ("rev-list", "--objects", "--verify-objects", "--quiet", "--missing=print")
NAME = re.compile(r"\b[0-9a-f]{40,64}\b")


async def prove_blobs(git: Git, tree: str, env: Mapping[str, str]) -> None:
    """Prove the files of the tree, whose folders were proven. One that does not match its name, or is missing, is an
    error.
    """
    done = await git.run(*BLOBS, tree, env=env)
    if done.code != 0 or done.err.strip() or done.text:
        found = NAME.search(done.err or done.text)
        raise damaged(found[0]) if found else git.failed(BLOBS[0], done)
