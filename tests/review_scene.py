"""A real change in a real repository, and reviews of it, driven in this process."""

import asyncio
import json
from contextlib import closing

from ralph.app.reviews.plan import plan_review
from ralph.app.reviews.views import reviews_in
from ralph.app.runs.starting import store_run
from ralph.loop.run import drive_run
from ralph.loop.stop import Stop
from ralph.loop.streams import Streams
from ralph.store.journal import rows_of
from ralph.store.runs import get_run
from ralph.store.sqlite import SqliteStore
from ralph.testing import ScriptedAgent, temp_repo

BEFORE = "import db\n\n\ndef user(name):\n    return None\n"
AFTER = 'import db\n\n\ndef user(name):\n    return db.ask(f"select * from users where name = {name}")\n'
QUERY = 'return db.ask(f"select * from users where name = {name}")'
INJECTION = {
    "file": "app.py",
    "lines": [5, 5],
    "type": "security",
    "severity": "high",
    "description": "A name can end the query",
    "suggestion": "Bind the name",
    "agentPrompt": "In app.py, bind the name as a parameter of the query",
    "quote": QUERY,
    "confidence": 95,
    "introduced": True,
}


def says(decision, *issues, prior=(), **more):
    """A step in which the reviewer answers so."""
    answers = [{"id": name, "answer": said} for name, said in dict(prior).items()]
    said = {"decision": decision, "issues": list(issues), "summary": {}, "priorFindings": answers, "opened": []}
    return {"final": json.dumps(said), **more}


class Scene:
    """`main` has the base, `work` the change; the settings lie in the user's home."""

    def __init__(self, tmp_path, monkeypatch, files=None):
        self.repo = temp_repo(tmp_path, {"app.py": BEFORE, ".gitignore": ".ralph\n"})
        for name, value in self.repo.env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(self.repo.path)
        self.repo.git("switch", "-q", "-c", "work")
        self.change(files or {"app.py": AFTER})
        self.outside = tmp_path / "outside"
        self.outside.mkdir()
        self._bin = tmp_path / "bin"
        self.store = SqliteStore(self.repo.home / ".ralph")
        self.reviewer = None
        self.run_id = ""

    def change(self, files, message="Find users"):
        for name, text in files.items():
            self.repo.write(name, text)
        self.repo.commit_all(message)

    def settings(self, **given):
        file = self.repo.home / ".ralph/config.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(given))

    def answers(self, *steps, format="claude", **settings):  # noqa: A002 - the script's word for it
        self.reviewer = ScriptedAgent(*steps, directory=self._bin, format=format, after="error")
        self.settings(agent={"command": self.reviewer.command}, **settings)

    def runs(self, text, **settings):
        """The reviewer is a program of the user's own: a shell script."""
        program = self._bin / "review"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
        self.settings(
            tools={"reviewers": [{"id": "mine", "command": str(program)}]},
            defaults=dict.fromkeys(("quickReviewer", "finalReviewer"), "mine"),
            **settings,
        )

    def elsewhere(self):
        """From now on the reviewer is a program of the same name in another folder."""
        self._bin = self._bin.with_name("other-bin")

    def review(self, change=None, tier="final", **how):
        """The verdict, and the review as it was recorded."""
        return asyncio.run(self._reviewed(change, tier, **how))

    async def _reviewed(self, change, tier, parent=None, **how):
        planned = await plan_review(self.repo.path, change, tier, **how)
        self.run_id = store_run(self.store, self.repo.path, planned.plan, parent)
        driven = await drive_run(self.store, self.run_id, Stop(), Streams(), plan=planned.plan)
        reviews = reviews_in(self.store, [get_run(self.store, self.run_id)])
        return driven.verdict, reviews[-1] if reviews else None

    @property
    def run(self):
        return get_run(self.store, self.run_id)

    def lines(self):
        return [row.line for row in rows_of(self.store, self.run_id) if row.what == "ended" and row.line]


def scenes(tmp_path, monkeypatch, **more):
    made = Scene(tmp_path, monkeypatch, **more)
    with closing(made.store):
        yield made
