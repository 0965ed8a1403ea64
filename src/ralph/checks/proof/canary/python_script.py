"""A Python program that does all its work and then fails.

Each of its own ways to end is made to fail, so that only code that it calls can still end it successfully.
"""

import ast

from ralph.checks.proof.canary.edits import Edit, edited, newline
from ralph.checks.proof.canary.failing_script import EXIT_CODE, FailingScript
from ralph.checks.proof.python_source import PythonSource, dotted, python_source

ENDS = {"sys.exit", "exit", "quit", "SystemExit", "os._exit"}
ENDS_ITSELF = {"click", "typer", "fire", "absl", "plac"}
"""Libraries that end the program after its main function."""
HANDS_OVER = ("os.exec", "unittest.main", "runpy.")
FAIL = f'(lambda *_: __import__("os")._exit({EXIT_CODE}))'


def failing_python(content: bytes, libraries: tuple[bytes, ...] = ()) -> FailingScript:
    """The failing program. `libraries` are the modules of the project that only this program imports."""
    source = python_source(content)
    if source is None:
        return FailingScript(refusal="is not Python that ralph can read")
    if _ends_elsewhere(source.module) or any(map(_may_end_well, libraries)):
        return FailingScript(refusal="ends inside a library")
    edits = [Edit(source.begin(node), source.end(node), FAIL.encode()) for node in _own_ends(source.module)]
    text = edited(source.text, [*edits, _last_line(source)])
    changed = source.encoded(text)
    return FailingScript(changed) if changed else FailingScript(refusal="cannot be changed safely")


def _last_line(source: PythonSource) -> Edit:
    """The last line, which fails only in the program itself: a child of multiprocessing imports the file by another
    name.
    """
    end, line_end = len(source.text), newline(source.text)
    first = b"" if source.text.endswith(b"\n") or not source.text else line_end
    return Edit(end, end, first + b'if __name__ == "__main__":' + line_end + b"    " + FAIL.encode() + b"()" + line_end)


def _own_ends(module: ast.Module) -> list[ast.expr]:
    """The calls by which the program ends itself, except for those that say that it failed."""
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call) and dotted(node.func) in ENDS]
    return [node.func for node in calls if not _is_failure(node)]


def _is_failure(call: ast.Call) -> bool:
    match call.args:
        case [ast.Constant(value=value)]:
            return bool(value)
        case [ast.JoinedStr()]:
            return True
        case _:
            return False


def _ends_elsewhere(module: ast.Module) -> bool:
    for node in ast.walk(module):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        if any(name.partition(".")[0] in ENDS_ITSELF for name in names):
            return True
        if isinstance(node, ast.Call) and dotted(node.func).startswith(HANDS_OVER):
            return True
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Name) and node.exc.id == "SystemExit":
            return True
    return False


def _may_end_well(library: bytes) -> bool:
    source = python_source(library)
    return source is None or bool(_own_ends(source.module)) or _ends_elsewhere(source.module)
