"""What the planner of a spec answers: questions, the text, chunks; and a project in which it does."""

import json

from plans import question
from ralph.testing import ScriptedAgent, run_ralph, temp_repo
from terminals import Terminal

BODY = "## Goal\nClerks find orders.\n\n## Out of scope\nPayment.\n"
OFF = {"quickReviewer": "none", "deepReviewer": "none", "finalReviewer": "none"}


def spec(*questions, text=BODY, contradictions=()):
    """One that asks has nothing else to say."""
    given = {"questions": list(questions), "text": "" if questions else text, "contradictions": list(contradictions)}
    return json.dumps(given)


def chunk(number=1, **changes):
    made = {
        "id": f"T{number:03}",
        "title": f"Write part {number}",
        "description": f"1. Read app.py.\n2. Write part {number}.",
        "outcome": f"part{number}.txt is there",
        "relevantFiles": ["app.py"],
        "dependsOn": [],
        "acceptanceCriteria": [{"check": f"test -e part{number}.txt", "text": ""}, "it says hello"],
        "criteria": [],
    }
    return made | changes


def chunks(*made, questions=()):
    return json.dumps({"questions": list(questions), "chunks": [] if questions else list(made or [chunk()])})


def two_questions():
    return question(), question(question="Who searches?", options=["Clerks", "Customers"], default="Clerks")


class Planned:
    """A repository with a scripted planner, and the real `ralph`."""

    def __init__(self, root, *answers, **settings):
        self.repo = temp_repo(root, {"app.py": "class Order: ...\n\n\ndef load(): ...\n"})
        self._root = root
        self.answer(*answers, **settings)

    def answer(self, *answers, planners=(), **settings):
        steps = [{"final": each} if isinstance(each, str) else each for each in answers]
        self.planner = ScriptedAgent(*steps, directory=self._root / "bin", name="claude", after="error")
        written = {"defaults": {"executor": "claude", **OFF}, "rules": ["Use tabs"], **settings}
        executor = {"id": "claude", "type": "claude", "command": self.planner.command}
        written["tools"] = {"executors": [executor], "planners": list(planners)}
        if planners:
            written["defaults"] |= {"planner": planners[0]["id"]}
        self.repo.home.joinpath(".ralph").mkdir(exist_ok=True)
        self.repo.home.joinpath(".ralph/config.yaml").write_text(json.dumps(written))

    def ralph(self, *args, **how):
        return run_ralph(self.repo, *args, **how)

    def json(self, *args):
        done = self.ralph(*args, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def terminal(self, *args, **env):
        return Terminal(self.repo.path, self.repo.env | {"TERM": "dumb", "COLUMNS": "80"} | env, *args)

    def text(self, name="a-search-box", file="spec.md"):
        return self.repo.read(f".ralph/specs/{name}/{file}")

    def tasks(self, name="a-search-box"):
        return {each["id"]: each for each in self.json("spec", "show", name)["tasks"]}
