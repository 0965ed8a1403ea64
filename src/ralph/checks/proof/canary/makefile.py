"""The rules of a Makefile, as far as they are literal, and a target that fails at its end."""

import re
import shlex
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ralph.checks.proof.canary.edits import Edit, edited
from ralph.checks.proof.canary.failing_script import EXIT_CODE

NAME = re.compile(r"(^|/)(GNUmakefile|[Mm]akefile)$|\.mk$")
RULE = re.compile(rb"^(?P<targets>[^\s#:=][^:=#]*?)[ \t]*:(?![:=])(?P<needs>[^=;#]*)(?P<inline>;.*)?(#.*)?$")
BRANCH = re.compile(rb"^\s*(ifeq|ifneq|ifdef|ifndef)\b")
ENDIF = re.compile(rb"^\s*endif\b")
UNUSUAL = re.compile(rb"^\.(ONESHELL|RECIPEPREFIX)|^define\b|^\.RECIPEPREFIX", re.MULTILINE)
TAKES_A_WORD = {"-C", "-f", "-j", "-l", "-o", "-W", "-I", "--directory", "--file", "--makefile", "--jobs"}
SEPARATORS = {";", "&&", "||", "|", "&", "(", ")"}


class Rule(Struct, frozen=True):
    targets: tuple[str, ...]
    needs: tuple[str, ...]
    recipe: str
    end: int
    """The position of the next line of the recipe."""
    conditional: bool
    """Whether the rule, or a part of its recipe, is in a conditional branch that may not apply."""


def rules(text: bytes) -> list[Rule]:
    return list(_rules(_logical_lines(text)))


def made_targets(command: str) -> list[tuple[str, ...]]:
    """The targets of each call of make in a command; an empty tuple means the first target of the file."""
    plain = command.replace("$(MAKE)", "make").replace("${MAKE}", "make")
    try:
        words = list(shlex.shlex(plain, posix=True, punctuation_chars=True))
    except ValueError:
        return []
    starts = [at for at, word in enumerate(words) if word.rpartition("/")[2] in {"make", "gmake"}]
    return [tuple(_targets(words[at + 1 :])) for at in starts]


def reached(known: Sequence[Rule], targets: Sequence[str]) -> list[Rule]:
    """The rules of these targets and of everything that they need or call."""
    todo, found = list(targets or _first_target(known)), dict[int, Rule]()
    while todo:
        target = todo.pop()
        for rule in known:
            if target in rule.targets and id(rule) not in found:
                found[id(rule)] = rule
                todo += [*rule.needs, *_called(rule.recipe)]
    return list(found.values())


def failing_target(text: bytes, target: str) -> bytes | None:
    """The Makefile with a failing last command for the target; None if the target does not have exactly one plain
    rule.
    """
    defined = [rule for rule in rules(text) if target in rule.targets]
    if len(defined) != 1 or defined[0].conditional or UNUSUAL.search(text):
        return None
    end = defined[0].end
    first = b"" if text[:end].endswith(b"\n") else b"\n"
    return edited(text, [Edit(end, end, first + f"\t@exit {EXIT_CODE}\n".encode())])


def default_target(known: Sequence[Rule]) -> str:
    return next(iter(_first_target(known)), "")


def _logical_lines(text: bytes) -> Iterator[tuple[bytes, int]]:
    """Each line with its continuation lines, and where it ends."""
    begin = 0
    for found in re.finditer(rb"(?:[^\n\\]|\\[\s\S])*(?:\n|$)", text):
        if found.end() > begin:
            yield found[0], found.end()
            begin = found.end()


def _rules(lines: Iterator[tuple[bytes, int]]) -> Iterator[Rule]:
    rule, depth = None, 0
    for line, end in lines:
        if rule and line.startswith(b"\t"):
            rule = replace(rule, recipe=rule.recipe + line.decode(errors="replace"), end=end)
            continue
        if not line.strip() or line.lstrip().startswith(b"#"):
            continue
        depth += bool(BRANCH.match(line)) - bool(ENDIF.match(line))
        if rule:
            yield replace(rule, conditional=True) if BRANCH.match(line) else rule
        found = RULE.match(line.replace(b"\\\n", b" ").rstrip())
        rule = _new_rule(found, end, conditional=depth > 0) if found else None
    if rule:
        yield rule


def _new_rule(found: "re.Match[bytes]", end: int, *, conditional: bool) -> Rule:
    targets, needs = (tuple(found[name].decode(errors="replace").split()) for name in ("targets", "needs"))
    return Rule(targets, needs, (found["inline"] or b"").decode(errors="replace"), end, conditional)


def _targets(words: Sequence[str]) -> Iterator[str]:
    takes = False
    for word in words:
        if word in SEPARATORS:
            return
        if not takes and not word.startswith("-") and "=" not in word:
            yield word
        takes = word in TAKES_A_WORD


def _called(recipe: str) -> Iterator[str]:
    for line in recipe.splitlines():
        for targets in made_targets(line.strip().lstrip("@-+")):
            yield from targets


def _first_target(known: Sequence[Rule]) -> list[str]:
    plain = [rule.targets[0] for rule in known if not rule.targets[0].startswith(".") and "%" not in rule.targets[0]]
    return plain[:1]
