"""Suggestions for mistyped words."""

from collections.abc import Iterable
from typing import Any

import click


def nearest_word(wrong: str, known: Iterable[str]) -> str | None:
    """The known word with the most similar spelling, if one is similar enough."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(wrong, list(known), n=1)), None)


class Choice(click.Choice[str]):
    """One of several words. The message about another word names the nearest one."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        message = super().get_invalid_choice_message(value, ctx)
        near = nearest_word(str(value), map(str, self.choices))
        return f"{message} Did you mean {near}?" if near else message
