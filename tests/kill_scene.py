"""Specs to be driven, killed and resumed: a repository, scripted agents, and real `ralph` processes on one database."""

import json
import subprocess
import tempfile

from loops import PATIENCE
from ralph.testing import ScriptedAgent
from ralph.testing.program import ralph_program

TASKS = ("first", "second", "third")
ITERATIONS = 2
"""Of each task: what the first one makes is bad."""
COST = 0.25
SLOWLY = 0.1
"""Seconds of an iteration, so that some kills come while the agent works."""
FILE = '"${PWD##*/}.txt"'
"""In the shell of an agent, who works in a folder of the task's name: each task has a file of its own, so that doing it
again makes no difference."""
_SPEC = "SELECT id, status FROM runs WHERE recipe = 'spec' AND label = :spec"
_PARTS = "SELECT id FROM runs WHERE id > :id || '.' AND id < :id || '/' AND status <> 'ended' ORDER BY id"
_ROWS = "SELECT * FROM journal ORDER BY id"


class Process:
    """A ralph that runs, and what it says."""

    def __init__(self, args, cwd, env):
        self.args = args
        self._out, self._err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 - it writes on
        self._process = subprocess.Popen(
            [ralph_program(), *args],
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            start_new_session=True,
        )

    @property
    def pid(self):
        return self._process.pid

    @property
    def is_over(self):
        return self._process.poll() is not None

    def kill(self):
        """Whether it still ran. One that is over keeps what it said."""
        if self.is_over:
            return False
        self.end_now()
        return True

    def end_now(self):
        self._process.kill()
        self._process.wait()
        self._close()

    def end(self):
        """Its exit code, and what it said on standard output and on standard error."""
        code = self._process.wait(PATIENCE)
        said = [_text(file) for file in (self._out, self._err)]
        self._close()
        return code, *said

    def _close(self):
        self._out.close()
        self._err.close()


class Scene:
    def __init__(self, root, crew, database):
        self.root = root
        self.database = database
        self.specs = []
        self.forgotten = set()
        """The runs that were removed on purpose."""
        self.snapshot = []
        self.aside = root / "aside"
        self.aside.mkdir()
        self.repo = crew.repo
        made = {"sleep": SLOWLY, "final": "<promise>MADE</promise>", "cost": COST}
        bad = {"when": {"prompt_contains": "**Iteration**: 1/"}, "run": f"echo bad > {FILE}", **made}
        crew.hire(coder=[bad, {"run": f"echo good > {FILE}", **made}])
        self.agent = crew.agents["coder"]
        done = {"final": "<response>DONE</response>"}
        self._passing = ScriptedAgent(done, directory=root / "agents/passing", format="text")

    def start(self, *args, cwd=None):
        return Process(args, cwd or self.repo.path, {**self.repo.env, **self.database.environ})

    def ralph(self, *args, cwd=None):
        return self.start(*args, cwd=cwd).end()

    def read(self, text, **values):
        """Opened for each look: whoever keeps the database open keeps the harm away that closing it could do."""
        with self.database.open() as store:
            return store.read(text, **values)

    def add_spec(self):
        """Tasks of which each depends on the one before."""
        spec = f"s{len(self.specs) + 1}"
        names = [f"{spec}-{name}" for name in TASKS]
        file = self.root / "tasks.json"
        file.write_text(json.dumps([_task(spec, *each) for each in zip(names, [None, *names], strict=False)]))
        code, _, err = self.ralph("task", "import", str(file))
        assert code == 0, (code, err)
        self.specs.append(spec)
        return spec

    def run_of(self, spec):
        """The id and the status of its run, if it is stored already."""
        found = self.read(_SPEC, spec=spec)
        assert len(found) <= 1, f"{spec} has two runs"
        return (found[0]["id"], found[0]["status"]) if found else (None, "")

    def open_parts(self, run_id):
        return [row["id"] for row in self.read(_PARTS, id=run_id)]

    def look(self):
        """Nothing that was ever there has changed, and nothing has come before it."""
        rows = self.rows()
        before = [row for row in self.snapshot if row["run_id"] not in self.forgotten]
        assert rows[: len(before)] == before, "what was seen before is not there as it was"
        self.snapshot = rows

    def rows(self):
        return [row for row in self.read(_ROWS) if row["run_id"] not in self.forgotten]

    def pass_by(self):
        """A run in another project, whose rows are the last ones."""
        how = ("--quiet", "-m", "1", "--agent", self._passing.command)
        code, _, err = self.ralph("run", "-p", "Pass by.", *how, cwd=self.aside)
        assert (code, err) == (0, ""), f"{code}: {err}"
        aside = self.read("SELECT id FROM runs WHERE recipe = 'prompt'")
        self.forgotten |= {row["id"] for row in aside}


def _task(spec, name, before):
    coder = {
        "promise": "MADE",
        "verification_config": {"command": f"grep -q good {name}.txt"},
        "max_iterations": ITERATIONS + 2,
    }
    return {
        "id": name,
        "spec": spec,
        "title": f"Make {name}",
        "dependencies": [before] if before else [],
        "completion": {"outcome": "it is good", "acceptance_criteria": ["it is good"], "coder": coder},
    }


def _text(file):
    file.seek(0)
    return file.read().decode()
