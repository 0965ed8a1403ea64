"""Seed 001, "Agent Command Inference" and "Agent Output Flags": what each agent is started with."""

import shutil

import pytest

from loops import PROMPT
from ralph.testing import answers, done, edits

STREAMING = {
    "claude": ["-p", "--output-format", "stream-json", "--verbose"],
    "codex": ["e", "--json", "--sandbox", "workspace-write", "-"],
    "amp": ["--stream-json", "--dangerously-allow-all", "-x", PROMPT],
}
TEXT = {
    "claude": ["-p", "--output-format", "text"],
    "codex": ["e", "-o", "OUTPUT", "--sandbox", "workspace-write", "-"],
    "amp": ["--dangerously-allow-all", "-x", PROMPT],
}
every_agent = pytest.mark.parametrize("name", ["claude", "codex", "amp"])


def argv(ended):
    assert ended.code == 0, ended.err
    (start,) = ended.agent.starts
    return ["OUTPUT" if word.endswith("/output.md") else word for word in start.argv]


@pytest.mark.parametrize(("name", "flag"), [("claude", "-p"), ("codex", "e"), ("amp", "-x")])
def test_the_name_of_the_command_infers_the_non_repl_flag(loop, name, flag):
    assert flag in argv(loop(done(), scripted={"format": name}))


@every_agent
def test_streaming_flags(loop, name):
    assert argv(loop(done(), scripted={"format": name})) == STREAMING[name]


@every_agent
def test_text_mode_flags(loop, name):
    assert argv(loop(done(), scripted={"format": name}, streamAgentOutput=False)) == TEXT[name]


@every_agent
def test_the_prompt_reaches_the_agent_in_both_modes(loop, name):
    for stream in (True, False):
        assert loop(done(), scripted={"format": name}, streamAgentOutput=stream).prompts == [PROMPT]


@every_agent
def test_configured_flags_are_split_and_stand_among_the_agents_own(loop, name):
    agent = loop.prepare(done(), scripted={"format": name})
    loop.settings(agent={"command": agent.command, "flags": ["--model opus", '--system "be brief"']})
    words = argv(loop.ralph("run", "-p", PROMPT))
    at = words.index("--model")
    assert words[at : at + 4] == ["--model", "opus", "--system", "be brief"]
    # The prompt, and what announces it, stays where the agent wants it.
    assert words[-1] == STREAMING[name][-1] or name == "claude"


def test_amp_wants_x_and_the_prompt_together_at_the_end(loop):
    agent = loop.prepare(done(), scripted={"format": "amp"})
    loop.settings(agent={"command": agent.command, "flags": ["--visibility private"]})
    assert argv(loop.ralph("run", "-p", PROMPT))[-2:] == ["-x", PROMPT]


def test_codex_that_still_has_full_auto_gets_it(loop):
    agent = loop.prepare(done(), scripted={"format": "codex", "name": "codex.real"})
    old = loop.repo.home / "codex"
    old.write_text(
        f'#!/bin/sh\n[ "$2" = --help ] && echo "  --full-auto  Run alone" && exit\nexec "{agent.command}" "$@"\n'
    )
    old.chmod(0o755)
    loop.settings(agent={"command": str(old)})
    assert argv(loop.ralph("run", "-p", PROMPT)) == ["e", "--json", "--full-auto", "-"]


def test_codex_in_text_mode_writes_its_final_response_to_a_file(loop):
    ended = loop(done(), scripted={"format": "codex"}, streamAgentOutput=False)
    assert ended.code == 0
    (output,) = (loop.repo.path / ".ralph/runs").glob("*/iteration-1/output.md")
    assert output.read_text() == "<response>DONE</response>"


@every_agent
def test_a_commit_message_is_asked_for_in_text_mode_although_the_work_is_streamed(git_loop, name):
    work = edits({"new.txt": "1"}) | done()
    ended = git_loop(work, answers("commit message", "Add it"), scripted={"format": name}, scm={"tasks": ["commit"]})
    work, message = ended.agent.starts
    assert set(STREAMING[name]) - {PROMPT} <= set(work.argv)
    assert set(TEXT[name]) - {"OUTPUT", PROMPT} <= set(message.argv)
    assert not {"stream-json", "--stream-json", "--json"} & set(message.argv)


@pytest.mark.parametrize("words", ["{}", "{} --mode fast"])
def test_any_other_command_gets_the_prompt_on_stdin_and_answers_in_plain_text(loop, words):
    agent = loop.prepare(done(), scripted={"format": "text"})
    loop.settings(agent={"command": words.format(agent.command)})
    ended = loop.ralph("run", "-p", PROMPT)
    assert argv(ended) == words.split()[1:]
    assert ended.prompts == [PROMPT]
    assert "<response>DONE</response>" in ended.out


@pytest.mark.parametrize("placeholder", ["{prompt}", "{prompt_file}"])
def test_a_placeholder_puts_the_prompt_or_its_file_into_the_command(loop, placeholder):
    loop.settings(
        agent={"command": 'sh -c \'printf %s "$1" > seen; echo "<response>DONE</response>"\' _', "flags": [placeholder]}
    )
    assert loop.ralph("run", "-p", PROMPT).code == 0
    seen = loop.repo.read("seen")
    assert seen == PROMPT if placeholder == "{prompt}" else loop.repo.read(seen) == PROMPT


def test_an_agent_is_found_on_path(loop):
    agent = loop.prepare(done())
    loop.settings(agent={"command": "claude"})
    env = {"PATH": f"{loop.repo.home.parent / 'bin'}:{loop.repo.env['PATH']}"}
    assert loop.ralph("run", "-p", PROMPT, env=env).code == 0
    assert len(agent.starts) == 1


def test_an_executor_is_chosen_by_its_id_on_the_command_line(loop):
    agent = loop.prepare(done())
    executor = {"id": "mine", "type": "claude", "command": agent.command, "model": "haiku"}
    loop.settings(agent={"command": "no-such-agent"}, tools={"executors": [executor]})
    assert argv(loop.ralph("run", "-p", PROMPT, "--agent", "mine"))[:3] == ["-p", "--model", "haiku"]


def test_an_agent_in_a_path_with_blanks_is_one_command(loop):
    agent = loop.prepare(done())
    directory = loop.repo.home / "my tools"
    directory.mkdir()
    program = shutil.copy(agent.command, directory / "claude")
    loop.settings(agent={"command": str(program)})
    assert argv(loop.ralph("run", "-p", PROMPT)) == STREAMING["claude"]


def test_an_executor_with_a_name_is_shown_by_it(loop):
    agent = loop.prepare(done())
    executor = {"id": "mine", "name": "The careful one", "type": "claude", "command": agent.command}
    loop.settings(agent={"command": "mine"}, tools={"executors": [executor]})
    ended = loop.ralph("run", "-p", "Work.")
    assert ended.code == 0, ended.err
    assert "· The careful one ·" in ended.err.splitlines()[0] + ended.err.splitlines()[1]
