"""The examples in the help of the commands are run as they are written, by the real program in a temporary home."""

import json
from pathlib import Path

import pytest

from help_examples import calls, commands, examples, parse
from plans import requirements, stories
from ralph.testing import ScriptedAgent, done, edits, temp_repo
from ralph.testing.steps import fails
from spec_plans import chunk, chunks, spec

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

SHOWN = {line for _, command in commands() for line in examples(command)}
SHIP = {"final": json.dumps({"decision": "SHIP", "issues": [], "summary": {}, "priorFindings": [], "opened": []})}
OFF = {"quickReviewer": "none", "deepReviewer": "none", "finalReviewer": "none"}
FILES = {
    "app.py": "def total(): ...\n",
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
    "Makefile": "test:\n\t@echo all good\n",
    "PROMPT.md": "Greet. When it is done, end with <response>DONE</response>\n",
    "agent.sh": '#!/bin/sh\ntouch "$TASK_FOLDER/DONE"\n',
    "shop.md": "# A shop\n\nSells things.\n",
    "idea.md": "A search box for the list of orders\n",
    "login.md": "# Log in\n\nA user can log in.\n",
    "TODO.md": "- [ ] Write the greeting\n- [x] Read the code\n",
    "specs/001-cart/tasks.md": "# Tasks\n\n- [ ] T001 Store the cart in cart.py\n",
}
CRITERIA = {"outcome": "hello.txt says hello", "acceptance_criteria": [{"check": "grep -q hello hello.txt"}]}
TASKS = [
    {"id": "TASK-001", "spec": "auth", "title": "Say hello", "completion": CRITERIA},
    {"id": "T-1", "spec": "auth", "title": "First", "completion": CRITERIA},
    {"id": "T-2", "spec": "auth", "title": "Second", "completion": CRITERIA},
    {
        "id": "T-3",
        "spec": "auth",
        "title": "Ask a person",
        "completion": {
            **CRITERIA,
            "acceptance_criteria": [{"check": "grep -q hello hello.txt"}, {"person": "It is fine"}],
        },
    },
]
HELLO = edits({"hello.txt": "hello\n"}) | {"final": "hello.txt says hello now."}
ROLE = {"role": "coder", "promise": "MADE", "description": "", "command": "true", "checkFor": []}


class Scene:
    """A repository with `claude` and `codex` on PATH, which play what is asked for next."""

    def __init__(self, root):
        self.repo = temp_repo(root, FILES)
        (self.repo.path / "agent.sh").chmod(0o755)
        self._bin = root / "bin"
        self.agent(done())
        for name, text in {"nano": "true", "gh": "exit 1"}.items():
            (self._bin / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            (self._bin / name).chmod(0o755)
        self.env = {
            "PATH": f"{self._bin}:{self.repo.env['PATH']}",
            "EDITOR": "nano",
            "IS_SANDBOX": "1",
            "TASK_FOLDER": str(self.repo.path / "task-001"),
        }
        (self.repo.path / "task-001").mkdir()
        self.settings()

    def agent(self, *steps):
        for name in ("claude", "codex"):
            ScriptedAgent(*steps, directory=self._bin, format="claude", name=name)

    def settings(self, **given):
        written = {"agent": {"command": "claude"}, "defaults": {"executor": "claude", **OFF}, **given}
        self.repo.home.joinpath(".ralph").mkdir(exist_ok=True)
        self.repo.home.joinpath(".ralph/config.yaml").write_text(json.dumps(written))

    def run(self, line, code=0):
        ended = self.repo.run("bash", "-c", line, env=self.env, timeout=120, input="")
        assert ended.returncode == code, f"{line}\n{ended.stdout}{ended.stderr}"
        return ended.stdout


@pytest.fixture
def scene(tmp_path):
    return Scene(tmp_path)


def plays(*steps):
    return lambda scene: scene.agent(*steps)


def shell(line, code=0):
    return lambda scene: scene.run(line, code)


def with_reviewers(scene):
    scene.settings(defaults={"executor": "claude", "quickReviewer": "none"}, guardrails=[{"command": "make test"}])


def a_completed_task(scene):
    scene.agent(HELLO)
    scene.repo.write("tasks.yaml", json.dumps({"tasks": TASKS}))
    scene.run("ralph task import tasks.yaml && ralph task run TASK-001")


SETUP = [
    "ralph init --yes --agent claude --template python",
    *("ralph config show", "ralph config show --origin", "ralph config path", "ralph config check"),
    *("ralph config get maximumIterations", "ralph config set defaults.executor codex"),
    'ralph config set rules "Use pnpm, never npm or yarn" "TypeScript strict mode"',
    *("ralph config set --user timeouts.agent 45m", "ralph config get --user timeouts.agent"),
    'ralph config set agent.flags -- "--model opus"',
    "ralph config unset --user timeouts.agent",
    shell("ralph config set budget.usd 5"),
    *("ralph config unset budget.usd", "ralph config accept", "ralph config restore"),
    *("ralph agents", "ralph agents --json", "ralph help", "ralph help run", "ralph help task create"),
    *('eval "$(ralph completion bash)"', "ralph demo"),
    *("ralph guard install --agent claude", "ralph guard install", "ralph guard install --agent codex --user"),
    *("ralph guard remove", "ralph guard remove --user"),
    *("ralph project add", "ralph project list", "ralph project list --json", "ralph project show"),
    shell("mkdir -p ~/shop ~/work"),
    *('ralph project add ~/shop --name "The shop"', "ralph project show shop"),
    shell("mv ~/shop ~/work/shop"),
    *("ralph project edit shop --path ~/work/shop", "ralph project remove shop --yes"),
]
RUNS = [
    plays(edits({"greeting.txt": "hello\n"}) | done()),
    *("ralph run -f PROMPT.md -m 20", "ralph runs", "ralph runs --since yesterday --all", "ralph show", "ralph logs"),
    *("ralph status", "ralph status --watch", "ralph cost", "ralph retry"),
    plays(fails(stderr="no network")),
    shell('ralph run -p "Greet." -q', 7),
    plays(done()),
    "ralph resume",
    *("ralph run -f PROMPT.md --detach", "ralph status --watch"),
    "ralph supervise --task-dir task-001 -- ./agent.sh",
    'ralph bus post --type FACT "The parser accepts empty files."',
    "make test 2>&1 | tail -n 20 | ralph bus post --type ERROR -",
    "ralph bus read --type ERROR -n 5",
    *("ralph runs gc --keep 20", "ralph runs gc --older-than 30d --dry-run"),
    shell("ralph config set --user agent.flags -- --dangerously-skip-permissions"),
    "ralph doctor --json",
]
TASK_COMMANDS = [
    lambda scene: scene.repo.write("tasks.yaml", json.dumps({"tasks": TASKS})),
    *("ralph task import tasks.yaml", "ralph task import tasks.yaml --spec auth --replace"),
    *("ralph task list", "ralph task list --spec auth --status pending", "ralph task show TASK-001"),
    *("ralph task show TASK-001 --json", "ralph task edit TASK-001", "EDITOR=nano ralph task edit TASK-001"),
    *("ralph task depend T-3 --on T-1 --on T-2", "ralph task depend T-3 --not-on T-1"),
    *("ralph task export TASK-001", "ralph task export --spec auth -o tasks.yaml"),
    'ralph task followup TASK-001 "Refuse expired tokens" --id TASK-002',
    shell("ralph task delete TASK-002 --yes && ralph task delete T-3 --yes"),
    *("ralph task delete TASK-001 --yes",),
    *[line for line in SHOWN if line.startswith("ralph task create ")],
    plays({"final": chunks(chunk(criteria=[ROLE]))}),
    shell("ralph task generate login.md --spec login --yes"),
    shell("ralph task generate login.md --print-prompt | grep -q Task"),
]
WORK = [
    a_completed_task,
    *("ralph proof show TASK-001 --json", "ralph proof export TASK-001", "ralph proof verify TASK-001"),
    *("ralph verify TASK-001 --json", "ralph status TASK-001 --tree"),
    plays(edits({"page.txt": "hello\n"}) | {"final": "page.txt says hello now."}),
    shell("ralph task run T-3", 3),
    ('ralph reject T-3 "The colours are wrong."', 3),
    "ralph approve T-3",
    "ralph show T-3 --json",
    with_reviewers,
    plays(SHIP),
    shell("git switch -q -c my-branch && git merge -q ralph/auth"),
    *("ralph verify", "ralph review", "ralph review main..my-branch --tier deep"),
    *("ralph review export -o findings.sarif", "ralph review export --format json"),
]
SPEC_COMMANDS = [
    plays({"final": spec()}, {"final": chunks()}),
    "ralph spec new --yes - < idea.md",
    "ralph spec create shop --file shop.md",
    plays({"final": spec(text="## Goal\nSell things.\n")}),
    'ralph spec refine shop "Payment by invoice is out of scope" --yes',
    plays({"final": chunks(chunk(id="C001", acceptanceCriteria=[{"check": "grep -q hello hello.txt", "text": ""}]))}),
    'ralph spec plan shop "Begin with the database" --yes',
    *("ralph spec edit shop", "EDITOR=nano ralph spec edit shop", "ralph spec list", "ralph spec list --json"),
    *(
        "ralph spec show shop",
        "ralph spec graph shop",
        "ralph spec preview shop",
        "ralph spec preview shop --workers 3 --json",
    ),
    shell("ralph spec create auth --title Auth"),
    *("ralph spec config auth executor codex", "ralph spec config auth verification.enabled false"),
    plays(HELLO),
    "ralph spec run shop",
    *("ralph cost shop --since 7d", "ralph state export shop", "ralph state import", "ralph state import shop"),
    shell("ralph spec create cart --title Cart"),
    "ralph spec export cart -o cart.yaml",
    *("ralph spec import TODO.md --spec chores", "ralph spec import specs/001-cart", "ralph spec sync 001-cart"),
    "ralph spec delete shop --with-tasks --yes",
]
STORIES = [
    "ralph prd init --name login",
    plays({"final": requirements()}, {"final": stories()}),
    *("ralph prd plan --yes - < idea.md", "ralph prd status", "ralph prd status --json"),
    shell("git add --all && git commit -q -m Plan"),
    "ralph prd archive --label login",
]
SCENES = {
    "setup": SETUP,
    "runs": RUNS,
    "tasks": TASK_COMMANDS,
    "work": WORK,
    "specs": SPEC_COMMANDS,
    "stories": STORIES,
}
ELSEWHERE = {
    ("ralph", "pause"): "cli/runs/test_steering.py",
    ("ralph", "guide"): "cli/runs/test_steering.py",
    ("ralph", "cancel"): "cli/runs/test_cancel.py",
    ("ralph", "drive"): "chaos/test_kills.py",
    ("ralph", "prd", "run"): "e2e/test_story_path.py",
    ("ralph", "spec", "pr"): "app/pull_requests/test_spec_pr.py",
    ("ralph", "doctor"): "e2e/test_readme_path.py",
    ("ralph", "task", "run"): "seed_002/test_task_run.py",
    ("ralph", "task", "generate"): "cli/specs/test_spec_planner.py",
}
"""Commands whose examples need a live run, a server or another agent, and the tests that run them."""


@pytest.mark.parametrize("name", SCENES)
def test_the_examples_work_as_they_are_written(scene, name):
    for step in SCENES[name]:
        if callable(step):
            step(scene)
        else:
            line, code = step if isinstance(step, tuple) else (step, 0)
            scene.run(line, code)


def lines():
    for steps in SCENES.values():
        yield from (step[0] if isinstance(step, tuple) else step for step in steps if not callable(step))


def test_what_is_run_stands_in_the_help():
    assert [line for line in lines() if line not in SHOWN and "completion" not in line] == []


def test_an_example_of_every_command_is_run():
    run = {parse(words) for line in lines() for words in calls(line.replace('eval "$(', "").replace(')"', ""))}
    leaves = {path for path, command in commands() if not hasattr(command, "commands") or path == ("ralph", "runs")}
    assert sorted(leaves - run - set(ELSEWHERE)) == []
    for path, file in ELSEWHERE.items():
        assert f'"{path[-1]}"' in (Path(__file__).parents[1] / file).read_text(encoding="utf-8"), file
