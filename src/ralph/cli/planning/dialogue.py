"""The questions and drafts of a planner on a terminal: wrapped, numbered, answered line by line."""

from collections.abc import Sequence
from typing import NamedTuple

import click

from ralph.cli.keyboard import ask_line
from ralph.cli.planning.wrapping import wrapped
from ralph.cli.saying import safe_text
from ralph.kernel.plan_forms import PlanQuestion

AGREE = ("", "y", "yes")
EDIT = "e"


class Said(NamedTuple):
    """An opinion about a draft; empty if the draft is good."""

    wish: str = ""
    draft: str = ""


def ask_what(interrupted: int) -> str:
    """What to build, in as many lines as the user needs."""
    click.echo("What do you want to build, for whom, and why? End with an empty line.")
    lines: list[str] = []
    while not lines or lines[-1]:
        line = ask_line(interrupted, "> ")
        if line or lines:
            lines.append(line)
    return "\n".join(lines).strip()


def ask_question(interrupted: int, question: PlanQuestion, number: int, total: int) -> str:
    """The answer: an option by its number, any other text, or with Enter the planner's recommendation."""
    choices = choices_of(question)
    click.echo(f"\nQuestion {number} of {total}")
    _show(question.question, "  ")
    if question.why.strip():
        _show(f"Why it matters: {question.why}", "  ")
    default = question.default.strip()
    for place, choice in enumerate(choices, start=1):
        _show(f"{place}. {choice}{' (recommended)' if choice == default else ''}", "    ", hanging="   ")
    if default and default not in choices:
        _show(f"Recommended: {default}", "    ")
    while True:
        typed = ask_line(interrupted, f"Answer{_hint(choices, default)}: ")
        if answer := _chosen(typed, choices, default):
            return answer
        click.echo("Please type an answer." if not choices else f"Please type 1 to {len(choices)}, or an answer.")


def ask_opinion(interrupted: int, document: str, text: str, *, may_edit: bool) -> Said:
    """The opinion: agreement, what to change, or the text as it was edited."""
    edit = f", {EDIT} to edit it yourself" if may_edit else ""
    while True:
        click.echo()
        _show(f"Press Enter to accept this as {document}{edit}, or say what to change.", "")
        typed = ask_line(interrupted, "> ")
        if typed.lower() in AGREE:
            return Said()
        if not (may_edit and typed.lower() == EDIT):
            return Said(wish=typed)
        if edited := edit_text(text, ".md"):
            return Said(draft=f"{edited}\n")


def edit_text(text: str, extension: str) -> str:
    """The text as the person edited it; empty if it was not changed."""
    try:
        return (click.edit(text, extension=extension) or "").strip()
    except click.ClickException as error:
        click.echo(f"The editor failed: {error.format_message()}")
        return ""


def choices_of(question: PlanQuestion) -> list[str]:
    return [" ".join(safe_text(each).split()) for each in question.options if each.strip()]


def _chosen(typed: str, choices: Sequence[str], default: str) -> str:
    if not typed:
        return default
    if choices and typed.isascii() and typed.isdigit():
        return choices[int(typed) - 1] if 1 <= int(typed) <= len(choices) else ""
    return typed


def _hint(choices: Sequence[str], default: str) -> str:
    if not default:
        return ""
    return f" [{choices.index(default) + 1}]" if default in choices else " [as recommended]"


def _show(text: str, indent: str, hanging: str = "") -> None:
    for line in wrapped(text, indent, hanging):
        click.echo(line)
