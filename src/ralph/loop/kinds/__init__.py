"""What distinguishes each recipe from the outside, and the table of recipes."""

from importlib import import_module

from ralph.loop.kinds.base import Kind
from ralph.model.errors import StateError

# A new recipe is one file in kernel/recipes, one here and one line in this table.
KINDS = {
    "prompt": "ralph.loop.kinds.prompt:PromptKind",
    "supervise": "ralph.loop.kinds.supervise:SuperviseKind",
    "stage": "ralph.loop.kinds.stage:StageKind",
    "task": "ralph.loop.kinds.task:TaskKind",
    "chunk": "ralph.loop.kinds.chunk:ChunkKind",
    "spec": "ralph.loop.kinds.spec:SpecKind",
    "review": "ralph.loop.kinds.review:ReviewKind",
    "verify": "ralph.loop.kinds.verify:VerifyKind",
    "guard": "ralph.loop.kinds.guard:GuardKind",
    "stories": "ralph.loop.kinds.stories:StoriesKind",
    "story-plan": "ralph.loop.kinds.story_plan:StoryPlanKind",
    "spec-plan": "ralph.loop.kinds.spec_plan:SpecPlanKind",
}


def kind_of(recipe: str) -> Kind:
    """The kind of a recipe. It is imported on demand: a loop needs only its own recipe."""
    if recipe not in KINDS:
        raise StateError(
            f"this version of ralph does not know the recipe {recipe!r}.", "Use the version that started it."
        )
    module, _, name = KINDS[recipe].partition(":")
    return getattr(import_module(module), name)()
