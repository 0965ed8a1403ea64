"""Only the replacements in go.mod judge: they say which source is behind a module that tests may compare with."""

import re
from collections.abc import Iterator

REPLACEMENT = re.compile(r"(?:replace\s+)?(?P<module>[^\s()]+(?:\s+v\S+)?)\s+=>\s+(?P<source>\S.*)")
BLOCK = re.compile(r"replace\s*\(")
COMMENT = re.compile(r"//.*")


def judging_part(text: str) -> str:
    return "\n".join(f"{module} => {source}" for module, source in sorted(_replacements(text)))


def merged(base_text: str, head_text: str) -> str:
    """The change's file with the base's replacements; those of modules that the base does not replace stay."""
    kept, known = "".join(_others(head_text)), dict(_replacements(base_text))
    # A replacement of one version comes before that of all.
    modules = {module.partition(" ")[0] for module in known}
    added = {module: source for module, source in _replacements(head_text) if module.partition(" ")[0] not in modules}
    lines = "".join(f"replace {module} => {source}\n" for module, source in {**added, **known}.items())
    return f"{kept.rstrip()}\n\n{lines}"


def _replacements(text: str) -> Iterator[tuple[str, str]]:
    return (found for _, found in _lines(text) if found)


def _others(text: str) -> Iterator[str]:
    return (line for line, found in _lines(text) if found is None)


def _lines(text: str) -> Iterator[tuple[str, tuple[str, str] | None]]:
    """Each line, with the module and its replacement; the brackets around them belong to neither."""
    in_block = False
    for line in text.splitlines(keepends=True):
        words = COMMENT.sub("", line).strip()
        found = REPLACEMENT.fullmatch(words) if in_block or words.startswith("replace") else None
        if BLOCK.fullmatch(words) or (in_block and words == ")"):
            in_block = words != ")"
        else:
            yield line, (" ".join(found["module"].split()), " ".join(found["source"].split())) if found else None
