"""The real `ralph task` and `ralph spec` in a plain project, as a person starts them."""

import json
import time

import msgspec

from loops import Ended
from ralph.kernel.actions.checks import Recorded, RecordEvidence, RunCheck
from ralph.model.tasks import Spec
from ralph.model.verification import External
from ralph.store.journal import Journal
from ralph.store.open import open_store
from ralph.store.projects import project_at
from ralph.store.runs import NewRun, add_run, new_run_id
from ralph.store.tasks import add_spec, set_status
from ralph.testing import TempRepo, run_ralph

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
        with self.store() as store:
            store.write(add_spec(self.project(store), Spec(id=name, title=name, created_at=now, updated_at=now)))

    def set_status(self, name, status, iteration=None):
        with self.store() as store:
            set_status(store, self.project(store), name, status, iteration)

    def project(self, store):
        return project_at(store, self.repo.path).id

    def create(self, name, *args, spec="auth", title="A title"):
        return self.good("task", "create", name, spec, title, *DONE, *args)

    def show(self, name):
        return self.json("task", "show", name)

    def ids(self, *args):
        return [task["id"] for task in self.json("task", "list", *args)]

    def settings(self, **settings):
        self.repo.write(".ralph/settings.json", json.dumps(settings))

    def store(self):
        return open_store({"RALPH_HOME": str(self.repo.home / ".ralph")})

    def run_task(self, name):
        """A run of the task that is under way for as long as this process."""
        with self.store() as store:
            run_id = add_task_run(store, self.project(store), name)
            Journal.take(store, run_id)
            return run_id


def add_task_run(store, project, task, **changes):
    """A run that works on the task, stored and not begun."""
    about = {"id": new_run_id(), "recipe": "task", "project": project, "options": b"{}", "task_id": task, **changes}
    add_run(store, NewRun(**about))
    return about["id"]


def add_stage(store, project, task, role, parent=None, **changes):
    """A stage of such a run; without a `parent` one that was started alone."""
    run_id = f"{parent}.{role}" if parent else new_run_id()
    about = {"id": run_id, "recipe": "stage", "label": f"{task} {role}", "limit": 5, "is_part": parent is not None}
    return add_task_run(store, project, task, **{**about, **changes})


def verified(journal, *seen):
    """The journal of a stage, with a verification for each; one whose command was begun and has no end for None."""
    for number, evidence in enumerate(seen, 1):
        if evidence is None:
            journal.begin(RunCheck(number, "unit", "unit", External("make")))
        else:
            recorded = Recorded(**msgspec.structs.asdict(evidence))
            journal.end(journal.begin(RecordEvidence(number, evidence)), recorded)
    journal.flush()


def many(*tasks, spec="auth"):
    """A file with these tasks, each a name and what is special about it."""
    done = {"outcome": "o", "acceptance_criteria": ["c"]}
    return json.dumps([{"id": name, "spec": spec, "title": name, "completion": done, **more} for name, more in tasks])
