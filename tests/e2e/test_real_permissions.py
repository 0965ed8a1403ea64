"""The table of permissions, tried with the real programs on a scripted model: what each level allows and denies."""

import pytest

from ralph.agents.adapter import Call
from ralph.agents.permissions import LEVELS, TABLE, flags_for
from ralph.agents.registry import adapter, split_flags
from ralph.testing import run_ralph, temp_repo
from real_programs import SECONDS, need_cli
from scripted_model import ModelServer, real_agent
from scripted_model.real_agents import AGENTS

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

# What else the program needs to be driven by the scripted model.
SETUP = {"gemini": ["-m", "scripted-model"], "qwen": ["--auth-type", "openai"]}
ASKING = [name for name in AGENTS if name in TABLE and TABLE[name].asks]
WRITES = {
    "claude": ("Write", {"file_path": "{}/edited.txt", "content": "x"}),
    "gemini": ("write_file", {"file_path": "{}/edited.txt", "content": "x"}),
    "qwen": ("write_file", {"file_path": "{}/edited.txt", "content": "x"}),
    "copilot": ("create", {"path": "{}/edited.txt", "file_text": "x"}),
}
MAKEFILE = "test:\n\ttouch tested$(WITH).txt\n"
ALLOWED = {
    "all": {"edited.txt", "tested.txt", "testedmore.txt", "other.txt"},
    "project": {"edited.txt", "tested.txt", "testedmore.txt"},
    "own": set(),
}


def write_call(name, folder):
    tool, given = WRITES[name]
    return {"tool": {"name": tool, "input": {key: value.format(folder) for key, value in given.items()}}}


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path)


def start(repo, server, name, level):
    agent = real_agent(name, server.url, repo.home)
    flags = [*SETUP.get(name, []), *split_flags(flags_for(name, level, ["make test"]))]
    argv = adapter(name).invocation([agent.command], flags, Call("Work.", "", "", stream=True)).argv
    return repo.run(*argv, env={**adapter(name).variables, **agent.env}, timeout=SECONDS, input="Work.")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ASKING)
def test_a_level_allows_what_it_says_and_no_more(repo, name, level):
    need_cli(name)
    repo.write("Makefile", MAKEFILE)
    turns = [
        write_call(name, repo.path),
        *(
            {"tool": {"shell": command}}
            for command in ("make test", "make test WITH=more", "install -m 644 Makefile other.txt")
        ),
        {"say": "Done."},
    ]
    with ModelServer(*turns) as server:
        ended = start(repo, server, name, level)
    made = {path.name for path in repo.path.glob("*.txt")}
    assert made == ALLOWED[level], ended.stdout + ended.stderr


def test_opencode_edits_and_runs_commands_unasked(repo):
    need_cli("opencode")
    repo.write("Makefile", MAKEFILE)
    with ModelServer({"tool": {"shell": "make test"}}, {"say": "Done."}) as server:
        agent = real_agent("opencode", server.url, repo.home)
        settings = repo.home / ".config/opencode/opencode.json"
        settings.write_text(settings.read_text().replace('"permission": {"*": "allow"}', '"permission": {}'))
        argv = adapter("opencode").invocation([agent.command], [], Call("Work.", "", "", stream=True)).argv
        ended = repo.run(*argv, env=agent.env, timeout=SECONDS, input="Work.")
    assert (repo.path / "tested.txt").exists(), ended.stdout + ended.stderr


def test_the_readmes_own_path_works_with_claude(repo):
    """`ralph init`, then `ralph run`: the agent edits a file and runs the project's tests, and nothing is denied."""
    need_cli("claude")
    repo.write("Makefile", "test:\n\ttest -e edited.txt\n")
    turns = [
        write_call("claude", repo.path),
        {"tool": {"shell": "make test"}},
        {"say": "All done.\n<response>DONE</response>"},
    ]
    with ModelServer(*turns) as server:
        agent = real_agent("claude", server.url, repo.home)
        written = run_ralph(repo, "init", "--yes", "--agent", agent.command)
        assert written.returncode == 0, written.stderr
        ended = run_ralph(repo, "run", "-p", "Edit. End with <response>DONE</response>", env=agent.env, timeout=SECONDS)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "denied" not in ended.stdout + ended.stderr
    assert "proven done after 1 iteration" in ended.stdout + ended.stderr
