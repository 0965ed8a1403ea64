"""The rules of a user's git that decide about the content of files."""

from msgspec import Struct


class GitRules(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The rules as they were before an agent could change them. Ralph uses no others when it commits or checks out."""

    settings: tuple[tuple[str, str], ...] = ()
    """Settings for line ends, file modes and filters, by their full names."""
    watched: tuple[tuple[str, str], ...] = ()
    """Further settings that an agent may set to hide work. Ralph ignores them, and reports a change."""
    exclude: bytes = b""
    """The content of `.git/info/exclude`."""
    ignore: bytes = b""
    """The content of the file that `core.excludesFile` names."""
    ignore_file: str = ""
    """The path of that file, relative to a folder with a known name: `~/.config/git/ignore`."""
    attributes: bytes = b""
    """All attributes in force as one file, including those of the base's `.gitattributes`."""
    lent: tuple[bytes, ...] = ()
    """Files that ralph copied into the worktree. They are not part of the work."""
    overlooked: tuple[bytes, ...] = ()
    """Files that the user told git not to look at."""
    sparse: bool = False
    """Whether the user had only some of the files checked out."""
    prefix: str = ""
    """The path of the project below the top of its repository."""
    began: int = 0
    """When these rules were recorded, in nanoseconds. A newer change was not made by the user."""
    sources: dict[str, str] = {}
    """The files in which git keeps settings, excludes and attributes, named like `ignore_file`, each with its digest;
    the digest is empty if the file does not exist."""
    prepares_on: str = ""
    """The commit or tree whose files prepare a checkout for checks, because HEAD may be an agent's commit."""
    index: str = ""
    """The digest of the working tree's index, if that index tells git to look at all files."""

    @property
    def uses_lfs(self) -> bool:
        return any(name.startswith("filter.lfs.") for name, _ in self.settings)
