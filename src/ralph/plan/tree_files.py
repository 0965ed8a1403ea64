"""The files that say how a project is built, in a git tree."""

from collections.abc import Mapping

from ralph.git.repository import Repository
from ralph.model.proof import TreeEntry
from ralph.plan.blobs import Blob, texts_of
from ralph.plan.frameworks import MANIFESTS
from ralph.plan.source_files import is_copied

READ = frozenset(
    (
        *MANIFESTS,
        *("GNUmakefile", "makefile", "Makefile", "justfile", "Justfile", ".justfile", "tox.ini", "Rakefile"),
    )
)
"""The files whose content is read; for all others only their existence counts."""
DEEPEST = 3
MOST_FOLDERS = 30


class TreeFiles:
    """The files in one folder of a tree."""

    def __init__(self, entries: Mapping[str, TreeEntry], texts: Mapping[str, str], folder: str = "") -> None:
        self.folder = folder
        self._entries = entries
        self._texts = texts
        self._prefix = f"{folder}/" if folder else ""

    def has(self, *names: str) -> bool:
        return any(self._prefix + name in self._entries for name in names)

    def has_ending(self, *endings: str) -> bool:
        start = len(self._prefix)
        return any(
            path.endswith(endings) and path.startswith(self._prefix) and "/" not in path[start:]
            for path in self._entries
        )

    def text(self, name: str) -> str:
        return self._texts.get(self._prefix + name, "")


async def project_folders(repository: Repository, entries: Mapping[str, TreeEntry]) -> list[TreeFiles]:
    """The top, and the folders below that are built on their own; those nearest to the top first."""
    folders = {path.rpartition("/")[0] for path in entries if path.rpartition("/")[2] in MANIFESTS}
    near = [each for each in folders if each.count("/") < DEEPEST and not is_copied(f"{each}/")]
    chosen = ["", *sorted(filter(None, near), key=lambda each: (each.count("/"), each))][:MOST_FOLDERS]
    paths = [f"{folder}/{name}".lstrip("/") for folder in chosen for name in sorted(READ)]
    wanted = [Blob(path, entries[path].blob) for path in paths if path in entries]
    found = await texts_of(repository, wanted)
    texts = {each.path: each.content.decode(errors="replace") for each in found}
    return [TreeFiles(entries, texts, folder) for folder in chosen]
