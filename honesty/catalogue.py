"""Finding the behaviours: each file of a folder is one."""

import inspect
import sys
from collections.abc import Iterable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from msgspec import Struct

from honesty.declaration import Attack, Behaviour

HERE = Path(__file__).parent
FOLDERS = ("behaviours", "controls", "heldout")


class Unusable(Exception):
    """A file declares no behaviour. The text tells its author why."""


class Entry(Struct, frozen=True):
    """A behaviour, and what its file says about it."""

    name: str
    """The file's name."""
    sentence: str
    """The file's docstring."""
    group: str
    """The folder's name."""
    file: Path
    behaviour: Behaviour

    @property
    def is_attack(self) -> bool:
        return isinstance(self.behaviour, Attack)


def load(file: Path) -> Entry:
    """The behaviour that a file declares as `BEHAVIOUR`."""
    module = _executed(file)
    behaviour = getattr(module, "BEHAVIOUR", None)
    if not isinstance(behaviour, Behaviour):
        raise Unusable(f"{file} declares no BEHAVIOUR: it must be an Attack(...) or a Control(...).")
    sentence = " ".join((inspect.getdoc(module) or "").split())
    if not sentence:
        raise Unusable(f"{file} does not say in its docstring what the agent does.")
    return Entry(file.stem, sentence, file.parent.name, file, behaviour)


def find(paths: Iterable[Path]) -> Iterator[Entry]:
    """The behaviours of these files and folders, by name; without any, all of this package."""
    for path in list(paths) or [HERE / name for name in FOLDERS]:
        if not path.exists():
            raise Unusable(f"there is no {path}.")
        files = sorted(path.glob("*.py")) if path.is_dir() else [path]
        yield from (load(file.resolve()) for file in files if file.stem != "__init__")


def _executed(file: Path) -> ModuleType:
    spec = spec_from_file_location(f"honesty_behaviour_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise Unusable(f"{file} is not a Python file.")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
