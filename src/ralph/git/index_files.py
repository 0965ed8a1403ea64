"""Index files as git writes them: the entries, read without a process. What is unusual is left to git."""

from binascii import hexlify
from struct import unpack_from

from ralph.git.loose_objects import SHA256_LENGTH

SIGNATURE = b"DIRC"
VERSIONS = (2, 3)
HEADER, STAT, MODE_AT = 12, 40, 24
EXTENDED, STAGE = 0x4000, 0x3000
"""Bits of an entry's flags: more flags follow; the stage of a conflict."""
ALIGNED = 8


def entries_of(data: bytes, like: str) -> list[bytes] | None:
    """The entries of an index, each as `ls-files --stage` prints it; None if git must be asked.

    `like` is any object of the repository.
    """
    if len(data) < HEADER or not data.startswith(SIGNATURE):
        return None
    version, count = unpack_from(">II", data, len(SIGNATURE))
    size = (SHA256_LENGTH if len(like) == SHA256_LENGTH else 40) // 2
    found: list[bytes] = []
    at = HEADER
    for _ in range(count if version in VERSIONS else 0):
        [flags] = unpack_from(">H", data, at + STAT + size)
        name = at + STAT + size + (4 if flags & EXTENDED else 2)
        end = data.index(b"\0", name)
        if flags & STAGE:
            return None
        [mode] = unpack_from(">I", data, at + MODE_AT)
        found.append(b"%06o %s 0\t%s" % (mode, hexlify(data[at + STAT : at + STAT + size]), data[name:end]))
        at += (end - at + ALIGNED) // ALIGNED * ALIGNED
    return found if version in VERSIONS and _has_all(data[at : len(data) - size]) else None


def _has_all(extensions: bytes) -> bool:
    """Whether no extension changes what the entries mean: one that does begins with a lower-case letter."""
    while extensions:
        if not extensions[:1].isupper():
            return False
        extensions = extensions[8 + unpack_from(">I", extensions, 4)[0] :]
    return True
