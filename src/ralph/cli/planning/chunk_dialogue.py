"""Proposed chunks on a terminal: edited, split, merged, dropped and moved, one command per line, until they are
accepted.
"""

import re
import shlex
from collections.abc import Callable, Sequence

import click

from ralph.app.planning.chunks import editable, edited
from ralph.app.planning.talk import Planning, reply
from ralph.cli.keyboard import ask_line
from ralph.cli.planning.chunk_text import chunk_lines, criterion_words
from ralph.cli.planning.dialogue import AGREE, edit_text
from ralph.cli.planning.wrapping import wrapped
from ralph.cli.saying import say
from ralph.kernel.actions.people import ShowDraft
from ralph.kernel.chunk_draft import chunk_problems, chunks_in, chunks_json
from ralph.kernel.chunk_edits import BadEdit, changed, dropped, merged, moved, place_of, split, steps_of
from ralph.kernel.plan_forms import ChunkDraft
from ralph.kernel.plan_options import SpecPlanRun
from ralph.loop.people import Reply
from ralph.model.errors import ConfigError
from ralph.store.sql import Store

HELP = """\
Press Enter to accept these chunks. To change them:
  edit ID            open it in your editor
  split ID           make two of it
  merge ID ID ...    make one of them
  drop ID            leave it out
  move ID PLACE      put it at another place of the list
  list               show them again
or say what the planner should change."""
COMMANDS = ("edit", "split", "merge", "drop", "move")
NUMBERS = re.compile(r"\d+(-\d+)?")
Chunks = list[ChunkDraft]


def decide_chunks(interrupted: int, store: Store, planning: Planning, wanted: ShowDraft, draft: str) -> None:
    """Let the person decide about the chunks. Every change is kept at once, so that an interrupted session continues
    with it.
    """
    chunks, notes = chunks_in(draft or wanted.text), wanted.notes
    _show(chunks, notes)
    while True:
        typed = ask_line(interrupted, "> ")
        if typed.lower() in AGREE:
            reply(store, planning.run_id, Reply(wanted.key, draft=chunks_json(chunks)))
            return
        words = _words(typed)
        if typed.lower() == "list":
            _show(chunks, notes)
        elif not _is_command(words, chunks):
            reply(store, planning.run_id, Reply(wanted.key, typed, chunks_json(chunks)))
            return
        elif made := _tried(interrupted, planning.plan.loop, chunks, words):
            chunks = made
            reply(store, planning.run_id, Reply(wanted.key, draft=chunks_json(chunks), is_open=True))
            _show(chunks, ())


def _show(chunks: Chunks, notes: Sequence[str]) -> None:
    for line in chunk_lines(chunks, notes):
        say(line)
    click.echo(f"\n{HELP}")


def _words(typed: str) -> list[str]:
    try:
        return shlex.split(typed)
    except ValueError:
        return typed.split()


def _is_command(words: Sequence[str], chunks: Chunks) -> bool:
    """Whether the line is a command. `split T001` is one, and so is a single word or a mistyped id; `split the first
    one` is a request to the planner.
    """
    if not words or words[0].lower() not in COMMANDS:
        return False
    known = {each.id for each in chunks}
    return len(words) <= 2 or any(word in known for word in words[1:])  # noqa: PLR2004 - a command and one id


def _tried(interrupted: int, run: SpecPlanRun, chunks: Chunks, words: Sequence[str]) -> Chunks | None:
    """The chunks after the command; None if it was refused, with a message."""
    command, *names = words
    edits: dict[str, Callable[[], Chunks]] = {
        "edit": lambda: _edit(chunks, _one(names)),
        "split": lambda: _split(interrupted, chunks, _one(names)),
        "merge": lambda: merged(chunks, names),
        "drop": lambda: dropped(chunks, _one(names)),
        "move": lambda: _move(chunks, names),
    }
    try:
        made = edits[command.lower()]()
    except (BadEdit, ConfigError) as error:
        say(str(error))
        return None
    if problems := chunk_problems(run.spec, made, run.roles, run.present):
        say(f"{problems[0]} Nothing was changed.")
        return None
    return made


def _one(names: Sequence[str]) -> str:
    if len(names) != 1:
        raise BadEdit("Name one chunk by its id.")
    return names[0]


def _move(chunks: Chunks, names: Sequence[str]) -> Chunks:
    if len(names) != 2 or not names[1].isdecimal():  # noqa: PLR2004 - an id and a place
        raise BadEdit("Name a chunk and its new place: move T001 2")
    return moved(chunks, names[0], int(names[1]))


def _edit(chunks: Chunks, name: str) -> Chunks:
    before = editable(chunks[place_of(chunks, name)])
    text = edit_text(before, ".yaml")
    return changed(chunks, name, edited(text)) if text else chunks


def _split(interrupted: int, chunks: Chunks, name: str) -> Chunks:
    chunk = chunks[place_of(chunks, name)]
    lines = _chosen(interrupted, "line of the description", steps_of(chunk))
    criteria = _chosen(interrupted, "criterion", [criterion_words(each) for each in chunk.acceptance_criteria])
    first = ask_line(interrupted, f"Title of the first part [{chunk.title}, part 1]: ")
    second = ask_line(interrupted, f"Title of the second part [{chunk.title}, part 2]: ")
    outcome = ask_line(interrupted, f"Outcome of the second part [{chunk.outcome}]: ")
    titles = (first or f"{chunk.title}, part 1", second or f"{chunk.title}, part 2")
    return split(chunks, name, titles, lines, criteria, outcome)


def _chosen(interrupted: int, what: str, entries: Sequence[str]) -> set[int]:
    """The numbers of the entries that go to the second part."""
    for number, entry in enumerate(entries, 1):
        for line in wrapped(f"[{number}] {entry}", "  ", hanging="    "):
            say(line)
    typed = ask_line(interrupted, f"Which {what} goes to the second part (such as 2 or 3-5)? ")
    chosen: set[int] = set()
    for word in typed.replace(",", " ").split():
        if not NUMBERS.fullmatch(word):
            raise BadEdit(f"{word!r} is not a number. Nothing was changed.")
        first, _, last = word.partition("-")
        chosen |= set(range(int(first), int(last or first) + 1)[: len(entries)])
    return chosen
