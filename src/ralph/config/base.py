"""What all sections of the settings have in common."""

from typing import Annotated

from msgspec import Meta, Struct

LARGEST = 2**53
"""The largest number that every JSON reader can represent, including a browser's."""

Count = Annotated[int, Meta(gt=0, le=LARGEST)]
Text = Annotated[str, Meta(pattern=r"\S")]
"""Text that is not blank."""


class Section(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A section of the settings. A key that the schema does not know is an error, never ignored."""
