"""A canary for a check without a runner: the scripts that it runs do all their work and then fail."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ralph.checks.proof.canary.deciding import deciding_scripts
from ralph.checks.proof.canary.failing_script import FailingScript
from ralph.checks.proof.canary.javascript_script import failing_javascript
from ralph.checks.proof.canary.makefile import default_target, failing_target, made_targets, rules
from ralph.checks.proof.canary.outcome import Canary
from ralph.checks.proof.canary.python_script import failing_python
from ralph.checks.proof.canary.reach import Reach, caller_of, reach
from ralph.checks.proof.canary.shell import failing_shell
from ralph.model.proof import NewFile, Tree

SHEBANG = re.compile(rb"#!.*?\b(python|node|sh|bash|dash|zsh|ksh)[\d.]*\s*(\s-.*)?$", re.MULTILINE)
SUFFIXES = {".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node", ".sh": "sh", ".bash": "sh"}
NO_CANARY = "no test file in a language that ralph can change, and no script"


async def script_canary(tree: Tree, command: str, named: Mapping[str, str]) -> Canary:
    """The canary. The innermost scripts fail; if none can be made to fail, those that call them do, or a target."""
    found = await reach(tree, command, named)
    programs = [path for path in found.scripts if not _is_library(path, found)]
    deciding = deciding_scripts({path: _caller(path, programs, named) for path in programs}, named, found)
    refusals = [f"{path} may fail without failing the check" for path in programs if path not in deciding]
    level, tried = _innermost(deciding), set[str]()
    while level:
        made = {path: _failing(path, found, named) for path in sorted(level)}
        changes = {path: NewFile(tree.entries[path].mode, each.content) for path, each in made.items() if each.content}
        if changes:
            return Canary(changes, tuple(changes), exit_only=True)
        refusals += [f"{path} {each.refusal}" for path, each in made.items()]
        tried |= level
        level = {caller for path in level if (caller := deciding[path])} - tried
    return _make_canary(tree, command, found, refusals)


def _make_canary(tree: Tree, command: str, found: Reach, refusals: list[str]) -> Canary:
    for targets in reversed(made_targets(command)):
        defined = list(_defined(targets, found.makefiles))
        if len(defined) != 1:  # Which of several Makefiles counts is not known.
            continue
        path, target = defined[0]
        if changed := failing_target(found.makefiles[path], target):
            change = {path: NewFile(tree.entries[path].mode, changed)}
            return Canary(change, (f"the target {target} of {path}",), exit_only=True)
    return Canary(left_out="; ".join(refusals) or NO_CANARY)


def _defined(targets: Sequence[str], makefiles: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """The last of the named targets, or else the default target of the file, in each Makefile that has it."""
    for path, content in makefiles.items():
        known = rules(content)
        target = targets[-1] if targets else default_target(known)
        if any(target in rule.targets for rule in known):
            yield path, target


def _failing(path: str, found: Reach, named: Mapping[str, str]) -> FailingScript:
    content = found.scripts[path]
    match _language(path, content):
        case "python":
            libraries = (
                found.scripts[each] for each, by in named.items() if caller_of(by) == path and each in found.scripts
            )
            return failing_python(content, tuple(libraries))
        case "node":
            return failing_javascript(content)
        case "sh":
            return failing_shell(content)
        case _:
            return FailingScript(refusal="is in a language that ralph cannot change")


def _language(path: str, content: bytes) -> str:
    if found := SHEBANG.match(content):
        program = found[1].decode()
        return program if program in {"python", "node"} else "sh"
    suffix = "." + path.rpartition(".")[2] if "." in path.rpartition("/")[2] else ""
    return SUFFIXES.get(suffix, "" if suffix or content.startswith(b"#!") else "sh")


def _is_library(path: str, found: Reach) -> bool:
    """Whether it is a file that a script sources: it ends before the script does."""
    name = re.escape(path.rpartition("/")[2])
    stem = re.escape(path.rpartition("/")[2].rpartition(".")[0])
    if path.endswith(".py"):
        return re.search(rf"(^|[\s;\"'])(import|from)\s[^\n]*\b{stem}\b", found.text, re.MULTILINE) is not None
    if path.endswith((".js", ".mjs", ".cjs")):
        return re.search(rf"(require\(|import\(|\bfrom\b|\bimport\b)\s*['\"][^'\"]*{stem}", found.text) is not None
    return re.search(rf"(^|[;&|\s])(\.|source)\s+[\"']?\S*{name}", found.text, re.MULTILINE) is not None


def _innermost(deciding: Mapping[str, str]) -> set[str]:
    """The scripts that run no other one."""
    return set(deciding) - set(deciding.values()) or set(deciding)


def _caller(path: str, programs: Iterable[str], named: Mapping[str, str]) -> str:
    """The script that runs this one, past the libraries between them; empty if it is the command itself."""
    by, passed = caller_of(named.get(path, "")), {path}
    while by in named and by not in programs and by not in passed:
        passed.add(by)
        by = caller_of(named[by])
    return by if by in programs and by not in passed else ""
