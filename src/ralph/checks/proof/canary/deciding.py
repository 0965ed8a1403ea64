"""Which scripts decide by their exit code whether a check passes.

A shell continues after a command that failed unless it is told otherwise, so a script that fails at its end need not
make the check fail. A script that is not known to decide is left alone.
"""

import re
from collections.abc import Mapping

from ralph.checks.proof.canary.reach import Reach, caller_of, is_named, pattern_of

STOPS_AT_FAILURES = re.compile(r"^\s*set\s+(-\w*e\w*|.*-o\s+errexit)\b|^#!.*\s-\w*e\w*\s*$", re.MULTILINE)
FORGIVEN = re.compile(r"\|\|\s*(true|:|echo|printf|exit 0)(\s|$)|(?<!\|)\|(?!\|)|(?<!;);(?!;)|(?<!&)&\s*$")
"""Text after a command that hides its failure from the line."""
TURNED_ROUND = re.compile(r"^\s*[@+]*-|(^|[;&|({]|\bthen|\bdo|\bif|\bwhile|\buntil|\belse)\s*!\s|\b(if|while|until)\s")
"""Text before a command that hides its failure from the line."""


def deciding_scripts(programs: Mapping[str, str], named: Mapping[str, str], found: Reach) -> dict[str, str]:
    """The programs whose failure makes the check fail, each with the program that runs it, or with an empty text."""
    deciding: dict[str, str] = {}
    for path in programs:
        chain = [path]
        while (caller := programs.get(chain[-1], "")) and caller not in chain:
            chain.append(caller)
        if all(_decides(each, programs[each], named, found) for each in chain):
            deciding[path] = programs[path]
    return deciding


def _decides(path: str, caller: str, named: Mapping[str, str], found: Reach) -> bool:
    if not caller:
        return _counts(path, named[path], found.shell)
    text = found.scripts[caller].decode(errors="replace")
    if not caller.endswith((".sh", ".bash")) and re.match(r"#!.*\b(python|node|ruby|perl|php)", text):
        return False
    if caller.endswith((".py", ".js", ".mjs", ".cjs")):
        return False
    if STOPS_AT_FAILURES.search(text):
        return caller_of(named[path]) != caller or _counts(path, named[path], text)
    return _counts(path, named[path], _last_command(text))


def _counts(path: str, by: str, text: str) -> bool:
    """Whether a line that names the script ends with the script's exit code. A script that was found by a pattern runs
    in a loop, which is not read: then it is enough that the text names it.
    """
    if pattern_of(by):
        return is_named(path, text, by=by)
    lines = text.replace("\\\n", " ").splitlines()
    return any(_ends_with_it(path, line) for line in lines if is_named(path, line))


def _ends_with_it(path: str, line: str) -> bool:
    name = path.rpartition("/")[2]
    before, _, behind = line.rpartition(name if name in line else path.removesuffix(".py").replace("/", "."))
    return not FORGIVEN.search(behind) and not TURNED_ROUND.search(before)


def _last_command(text: str) -> str:
    lines = [
        line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    return lines[-1] if lines else ""
