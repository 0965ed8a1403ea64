"""Reading many files of a tree together: only what is being read is in memory, and nothing too large to be a source."""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ralph.git.repository import Repository
from ralph.plan.outlines import FileOutline, SourceText
from ralph.plan.reading import read_outlines

LARGEST = 512 << 10
"""The most bytes of a source. A larger one was written by a program, or is data."""
BATCH_FILES, BATCH_BYTES = 1500, 12 << 20
AT_ONCE = max(1, min(4, os.cpu_count() or 1))


class Blob(Struct, frozen=True):
    """A file to read."""

    path: str
    blob: str
    is_test: bool = False


OutlinesRead = dict[Blob, FileOutline | None]
"""The outlines by file; None for a file that crashes the parser or takes too long. Files that are too large are
missing."""


async def outlines_of(repository: Repository, blobs: Sequence[Blob]) -> OutlinesRead:
    wanted, sizes = await _small(repository, blobs)
    room = asyncio.Semaphore(AT_ONCE)

    async def read(batch: Sequence[Blob]) -> OutlinesRead:
        async with room:
            there, texts = await _texts(repository, batch)
            return dict(zip(there, await read_outlines(texts), strict=True))

    parts = await asyncio.gather(*(read(batch) for batch in _batches(wanted, sizes)))
    return {blob: outline for part in parts for blob, outline in part.items()}


async def texts_of(repository: Repository, blobs: Sequence[Blob]) -> list[SourceText]:
    """The text of each file that is not too large."""
    wanted, _ = await _small(repository, blobs)
    return (await _texts(repository, wanted))[1]


async def _small(repository: Repository, blobs: Sequence[Blob]) -> tuple[list[Blob], dict[str, int]]:
    sizes = await _sizes(repository, [each.blob for each in blobs])
    return [each for each in blobs if sizes.get(each.blob, LARGEST + 1) <= LARGEST], sizes


async def _sizes(repository: Repository, blobs: Sequence[str]) -> dict[str, int]:
    """The sizes of the blobs that exist. A submodule has none, and neither has a blob that a shallow clone lacks."""
    given = "".join(f"{each}\n" for each in dict.fromkeys(blobs)).encode()
    said = bytearray()
    if given:
        form = "--batch-check=%(objectname) %(objectsize)"
        await repository.git.run("cat-file", form, "--buffer", stdin=given, sink=said.extend)
    lines = (line.split() for line in said.decode(errors="replace").splitlines())
    return {words[0]: int(words[1]) for words in lines if len(words) == 2 and words[1].isdigit()}  # noqa: PLR2004


async def _texts(repository: Repository, batch: Sequence[Blob]) -> tuple[list[Blob], list[SourceText]]:
    """The files that git has, with their texts."""
    found = await asyncio.gather(*(repository.objects.find(each.blob) for each in batch))
    pairs = [(each, blob) for each, blob in zip(batch, found, strict=True) if blob]
    return [each for each, _ in pairs], [SourceText(each.path, blob.content, each.is_test) for each, blob in pairs]


def _batches(blobs: Sequence[Blob], sizes: Mapping[str, int]) -> Iterator[list[Blob]]:
    batch: list[Blob] = []
    size = 0
    for each in blobs:
        if batch and (len(batch) == BATCH_FILES or size + sizes[each.blob] > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += sizes[each.blob]
    if batch:
        yield batch
