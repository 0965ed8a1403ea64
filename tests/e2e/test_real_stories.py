"""Stories with the real Claude Code and Codex on a scripted model: hooks, the guard, and ralph where there are none."""

import json

import pytest

from ralph.testing import run_ralph, temp_repo
from real_programs import need_cli
from scripted_model import ModelServer, real_agent

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

MOVE = """\
import json, subprocess, sys

path = "ralph/tasks.json"
plan = json.load(open(path))
story = plan["userStories"][0]
count = story["reviewCount"]
moves = {
    "submit": {"reviewStatus": "needs_review", "reviewFeedback": "", "passes": False},
    "cheat": {"reviewStatus": "approved", "passes": True},
    "uncheat": {"reviewStatus": None, "passes": False},
    "approve": {"reviewStatus": "approved", "passes": True, "reviewCount": count + 1},
    "refuse": {"reviewStatus": "changes_requested", "reviewFeedback": "say it right", "reviewCount": count + 1},
}
for word in sys.argv[1:]:
    if word == "write":
        open("work.txt", "a").write("right\\n")
    elif word == "commit":
        subprocess.run(["git", "add", "--all"], check=True)
        subprocess.run(["git", "commit", "--quiet", "--message", "work"], check=True)
    else:
        story.update(moves[word], notes="did it")
        json.dump(plan, open(path, "w"), indent=2)
"""
STOP = {"say": "I stop."}
COMPLETE = {"say": "<promise>COMPLETE</promise>"}


def do(*words):
    return {"tool": {"shell": f"python3 move.py {' '.join(words)}"}}


@pytest.fixture(params=["claude", "codex"])
def name(request):
    need_cli(request.param)
    return request.param


@pytest.fixture
def repo(tmp_path):
    repo = temp_repo(tmp_path, {"move.py": MOVE})
    assert run_ralph(repo, "prd", "init", "--name", "shop").returncode == 0
    plan = json.loads(repo.read("ralph/tasks.json"))
    plan["verifyCommands"] = ["grep -q right work.txt"]
    plan["userStories"][0] |= {"title": "Write it", "acceptanceCriteria": ["work.txt says right"]}
    repo.write("ralph/tasks.json", json.dumps(plan, indent=2))
    return repo


class Told:
    """What the model was told in the course of a loop."""

    def __init__(self, server):
        self.prompts = [request.prompt for request in server.conversation]
        self.results = [result for request in server.conversation for result in request.tool_results]


def stories(repo, name, *turns, flags=()):
    with ModelServer(*turns) as server:
        agent = real_agent(name, server.url, repo.home)
        settings = {"agent": {"command": agent.command, "flags": [*agent.flags, *flags]}}
        (repo.home / ".ralph").mkdir(exist_ok=True)
        (repo.home / ".ralph/config.yaml").write_text(json.dumps(settings), encoding="utf-8")
        done = run_ralph(repo, "prd", "run", "-n", "8", env=agent.env, timeout=240)
        return done, Told(server)


def records(repo):
    """What the journal says of each call of the agent."""
    shown = json.loads(run_ralph(repo, "show", "--json").stdout)
    ends = (action["result"] for each in shown["iterations"] for action in each["actions"])
    return [end["sandbox"] for end in ends if end and "sandbox" in end]


def test_from_a_blocked_stop_to_complete_with_a_review_that_asks_for_changes(repo, name):
    done, told = stories(
        repo,
        name,
        *(do("write", "cheat", "commit"), STOP, do("uncheat"), do("submit", "commit"), STOP),
        *(do("refuse", "commit"), STOP),
        *(do("submit"), STOP, do("commit"), STOP),
        *(do("approve", "commit"), COMPLETE),
    )
    assert done.returncode == 0, done.stderr
    assert "proven done after 4 iterations" in done.stderr
    assert "No sandbox: unsandboxed + guard." in done.stderr
    assert any("Implement iterations cannot set passes=true" in each for each in told.prompts), "the hook saw the cheat"
    assert any("There are uncommitted changes" in each for each in told.prompts), "and what was not committed"
    assert "put back" not in done.stderr
    story = json.loads(repo.read("ralph/tasks.json"))["userStories"][0]
    assert (story["passes"], story["reviewStatus"], story["reviewCount"]) == (True, "approved", 2)
    assert records(repo) == ["unsandboxed + guard"] * 4


def test_the_guard_denies_a_dangerous_command(repo, name):
    forced = {"tool": {"shell": "git push --force"}}
    done, told = stories(repo, name, forced, do("write", "submit", "commit"), STOP, do("approve", "commit"), COMPLETE)
    assert done.returncode == 0, done.stderr
    assert any("ralph's guard denied this: git history and force push" in each for each in told.results)


def test_codex_leaves_the_users_home_as_it_was_and_nothing_of_the_run(repo):
    need_cli("codex")
    home = repo.home / ".codex"
    home.mkdir()
    (home / "auth.json").write_text('{"OPENAI_API_KEY": "dummy"}', encoding="utf-8")
    elsewhere = {"tool": {"name": "exec_command", "input": {"cmd": "rm -rf nothing-of-this-name", "workdir": "/"}}}
    done, told = stories(
        repo, "codex", elsewhere, do("write", "submit", "commit"), STOP, do("approve", "commit"), COMPLETE
    )
    assert done.returncode == 0, done.stderr
    assert "--dangerously-bypass-approvals-and-sandbox" in done.stderr, "said at the start"
    assert any("ralph's guard denied this: recursive delete" in each for each in told.results)
    # Its help page alone makes a folder for temporary files.
    assert {each.name for each in home.iterdir()} - {"tmp"} == {"auth.json", "config.toml"}
    assert not list((repo.path / ".ralph/runs").glob("*/agent-home"))


def test_without_hooks_ralph_itself_undoes_the_cheat(repo):
    need_cli("claude")
    done, told = stories(
        repo,
        "claude",
        *(do("write", "cheat", "commit"), STOP),
        *(do("submit", "commit"), STOP, do("approve", "commit"), COMPLETE),
        flags=["--bare"],
    )
    assert done.returncode == 0, done.stderr
    assert "Implement iterations cannot set passes=true" in done.stderr
    assert "ralph: restore US-001" in repo.git("log", "--format=%s")
    assert any("ralph checked what the previous iteration left" in each for each in told.prompts)
    assert "No sandbox: unsandboxed." in done.stderr
    assert records(repo) == ["unsandboxed"] * 3
