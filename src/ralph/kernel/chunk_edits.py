"""A person's edits of a list of proposed chunks: change, drop, merge, split, move. The dependencies follow."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from ralph.kernel.plan_forms import ChunkDraft

Chunks = list[ChunkDraft]
Entry = TypeVar("Entry")


class BadEdit(ValueError):
    """Why the list would be invalid, as one sentence."""


def changed(chunks: Sequence[ChunkDraft], name: str, by: ChunkDraft) -> Chunks:
    """The chunks with `by` instead of the chunk; it may have another id."""
    at = place_of(chunks, name)
    made = [*chunks[:at], by, *chunks[at + 1 :]]
    return made if by.id == name else _renamed(made, {name: [by.id]})


def dropped(chunks: Sequence[ChunkDraft], name: str) -> Chunks:
    """The chunks without this one. Its dependents now depend on what it depended on."""
    gone = chunks[place_of(chunks, name)]
    return _renamed([each for each in chunks if each.id != name], {name: gone.depends_on})


def merged(chunks: Sequence[ChunkDraft], names: Sequence[str]) -> Chunks:
    """The chunks with these merged into one, in the place and under the id of the first."""
    wanted = list(dict.fromkeys(names))
    if len(wanted) < 2:  # noqa: PLR2004 - one chunk is merged already
        raise BadEdit("Name at least two chunks to merge.")
    parts = [chunks[place_of(chunks, name)] for name in wanted]
    with_roles = [each.id for each in parts if each.criteria]
    if len(with_roles) > 1:
        raise BadEdit(
            f"{', '.join(with_roles)} have criteria for roles, which cannot be joined: edit all but one first."
        )
    first = replace(
        parts[0],
        title=" and ".join(each.title for each in parts),
        description="\n\n".join(each.description.strip() for each in parts),
        outcome=" ".join(each.outcome.strip() for each in parts),
        relevant_files=_union(each.relevant_files for each in parts),
        depends_on=[name for name in _union(each.depends_on for each in parts) if name not in wanted],
        acceptance_criteria=[each for part in parts for each in part.acceptance_criteria],
        criteria=next((each.criteria for each in parts if each.criteria), None),
    )
    kept = [first if each.id == wanted[0] else each for each in chunks if each.id not in wanted[1:]]
    made = _renamed(kept, {name: [wanted[0]] for name in wanted[1:]})
    _refuse_circle(made)
    return made


def split(
    chunks: Sequence[ChunkDraft], name: str, titles: tuple[str, str], lines: set[int], criteria: set[int], outcome: str
) -> Chunks:
    """The chunks with this one split in two, the second after the first. `lines` of the description and `criteria`
    (from 1) go to the second.
    """
    at = place_of(chunks, name)
    whole = chunks[at]
    first_lines, second_lines = _parted(steps_of(whole), lines)
    first_done, second_done = _parted(whole.acceptance_criteria, criteria)
    if not first_lines or not second_lines:
        raise BadEdit("Each part needs at least one line of the description.")
    if not first_done or not second_done:
        raise BadEdit("Each part needs at least one acceptance criterion.")
    second_id = _free(chunks, name)
    first = replace(whole, title=titles[0], description="\n".join(first_lines), acceptance_criteria=first_done)
    second = replace(
        whole,
        id=second_id,
        title=titles[1],
        description="\n".join(second_lines),
        acceptance_criteria=second_done,
        outcome=outcome or whole.outcome,
        depends_on=[name],
    )
    # A chunk that needed the whole needs its second part, which needs the first.
    others = _renamed([*chunks[:at], *chunks[at + 1 :]], {name: [second_id]})
    return [*others[:at], first, second, *others[at:]]


def moved(chunks: Sequence[ChunkDraft], name: str, to: int) -> Chunks:
    """The chunks with this one moved to a position, counted from 1. A chunk cannot come before what it depends on."""
    if not 1 <= to <= len(chunks):
        raise BadEdit(f"There is no place {to}: the list has {len(chunks)}.")
    chunk = chunks[place_of(chunks, name)]
    others = [each for each in chunks if each.id != name]
    made = [*others[: to - 1], chunk, *others[to - 1 :]]
    order = {each.id: at for at, each in enumerate(made)}
    for each in made:
        for needed in each.depends_on:
            if order.get(needed, -1) > order[each.id]:
                raise BadEdit(f"{each.id} depends on {needed}, so it cannot come before it.")
    return made


def steps_of(chunk: ChunkDraft) -> list[str]:
    """The lines of its description with content."""
    return [line for line in chunk.description.splitlines() if line.strip()]


def place_of(chunks: Sequence[ChunkDraft], name: str) -> int:
    for at, each in enumerate(chunks):
        if each.id == name:
            return at
    raise BadEdit(f"There is no chunk {name!r}.")


def _parted(entries: Sequence[Entry], chosen: set[int]) -> tuple[list[Entry], list[Entry]]:
    first = [each for number, each in enumerate(entries, 1) if number not in chosen]
    return first, [each for number, each in enumerate(entries, 1) if number in chosen]


def _renamed(chunks: Sequence[ChunkDraft], names: dict[str, list[str]]) -> Chunks:
    made: Chunks = []
    for each in chunks:
        needs = _union(names.get(needed, [needed]) for needed in each.depends_on)
        made.append(replace(each, depends_on=[needed for needed in needs if needed != each.id]))
    return made


def _union(lists: Iterable[Sequence[str]]) -> list[str]:
    return list(dict.fromkeys(each for entries in lists for each in entries))


def _free(chunks: Sequence[ChunkDraft], name: str) -> str:
    taken, number = {each.id for each in chunks}, 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"


def _refuse_circle(chunks: Sequence[ChunkDraft]) -> None:
    needs = {each.id: set(each.depends_on) for each in chunks}
    while ready := [name for name, others in needs.items() if not others & needs.keys()]:
        for name in ready:
            del needs[name]
    if needs:
        raise BadEdit(f"These chunks would wait for each other: {', '.join(needs)}.")
