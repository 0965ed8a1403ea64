"""The prompt recipe from the outside."""

import os

from ralph.app.kinds.base import Crew, Kind
from ralph.git.scm import Scm
from ralph.kernel.actions import Recipe
from ralph.kernel.recipes import prompt
from ralph.kernel.recipes.prompt import PromptRun


class PromptKind(Kind):
    version = prompt.VERSION
    options = PromptRun

    def generator(self, loop: PromptRun) -> Recipe:
        return prompt.prompt_loop(loop)

    async def require(self, crew: Crew) -> None:
        scm = crew.loop.scm
        if scm:
            await Scm(scm.command, crew.equipment.project, os.environ, crew.run.id).require_repository()
