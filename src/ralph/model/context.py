"""What the agent of a chunk is told besides its task: files, rules, what came before, and the codebase it works in."""

from msgspec import Struct

from ralph.model.evidence import Result


class DependencyContext(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The summary that a task leaves for a task that depends on it. It never holds raw output."""

    chunk_id: str
    title: str
    output_summary: str = ""
    files_created: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    exports_added: tuple[str, ...] = ()
    skipped: bool = False
    """Whether a person chose to skip the task, so that nobody did it."""


class CodebaseContext(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A description of a project's codebase, shortened to fit into a prompt."""

    languages: tuple[str, ...] = ()
    """The languages, the most common first."""
    framework: str = ""
    package_manager: str = ""
    test_command: str = ""
    lint_command: str = ""
    types: tuple[str, ...] = ()
    """Type definitions, each with its file; those nearest to the relevant files come first."""
    components: tuple[str, ...] = ()
    more_types: int = 0
    """How many more types there are than `types` lists."""
    more_components: int = 0


class ChunkContext(Result, frozen=True):
    relevant_files: tuple[str, ...] = ()
    missing_files: tuple[str, ...] = ()
    """The relevant files that the base does not have."""
    dependency_context: tuple[DependencyContext, ...] = ()
    global_rules: tuple[str, ...] = ()
    codebase_context: CodebaseContext | None = None
    """The codebase as the agent is told about it; None if the base has no source files."""
    problem: str = ""
    """Why parts of the codebase could not be read."""
