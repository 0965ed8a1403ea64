"""The real programs, started as they are, against the scripted model server."""

import pytest

from ralph.testing import temp_repo
from real_programs import need_cli, start
from scripted_model import ModelServer, real_agent
from scripted_model.real_agents import AGENTS

# A first start in an empty home unpacks and migrates; beside other tests that takes minutes.
pytestmark = [pytest.mark.e2e, pytest.mark.timeout(360)]

END = {"say": "Finished."}
PROMPT = "Please say something"


@pytest.fixture(params=AGENTS)
def play(request, tmp_path):
    """Play a script with a real program in a repository of its own."""
    name = request.param
    need_cli(name)
    repo = temp_repo(tmp_path)

    def started(*turns, **options):
        with ModelServer(*turns, **options) as server:
            output, code = start(repo, real_agent(name, server.url, repo.home), PROMPT)
        return repo, server, output, code

    return started


def test_it_says_what_the_script_says_and_leaves_the_project_as_it_was(play):
    repo, server, output, code = play(END)
    assert (code, server.problems) == (0, [])
    assert "Finished." in output
    (request,) = server.conversation
    assert PROMPT in request.prompt
    assert repo.git("status", "--porcelain") == ""


def test_its_own_shell_writes_the_file(play):
    turns = ({"say": "I write a file.", "tool": {"shell": "echo written > hello.txt && cat hello.txt"}}, END)
    repo, server, output, code = play(*turns, after="error")
    assert (code, server.problems) == (0, [])
    assert repo.read("hello.txt") == "written\n"
    assert "Finished." in output
    first, second = server.conversation
    assert (first.turn, first.tool_results) == (1, [])
    assert second.turn == 2
    assert "written" in second.tool_results[0]


def test_it_recovers_from_a_rate_limit(play):
    _, server, output, code = play({"error": 429, "retry_after": 1}, END, after="error")
    assert (code, server.problems) == (0, [])
    assert "Finished." in output
    assert [request.turn for request in server.conversation] == [1, 2]
