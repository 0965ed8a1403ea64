"""A spec whose tasks are delivered, in a repository with a remote, and `ralph spec pr` driven in this process."""

import json
from contextlib import closing

from click.testing import CliRunner

from chunk_crew import SHIP
from code_host import CodeHost
from loops import Ended
from ralph.app.tasks.tasks import import_tasks
from ralph.cli.group import cli
from ralph.model.errors import RalphError
from ralph.model.tasks import OutputSummary
from ralph.store.projects import project_at
from ralph.store.sqlite import SqliteStore
from ralph.store.tasks import set_status, set_summary
from ralph.testing import ScriptedAgent, temp_repo
from task_shell import many


class PullRequestScene:
    """`main` is pushed; `ralph/s` has one commit of the task T-1, which is completed."""

    def __init__(self, root, monkeypatch, program="gh", **host):
        self.root = root
        self.repo = temp_repo(root, {".gitignore": ".ralph\n"})
        for name, value in self.repo.env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(self.repo.path)
        self.host = CodeHost(self.repo, root, program, **host)
        monkeypatch.setenv("PATH", self.host.env["PATH"])
        self.reviewer = None
        self.no_reviewer()
        self.tasks(("T-1", {"title": "Make the cart"}))
        self.deliver("T-1", "It has a cart now.")

    def tasks(self, *tasks, spec="s"):
        with self.store() as store:
            import_tasks(store, self.repo.path, many(*tasks, spec=spec), "them")

    def deliver(self, task, summary=None, branch="ralph/s", base="main"):
        """A commit as a task leaves it."""
        known = self.repo.run("git", "rev-parse", "--verify", "--quiet", branch).returncode == 0
        self.repo.git("switch", "--quiet", *([branch] if known else ["--create", branch, base]))
        self.repo.write(f"{task}.txt", "good\n")
        self.repo.git("add", "--all")
        self.repo.git("commit", "--quiet", "--message", f"Make {task}\n\nRalph-Task: {task}\nRalph-Run: 1234\n")
        self.repo.git("switch", "--quiet", "main")
        with self.store() as store:
            name = project_at(store, self.repo.path).id
            set_status(store, name, task, "completed")
            if summary is not None:
                set_summary(store, name, task, OutputSummary(summary))

    def commit_by_hand(self, subject="Fix a typo", branch="ralph/s"):
        self.repo.git("switch", "--quiet", branch)
        self.repo.write("hand.txt", subject)
        self.repo.commit_all(subject)
        self.repo.git("switch", "--quiet", "main")

    def settings(self, **settings):
        self.repo.home.joinpath(".ralph").mkdir(exist_ok=True)
        self.repo.home.joinpath(".ralph/config.yaml").write_text(json.dumps(settings))

    def no_reviewer(self):
        self.settings(defaults={"finalReviewer": "none"})

    def reviewed_by(self, *answers):
        """A final reviewer that answers so, one after another."""
        self.reviewer = ScriptedAgent(*(answers or (SHIP,)), directory=self.root / "reviewer")
        executor = {"id": "one", "type": "claude", "command": self.reviewer.command}
        self.settings(
            defaults={"executor": "one", "finalReviewer": "last"},
            tools={"executors": [executor], "reviewers": [{"id": "last", "agent": "one"}]},
        )

    def store(self):
        return closing(SqliteStore(self.repo.home / ".ralph"))

    def pr(self, *args):
        return self.ralph("spec", "pr", "s", *args)

    def ralph(self, *args):
        """As the program does it, but in this process."""
        done = CliRunner().invoke(cli, list(args), standalone_mode=False)
        error = done.exception
        if isinstance(error, RalphError):
            return Ended(error.exit_code, done.stdout, f"ralph: {error}\n")
        if error is not None:
            raise error
        return Ended(done.return_value or 0, done.stdout, done.stderr)

    def good(self, *args):
        done = self.pr(*args)
        assert done.code == 0, done.err
        return done.out

    @property
    def tip(self):
        return self.repo.git("rev-parse", "ralph/s").strip()
