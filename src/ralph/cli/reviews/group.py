"""`ralph review`: a review of a change, unless a word says otherwise."""

import click

from ralph.cli.lazy import LazyGroup

DEFAULT = "change"
TABLE = {
    DEFAULT: ("ralph.cli.reviews.change", "Review a change."),
    "export": ("ralph.cli.reviews.export", "Export the findings of reviews."),
}


class ReviewGroup(LazyGroup):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_named = bool(args) and args[0] in self.table
        return super().parse_args(ctx, args if is_named else [DEFAULT, *args])


@click.group("review", cls=ReviewGroup, table=TABLE)
def command() -> None:
    """Review a change, and export the findings of reviews.

    \b
    ralph review main..my-branch
    ralph review export --format json
    """  # noqa: D301 - click reads the backspace characters
