"""Drafts of a planner on a terminal: shown in the way that suits each document, then accepted, changed or sent back."""

import difflib
import json
from collections.abc import Iterable

import click

from ralph.app.planning.talk import Planning, reply
from ralph.cli.planning.chunk_dialogue import decide_chunks
from ralph.cli.planning.dialogue import ask_opinion
from ralph.cli.planning.wrapping import wrapped
from ralph.cli.prd.plan_text import plan_lines
from ralph.cli.saying import safe_text
from ralph.kernel.actions.people import ShowDraft
from ralph.kernel.recipes.spec_plan import CHUNKS
from ralph.loop.people import Reply
from ralph.loop.story_plan import TASKS
from ralph.store.sql import Store


def decide(interrupted: int, store: Store, planning: Planning, wanted: ShowDraft, draft: str) -> None:
    """Show the draft, and record what the person says about it. `draft` has their earlier changes."""
    click.echo()
    if wanted.document == CHUNKS:
        decide_chunks(interrupted, store, planning, wanted, draft)
        return
    is_text = wanted.document != TASKS
    for line in _lines(wanted):
        click.echo(line)
    _warn(wanted.notes)
    said = ask_opinion(interrupted, wanted.document, wanted.text, may_edit=is_text)
    reply(store, planning.run_id, Reply(wanted.key, said.wish, said.draft))


def diff_lines(before: str, after: str) -> list[str]:
    """The changes, in the form of `diff -u`."""
    old, new = (safe_text(text).splitlines() for text in (before, after))
    lines = difflib.unified_diff(old, new, "the spec as it is", "the new text", lineterm="", n=2)
    return list(lines) or ["(nothing changes)"]


def _lines(wanted: ShowDraft) -> Iterable[str]:
    if wanted.document == TASKS:
        return plan_lines(json.loads(wanted.text))
    return diff_lines(wanted.before, wanted.text) if wanted.before else wrapped(wanted.text)


def _warn(notes: Iterable[str]) -> None:
    for note in notes:
        click.echo()
        for line in wrapped(f"! {note}", hanging="  "):
            click.echo(line)
