"""What is particular about each recipe, from the outside; and the table of recipes."""

from importlib import import_module

from ralph.app.kinds.base import Kind

# A new recipe is one file in kernel/recipes, one here and one line in this table.
KINDS = {
    "prompt": "ralph.app.kinds.prompt:PromptKind",
    "supervise": "ralph.app.kinds.supervise:SuperviseKind",
    "stage": "ralph.app.kinds.stage:StageKind",
    "task": "ralph.app.kinds.task:TaskKind",
    "spec": "ralph.app.kinds.spec:SpecKind",
}


def kind_of(recipe: str) -> Kind | None:
    """Imported when it is asked for: a loop needs its own recipe, not all of them."""
    if recipe not in KINDS:
        return None
    module, _, name = KINDS[recipe].partition(":")
    return getattr(import_module(module), name)()
