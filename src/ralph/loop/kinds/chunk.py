"""The chunk recipe from the outside."""

from ralph.agents.registry import Agent, choose_executor
from ralph.config.schema import Settings
from ralph.kernel.actions.base import Recipe
from ralph.kernel.chunk_options import ChunkRun
from ralph.kernel.recipes import chunk
from ralph.loop.kinds.task import OneTask


class ChunkKind(OneTask):
    options = ChunkRun
    has_state_files = True

    def generator(self, loop: ChunkRun) -> Recipe:
        return chunk.chunk_loop(loop)

    def agent(self, settings: Settings, _loop: ChunkRun, /) -> Agent:
        return worker(settings)


def worker(settings: Settings) -> Agent:
    """The agent that works on chunks."""
    return choose_executor(settings)
