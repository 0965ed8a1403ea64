"""The real `ralph task` and `ralph spec` in a plain project, as a person starts them."""

import json
import time

from loops import Ended
from ralph.model.tasks import Spec
from ralph.store.database import transaction
from ralph.store.runs import begin_run
from ralph.store.tasks import put_spec
from ralph.testing import TempRepo, run_ralph
from stores import opened

DONE = ("--outcome", "Every endpoint requires a token", "--acceptance", "No token gets 401")


class TaskShell:
    def __init__(self, root):
        self.repo = TempRepo(root)
        self.repo.path.mkdir(parents=True)
        self.repo.home.mkdir()

    def __call__(self, *args, **options):
        done = run_ralph(self.repo, *args, **options)
        return Ended(done.returncode, done.stdout, done.stderr)

    def good(self, *args, **options):
        """What it prints, having nothing to complain about."""
        done = self(*args, **options)
        assert (done.code, done.err) == (0, ""), done.err
        return done.out

    def json(self, *args):
        return json.loads(self.good(*args, "--json"))

    def spec(self, name):
        """A spec, written without starting a program."""
        now = time.time()
        with self.store() as connection, transaction(connection):
            put_spec(connection, str(self.repo.path), Spec(id=name, title=name, created_at=now, updated_at=now))

    def create(self, name, *args, spec="auth", title="A title"):
        return self.good("task", "create", name, spec, title, *DONE, *args)

    def show(self, name):
        return self.json("task", "show", name)

    def ids(self, *args):
        return [task["id"] for task in self.json("task", "list", *args)]

    def settings(self, **settings):
        self.repo.write(".ralph/settings.json", json.dumps(settings))

    def store(self):
        return opened(self.repo.home / ".ralph")

    def run_task(self, name):
        """A run of the task that is under way for as long as this process."""
        with self.store() as connection:
            return begin_run(
                connection, recipe="task", version=1, project=str(self.repo.path), options={}, task=name
            ).id


def many(*tasks, spec="auth"):
    """A file with these tasks, each a name and what is special about it."""
    done = {"outcome": "o", "acceptance_criteria": ["c"]}
    return json.dumps([{"id": name, "spec": spec, "title": name, "completion": done, **more} for name, more in tasks])
