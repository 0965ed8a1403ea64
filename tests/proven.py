"""A task that is proven by a real test runner, and clones in which its record is verified."""

import json

from ralph.testing import TempRepo, run_ralph
from task_crew import TaskCrew, promise

CHECK = "pytest -q"
FILES = {
    ".gitignore": "__pycache__/\n",
    "calc.py": "def add(a, b):\n    return a - b\n",
    "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
}
RIGHT = {"calc.py": "def add(a, b):\n    return a + b\n"}
NOTES = "refs/notes/ralph-proof"
PROOF = "urn:ralph-engine:proof:1"


class Proven:
    """The project in which it was proven, the remote, and another clone with a home of its own."""

    def __init__(self, root):
        self.root = root
        self.crew = TaskCrew(root / "here")
        self.here = self.crew.repo
        for name, text in FILES.items():
            self.here.write(name, text)
        self.here.commit_all("calc")
        self.other = TempRepo(root / "there")

    def run(self, check=CHECK, files=RIGHT, **settings):
        config = {"command": check, "covers": [1]}
        self.crew.task(coder={"promise": "MADE", "verification_config": config, "max_iterations": 1})
        self.crew.hire(settings, coder=[promise("MADE", files)])
        return self.crew.run()

    def ralph(self, *args, there=True, **options):
        return run_ralph(self.other if there else self.here, *args, **options)

    @property
    def commit(self):
        return self.here.git("rev-parse", "ralph/s").strip()

    @property
    def file(self):
        return self.here.path / ".ralph/specs/s/iterations/T-1/proof.intoto.jsonl"

    @property
    def statements(self):
        return [json.loads(line) for line in self.file.read_text().splitlines()]

    def publish(self, *refs):
        hub = self.root / "hub.git"
        if not hub.exists():
            self.here.git("init", "--quiet", "--bare", str(hub))
            self.here.git("remote", "add", "origin", str(hub))
        self.here.git("push", "--quiet", "origin", "main", "ralph/s", *refs)
        if not self.other.path.exists():
            self.other.home.mkdir(parents=True)
            self.here.git("clone", "--quiet", "--branch", "ralph/s", str(hub), str(self.other.path))

    def publish_only_main(self):
        self.here.git("branch", "ralph/s")
        self.publish()

    def settings_there(self, **settings):
        (self.other.home / ".ralph").mkdir(exist_ok=True)
        (self.other.home / ".ralph/config.yaml").write_text(json.dumps(settings))

    def edited(self, old, new, count=-1):
        """The record with other bytes in it, as a file."""
        text = self.file.read_text()
        assert old in text
        path = self.root / "edited.jsonl"
        path.write_text(text.replace(old, new, count))
        return path
