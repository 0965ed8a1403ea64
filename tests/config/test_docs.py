import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec.inspect import StructType

from ralph.config.docs import documentation, page, sections
from ralph.config.keys import root

PAGE = Path(__file__).parents[2] / "docs/settings.md"
STRUCTS: list[tuple[str, StructType]] = list(sections("", root()))


def write_docs(*args):
    command = [sys.executable, "-m", "ralph.config.docs", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def block(language):
    return re.search(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]


@pytest.mark.parametrize(("title", "struct"), STRUCTS, ids=[title or "top" for title, _ in STRUCTS])
def test_every_field_stands_on_the_page_with_its_text(title, struct):
    heading = f"## `{title}`" if title else "## All keys"
    table = PAGE.read_text().split(f"{heading}\n")[1].split("\n## ")[0]
    for field in struct.fields:
        text = documentation(struct.cls)[field.name]
        row = next(line for line in table.splitlines() if line.startswith(f"| `{field.encode_name}` |"))
        assert row.endswith(f"| {text} |")


def test_every_struct_of_the_schema_has_a_table():
    titles = {title for title, _ in STRUCTS}
    assert {"", "agent", "guardrails[]", "scm", "tools.executors[]", "roles.<name>", "sandbox", "ralph"} <= titles


@pytest.mark.parametrize(("title", "struct"), STRUCTS, ids=[title or "top" for title, _ in STRUCTS])
def test_every_text_says_who_uses_the_field(title, struct):
    for field in struct.fields:
        text = documentation(struct.cls)[field.name]
        assert re.search(r"`ralph |(every|any) loop|`defaults|`agent\.command", text, re.IGNORECASE), (
            f"{title}.{field.name}"
        )
        assert text.count(". ") <= 2


def test_the_page_is_up_to_date():
    assert write_docs("--check", PAGE).returncode == 0


def test_a_stale_page_fails_the_check_and_is_left_alone(tmp_path):
    stale = tmp_path / "settings.md"
    stale.write_text(page().replace("`10`", "`11`"))
    done = write_docs("--check", stale)
    assert done.returncode == 1
    assert done.stderr == f"{stale} does not match the schema. Regenerate it: make docs\n"
    assert "`11`" in stale.read_text()


def test_a_missing_page_fails_the_check(tmp_path):
    assert write_docs("--check", tmp_path / "none.md").returncode == 1


def test_the_page_can_be_written_again(tmp_path):
    fresh = tmp_path / "settings.md"
    assert write_docs(fresh).returncode == 0
    assert fresh.read_text() == PAGE.read_text()


def test_the_json_example_on_the_page_loads(project):
    project.write("settings.json", block("json"))
    settings = project.load().settings
    assert settings.agent.command == "claude"
    assert settings.agent.flags == ["--model opus", "--no-auto-compact"]
    assert [guardrail.command for guardrail in settings.guardrails] == ["make lint", "make test"]
    assert settings.guardrails[0].hint == "Fix lint errors only. Do not change behavior."
    assert settings.scm is not None
    assert settings.scm.tasks == ["commit", "push"]


def test_the_yaml_example_on_the_page_loads(project):
    project.write("config.yaml", block("yaml"))
    settings = project.load().settings
    assert settings.defaults.executor == settings.tools.executors[0].id
    assert (settings.timeouts.agent, settings.timeouts.idle) == (2700, None)


def test_the_variables_on_the_page_load(project):
    examples = dict(re.findall(r"`(RALPH_\w+)=(\w+)`", PAGE.read_text()))
    assert len(examples) == 3
    project.load(**examples)


def test_the_durations_on_the_page_load(project):
    line = next(line for line in PAGE.read_text().splitlines() if "carry units" in line)
    examples = re.findall(r'`"(.*?)"`', line)
    assert len(examples) == 6
    for text in examples:
        project.write("settings.json", msgspec.json.encode({"timeouts": {"agent": text}}))
        assert project.load().settings.timeouts.agent


def test_the_schema_is_not_parsed_for_documentation_at_a_normal_start():
    code = "import sys, ralph.config.layers; print(sorted({'yaml', 'difflib', 'ralph.config.docs'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
