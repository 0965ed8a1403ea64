"""No setting without effect: each key of the schema is read somewhere outside of the settings themselves."""

import ast
import re
from functools import cache
from pathlib import Path

from msgspec.inspect import DictType, ListType, StructType

import ralph
from ralph.config.keys import alternatives, root

SOURCE = Path(ralph.__file__).parent
TESTS = Path(__file__).parents[1]
SET = re.compile(r"""\b(\w+)["']?\s*[:=]|["']([\w.*\[\]]+)["']""")


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


# One test for all keys: with one for each, every process that runs tests would parse the whole program.
def test_each_key_is_read():
    assert [key for key in KEYS if not {KEYS[key], key} & names_read()] == []


@cache
def names_set_by_tests():
    """The names that tests give a value, or name in quotes: of tests that run ralph with settings, not of these."""
    files = (file for file in TESTS.rglob("*.py") if not file.is_relative_to(TESTS / "config"))
    found = (name for file in files for pair in SET.findall(file.read_text(encoding="utf-8")) for name in pair)
    return set(found)


def test_a_test_runs_ralph_with_each_key():
    named = {key: {key, name, key.rpartition(".")[2].removesuffix("[]")} for key, name in KEYS.items()}
    assert [key for key, names in named.items() if not names & names_set_by_tests()] == []


def test_the_walk_sees_the_whole_schema():
    some = {"maximumIterations", "budget.usd", "stall.after", "onEnd", "roles.*.promise", "guardrails[].hint"}
    assert some <= set(KEYS)


def test_a_key_that_nobody_reads_is_noticed():
    assert not {"no_such_setting", "noSuchSetting"} & names_read()
