"""YAML as people expect it: only `true` and `false` are booleans, so `off`, `no` and `YES` stay words."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import yaml

from ralph.config.wording import quoted

FastestLoader = yaml.SafeLoader if TYPE_CHECKING or not yaml.__with_libyaml__ else yaml.CSafeLoader


class _Loader(FastestLoader):
    # The table is new: the inherited one reads `off` as false, `1:30` as ninety and a day as a date. Its merge keys
    # (`<<`) are gone, too: a few lines of them can require more memory than there is.
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own attribute

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    twice = f"the key {quoted(key.value)} occurs twice"
                    raise yaml.MarkedYAMLError(problem=twice, problem_mark=key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def _resolve(kind: str, pattern: str, first: Iterable[str]) -> None:
    loader: Any = _Loader
    loader.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(rf"^(?:{pattern})$"), list(first))


_resolve("null", r"~|null|Null|NULL|", ["~", "n", "N", ""])
_resolve("bool", r"true|True|TRUE|false|False|FALSE", "tTfF")
_resolve("int", r"[-+]?(?:0|[1-9][0-9]{0,18})", "-+0123456789")
_resolve("float", r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?", "-+.0123456789")


def parse_yaml(text: str, deepest: int) -> Any:
    try:
        _refuse_danger(text, deepest)
        return yaml.load(text, _Loader)  # noqa: S506 - a safe loader, made stricter above
    except yaml.MarkedYAMLError as error:
        raise ValueError(f"{error.problem or error.context}{_place(error.problem_mark)}") from None
    except yaml.reader.ReaderError as error:
        line = text.encode()[: error.position].count(b"\n") + 1
        raise ValueError(f"a character that YAML does not allow at line {line}") from None


def _refuse_danger(text: str, deepest: int) -> None:
    """Refuse dangerous depth: the fast loader builds its tree by recursion in C, and crashes the process on a deep
    tree.
    """
    depth = 0
    library: Any = yaml
    for event in library.parse(text, FastestLoader):
        if getattr(event, "tag", None):
            raise ValueError(f"settings have no use for a tag{_place(event.start_mark)}")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > deepest:
            raise ValueError(f"it is nested too deeply{_place(event.start_mark)}")


def _place(mark: Any) -> str:
    return f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
