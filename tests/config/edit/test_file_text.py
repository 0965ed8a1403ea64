"""One key of a settings file is changed, and nothing else in its text."""

import json
from difflib import unified_diff

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ralph.config.edit.file_text import UNSET, changed_data, changed_file
from ralph.config.read import parse_settings
from ralph.model.errors import ConfigError
from seed_000_config import CONFIG

YAML, JSON = "config.yaml", "settings.json"
EVERYTHING = {
    "maximumIterations": 3,
    "agent": {"command": "claude", "flags": ["--model opus"]},
    "guardrails": [{"command": "make", "hint": "ü"}],
}
PRETTY = json.dumps(EVERYTHING, indent=4, ensure_ascii=False) + "\n"


def change(text, path, value, name=YAML):
    raw = None if text is None else text.encode()
    return changed_file(raw, name, tuple(path.split(".")), value).decode()


def difference(before, after):
    """The lines that went and the lines that came."""
    lines = list(unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))[2:]
    return [line for line in lines if not line.startswith("@@")]


@pytest.mark.parametrize(
    ("path", "value", "changed"),
    [
        ("defaults.executor", "claude-code", ["-  executor: opencode", "+  executor: claude-code"]),
        ("defaults.deepReviewer", "none", ["+  deepReviewer: none"]),
        ("defaults.maxIterations", UNSET, ["-  maxIterations: 5"]),
        ("budget.usd", 2.5, ["+budget:", "+  usd: 2.5"]),
        ("verification.enabled", False, ["-  enabled: true", "+  enabled: false"]),
        (
            "rules",
            ["Keep to it: always", "strict"],
            [
                '-  - "Use pnpm, never npm or yarn"',
                '-  - "TypeScript strict mode"',
                '-  - "Follow existing patterns in codebase"',
                '-  - "No new dependencies without justification"',
                '-  - "All exports must have JSDoc comments"',
                '+  - "Keep to it: always"',
                "+  - strict",
            ],
        ),
    ],
)
def test_in_the_seeds_own_file_no_other_line_changes(path, value, changed):
    assert difference(CONFIG, change(CONFIG, path, value)) == changed


def test_comment_before_the_next_key_survives_the_key_before_it():
    assert "\n# Verification steps (run after each chunk)\nverification:" in change(CONFIG, "rules", UNSET)
    assert "\n# Verification steps (run after each chunk)\nverification:" in change(CONFIG, "rules", ["x"])


@pytest.mark.parametrize(
    ("path", "value", "changed"),
    [
        ("maximumIterations", 7, ['-    "maximumIterations": 3,', '+    "maximumIterations": 7,']),
        ("maximumIterations", UNSET, ['-    "maximumIterations": 3,']),
        ("agent.command", "codex", ['-        "command": "claude",', '+        "command": "codex",']),
        ("budget.usd", 2.5, ["-    ]", "+    ],", '+    "budget": {', '+        "usd": 2.5', "+    }"]),
        ("guardrails", [], ['-    "guardrails": [', "-        {", '-            "command": "make",',
                            '-            "hint": "ü"', "-        }", "-    ]", '+    "guardrails": []']),
    ],
)  # fmt: skip
def test_in_json_no_other_line_changes(path, value, changed):
    assert difference(PRETTY, change(PRETTY, path, value, JSON)) == changed


@pytest.mark.parametrize(
    ("before", "path", "value", "after"),
    [
        ('{"agent":{"command":"x"}}', "agent.flags", ["a"], '{"agent":{"command":"x", "flags": ["a"]}}'),
        ('{"agent": {"command": "x"}}', "agent.command", UNSET, "{}"),
        ('{"a": 1, "b": 2, "c": 3}', "b", UNSET, '{"a": 1, "c": 3}'),
        ('{"a": 1, "b": 2}', "b", UNSET, '{"a": 1}'),
        ('{\n\t"a": {\n\t}\n}', "a.b", 1, '{\n\t"a": {\n\t\t"b": 1\n\t}\n}'),
        ("{}\n", "a.b", 1, '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        (None, "a.b", 1, '{\n  "a": {\n    "b": 1\n  }\n}\n'),
    ],
)
def test_json_of_every_shape(before, path, value, after):
    assert change(before, path, value, JSON) == after


@pytest.mark.parametrize(
    ("before", "path", "value", "after"),
    [
        (None, "a.b", [1, "x"], "a:\n  b:\n    - 1\n    - x\n"),
        ("", "a", "off", 'a: "off"\n'),
        ("# nothing yet", "a", 1, "# nothing yet\na: 1\n"),
        ("a: 1 # why\n", "b", 2, "a: 1 # why\nb: 2\n"),
        ("a: 1 # why\n", "a", [2], "a:\n  - 2 # why\n"),
        ("a:\n- 1 # one\n- 2\nb: 3\n", "a", ["x"], "a:\n- x\nb: 3\n"),
        ("a: # why\n  - 1\nb: 2\n", "a", 3, "a: 3 # why\nb: 2\n"),
        ("a:\n  b: 1\nc: 2\n", "a", {"d": {"e": "f g"}}, 'a:\n  d:\n    e: "f g"\nc: 2\n'),
        ("a: {b: 1, c: [2]} # why\n", "a.c", UNSET, "a: {b: 1} # why\n"),
        ("a: {b: 1} # why\n", "a.c", {"d": 1}, 'a: {b: 1, "c": {"d": 1}} # why\n'),
        ("a:\n  b: 1 # gone with it\nc: 2\n", "a.b", UNSET, "c: 2\n"),
        ("a:\n", "a", 1, "a: 1\n"),
        ("a: |\n  text\n\n# end\n", "b", 1, "a: |\n  text\nb: 1\n\n# end\n"),
        ('"a": 1\n', "a", UNSET, ""),
        ("---\na: 1\n", "a", 2, "---\na: 2\n"),
        ("a: 1\r\nb: 2\r\n", "a", [3], "a:\r\n  - 3\r\nb: 2\r\n"),
        ("\ufeffa: 1\n", "a", 2, "\ufeffa: 2\n"),
        ("a: 'ü😀'\nb: ü # ü\nc: 1\n", "b", "é😀", "a: 'ü😀'\nb: \"é😀\" # ü\nc: 1\n"),
        ("a: 1", "steps", [{"name": "x", "run": {"z": []}}], "a: 1\nsteps:\n  - name: x\n    run:\n      z: []"),
    ],
)
def test_yaml_of_every_shape(before, path, value, after):
    assert change(before, path, value) == after


@pytest.mark.parametrize(("text", "path"), [("a: &x {b: 1}\nc: *x\n", "c.b"), ("a: &x 1\nc: *x\n", "a")])
def test_what_cannot_be_changed_alone_is_left_to_a_person(text, path):
    with pytest.raises(ConfigError) as refused:
        change(text, path, 5)
    told = f"config.yaml is written in a way in which ralph cannot change {path} alone. Edit it by hand."
    assert str(refused.value) == told


def test_key_that_is_not_there_cannot_be_unset():
    for path in ("b", "a.b", "c.d.e"):
        with pytest.raises(KeyError):
            change("a: 1\nc: {x: 1}\n", path, UNSET)


keys = st.sampled_from(["alpha", "beta", "gamma delta", "on", "1"])
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
scalars = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6) | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(keys, values, max_size=4)
paths = st.lists(keys, min_size=1, max_size=3)


class NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data):  # noqa: ARG002 - the signature of PyYAML
        return True


def as_expected(text, name, data, path, value):
    """What is asked for is what is there."""
    try:
        wanted = changed_data(data, path, value)
    except KeyError:
        return
    made = changed_file(text.encode(), name, path, value)
    assert parse_settings(made, name) == wanted


@given(objects, paths, values | st.just(UNSET), st.sampled_from([None, 2, "\t"]))
def test_any_json_is_changed_as_its_data_would_be(data, path, value, indent):
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    as_expected(text, JSON, parse_settings(text.encode(), JSON), path, value)


@given(objects, paths, values | st.just(UNSET), st.sampled_from([True, False, None]))
def test_any_yaml_is_changed_as_its_data_would_be(data, path, value, style):
    text = yaml.dump(data, Dumper=NoAliases, default_flow_style=style, allow_unicode=True, sort_keys=False)
    try:
        read = parse_settings(text.encode(), YAML)
    except ConfigError:
        return
    as_expected(text, YAML, read, path, value)


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), scalars, min_size=2), st.data())
def test_comments_stay_whatever_happens_to_a_key(data, draw):
    lines = [f"# about {key}\n{key}: {json.dumps(value)}\n" for key, value in data.items()]
    text = "\n".join(lines)
    try:
        parse_settings(text.encode(), YAML)
    except ConfigError:
        return
    key = draw.draw(st.sampled_from(sorted(data)))
    made = changed_file(text.encode(), YAML, (key,), draw.draw(values | st.just(UNSET))).decode()
    assert [line for line in made.split("\n") if line.startswith("# about")] == [f"# about {each}" for each in data]
