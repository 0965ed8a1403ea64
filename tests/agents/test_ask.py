"""A structured question, answered by real processes: scripted agents, and recorded answers of real ones."""

import asyncio
import json
import os
from pathlib import Path
from typing import Literal

import pytest
from msgspec import Struct

from ralph.agents.ask import SCHEMA, Answered, Unanswered, ask
from ralph.agents.registry import choose
from ralph.agents.run import TimeLimits
from ralph.config.schema import apply_schema
from ralph.testing import ScriptedAgent, crash, fails, hangs, temp_repo
from ralph.workbench.bench import Workbench
from real_programs import need_cli
from scripted_model import ModelServer, real_agent

CASSETTES = Path(__file__).parents[1] / "cassettes"
QUESTION = "Is it done?"
TEXT_AGENTS = ("amp", "text")


class Verdict(Struct, frozen=True):
    done: bool
    grade: Literal["good", "bad"]


class Status(Struct, frozen=True):
    status: str


GOOD = Verdict(done=True, grade="good")
GOOD_TEXT = '{"done": true, "grade": "good"}'
WRONG_TEXT = '{"done": "yes", "grade": "good"}'


@pytest.fixture
def asked(tmp_path):
    """Ask an agent: its answer, and the directory of the attempt."""
    project = tmp_path / "project"
    directory = project / "attempt"
    project.mkdir()

    def put(command, kind=Verdict, *, limits=None, **settings):
        bench = Workbench(project, {"PATH": os.environ["PATH"]}, "ask.1.1", log=directory)
        agent = choose(apply_schema({"agent": {"command": str(command), **settings}}))
        return asyncio.run(ask(bench, agent, QUESTION, kind, limits or TimeLimits(run=60))), directory

    return put


@pytest.fixture
def scripted(tmp_path):
    def make(*finals, format="claude"):  # noqa: A002 - the script's word for it
        steps = [final if isinstance(final, dict) else {"final": final} for final in finals]
        return ScriptedAgent(*steps, directory=tmp_path / "bin", format=format, after="error")

    return make


def plays(directory, cassette, help_page):
    """A program that prints what a real agent printed, and notes how it was called."""
    program = directory / cassette.split("/")[0]
    program.write_text(
        f"""#!/bin/sh
case "$*" in *--help*) printf %s '{help_page}'; exit;; esac
printf '%s\\n' "$@" > {directory}/arguments
cat > {directory}/prompt
cat {CASSETTES / cassette}
"""
    )
    program.chmod(0o755)
    return program


def test_claude_takes_the_schema_as_an_argument(asked, scripted):
    agent = scripted(GOOD_TEXT)
    answer, _ = asked(agent.command)
    assert answer == Answered(GOOD, answer.reports)
    [start] = agent.starts
    schema = json.loads(start.argv[start.argv.index("--json-schema") + 1])
    assert schema["required"] == ["done", "grade"]
    assert start.prompt == QUESTION


def test_codex_takes_the_schema_in_a_file(asked, scripted):
    agent = scripted(GOOD_TEXT, format="codex")
    answer, directory = asked(agent.command)
    assert answer == Answered(GOOD, answer.reports)
    [start] = agent.starts
    file = start.argv[start.argv.index("--output-schema") + 1]
    assert file == str(directory / SCHEMA)
    assert json.loads(Path(file).read_text())["additionalProperties"] is False
    assert start.prompt == QUESTION


@pytest.mark.parametrize("format_name", TEXT_AGENTS)
def test_others_are_told_in_words(asked, scripted, format_name):
    agent = scripted(GOOD_TEXT, format=format_name)
    answer, _ = asked(agent.command)
    assert answer == Answered(GOOD, answer.reports)
    [prompt] = agent.prompts
    assert prompt.startswith(f"{QUESTION}\n\nAnswer with one JSON object and nothing else")
    schema = json.loads(prompt[prompt.index("{") :])
    assert schema["properties"]["grade"] == {"enum": ["bad", "good"], "type": "string"}


def test_a_recorded_answer_of_claude_is_read(asked, tmp_path):
    program = plays(tmp_path, "claude/schema.ndjson", "--print --json-schema <schema>")
    answer, _ = asked(program, Status)
    assert answer == Answered(Status("ok"), answer.reports)
    assert "--json-schema" in (tmp_path / "arguments").read_text()


def test_a_recorded_answer_of_codex_is_read(asked, tmp_path):
    program = plays(tmp_path, "codex/outschema.ndjson", "--json --output-schema <FILE>")
    answer, _ = asked(program, Status)
    assert answer == Answered(Status("ok"), answer.reports)
    assert "--output-schema" in (tmp_path / "arguments").read_text()


@pytest.mark.parametrize(
    ("cassette", "help_page"),
    [("claude/schema.ndjson", "--print --verbose"), ("codex/outschema.ndjson", "--json --full-auto")],
)
def test_a_version_without_the_flag_is_told_in_words(asked, tmp_path, cassette, help_page):
    answer, _ = asked(plays(tmp_path, cassette, help_page), Status)
    assert answer == Answered(Status("ok"), answer.reports)
    assert "schema" not in (tmp_path / "arguments").read_text()
    assert "JSON schema" in (tmp_path / "prompt").read_text()


@pytest.mark.parametrize(
    "said",
    [
        f"```json\n{GOOD_TEXT}\n```",
        f"I looked at it {{closely}}.\n\n{GOOD_TEXT}\n\nTell me if you need more.",
        '{"done": true, "grade": "good",\n}',
    ],
)
def test_what_stands_around_the_answer_does_not_matter(asked, scripted, said):
    agent = scripted(said, format="text")
    answer, _ = asked(agent.command)
    assert answer == Answered(GOOD, answer.reports)
    assert len(agent.starts) == 1


def test_an_agent_that_repeats_its_prompt_is_understood(asked, tmp_path):
    program = tmp_path / "echoing"
    program.write_text(f"#!/bin/sh\ncat\nprintf '%s\\n' '{GOOD_TEXT}'\n")
    program.chmod(0o755)
    answer, _ = asked(program)
    assert answer == Answered(GOOD, answer.reports)
    assert len(answer.reports) == 1


@pytest.mark.parametrize("format_name", ["claude", "codex", "text"])
def test_a_wrong_answer_is_asked_for_again_with_what_is_wrong(asked, scripted, format_name):
    agent = scripted(WRONG_TEXT, GOOD_TEXT, format=format_name)
    answer, directory = asked(agent.command)
    assert answer == Answered(GOOD, answer.reports)
    assert [report.attempt_dir for report in answer.reports] == [str(directory), str(directory / "again-2")]
    again = agent.prompts[1]
    assert again.startswith(QUESTION)
    assert "could not be used: Expected `bool`, got `str` - at `$.done`." in again
    assert WRONG_TEXT in again


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (WRONG_TEXT, "Expected `bool`, got `str` - at `$.done`"),
        ("It is done.", "it contains no JSON object"),
        ("", "it is empty"),
        ("{}", "it has none of the fields done, grade"),
    ],
)
def test_wrong_answers_for_ever_are_no_answer(asked, scripted, said, reason):
    agent = scripted(said, said, format="codex")
    answer, _ = asked(agent.command)
    assert answer == Unanswered(f"the answer cannot be used: {reason}", answer.reports)
    assert len(agent.starts) == len(answer.reports) == 2


def test_a_form_of_answer_in_a_tool_or_a_thought_is_not_the_answer(asked, scripted):
    step = {"tool": {"name": "Bash", "output": GOOD_TEXT}, "think": GOOD_TEXT, "final": "I could not tell."}
    answer, _ = asked(scripted(step, step).command)
    assert isinstance(answer, Unanswered)


@pytest.mark.parametrize(
    ("step", "reason"),
    [(fails(3), "it exited with code 3"), (crash(), "it was killed by SIGKILL")],
)
def test_an_agent_that_fails_gives_no_answer_and_is_not_asked_again(asked, scripted, step, reason):
    agent = scripted({"say": GOOD_TEXT} | step, GOOD_TEXT)
    answer, _ = asked(agent.command)
    assert answer == Unanswered(reason, answer.reports)
    assert len(agent.starts) == 1


def test_an_agent_that_hangs_gives_no_answer(asked, scripted):
    answer, _ = asked(scripted(hangs()).command, limits=TimeLimits(idle=1))
    assert isinstance(answer, Unanswered)
    assert "wrote nothing for timeouts.idle" in answer.reason


def test_a_quota_is_told_to_whoever_asked(asked, tmp_path):
    answer, _ = asked(plays(tmp_path, "claude/err429-maxretries2.ndjson", "--json-schema"), Status)
    assert isinstance(answer, Unanswered)
    assert answer.problem.kind == "quota"


def test_a_missing_agent_is_no_answer(asked):
    answer, _ = asked("/no/such/claude")
    assert isinstance(answer, Unanswered)
    assert answer.reason.startswith("/no/such/claude does not exist")
    assert answer.problem.kind == "missing"
    assert answer.reports == []


def test_the_agents_own_flags_stay(asked, scripted):
    agent = scripted(GOOD_TEXT)
    asked(agent.command, flags=["--model opus"])
    assert agent.starts[0].argv[1:3] == ["--model", "opus"]


@pytest.fixture
def real(tmp_path):
    """Ask a real agent, behind which the scripted model answers."""
    repo = temp_repo(tmp_path)

    def put(name, server):
        need_cli(name)
        agent = real_agent(name, server.url, repo.home)
        bench = Workbench(repo.path, {**repo.env, **agent.env}, "ask.1.1", log=repo.path / "attempt")
        return asyncio.run(ask(bench, choose(apply_schema(agent.settings)), QUESTION, Verdict, TimeLimits(run=240)))

    return put


@pytest.mark.e2e
def test_the_real_claude_answers_in_the_form_that_was_asked_for(real):
    turns = ({"tool": {"name": "StructuredOutput", "input": {"done": True, "grade": "good"}}}, {"say": "There."})
    with ModelServer(*turns) as server:
        answer = real("claude", server)
        assert answer == Answered(GOOD, answer.reports)
        [offered] = [tool for tool in server.conversation[0].tools if tool.name == "StructuredOutput"]
    assert offered.schema["required"] == ["done", "grade"]


@pytest.mark.e2e
def test_the_real_codex_answers_in_the_form_that_was_asked_for(real):
    with ModelServer({"say": WRONG_TEXT}, {"say": GOOD_TEXT}) as server:
        answer = real("codex", server)
        assert answer == Answered(GOOD, answer.reports)
        assert [request.answer_schema["required"] for request in server.conversation] == [["done", "grade"]] * 2
        assert "Expected `bool`, got `str`" in server.conversation[1].prompt
