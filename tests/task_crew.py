"""Tasks at work: a git repository, one scripted agent for each role, one that judges, and the real `ralph`."""

import json

from loops import Ended, Running
from ralph.testing import ScriptedAgent, run_ralph, temp_repo

ROLES = ("coder", "reviewer", "tester", "qa")
PROMISES = {"coder": "MADE", "reviewer": "REVIEWED", "tester": "TESTED", "qa": "QA_PASSED"}
MADE = "grep -q good work.txt"


def promise(word, files=None, text="The files are as the task wants them."):
    """A final message with this promise, after writing the files. What it says of them is the summary."""
    return {"write": files or {}, "final": f"{text}\n<promise>{word}</promise>"}


def rejects(why, stage="coder"):
    return {"final": f'<reject stage="{stage}">{why}</reject>'}


def judges(**met):
    """The answer of the agent that judges: by criterion, with `_` for each blank."""
    said = [
        {"criterion": name.replace("_", " "), "met": good, "reason": f"{good} indeed"} for name, good in met.items()
    ]
    return {"final": json.dumps({"criteria": said})}


class TaskCrew:
    """`crew.task(...)` writes a task, `crew.hire(coder=[...])` scripts the agents, `crew.run()` runs it."""

    def __init__(self, root):
        self.repo = temp_repo(root)
        self._root = root
        self.agents = {}
        self.agent = None

    def hire(self, settings=None, **steps):
        """The agents of the roles that are named, which are the pipeline. One without steps promises what it is to
        promise; `judge` judges."""
        for role in (*ROLES, "judge"):
            given = steps.get(role) or [judges(it_is_good=True) if role == "judge" else promise(PROMISES[role])]
            self.agents[role] = ScriptedAgent(*given, directory=self._root / "agents" / role)
        executor = {"id": "judge", "type": "claude", "command": self.agents["judge"].command}
        written = {
            "pipeline": [role for role in ROLES if role in steps],
            "roles": {role: {"agent": self.agents[role].command} for role in ROLES},
            "tools": {"executors": [executor]},
            "ralph": {"semantic_model": "judge"},
            "quota": {"initialWait": 0.05, "maxWait": 0.1},
            "defaults": {"quickReviewer": "none", "deepReviewer": "none", "finalReviewer": "none"},
        }
        for key, value in (settings or {}).items():
            written[key] = {**written[key], **value} if isinstance(written.get(key), dict) else value
        self.repo.home.joinpath(".ralph").mkdir(exist_ok=True)
        self.repo.home.joinpath(".ralph/config.yaml").write_text(json.dumps(written))

    def task(self, name="T-1", spec="s", dependencies=(), **roles):
        """A task with these criteria for its roles; the coder's word is checked by a command."""
        known = {"coder": {"promise": "MADE", "verification_config": {"command": MADE}, "max_iterations": 4}}
        for role in ROLES[1:]:
            known[role] = {"promise": PROMISES[role], "verification_method": "string_match", "max_iterations": 3}
        completion = {"outcome": "work.txt says good", "acceptance_criteria": ["it is good"], **known, **roles}
        self.write_task(
            {
                "id": name,
                "spec": spec,
                "title": f"Make {name}",
                "dependencies": list(dependencies),
                "completion": {role: value for role, value in completion.items() if value is not None},
            }
        )

    def write_task(self, task):
        done = run_ralph(self.repo, "task", "import", "-", input=json.dumps(task))
        assert done.returncode == 0, done.stderr

    def run(self, *args, name="T-1", env=None):
        return self.ralph("task", "run", name, *args, env=env)

    def start(self, *args, env=None):
        return Running(self, args or ("task", "run", "T-1"), env or {})

    def exists(self, path):
        return (self.repo.path / path).exists()

    def ralph(self, *args, env=None):
        done = run_ralph(self.repo, *args, env=env)
        return Ended(done.returncode, done.stdout, done.stderr)

    def json(self, *args):
        done = self.ralph(*args, "--json")
        assert done.code == 0, done.err
        return json.loads(done.out)

    def status_of(self, name="T-1"):
        return next(task["status"] for task in self.json("task", "list") if task["id"] == name)

    def prompts(self, role):
        return self.agents[role].prompts

    def git(self, *args):
        return self.repo.git(*args)

    def on_branch(self, path, branch="ralph/s"):
        return self.git("show", f"{branch}:{path}")


GOOD = promise("MADE", {"work.txt": "good\n"})
BAD = promise("MADE", {"work.txt": "bad\n"})
