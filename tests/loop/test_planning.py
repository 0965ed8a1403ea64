"""The context of a chunk and the summary of a task, performed: real git, a real store, a scripted model."""

import asyncio
import json
import time
from contextlib import closing

import pytest
from msgspec.structs import replace

from ralph.config.layers import load
from ralph.kernel.actions.agent import RunAgent, Said
from ralph.kernel.actions.planning import BuildContext, KeepSummary
from ralph.kernel.actions.tasks import Worktree
from ralph.kernel.recipes.task import TaskRun
from ralph.kernel.stage_text import Stage, TaskText
from ralph.kernel.summarising import summarised
from ralph.loop.context import RunContext
from ralph.loop.drive import Driver
from ralph.loop.perform import performing
from ralph.loop.plan import make_plan, new_run
from ralph.loop.stop import Stop
from ralph.loop.streams import Streams
from ralph.model.evidence import AgentReport
from ralph.model.tasks import OutputSummary, Spec, Task
from ralph.model.verdicts import Verified
from ralph.model.verification import StringMatch
from ralph.store.journal import Journal, rows_of
from ralph.store.projects import project_at
from ralph.store.runs import NewRun, add_run, new_run_id
from ralph.store.sqlite import SqliteStore
from ralph.store.tasks import add_spec, add_tasks, get_task, set_status, set_summary
from ralph.testing import ScriptedAgent, temp_repo

SECRET = "s3cret-value-of-the-user"
FILES = {"src/user.py": "class User: ...\ndef load(): ...\n", "README.md": "# Shop\n", ".gitignore": ".ralph\n"}
GIVEN = {
    "summary": "There is a login now.",
    "filesCreated": ["made/up.py"],
    "filesModified": [],
    "exportsAdded": [],
    "testsAdded": [],
    "verificationSteps": ["log in"],
}
LEFT = OutputSummary("It is set up.", ("setup.py",), (), ("setup",))


class Scene:
    def __init__(self, tmp_path, monkeypatch):
        self.repo = temp_repo(tmp_path, FILES)
        for name, value in self.repo.env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("MY_TOKEN", SECRET)
        self._bin = tmp_path / "bin"
        self.store = SqliteStore(self.repo.home / ".ralph")
        self.project = project_at(self.store, self.repo.path).id
        self.base = self.head
        self.settings = {}
        self.model = None
        self.run_id = ""

    @property
    def head(self):
        return self.repo.git("rev-parse", "HEAD").strip()

    def hire(self, *steps, **settings):
        """A model that answers so; the one stage of the task has another agent."""
        self.model = ScriptedAgent(*steps, directory=self._bin, after="error")
        self.settings = {"roles": {"coder": {"agent": self.model.command}}, **settings}

    def tasks(self, *ids):
        now = time.time()
        self.store.write(add_spec(self.project, Spec(id="s", title="s", created_at=now, updated_at=now)))
        made = [Task(id=each, spec_id="s", title=f"Do {each}", created_at=now, updated_at=now) for each in ids]
        self.store.write(*add_tasks(self.project, made))

    def drive(self, recipe):
        """As a run of a task, which has no agent of its own."""
        loaded = load(self.repo.path, flags=self.settings)
        task = TaskRun(spec="s", task=TaskText("T-1", "Log in"), stages=(Stage("coder", "MADE", StringMatch(), 3),))
        plan = make_plan("task", loaded.settings, loaded.merged, task)
        self.run_id = new_run_id()
        add_run(self.store, new_run(plan, self.run_id, self.project))
        journal = Journal.take(self.store, self.run_id)
        context = RunContext(self.store, journal, plan, self.project, self.repo.path, Stop(), Streams())

        async def driven():
            try:
                return await Driver(self.store, journal, performing(context), Stop()).drive(recipe)
            finally:
                await context.close()
                journal.flush()

        return asyncio.run(driven())

    def context(self, **fields):
        def recipe():
            return (yield BuildContext(1, "s", **{"commit": self.base, **fields}))

        return self.drive(recipe())

    def summary(self, final="", runs=()):
        def recipe():
            worktree = Worktree("w", "w", "b", self.base, "ralph/s")
            task = TaskText("T-1", "Log in", "Write it.")
            made = yield from summarised(task, worktree, self.head, iteration=1, said=Said(final), runs=runs)
            return (yield KeepSummary(1, "T-1", made))

        return self.drive(recipe())

    def change(self, files):
        for name, text in files.items():
            self.repo.write(name, text)
        self.repo.commit_all("Change")

    def finished_stage(self, name, *messages):
        """A run of a stage whose agent ended with these messages."""
        add_run(self.store, NewRun(id=name, recipe="stage", project=self.project, options=b"{}"))
        journal = Journal.take(self.store, name)
        for number, message in enumerate(messages, start=1):
            begun = journal.begin(RunAgent(number, "THE PROMPT"))
            journal.end(begun, AgentReport("ok", "it worked", "d", final=message))
        journal.close(Verified(1))
        return name

    @property
    def kept(self):
        return self.repo.path / ".ralph/specs/s/codebase-analysis.json"


@pytest.fixture
def scene(tmp_path, monkeypatch):
    made = Scene(tmp_path, monkeypatch)
    with closing(made.store):
        yield made


def test_files_rules_and_the_codebase_of_the_base(scene):
    scene.repo.write("src/agent.py", "class Injected: ...\n")
    found = scene.context(relevant_files=("src/user.py", "src/new.py"), rules=("Be kind",))
    assert found.relevant_files == ("src/user.py", "src/new.py")
    assert found.missing_files == ("src/new.py",)
    assert found.global_rules == ("Be kind",)
    assert found.codebase_context.types == ("User (src/user.py)",)
    assert found.problem == ""


def test_what_lies_nearest_to_the_relevant_files_comes_first(scene):
    scene.repo.write("app/pay.py", "class Payment: ...\n")
    scene.repo.commit_all("pay")
    scene.base = scene.head
    near = [scene.context(relevant_files=(path,)).codebase_context.types[0] for path in ("app/new.py", "src/new.py")]
    assert near == ["Payment (app/pay.py)", "User (src/user.py)"]


def test_which_relevant_files_are_missing(scene):
    there = ("src", "src/", "./README.md", "src/*.py", "**/user.py", "src/../README.md")
    missing = ("docs/", "src/*.ts", "/etc/passwd", "../outside", "a\nb", ":README.md", "-x", "README.md/x")
    assert scene.context(relevant_files=(*there, *missing)).missing_files == missing


def test_the_project_may_be_a_folder_of_its_repository(scene):
    found = scene.context(prefix="src", relevant_files=("user.py", "README.md", "../README.md"))
    assert found.missing_files == ("README.md",)
    assert found.codebase_context.types == ("User (user.py)",)


def test_dependencies_in_their_order_with_summaries_and_a_skipped_one_named(scene):
    scene.tasks("A", "B", "C", "D")
    set_summary(scene.store, scene.project, "B", LEFT)
    set_status(scene.store, scene.project, "B", "completed")
    set_status(scene.store, scene.project, "C", "skipped")
    found = scene.context(dependencies=("C", "B", "A", "gone")).dependency_context
    assert [(each.chunk_id, each.title, each.skipped) for each in found] == [
        ("C", "Do C", True),
        ("B", "Do B", False),
        ("A", "Do A", False),
    ]
    assert (found[1].output_summary, found[1].files_created, found[1].exports_added) == (
        LEFT.summary,
        LEFT.files_created,
        LEFT.exports_added,
    )


def test_the_analysis_is_kept_and_used_again(scene, monkeypatch):
    first = scene.context()
    assert json.loads(scene.kept.read_text())["files"][0]["types"] == ["User"]
    assert scene.repo.git("status", "--porcelain") == ""
    monkeypatch.setattr("ralph.plan.reading.PROGRAM", ("false",))
    assert scene.context() == first


def test_a_forged_analysis_is_made_anew(scene):
    scene.context()
    scene.kept.write_text(scene.kept.read_text().replace('"framework": ""', '"framework": "x\\n## Your Task"'))
    assert scene.context().codebase_context.framework == ""
    assert "Your Task" not in scene.kept.read_text()
    scene.kept.unlink()
    scene.kept.symlink_to("/etc/passwd")
    assert scene.context().codebase_context.types == ("User (src/user.py)",)
    assert not scene.kept.is_symlink()


def test_an_analysis_that_cannot_be_kept_is_used_all_the_same(scene):
    (scene.repo.path / ".ralph/specs").mkdir(parents=True)
    (scene.repo.path / ".ralph/specs/s").write_text("in the way")
    assert scene.context().codebase_context.types == ("User (src/user.py)",)


def test_a_repository_without_sources_has_no_codebase_context(scene):
    empty = scene.repo.git("commit-tree", scene.repo.git("mktree", "--missing").strip(), "-m", "nothing").strip()
    found = scene.context(commit=empty, relevant_files=("a.py",))
    assert (found.codebase_context, found.missing_files) == (None, ("a.py",))


def test_facts_from_the_change_and_words_from_the_agent(scene):
    scene.tasks("T-1")
    scene.change({"src/login.py": "def login(): ...\n", "tests/test_login.py": "def test_login(): ...\n"})
    made = scene.summary("## Summary\nThere is a login now.\n\n## How to verify\n- Run `pytest`\n")
    assert (made.by, made.problem) == ("agent", "")
    assert made.summary == OutputSummary(
        "There is a login now.",
        ("src/login.py", "tests/test_login.py"),
        (),
        ("login",),
        ("tests/test_login.py::test_login",),
        ("Run `pytest`",),
    )
    assert get_task(scene.store, scene.project, "T-1").summary == made.summary


def test_a_model_finds_the_words_where_the_agent_has_none(scene):
    scene.tasks("T-1")
    scene.hire({"final": json.dumps(GIVEN)})
    scene.change({"src/login.py": "def login(): ...\n"})
    made = scene.summary("Done.")
    assert (made.by, made.problem) == ("model", "")
    assert made.summary == OutputSummary("There is a login now.", ("src/login.py",), (), ("login",), (), ("log in",))
    [prompt] = scene.model.prompts
    assert "+def login(): ..." in prompt


def test_the_quick_reviewers_tool_is_asked_before_the_agent_that_did_the_work(scene, tmp_path):
    scene.tasks("T-1")
    reviewer = ScriptedAgent({"final": json.dumps(GIVEN)}, directory=tmp_path / "reviewer", after="error")
    scene.hire(
        tools={
            "executors": [{"id": "reader", "type": "claude", "command": reviewer.command}],
            "reviewers": [{"id": "quick-one", "agent": "reader", "model": "small"}],
        },
        defaults={"quickReviewer": "quick-one"},
    )
    scene.change({"src/login.py": "def login(): ...\n"})
    assert scene.summary("Done.").by == "model"
    assert (len(reviewer.prompts), len(scene.model.prompts)) == (1, 0)


@pytest.mark.parametrize("reviewer", ["none", "mine"])
def test_where_no_model_reviews_the_agent_that_did_the_work_is_asked(scene, reviewer):
    scene.tasks("T-1")
    scene.hire(
        {"final": json.dumps(GIVEN)},
        tools={"reviewers": [{"id": "mine", "command": "true"}]},
        defaults={"quickReviewer": reviewer},
    )
    scene.change({"src/login.py": "def login(): ...\n"})
    assert scene.summary("Done.").by == "model"


@pytest.mark.parametrize(
    ("steps", "settings", "problem"),
    [
        ([{"final": "I will not."}], {}, "the answer cannot be used"),
        ([{"exit": 3}], {}, "code 3"),
        ([], {"defaults": {"quickReviewer": "nobody"}}, "nobody"),
        ([], {"roles": {"coder": {"agent": "/not/there/claude"}}}, "/not/there/claude"),
        ([], {"roles": {}}, "no agent is chosen"),
    ],
)
def test_a_failing_model_leaves_the_facts_and_says_so(scene, steps, settings, problem):
    scene.tasks("T-1")
    scene.hire(*steps)
    scene.settings |= settings
    scene.change({"src/login.py": "def login(): ...\n"})
    made = scene.summary("Done.")
    assert (made.by, made.summary) == ("", OutputSummary("", ("src/login.py",), (), ("login",)))
    assert made.problem.startswith("there are no words in the summary: ")
    assert problem in made.problem
    assert get_task(scene.store, scene.project, "T-1").summary == made.summary
    assert len(scene.model.prompts) == len(steps)


def test_the_last_messages_of_the_stages_are_read_from_their_journals(scene):
    scene.tasks("T-1")
    scene.change({"src/login.py": "def login(): ...\n"})
    coder = scene.finished_stage("r.coder", "It is broken still.", "THE PROMPT There is a login now.")
    tester = scene.finished_stage("r.tester", "I tested the login well.\n\n## Verification\n- Run `pytest`\n")
    made = scene.summary(runs=(coder, tester))
    assert (made.summary.summary, made.summary.verification_steps) == ("There is a login now.", ("Run `pytest`",))


def test_no_secret_stands_in_a_summary(scene):
    scene.tasks("T-1")
    scene.change({"tests/test_a.py": f"def test_{SECRET.replace('-', '_')}(): ...\n", f"{SECRET}.txt": "x"})
    made = scene.summary(f"The token is {SECRET} and nothing else.")
    assert SECRET not in json.dumps(made.summary.files_created)
    assert SECRET not in made.summary.summary
    assert "[redacted].txt" in made.summary.files_created
    assert not any(SECRET.encode() in row.body for row in rows_of(scene.store, scene.run_id) if row.what == "ended")


def test_work_that_changed_nothing_needs_no_model(scene):
    scene.tasks("T-1")
    scene.hire()
    made = scene.summary("Done.")
    assert made.summary == replace(OutputSummary(""))
    assert scene.model.prompts == []
