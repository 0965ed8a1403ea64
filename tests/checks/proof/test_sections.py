import configparser
import json
import time
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.checks.proof.sections import judging_part, merged

BASE = """\
[project]
name = "calc"
version = "1"

[tool.pytest.ini_options]
addopts = "-q"  # quiet
testpaths = ["tests"]
"""
HEAD = """\
[project]
name = "calc"
version = "2"
dependencies = ["requests"]

[tool.pytest.ini_options]
addopts = "-q --collect-only"
testpaths = ["tests/test_extra.py"]

[tool.uv]
package = true
"""


def read_setup(text):
    parser = configparser.RawConfigParser(default_section="?", allow_no_value=True)
    parser.read_string(text)
    return {name: dict(parser.items(name)) for name in parser.sections()}


def test_a_new_dependency_stays_and_a_narrowed_collection_goes():
    assert merged("pyproject.toml", BASE, HEAD) == (
        '[project]\nname = "calc"\nversion = "2"\ndependencies = ["requests"]\n\n[tool.uv]\npackage = true\n'
        '[tool.pytest.ini_options]\naddopts = "-q"  # quiet\ntestpaths = ["tests"]\n'
    )


def test_without_a_change_of_judges_the_file_stays_as_it_is():
    head = BASE.replace('"-q"  # quiet', "'-q'").replace('version = "1"', 'version  =  "2"\r')
    assert merged("pyproject.toml", BASE, head) == head
    assert judging_part("pyproject.toml", BASE) == judging_part("pyproject.toml", head) != ""


def test_a_file_that_the_base_does_not_have_judges_nothing():
    assert "pytest" not in merged("pyproject.toml", None, HEAD)
    assert tomllib.loads(merged("sub/pyproject.toml", None, HEAD)).keys() == {"project", "tool"}
    assert merged("pyproject.toml", None, "[[[") == ""


def test_judging_sections_that_the_change_took_out_come_back():
    result = tomllib.loads(merged("pyproject.toml", BASE, '[project]\nname = "other"\n'))
    assert result == {"project": {"name": "other"}, "tool": tomllib.loads(BASE)["tool"]}


def test_nothing_judges_in_a_file_without_such_sections():
    assert judging_part("pyproject.toml", '[project]\nname = "x"\n[tool.uv]\npackage = true\n') == ""
    assert judging_part("package.json", '{"name": "x", "dependencies": {}}') == ""
    assert judging_part("setup.cfg", "[metadata]\nname = x\n") == ""
    assert judging_part("setup.cfg", "") == ""


WRITTEN = [
    '[tool.pytest.ini_options]\naddopts = "X"\n',
    '[tool.pytest]\nini_options = { addopts = "X" }\n',
    '[tool.pytest]\nini_options.addopts = "X"\n',
    '[tool]\npytest.ini_options.addopts = "X"\n',
    '[tool]\npytest = { ini_options = { addopts = "X" } }\n',
    '[tool]\n"pytest"."ini_options" = {"addopts" = "X"}\n',
    '[ tool . "pytest" . \'ini_options\' ]\naddopts = """X"""\n',
    'tool.pytest.ini_options.addopts = "X"\n',
    'tool = { pytest = { ini_options = { addopts = "X" } } }\n',
    '"to\\u006fl".pytest.ini_options = { addopts = "X" }\n',
]


RESTS = ["", '[project]\nname = "x"\n', '# a comment\n[[tool.uv.index]]\nurl = "u"\n']


def file_with(section, value, rest):
    """A section that begins with a key stands before all others."""
    section = section.replace("X", value)
    return rest + section if section.startswith("[") else section + rest


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("rest", RESTS)
def test_every_way_to_write_a_section(written, rest):
    if written.startswith("tool = {") and "uv" in rest:
        rest = ""  # a table in braces takes no more
    result = merged("pyproject.toml", file_with(written, "base", ""), file_with(written, "head", rest))
    assert tomllib.loads(result) == tomllib.loads(file_with(written, "base", rest))


@pytest.mark.parametrize("base", WRITTEN)
@pytest.mark.parametrize("head", WRITTEN)
@pytest.mark.parametrize("rest", RESTS[:2])
def test_a_section_that_is_written_in_another_way_still_judges(base, head, rest):
    base, head = file_with(base, "base", ""), file_with(head, "head", rest)
    result = merged("pyproject.toml", base, head)
    assert tomllib.loads(result)["tool"]["pytest"] == {"ini_options": {"addopts": "base"}}
    assert tomllib.loads(result) == tomllib.loads(base) | tomllib.loads(rest) or result == base


BROKEN = [
    "[tool.pytest\n",
    '[tool.pytest]\na = 1\n[tool.pytest]\na = "--collect-only"\n',
    'a = 1\na = 2\n[tool.pytest]\nb = "x"\n',
    "[[tool]]\npytest = 1\n[tool]\n",
    "x = " + "[" * 10_000 + "]" * 10_000,
    "x = " + "9" * 10_000,
    "x = 2024-99-99\n",
    "[tool.pytest]\n\x00 = 1",
    'x = "' + "y" * 1_000_001 + '"\n[tool.pytest]\na = 1\n',
    "a" * 3_000_000,
]


@pytest.mark.parametrize("broken", BROKEN, ids=range(len(BROKEN)))
def test_a_file_that_cannot_be_read_gives_way_to_the_base(broken):
    assert merged("pyproject.toml", BASE, broken) == BASE
    assert merged("pyproject.toml", broken, BASE) == broken
    assert judging_part("pyproject.toml", broken) == broken


def test_what_cannot_be_told_apart_gives_way_to_the_base():
    head = 'tool = { pytest = { a = "--collect-only" }, uv = { package = true } }\n'
    assert merged("pyproject.toml", BASE, head) == BASE
    base = '[project]\nname = "x"\n'
    assert merged("pyproject.toml", base, head) == base


def test_other_things_that_look_like_sections_stay():
    head = (
        'text = """\n[tool.pytest]\n"""\n'
        "more = '''\n[tool.ruff]\n'''\nlist = [\n  \"[tool.mypy]\",\n  # [tool.mypy]\n]\n"
        '[tool.pytest]\nx = """\n[project]\nname = "no"\n"""\n[project]\nname = "yes"\n'
    )
    found = tomllib.loads(merged("pyproject.toml", "[tool.ruff]\nline-length = 80\n", head))
    expected = tomllib.loads(head)
    del expected["tool"]["pytest"]
    assert found == {**expected, "tool": {"ruff": {"line-length": 80}}}


def test_windows_line_ends():
    result = merged("pyproject.toml", BASE.replace("\n", "\r\n"), HEAD.replace("\n", "\r\n"))
    assert tomllib.loads(result) == {
        **tomllib.loads(HEAD),
        "tool": {"uv": {"package": True}, **tomllib.loads(BASE)["tool"]},
    }


def test_a_byte_order_mark_is_a_change_of_judges_and_goes():
    for path, text in {
        "pyproject.toml": BASE,
        "package.json": '{"scripts": {"test": "x"}}',
        "setup.cfg": "[flake8]\n",
    }.items():
        assert judging_part(path, f"\ufeff{text}") != judging_part(path, text)
        assert merged(path, text, f"\ufeff{text}") == text


def test_not_a_number_is_the_same_as_itself():
    assert (
        merged("pyproject.toml", "[tool.ruff]\nx = nan\n", "[tool.ruff]\nx = nan\n#\n") == "[tool.ruff]\nx = nan\n#\n"
    )


def test_entry_points_that_are_plugins_of_pytest():
    head = (
        '[project]\nname = "x"\n[project.entry-points.pytest11]\ncheat = "cheat"\n[project.entry-points.x]\na = "b"\n'
    )
    found = tomllib.loads(merged("pyproject.toml", '[project]\nname = "x"\n', head))
    assert found == {"project": {"name": "x", "entry-points": {"x": {"a": "b"}}}}
    base = "[options.entry_points]\nconsole_scripts =\n  a = b\n"
    head = "[options.entry_points]\nconsole_scripts =\n  a = c\npytest11 =\n  cheat = cheat\n"
    found = read_setup(merged("setup.cfg", base, head))
    assert found == {"options.entry_points": {"console_scripts": "\na = c"}}


def test_cargo():
    base = '[package]\nname = "x"\n[lib]\npath = "a.rs"\n[lints.rust]\nunsafe_code = "forbid"\n[[test]]\nname = "all"\n'
    head = (
        '[package]\nname = "x"\nautotests = false\n[lib]\npath = "b.rs"\ntest = false\n[dependencies]\nserde = "1"\n'
        '[lints.rust]\nunsafe_code = "allow"\n[[test]]\nname = "all"\nharness = false\n'
    )
    expected = tomllib.loads(base) | {"lib": {"path": "b.rs"}, "dependencies": {"serde": "1"}}
    assert tomllib.loads(merged("crates/x/Cargo.toml", base, head)) == expected
    back = tomllib.loads(merged("Cargo.toml", head, base))
    assert back["package"] == {"name": "x", "autotests": False}
    assert back["lib"] == {"path": "a.rs", "test": False}


# ------------------------------------------------------------------ setup.cfg
def test_limits_in_setup_cfg():
    base = "[metadata]\nname = x\n[flake8]\nmax-line-length = 79\n[coverage:report]\nfail_under = 90\n"
    head = "[metadata]\nname = y\n[flake8]\nmax-line-length = 999\n[options]\ninstall_requires =\n    a\n\n    b\n"
    result = read_setup(merged("setup.cfg", base, head))
    assert result == {
        "metadata": {"name": "y"},
        "options": {"install_requires": "\na\n\nb"},
        "flake8": {"max-line-length": "79"},
        "coverage:report": {"fail_under": "90"},
    }


HOSTILE_SETUP = [
    "[metadata]\nname = x\n  [flake8]\nmax-line-length = 999\n[x]\n  [flake8]\nmax-line-length = 999\n",
    "[metadata]\nname = x\n[flake8];]\nmax-line-length = 999\n",
    "[metadata]\nname = x\x0c[tool:pytest]\x0caddopts = --collect-only\n",
    "[metadata]\nname = x\r[flake8]\rmax-line-length = 999\n",
    "[metadata]\nname = x\u2028[flake8]\u2028max-line-length = 999\n",
    "[flake8]\nmax-line-length = 79\n[flake8]\nmax-line-length = 999\n",
    "[flake8]\nmax-line-length = 79\nmax-line-length = 999\n",
    "[flake8\nmax-line-length = 999\n",
    "max-line-length = 999\n",
    "[[flake8]]\nmax-line-length = 999\n",
]


@pytest.mark.parametrize("head", HOSTILE_SETUP, ids=range(len(HOSTILE_SETUP)))
def test_a_setup_cfg_that_programs_read_differently_gives_way_to_the_base(head):
    base = "[flake8]\nmax-line-length = 79\n"
    assert merged("setup.cfg", base, head) == base
    assert merged("setup.cfg", None, head) == ""
    assert judging_part("setup.cfg", head) == head


def test_defaults_of_all_sections_judge():
    head = "[DEFAULT]\nmax-line-length = 999\n[flake8]\n[metadata]\nname = x\n"
    assert read_setup(merged("setup.cfg", "[flake8]\n", head)) == {"metadata": {"name": "x"}, "flake8": {}}


# ------------------------------------------------------------------ package.json
def test_commands_of_the_base_come_back_and_new_ones_stay():
    base = '{"name": "calc", "scripts": {"test": "node --test"}, "jest": {"bail": true}}'
    head = """{
    "name": "calc",
    "scripts": {"fmt": "prettier .", "pretest": "cp good.js calc.js", "test": "true", "posttest": "x"},
    "ava": {"files": []},
    "dependencies": {"left-pad": "1"}
}
"""
    assert merged("package.json", base, head) == (
        '{\n    "name": "calc",\n'
        '    "scripts": {\n        "test": "node --test",\n        "fmt": "prettier ."\n    },\n'
        '    "dependencies": {\n        "left-pad": "1"\n    },\n    "jest": {\n        "bail": true\n    }\n}\n'
    )


def test_sections_that_a_script_reads_judge():
    base = "[metadata]\nname = calc\n\n[lint]\nlongest = 79\n"
    head = base.replace("79", "999").replace("calc", "sums")
    words = frozenset({"lint", "longest", "metadata", "setup.cfg"})
    assert merged("setup.cfg", base, head) == head
    assert merged("setup.cfg", base, head, words) == base.replace("calc", "sums")
    toml = '[project]\nname = "calc"\n\n[tool.lint]\nlongest = 79\n'
    assert merged("pyproject.toml", toml, toml.replace("79", "999"), frozenset({"tool", "lint", "project"})) == toml
    assert merged("pyproject.toml", toml, toml.replace("79", "999"), frozenset({"tool.lint"})) == toml
    assert merged("setup.cfg", base, head, frozenset({"*", "options.lint"})) == head
    package = {"name": "a", "version": "1", "lint": {"longest": 79}}
    changed = {"name": "b", "version": "2", "lint": {"longest": 999}}
    text = merged("package.json", json.dumps(package), json.dumps(changed), frozenset({"lint", "version"}))
    assert json.loads(text) == {"name": "b", "version": "2", "lint": {"longest": 79}}


def test_an_import_of_the_base_leads_where_it_led():
    base = {"name": "a", "imports": {"#expect": "./lib/expect.js", "#old": "./old.js"}}
    head = {"name": "a", "imports": {"#expect": "./lib/easy.js", "#new": "./new.js"}}
    assert json.loads(merged("package.json", json.dumps(base), json.dumps(head))) == {
        "name": "a",
        "imports": {"#expect": "./lib/expect.js", "#old": "./old.js", "#new": "./new.js"},
    }


GO = "module shop\n\ngo 1.19\n\nrequire check v0.0.0\n\nreplace check => ./check // ours\n"


def test_a_module_of_go_comes_from_where_it_came_from():
    head = GO.replace("./check", "./near").replace("go 1.19", "go 1.20")
    restored = "module shop\n\ngo 1.20\n\nrequire check v0.0.0\n\nreplace check => ./check\n"
    assert judging_part("go.mod", GO) != judging_part("go.mod", head)
    assert merged("go.mod", GO, head) == restored
    assert (
        merged("go.mod", GO, head.replace("replace check", "replace (\n\tcheck").replace("ours", "ours\n)")) == restored
    )
    added = merged("sub/go.mod", GO, f"{head}replace other v1.0.0 => example.com/fork v1.0.1\n")
    assert added.endswith("replace other v1.0.0 => example.com/fork v1.0.1\nreplace check => ./check\n")
    assert merged("go.mod", GO, "module shop\n").endswith("replace check => ./check\n")
    of_a_version = merged("go.mod", GO, f"{GO}replace check v0.0.0 => ./near\n")
    assert "near" not in of_a_version


def test_replacements_that_are_only_written_differently_leave_the_file_as_it_is():
    head = GO.replace("replace check => ./check", "replace (\n\tcheck   =>  ./check\n)").replace("1.19", "1.22")
    assert merged("go.mod", GO, head) == head


SHOP = '''\
"""A shop.

>>> total([1])
1
"""


def total(prices):
    """The sum.

    >>> total([2, 3])
    5
    """
    return sum(prices) - len(prices)


class Till:
    def open(self): "opens it"

    def label(self, name):
        r"""As on the shelf."""
        return name
'''


def test_examples_in_docstrings_are_put_back_and_the_code_stays():
    head = SHOP.replace("    5\n", "    3\n").replace("- len(prices)", "- 1")
    assert merged("shop.py", SHOP, head) == SHOP.replace("- len(prices)", "- 1")
    dropped = SHOP.replace("    >>> total([2, 3])\n    5\n", "").replace("- len(prices)", "")
    assert merged("shop.py", SHOP, dropped) == SHOP.replace("- len(prices)", "")
    moved = "class Shop:\n    pass\n\n\n" + SHOP.partition("\n\n\n")[2].replace("    5\n", "    3\n")
    assert merged("shop.py", SHOP, moved) == moved.replace("    3\n", "    5\n")


def test_docstrings_without_other_examples_stay():
    head = SHOP.replace("The sum.", "All prices together.").replace("As on the shelf.", "As on the label.")
    assert merged("shop.py", SHOP, head) == head
    extended = SHOP.replace('As on the shelf."""', 'As it is.\n\n        >>> Till().label("a")\n        b"""')
    assert merged("shop.py", SHOP, extended) == extended


@pytest.mark.parametrize("broken", ["def total(:\n", SHOP.replace("    5\n", "    3\r"), "# coding: latin-1\n" + SHOP])
def test_a_source_that_cannot_be_read_stays(broken):
    assert merged("shop.py", SHOP, broken) == broken
    assert merged("shop.py", broken, SHOP) == SHOP


def test_only_new_commands_leave_the_file_as_it_is():
    base = '{"scripts": {"test": "x"}}'
    head = '{"scripts": {"test": "x", "fmt": "y", "prepare": "z"},\n"dependencies": {}}'
    assert merged("package.json", base, head) == head


@pytest.mark.parametrize("runs", ["run-s test:*", "npm-run-all --parallel 'test:*'", "concurrently npm:test:*"])
def test_new_commands_that_the_base_would_start_go(runs):
    base = json.dumps({"scripts": {"test": runs}})
    head = json.dumps({"scripts": {"test": runs, "test:a": "cp good.js calc.js", "other": "x"}})
    assert json.loads(merged("package.json", base, head)) == {"scripts": {"test": runs, "other": "x"}}


def test_a_new_package_keeps_its_commands_and_loses_its_limits():
    head = '{"scripts": {"test": "jest"}, "jest": {"testMatch": []}}'
    assert json.loads(merged("packages/new/package.json", None, head)) == {"scripts": {"test": "jest"}}


def test_characters_are_kept():
    base = '{"scripts": {"test": "gr\u00fc\u00df \\ud83d"}}'
    result = merged("package.json", base, '{"scripts": {"test": "x"}, "author": "J\u00f6rg \U0001f600"}')
    assert result.encode()
    assert json.loads(result) == {**json.loads(base), "author": "J\u00f6rg \U0001f600"}


BROKEN_JSON = [
    "{",
    "[]",
    "null",
    "1",
    '{"a": NaN}',
    "[" * 100_000,
    '{"a": ' + "9" * 5000 + "}",
    "// x\n{}",
    '{"a": 1,}',
]


@pytest.mark.parametrize("broken", BROKEN_JSON, ids=range(len(BROKEN_JSON)))
def test_a_package_that_cannot_be_read_gives_way_to_the_base(broken):
    base = '{"scripts": {"test": "x"}}'
    assert merged("package.json", base, broken) == base
    assert merged("package.json", None, broken) == ""


@pytest.mark.parametrize("scripts", [None, 1, [], "x", {"test": None}, {"test": ["x"]}])
def test_odd_commands_give_way_to_the_base(scripts):
    base = {"scripts": {"test": "x"}}
    result = json.loads(merged("package.json", json.dumps(base), json.dumps({"scripts": scripts, "name": "y"})))
    assert result == {**base, "name": "y"}


def test_a_key_that_stands_twice_counts_once():
    result = merged(
        "package.json", '{"scripts": {"test": "x"}}', '{"scripts": {"test": "x"}, "scripts": {"test": "true"}}'
    )
    assert json.loads(result) == {"scripts": {"test": "x"}}
    assert "true" not in result


def test_deno_with_comments():
    base = '{"tasks": {"test": "deno test"}}'
    head = '{\n  // the tasks\n  "tasks": {"test": "true", /* new */ "fmt": "deno fmt",},\n  "imports": {"a": "http://x//y"},\n}'
    result = merged("deno.jsonc", base, head)
    assert json.loads(result) == {
        "tasks": {"test": "deno test", "fmt": "deno fmt"},
        "imports": {"a": "http://x//y"},
    }
    assert merged("deno.json", base, head) == base


# ------------------------------------------------------------------ any of them
NAMES = st.one_of(st.sampled_from(["a", "name", "addopts", "[tool.pytest]"]), st.text(max_size=8))
TEXTS = st.one_of(st.sampled_from(["-q", "\n[tool.pytest]\n", '"""', "'''", "#", "a = 1"]), st.text(max_size=20))
VALUES = st.recursive(
    st.one_of(TEXTS, st.booleans(), st.integers(-9, 9)), lambda inner: st.lists(inner, max_size=3), max_leaves=4
)
TABLES = st.dictionaries(NAMES, VALUES, max_size=3)
JUDGING = ["tool.pytest.ini_options", "tool.ruff", "tool.ruff.lint", "tool.coverage.run", "tool.hatch.envs.default"]
PRODUCT = ["project", "build-system", "tool.uv", "tool.hatch.build", "tool.pytester"]
SECTIONS = st.dictionaries(st.sampled_from(JUDGING + PRODUCT), TABLES, max_size=5)
STYLES = st.sampled_from(["header", "inline"])


def toml_text(text):
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_value(value):
    match value:
        case bool():
            return str(value).lower()
        case str() if "'" not in value and value.isprintable() and len(value) % 2:
            return f"'{value}'"
        case str():
            return toml_text(value)
        case list():
            return "[\n  " + ",\n  # [tool.ruff]\n  ".join(map(toml_value, value)) + "\n]"
        case _:
            return repr(value)


@st.composite
def toml_files(draw):
    """Sections in any order, each under its header or as one table in a line."""
    sections, lines = draw(SECTIONS), []
    for name in draw(st.permutations(sorted(sections))):
        style = "header" if name == "tool.ruff" else draw(STYLES)
        pairs = {toml_text(key): toml_value(value) for key, value in sections[name].items()}
        above, _, last = name.rpartition(".")
        if (
            style == "inline"
            and not any("\n" in value for value in pairs.values())
            and above not in {"", "tool", "tool.ruff"}
        ):
            lines += [f"[{above}]", f"{last} = {{ {', '.join(f'{key} = {value}' for key, value in pairs.items())} }}"]
        else:
            lines += [f"[{name}]  # {draw(st.sampled_from(['', 'x', '[tool.pytest]']))}"]
            lines += [f"{key} = {value}" for key, value in pairs.items()]
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n# end\n"])), sections


def divided(sections):
    """The judging sections and the others, by what the test wrote; sections without content are nothing."""
    judging = {name: section for name, section in sections.items() if name in JUDGING}
    return judging, {name: section for name, section in sections.items() if name in PRODUCT and section}


def found_in(text, names):
    found = {}
    for name in names:
        value = tomllib.loads(text)
        for part in name.split("."):
            value = value.get(part, {})
        if name == "tool.ruff":
            value = {key: inner for key, inner in value.items() if not isinstance(inner, dict)}
        if value:
            found[name] = value
    return found


@given(toml_files(), toml_files())
def test_toml_has_the_judging_part_of_one_and_the_rest_of_the_other(base, head):
    (base_text, base_sections), (head_text, head_sections) = base, head
    tomllib.loads(base_text)
    tomllib.loads(head_text)
    result = merged("pyproject.toml", base_text, head_text)
    assert judging_part("pyproject.toml", result) == judging_part("pyproject.toml", base_text)
    assert found_in(result, JUDGING) == {
        name: section for name, section in divided(base_sections)[0].items() if section
    }
    assert found_in(result, PRODUCT) == divided(head_sections)[1]
    assert merged("pyproject.toml", base_text, result) == result


INI_WORDS = st.text(st.sampled_from("abc -_.=:#;[]%"), max_size=12).map(str.strip)
INI_KEYS = st.sampled_from(["max-line-length", "name", "addopts", "x y"])
INI_SECTIONS = ["metadata", "options", "tool:pytest", "flake8", "mypy-x.*", "DEFAULT", "coverage:run", "options.extras"]


@st.composite
def setup_files(draw):
    names = draw(st.permutations(INI_SECTIONS))[: draw(st.integers(0, 6))]
    lines = []
    for name in names:
        lines.append(f"[{name}]" + draw(st.sampled_from(["", "  # why", " "])))
        for key in draw(st.lists(INI_KEYS, unique=True, max_size=3)):
            values = [word for word in draw(st.lists(INI_WORDS, max_size=3)) if word[:1] not in ("#", ";", "")]
            lines += [f"{key} = {values[0] if values else ''}", *(f"    {value}" for value in values[1:])]
            lines += draw(st.sampled_from([[], [""], ["# a comment"], ["; [flake8]"]]))
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))


@given(setup_files(), setup_files())
def test_setup_cfg_has_the_judging_part_of_one_and_the_rest_of_the_other(base, head):
    result = read_setup(merged("setup.cfg", base, head))
    of_product = ("metadata", "options", "options.extras")
    assert {name: section for name, section in result.items() if name not in of_product} == {
        name: section for name, section in read_setup(base).items() if name not in of_product
    }
    assert {name: result[name] for name in of_product if result.get(name)} == {
        name: section for name, section in read_setup(head).items() if name in of_product and section
    }


SCRIPTS = st.dictionaries(st.sampled_from(["test", "pretest", "posttest", "unit:a", "unit:b", "fmt", "pre-x"]), TEXTS)
PACKAGES = st.fixed_dictionaries(
    {}, optional={"scripts": SCRIPTS, "jest": VALUES, "nyc": TABLES, "name": TEXTS, "dependencies": TABLES}
)


@given(PACKAGES, PACKAGES, st.sampled_from([None, 2, "\t"]))
def test_package_json_has_the_judging_part_of_one_and_the_rest_of_the_other(base, head, indent):
    result = json.loads(merged("package.json", json.dumps(base), json.dumps(head, indent=indent)))
    for key in ("jest", "nyc"):
        assert result.get(key) == base.get(key)
    for key in ("name", "dependencies"):
        assert result.get(key) == head.get(key)
    commands, before = result.get("scripts", {}), base.get("scripts", {})
    assert {name: commands.get(name) for name in before} == before
    added = {name: commands[name] for name in commands.keys() - before.keys()}
    assert added.items() <= head.get("scripts", {}).items()
    if "test" in before:
        assert not added.keys() & {"pretest", "posttest"}
    if "fmt" in head.get("scripts", {}) and "*" not in "".join(before.values()):
        assert "fmt" in commands


ANY_TEXT = st.one_of(st.text(), st.text(st.sampled_from("[]{}\"'=#.\n\\ ab\r\t,:")))


@pytest.mark.parametrize("path", ["pyproject.toml", "setup.cfg", "package.json", "deno.jsonc", "Cargo.toml", "Pipfile"])
@given(base=ANY_TEXT, head=ANY_TEXT)
def test_any_text_is_no_error(path, base, head):
    result = merged(path, base, head)
    assert result in {base, head} or judging_part(path, result) == judging_part(path, base)
    assert isinstance(merged(path, None, head), str)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", "".join(f"[tool.x{number}]\nname = {number}\n" for number in range(5_000))),
        ("pyproject.toml", "a = [\n" + '"x",\n' * 100_000 + "]\n"),
        ("setup.cfg", "".join(f"[section{number}]\nname = {number}\n" for number in range(5_000))),
        ("package.json", json.dumps({str(number): {"a": number} for number in range(30_000)})),
        ("deno.jsonc", "/*" * 400_000),
        ("deno.jsonc", '{"a": [' + "1, /* x */ // y\n" * 30_000 + "]}"),
        ("pyproject.toml", '"""' + "\\" * 900_000),
        ("pyproject.toml", "'" * 900_000),
        ("pyproject.toml", '"' * 900_000),
    ],
    ids=range(9),
)
def test_long_files_take_no_long_time(path, text):
    began = time.process_time()
    merged(path, "[flake8]\n" if path == "setup.cfg" else "", text)
    merged(path, "", text)
    assert time.process_time() - began < 8
