"""The option that asks for a sandbox or does without one, the same for every loop."""

import click

sandbox_option = click.option(
    "--sandbox/--no-sandbox",
    "sandbox",
    default=None,
    help="Ask for a sandbox (this version has none: exit 8), or do without one.",
)
