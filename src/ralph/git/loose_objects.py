"""Objects as git keeps those that are not packed: a compressed file for each, named by its hash.

Here a file counts only if its content has that hash. All others are left to git.
"""

import hashlib
import secrets
import stat
import zlib
from functools import cache
from pathlib import Path

from msgspec import Struct

from ralph.git.checkout import HASH
from ralph.git.command import RESUME
from ralph.git.known_trees import known_tree, remember_tree
from ralph.store.files import cannot_write

SHA256_LENGTH = 64
LARGEST = 2 << 20
"""The most bytes of an object that is read here."""
LONGEST_HEADER = 32
READABLE = 0o444


class StoredObject(Struct, frozen=True):
    name: str
    """The hash of the object."""
    kind: str
    content: bytes


def hash_of(kind: str, content: bytes, like: str) -> str:
    """The name of an object, with the kind of hash that `like` has."""
    algorithm = "sha256" if len(like) == SHA256_LENGTH else "sha1"
    made = hashlib.new(algorithm, f"{kind} {len(content)}\0".encode(), usedforsecurity=False)
    made.update(content)
    return made.hexdigest()


@cache
def _empty_tree(length: int) -> str:
    return hash_of("tree", b"", "0" * length)


def empty_tree(like: str) -> str:
    """The tree without any file."""
    return _empty_tree(len(like))


def read_loose(objects: Path, name: str) -> StoredObject | None:
    """The object of that hash in this folder of git's; None if git must be asked."""
    if not HASH.fullmatch(name):
        return None
    if name == empty_tree(name):
        # Git knows this object even if it is not stored.
        return StoredObject(name, "tree", b"")
    try:
        with (objects / name[:2] / name[2:]).open("rb") as file:
            stored = file.read(LARGEST + 1)
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(stored, LARGEST + LONGEST_HEADER)
    except (OSError, zlib.error):
        return None
    header, _, content = data.partition(b"\0")
    kind = header.partition(b" ")[0].decode(errors="replace")
    is_whole = unpacking.eof and len(content) <= LARGEST
    return StoredObject(name, kind, content) if is_whole and hash_of(kind, content, name) == name else None


def write_loose(objects: Path, kind: str, content: bytes, like: str) -> str:
    """Write the object if it is not there yet, and return its hash. Its permissions are those of the folder."""
    name = hash_of(kind, content, like)
    if read_loose(objects, name) is None:
        try:
            _write(objects, name, f"{kind} {len(content)}\0".encode() + content)
        except OSError as error:
            raise cannot_write(objects, error, RESUME) from error
    return name


def _write(objects: Path, name: str, data: bytes) -> None:
    mode = stat.S_IMODE(objects.stat().st_mode)
    path = objects / name[:2] / name[2:]
    if not path.parent.is_dir():
        path.parent.mkdir(exist_ok=True)
        path.parent.chmod(mode)
    # Git removes files with such names, if nobody finishes them.
    fresh = path.with_name(f"tmp_obj_{secrets.token_hex(8)}")
    fresh.write_bytes(zlib.compress(data, 1))
    fresh.chmod(mode & READABLE)
    fresh.replace(path)


def tree_in(objects: Path, name: str) -> str:
    """The tree of a commit or tree, by its hash; empty if git must be asked."""
    found = None if known_tree(name) else read_loose(objects, name)
    if found and found.kind == "tree":
        remember_tree(name, name)
    elif found and found.kind == "commit":
        remember_tree(name, found.content.partition(b"\n")[0].removeprefix(b"tree ").decode())
    return known_tree(name)
