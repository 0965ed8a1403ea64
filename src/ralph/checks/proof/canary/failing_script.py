"""A script that fails where it would have ended, or the reason why that is not possible."""

from msgspec import Struct

EXIT_CODE = 37


class FailingScript(Struct, frozen=True):
    content: bytes = b""
    refusal: str = ""
    """Why the script is left alone, as the end of a sentence that begins with its path."""
