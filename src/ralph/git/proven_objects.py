"""A proof that all objects of a tree match their names. Git does not check that when it reads `.git/objects`."""

import re
from collections.abc import Mapping

from ralph.git.command import Git
from ralph.git.objects import LONGEST_PATH, Answers, StoredObject, damaged, refuse_damaged

FOLDERS = ("ls-tree", "-r", "-d", "-z", "--full-tree")
# It hashes everything that is not a folder. It reports what is missing, and does not fetch it.
BLOBS = ("rev-list", "--objects", "--verify-objects", "--quiet", "--missing=print")
NAME = re.compile(r"\b[0-9a-f]{40,64}\b")


async def prove_objects(git: Git, tree: str, env: Mapping[str, str]) -> None:
    """Prove the objects. One that does not match its name, or is missing, is an error."""
    folders = await _folders(git, tree, env)
    await _prove_folders(git, folders, env)
    done = await git.run(*BLOBS, tree, env=env)
    if done.code != 0 or done.err.strip() or done.text:
        found = NAME.search(done.err or done.text)
        raise damaged(found[0]) if found else git.failed(BLOBS[0], done)


async def _folders(git: Git, tree: str, env: Mapping[str, str]) -> list[str]:
    found = [tree]

    def take(record: bytes) -> bool:
        about, _, path = record.partition(b"\t")
        if len(path) > LONGEST_PATH:
            raise damaged(tree)
        _, kind, name = about.decode().split(" ")
        # For a submodule there is only the name of its commit.
        found.extend([name] if kind == "tree" else [])
        return False

    await git.records(*FOLDERS, tree, env=env, wanted=take)
    return found


async def _prove_folders(git: Git, names: list[str], env: Mapping[str, str]) -> None:
    def prove(found: StoredObject | None) -> None:
        if found is None:
            raise damaged(names[0])
        refuse_damaged(found)

    given = "".join(f"{name}\n" for name in names).encode()
    done = await git.run("cat-file", "--batch", env=env, stdin=given, sink=Answers(prove).take)
    if done.code != 0:
        raise git.failed("cat-file", done)
