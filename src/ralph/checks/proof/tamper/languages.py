"""Which reader reads which file. A new language is one row here and one file beside this one."""

import re
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple, Protocol

from ralph.checks.proof.tamper.settings import SHARED
from ralph.checks.proof.tamper.sheet import Sheet
from ralph.checks.proof.tamper.source import FileChange, Source


class Reading(Protocol):
    def sheet(self) -> Sheet: ...


class Language(NamedTuple):
    name: str
    files: "re.Pattern[str]"
    """The names of its files."""
    shebang: "re.Pattern[bytes]"
    """The first line of a program without such a name."""
    module: str
    reader: str
    triggers: "re.Pattern[bytes]"
    """Words without which a product file can have no finding: most files need not be parsed."""

    def read(self, source: Source) -> Sheet:
        return self._reader()(source).sheet()

    def _reader(self) -> "Callable[[Source], Reading]":
        """The reader. It is imported late, because parsers are needed only at a claim."""
        return getattr(import_module(f"ralph.checks.proof.tamper.{self.module}"), self.reader)

    def read_both(self, base: Source, head: Source) -> tuple[Sheet, Sheet]:
        reader = self._reader()
        both = getattr(reader, "both", None)
        return both(base, head) if both else (reader(base).sheet(), reader(head).sheet())

    def may_show(self, source: Source) -> bool:
        """Whether reading the file can show anything."""
        return not source.is_product or self.triggers.search(source.content) is not None


NO_SHEBANG = r"(?!)"
EVERYTHING = r""
PYTHON = (
    r"\bexit\b|_exit\b|\bquit\b|SystemExit|pytest|PYTEST_|unittest|\bnose|doctest|pluggy|conftest|\btests?\b"
    r"|test_\w+\.py"
    r"|__(?:eq|ne|lt|le|gt|ge|contains|instancecheck|subclasscheck)__|_getframe|_current_frames|inspect|_stack\b"
    r"|get_objects"
    r"|get_referrers|settrace|setprofile|meta_path|path_hooks|builtins|junitxml|coding[:=]|load_tests|exitstatus"
    r"|[\"']\s*\+\s*[\"']|\beval\b|\bexec\b|setattr|\b(?:time|datetime|random|math|json|re|operator|functools|os|sys"
    r"|subprocess|socket)\.[\w.]+\s*=[^=]|testsfailed|wasxfail"
)
JAVASCRIPT = (
    r"\bexit\b|[eE]xitCode|reallyExit|\bassert\b|\bexpect\b|\bjest\b|\bvitest\b|\bmocha\b|node:test|NODE_TEST|NODE_ENV"
    r"|JEST_|VITEST|junitxml|[eE]quals?\b|isEqual|asymmetricMatch|valueOf|Symbol\.|\.stack\b|StackTrace"
    r"|[\"']\s*\+\s*[\"']"
    r"|\\u|\beval\b|\bFunction\b|\b(?:test|spec)\.[cm]?[jt]s|process\.(?:on|once|emit)\b|Module\b|require\.cache"
    r"|defineProperty"
    r"|Object\.assign|Reflect\.|\b(?:Object|Array|JSON|Number|String|Boolean|Map|Set|Promise|Math|Date"
    r"|Error)\.[\w.]+\s*=[^=]"
)
GO = (
    r"\bExit\b|linkname|\bCallers?\b|\bStack\b|testing\.|test\.\w|\.test\b|_test\.go|\b(?:Equals?|Matches|Compare|Is)\("
)
RUST = (
    r"\bexit\b|#\[|#!\[|cfg!|\bassert|panic|Partial|\bEq\b|\bOrd\b|macro_rules|RUST_TEST|NEXTEST|junitxml|catch_unwind"
)

LANGUAGES = tuple(
    Language(name, re.compile(files), re.compile(shebang.encode()), module, reader, re.compile(triggers.encode()))
    for name, files, shebang, module, reader, triggers in (
        ("python", r".*\.py[wi]?", r"#!.*\bpython", "python", "PythonReader", PYTHON),
        ("javascript", r".*\.[cm]?jsx?", r"#!.*\b(?:node|bun)\b", "javascript", "JavaScriptReader", JAVASCRIPT),
        ("typescript", r".*\.[cm]?ts", r"#!.*\b(?:deno|tsx?|ts-node)\b", "typescript", "TypeScriptReader", JAVASCRIPT),
        ("tsx", r".*\.tsx", NO_SHEBANG, "typescript", "TsxReader", JAVASCRIPT),
        ("go", r".*\.go", NO_SHEBANG, "golang", "GoReader", GO),
        ("rust", r".*\.rs", NO_SHEBANG, "rust", "RustReader", RUST),
        ("shell", r".*\.(?:sh|bash|zsh|ksh)", r"#!.*\b(?:ba|da|z|k)?sh\b", "shell", "ShellReader", EVERYTHING),
        (
            "make",
            r"(?:GNU)?[mM]akefile|.*\.mk|\.?[jJ]ustfile|.*\.just",
            r"#!.*\bmake\b",
            "makefile",
            "MakefileReader",
            EVERYTHING,
        ),
        ("yaml", r".*\.ya?ml", NO_SHEBANG, "workflow", "WorkflowReader", EVERYTHING),
        ("ruby", r".*\.(?:rb|rake)|Rakefile", r"#!.*\bruby", "ruby", "RubyReader", EVERYTHING),
        ("java", r".*\.(?:java|kts?)", NO_SHEBANG, "java", "JavaReader", EVERYTHING),
        ("php", r".*\.php", r"#!.*\bphp", "php", "PhpReader", EVERYTHING),
        ("c#", r".*\.cs", NO_SHEBANG, "csharp", "CSharpReader", EVERYTHING),
    )
)

BY_NAME = re.compile("|".join(f"(?:{language.files.pattern})" for language in LANGUAGES))
SHELL = next(language for language in LANGUAGES if language.name == "shell")


def language_of(source: Source) -> Language | None:
    for language in LANGUAGES:
        if language.files.fullmatch(source.name):
            return language
    first = source.content[:200].partition(b"\n")[0]
    by_shebang = next((language for language in LANGUAGES if first and language.shebang.match(first)), None)
    # A check's script is run by the shell, unless its name says otherwise.
    return by_shebang or (SHELL if source.is_judge and "." not in source.name else None)


def is_worth_reading(change: FileChange) -> bool:
    """Whether a file of this name may have text worth reading. One without an extension may be a program."""
    name = change.path.rpartition("/")[2]
    return change.is_test or change.is_judge or "." not in name or name in SHARED or BY_NAME.fullmatch(name) is not None
