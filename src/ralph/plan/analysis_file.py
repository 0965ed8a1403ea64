"""The stored analysis of a codebase: readable without ralph, and trusted only as far as its form goes.

An agent can reach the file. A file without the right form is not read at all, and what is not a name never gets into a
prompt (`context`), so a forged file can at most name things that do not exist.
"""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

NAME = "codebase-analysis.json"
FORM = 1
"""The version of the form. A file of another version is made again."""
LARGEST = 64 << 20

Line = Annotated[str, Meta(max_length=300, pattern=r"^[^\r\n]*$")]


class AnalysedFile(Struct, frozen=True, omit_defaults=True):
    path: str
    blob: str
    types: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    exports: tuple[str, ...] = ()
    unread: bool = False
    """Whether the file crashes the parser, or takes too long."""


class CodebaseAnalysis(Struct, frozen=True, rename="camel"):
    tree: str
    """The git tree that was analysed."""
    languages: dict[Line, int] = {}
    """How many files each language has, the most common first."""
    framework: Line = ""
    package_manager: Line = ""
    test_command: Line = ""
    lint_command: Line = ""
    left_out: int = 0
    """How many source files are not in `files` because there are too many."""
    form: int = FORM
    files: tuple[AnalysedFile, ...] = ()


_DECODER = msgspec.json.Decoder(CodebaseAnalysis)


def decode_analysis(data: bytes | None) -> CodebaseAnalysis | None:
    """The analysis; None if the data does not have its form."""
    try:
        found = _DECODER.decode(data or b"")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found if found.form == FORM else None


def encode_analysis(analysis: CodebaseAnalysis) -> bytes:
    """The analysis as JSON, with one file on each line."""
    about = msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(analysis, files=())), indent=2)
    files = b",\n".join(b"    " + msgspec.json.encode(each) for each in analysis.files)
    start = about.rpartition(b"[]")[0]
    return start + b"[\n" + files + b"\n  ]\n}\n"
