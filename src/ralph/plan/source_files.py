"""Which files of a tree are sources, in which language, and which of them the project did not write itself."""

import re

LANGUAGES = {
    "Python": "py pyi pyw",
    "JavaScript": "js mjs cjs jsx",
    "TypeScript": "ts mts cts tsx",
    "Go": "go",
    "Rust": "rs",
    "Vue": "vue",
    "Svelte": "svelte",
    "Astro": "astro",
    "Java": "java",
    "Kotlin": "kt kts",
    "Scala": "scala",
    "Groovy": "groovy gradle",
    "C": "c h",
    "C++": "cc cpp cxx hpp hh hxx",
    "C#": "cs",
    "F#": "fs",
    "Objective-C": "m mm",
    "Swift": "swift",
    "Dart": "dart",
    "Ruby": "rb rake",
    "PHP": "php",
    "Perl": "pl pm",
    "Lua": "lua",
    "R": "r",
    "Julia": "jl",
    "Elixir": "ex exs",
    "Erlang": "erl",
    "Haskell": "hs",
    "OCaml": "ml mli",
    "Clojure": "clj cljs cljc",
    "Zig": "zig",
    "Nim": "nim",
    "Solidity": "sol",
    "Shell": "sh bash zsh fish",
    "PowerShell": "ps1",
    "SQL": "sql",
    "CSS": "css scss sass less",
    "HTML": "html htm",
    "GraphQL": "graphql gql",
    "Protocol Buffers": "proto",
    "Terraform": "tf",
}
"""The endings of each language's files."""
GRAMMARS = {
    **dict.fromkeys(("py", "pyi", "pyw"), "python"),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx"), "javascript"),
    **dict.fromkeys(("ts", "mts", "cts"), "typescript"),
    "tsx": "tsx",
    "go": "go",
    "rs": "rust",
}
UI_FILES = ("vue", "svelte", "astro")
"""The extensions of UI files: each file is one component, named after the file."""
COPIED = frozenset(
    (
        *("node_modules", "bower_components", "jspm_packages", "vendor", "third_party", "site-packages", "venv"),
        *("virtualenv", "__pycache__", "__pypackages__", "dist", "Pods", "Carthage", "DerivedData", "coverage"),
    )
)
"""The folders with copied or generated code. Folders whose names begin with a dot count, too."""
MADE = re.compile(
    r".*\.min\.(js|css|mjs)|.*[._-]bundle\.js|.*_pb2(_grpc)?\.pyi?|.*\.pb(\.gw)?\.go|.*\.d\.[cm]?ts|_version\.py"
    r"|.*\.(generated|gen|g)\.\w+|zz_generated.*|.*_generated\.\w+"
)
"""The names that programs give to the files that they write."""
_BY_ENDING = {ending: language for language, endings in LANGUAGES.items() for ending in endings.split()}


def language_of(path: str) -> str:
    """The language of a path; empty if it is not a source file, or not the project's own."""
    language = _BY_ENDING.get(_ending(path), "")
    return "" if not language or MADE.fullmatch(path.rpartition("/")[2]) or is_copied(path) else language


def is_copied(path: str) -> bool:
    """Whether it is in a folder of copied or generated code."""
    return any(each in COPIED or each.startswith(".") for each in path.split("/")[:-1])


def grammar_of(path: str) -> str:
    """The grammar of a path; empty for a language that is not parsed."""
    return GRAMMARS.get(_ending(path), "")


def is_ui_file(path: str) -> bool:
    return _ending(path) in UI_FILES


def stem(path: str) -> str:
    """The file's name without its extension; for `button/index.tsx` that of its folder."""
    folder, _, name = path.rpartition("/")
    made = name.partition(".")[0]
    return folder.rpartition("/")[2] if made == "index" and folder else made


def _ending(path: str) -> str:
    name, _, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if name else ""
