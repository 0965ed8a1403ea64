"""The attributes of a tree as one file, which takes precedence over everything in the working tree."""

import re
from collections.abc import Mapping

ATTRIBUTES = ".gitattributes"
CONVERSIONS = ("text", "eol", "crlf", "ident", "filter", "working-tree-encoding")
"""The attributes that let a file differ from its blob."""
UNSET = "* " + " ".join(f"!{name}" for name in CONVERSIONS)
QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"(.*)', re.DOTALL)
PLAIN = re.compile(rb"(\S+)(.*)", re.DOTALL)
MACRO = b"[attr]"
SPECIAL = re.compile(rb"([*?\[\]\\])")


def whole_attributes(everywhere: bytes, in_tree: Mapping[str, bytes], own: bytes) -> bytes:
    """All attributes in the order in which git reads them: the user's, those in the tree, those in `.git/info`.

    The first line resets what other files say, so that only these count.
    """
    parts = [UNSET.encode(), everywhere]
    for path in sorted(in_tree, key=lambda each: (each.count("/"), each)):
        folder = path.removesuffix(ATTRIBUTES)
        parts.append(_below(folder, in_tree[path]) if folder else in_tree[path])
    return b"".join(part.rstrip(b"\n") + b"\n" for part in [*parts, own] if part.strip())


def _below(folder: str, content: bytes) -> bytes:
    """The lines of a file in that folder, in the form for a file at the top."""
    lines = (line.strip() for line in content.splitlines())
    kept = (line for line in lines if line and not line.startswith((b"#", MACRO)))
    return b"\n".join(_moved(folder.encode(errors="surrogateescape"), line) for line in kept)


def _moved(folder: bytes, line: bytes) -> bytes:
    quoted = QUOTED.fullmatch(line)
    if quoted:
        pattern, rest = quoted.groups()
    else:
        plain = PLAIN.fullmatch(line)
        pattern, rest = (_quoted(plain[1]), plain[2]) if plain else (line, b"")
    # A pattern without a slash means files at any depth.
    depth = b"" if b"/" in pattern.rstrip(b"/") else b"**/"
    place = _quoted(SPECIAL.sub(rb"\\\1", folder)) + depth
    return b'"' + place + pattern.lstrip(b"/") + b'"' + rest


def _quoted(name: bytes) -> bytes:
    """The name as a C string, in which git accepts any name."""
    return b"".join(
        b"\\" + byte if byte in b'"\\' else byte if byte[0] >= ord(" ") else b"\\%03o" % byte[0]
        for byte in (name[place : place + 1] for place in range(len(name)))
    )
