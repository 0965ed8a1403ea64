"""The analysis of a project: read from a commit's tree, never from the files that an agent can change.

A tree that was analysed is not read again, and of a new one only the files that changed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from ralph.git.repository import Repository
from ralph.git.trees import StoredTree, read_tree
from ralph.model.errors import StateError
from ralph.model.proof import TreeEntry
from ralph.plan.analysis_file import AnalysedFile, CodebaseAnalysis
from ralph.plan.blobs import Blob, OutlinesRead, outlines_of
from ralph.plan.commands import Kind, judging_commands, package_managers
from ralph.plan.frameworks import frameworks
from ralph.plan.outlines import FileOutline
from ralph.plan.source_files import grammar_of, is_ui_file, language_of
from ralph.plan.tree_files import TreeFiles, project_folders

PLAIN = ("100644", "100755")
MOST_FILES = 20_000
"""How many files are parsed. In a larger codebase these are the ones nearest to the top."""
MOST_NAMED = 5
LONGEST = 300
NOTHING = FileOutline()


class Analysed(Struct, frozen=True):
    analysis: CodebaseAnalysis
    problem: str = ""
    """What could not be read."""
    is_new: bool = True
    """Whether the analysis is worth keeping."""


async def analyse(
    repository: Repository,
    commit: str,
    known: CodebaseAnalysis | None,
    *,
    is_test: Callable[[str], bool],
    prefix: str = "",
) -> Analysed:
    """The analysis of a commit, of one folder or of the whole repository. `known` is the previous analysis."""
    found = await repository.objects.find(f"{commit}:{prefix}")
    if found is None or found.kind != "tree":
        # A project in a folder that is not committed yet has nothing in the commit.
        return Analysed(CodebaseAnalysis(tree=""), is_new=False)
    if known and known.tree == found.name:
        return Analysed(known, is_new=False)
    return await _analysed(repository, await read_tree(repository, found.name), known, is_test)


async def _analysed(
    repository: Repository, tree: StoredTree, known: CodebaseAnalysis | None, is_test: Callable[[str], bool]
) -> Analysed:
    sources = {path: language for path, entry in tree.entries.items() if (language := _language(path, entry))}
    parsed = [path for path in sources if _is_parsed(path) and not is_test(path)]
    blobs = [Blob(path, tree.entries[path].blob) for path in _nearest_the_top(parsed)]
    before = {_key(each.path, each.blob): each for each in known.files} if known else {}
    new = [each for each in blobs if _key(each.path, each.blob) not in before]
    problem = ""
    read: OutlinesRead = {}
    try:
        read = await outlines_of(repository, new)
    except StateError as error:
        problem = error.message
    folders = await project_folders(repository, tree.entries)
    analysis = CodebaseAnalysis(
        tree=tree.tree,
        languages=dict(Counter(sources.values()).most_common()),
        framework=_joined(frameworks(each) for each in folders),
        package_manager=_joined(package_managers(each) for each in folders),
        test_command=_command("test", folders),
        lint_command=_command("lint", folders),
        left_out=len(parsed) - len(blobs),
        files=tuple(_file(each, before.get(_key(each.path, each.blob)), read) for each in blobs),
    )
    unread = [each.path for each, outline in read.items() if outline is None]
    return Analysed(analysis, problem or _unread(unread), is_new=not problem)


def _language(path: str, entry: TreeEntry) -> str:
    """The language of a file; empty for a link, a submodule, and a name that is not text."""
    return language_of(path) if entry.mode in PLAIN and path.isprintable() else ""


def _is_parsed(path: str) -> bool:
    return bool(grammar_of(path)) or is_ui_file(path)


def _nearest_the_top(paths: Sequence[str]) -> Sequence[str]:
    if len(paths) <= MOST_FILES:
        return paths
    return sorted(sorted(paths, key=lambda path: (path.count("/"), path))[:MOST_FILES])


def _key(path: str, blob: str) -> tuple[str, str]:
    """The key of a file: the same text means the same anywhere, as long as it is read in the same way."""
    name = path.rpartition("/")[2]
    # A package and a page are named after their folder, a component after its file.
    return blob, path if is_ui_file(path) or name.startswith(("index.", "__init__.")) else name


def _file(blob: Blob, known: AnalysedFile | None, read: OutlinesRead) -> AnalysedFile:
    if known:
        return AnalysedFile(blob.path, blob.blob, known.types, known.components, known.exports, known.unread)
    found = read.get(blob, NOTHING)
    if found is None:
        return AnalysedFile(blob.path, blob.blob, unread=True)
    return AnalysedFile(blob.path, blob.blob, found.types, found.components, found.exports)


def _joined(names: Iterable[Sequence[str]]) -> str:
    """Each name once, those nearest to the top first."""
    return ", ".join(dict.fromkeys(name for each in names for name in each))[:LONGEST]


def _command(kind: Kind, folders: Sequence[TreeFiles]) -> str:
    """The command for the whole project, or else that of the first part that has one."""
    for files in folders:
        lines = dict.fromkeys(command.line for command in judging_commands(files) if command.kind == kind)
        if lines:
            words = " && ".join(lines)
            return (f"cd {files.folder} && {words}" if files.folder else words)[:LONGEST]
    return ""


def _unread(paths: Sequence[str]) -> str:
    if not paths:
        return ""
    more = f" and {len(paths) - MOST_NAMED:,} more" if len(paths) > MOST_NAMED else ""
    return f"not read, because they crash the parser or take too long: {', '.join(paths[:MOST_NAMED])}{more}"
