"""No setting without effect: each key of the schema is read somewhere outside of the settings themselves."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from msgspec.inspect import DictType, ListType, StructType

import ralph
from ralph.config.keys import alternatives, root

SOURCE = Path(ralph.__file__).parent
TESTS = Path(__file__).parents[1]


def struct_fields(kind=None, above=""):
    """`(path of the key, name of the field)` of every struct that the settings can hold."""
    for each in alternatives(kind or root()):
        match each:
            case StructType():
                for field in each.fields:
                    path = f"{above}.{field.encode_name}".lstrip(".")
                    yield path, field.name
                    yield from struct_fields(field.type, path)
            case ListType():
                yield from struct_fields(each.item_type, f"{above}[]")
            case DictType():
                yield from struct_fields(each.value_type, f"{above}.*")
            case _:
                pass


@cache
def names_read():
    """The attributes that the program reads, and the fields of structs that are made of a section as a whole."""
    names = set()
    for file in SOURCE.rglob("*.py"):
        if file.is_relative_to(SOURCE / "config"):
            continue
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        names |= {node.value for node in ast.walk(tree) if _is_name(node)}
        if "Struct" in text:
            names |= {node.target.id for node in ast.walk(tree) if _is_field(node)}
    return names


def _is_name(node):
    """A key that is looked up by its name: `getattr(options, key)`, or in settings that were stored."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()


def _is_field(node):
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)


KEYS = dict(struct_fields())


@pytest.mark.parametrize("key", KEYS)
def test_the_key_is_read(key):
    assert {KEYS[key], key} & names_read(), f"{key} is accepted, and nobody reads it"


@cache
def texts_of_tests():
    """What the tests say that run ralph with settings, and not only read them."""
    return "\n".join(
        file.read_text(encoding="utf-8") for file in TESTS.rglob("*.py") if not file.is_relative_to(TESTS / "config")
    )


@pytest.mark.parametrize("key", KEYS)
def test_a_test_sets_the_key(key):
    leaf = key.rpartition(".")[2].removesuffix("[]")
    names = "|".join(map(re.escape, {leaf, KEYS[key]}))
    is_set = re.search(rf"""\b(?:{names})["']?\s*[:=]|["'](?:{names})["']|{re.escape(key)}""", texts_of_tests())
    assert is_set, f"{key} is accepted, and no test runs ralph with it"


def test_the_walk_sees_the_whole_schema():
    some = {"maximumIterations", "budget.usd", "stall.after", "onEnd", "roles.*.promise", "guardrails[].hint"}
    assert some <= set(KEYS)


def test_a_key_that_nobody_reads_is_noticed():
    assert not {"no_such_setting", "noSuchSetting"} & names_read()
