"""docs/agents.md tells how the agents are really called."""

import json
import re
import shlex
from pathlib import Path

import pytest

from ralph.agents.adapter import Call
from ralph.agents.registry import AGENTS, PROGRAMS, adapter, choose, find
from ralph.config.schema import apply_schema

PAGE = (Path(__file__).parents[2] / "docs/agents.md").read_text(encoding="utf-8")
CALLS = dict(re.findall(r"^\| `(\w+)` \| `([^|]+)` \| (?:`[^|]+`|the same) \|$", PAGE, re.MULTILINE))
TEXT_CALLS = dict(re.findall(r"^\| `(\w+)` \| `[^|]+` \| `([^|]+)` \|$", PAGE, re.MULTILINE))


def shown(name, *, stream):
    # Not by its name: an installed one would be asked for its help page.
    call = Call("PROMPT", "PROMPT_FILE", "ANSWER_FILE", stream)
    invocation = adapter(name).invocation([f"/nowhere/{name}"], [], call)
    words = shlex.join([name, *invocation.argv[1:]])
    return f"{words} < PROMPT" if invocation.on_stdin else words


def example():
    (found,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return apply_schema(json.loads(found))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_call_is_the_one_that_is_shown(name):
    assert CALLS[name] == shown(name, stream=True)
    assert TEXT_CALLS.get(name, CALLS[name]) == shown(name, stream=False)


@pytest.mark.parametrize("title", ["What you want for unattended work", "What is understood"])
def test_each_table_has_every_agent(title):
    section = PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(PROGRAMS)


def test_the_executors_of_the_example_are_taken():
    settings = example()
    assert choose(settings).flags == ["--max-turns", "20", "--model", "haiku"]
    assert find(settings, "local").env == {"OPENAI_BASE_URL": "http://127.0.0.1:8080/v1"}
    assert find(settings, "mine").adapter.name == "generic"
    assert {executor.type for executor in settings.tools.executors} <= set(AGENTS)


def test_the_agents_that_take_an_endpoint_are_named():
    named = re.search(r"^\| `endpoint` \| .* for (.*) \|$", PAGE, re.MULTILINE)[1]
    assert re.findall(r"`(\w+)`", named) == [name for name in PROGRAMS if adapter(name).endpoint_variable]
