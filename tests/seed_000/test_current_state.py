"""The rows of "Current State Recap" that are no screens, each with a test of its name; and what is shown where the
boxes speak of a UI, as the terminal shows it. Rows about workers come with the engine.
"""

import json

import pytest

from chunk_crew import GOOD, MADE, SHIP, ChunkCrew, issue, revise, writes
from code_host import CodeHost
from loops import wait_until, waits
from ralph.testing import ScriptedAgent
from spec_plans import Planned, chunk, chunks, spec, two_questions

LINT = {"name": "Lint", "command": "false", "required": False}
BASE = {"src/shop.ts": "export interface Cart { id: string }\n", "package.json": '{"dependencies": {"next": "15"}}'}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Two specs of one project. Of the first, A-2 depends on A-1; both are run, and a pull request is opened."""
    crew = ChunkCrew(tmp_path_factory.mktemp("shop"))
    for path, text in BASE.items():
        crew.repo.write(path, text)
    crew.repo.commit_all("shop")
    crew.host = CodeHost(crew.repo, crew.repo.path.parent)
    for name, needs, title in (("A-1", (), "cart"), ("A-2", ("A-1",), "cart"), ("B-1", (), "list")):
        crew.task(name, spec=title, dependencies=needs)
    crew.hire(
        [
            writes("I wrote the first cart.", work__txt="good, first\n"),
            writes("I wrote a better cart.", work__txt="good, better\n"),
            writes("I wrote the total of the cart.", total__txt="1\n"),
        ],
        quick=[revise(issue("no total")), SHIP],
        final=[SHIP],
        steps=(MADE, LINT),
    )
    crew.done = crew.ralph("spec", "run", "cart", "--pr", env=crew.host.env)
    assert crew.done.code == 0, crew.done.err
    return crew


class TestMvp:
    def test_project_spec_chunk_crud(self, tmp_path):
        crew = ChunkCrew(tmp_path)
        assert crew.ralph("project", "add", "--name", "Shop").code == 0
        assert crew.ralph("spec", "create", "cart", "--title", "Cart").code == 0
        crew.task("T-1", spec="cart")
        assert crew.ralph("chunk", "import", "-").code == 2
        changed = crew.repo.run("ralph", "task", "edit", "T-1", env={"EDITOR": "sed -i s/Write/Draw/"})
        assert changed.returncode == 0, changed.stderr
        assert crew.json("task", "show", "T-1")["description"] == "Draw T-1 down."
        assert [each["id"] for each in crew.json("spec", "list")] == ["cart"]
        assert [each["name"] for each in crew.json("project", "list")] == ["Shop"]
        assert crew.ralph("task", "delete", "T-1", "--yes").code == 0
        assert crew.ralph("spec", "delete", "cart", "--yes").code == 0
        assert crew.ralph("project", "remove", ".", "--yes").code == 0
        assert (crew.json("spec", "list"), crew.json("project", "list")) == ([], [])

    def test_execution_with_live_tool_calls(self, tmp_path):
        crew = ChunkCrew(tmp_path)
        crew.task()
        crew.hire([{**GOOD, "run": waits()}])
        with crew.start() as running:
            # The agent has not ended: it waits until it is told to go on.
            folder = crew.repo.path / ".ralph/worktrees/T-1"
            wait_until(lambda: (folder / "ready").exists() or running.is_over, "the agent did not begin")
            running.wait_for_output("Write(work.txt)")
            assert not running.is_over
            (folder / "go").touch()
            assert running.end().code == 0

    def test_opus_spec_refinement(self, tmp_path):
        project = Planned(tmp_path, spec(text="## Goal\nFind them fast.\n"))
        project.repo.write("old.md", "# Search\n\nFind them.\n")
        assert project.ralph("spec", "create", "search", "--file", "old.md").returncode == 0
        done = project.ralph("spec", "refine", "search", "It must be fast", "--yes")
        assert done.returncode == 0, done.stderr
        argv = project.planner.starts[0].argv
        assert argv[argv.index("--model") + 1] == "opus"
        assert "Find them fast." in project.text("search")


def test_spec_studio_goes_from_intent_over_questions_and_review_to_chunks(tmp_path):
    made = chunks(chunk(), chunk(2, dependsOn=["T001"]))
    project = Planned(tmp_path, spec(*two_questions()), spec(), made)
    done = project.ralph("spec", "new", "A search box", "--yes")
    assert done.returncode == 0, done.stderr
    text = project.text()
    assert text.index("## Intent\nA search box") < text.index("## Goal\nClerks find orders.")
    assert "- **Who searches?** Clerks" in text
    assert [(name, each["dependencies"]) for name, each in project.tasks().items()] == [
        ("T001", []),
        ("T002", ["T001"]),
    ]


def test_improved_chunk_generation_prompts(tmp_path):
    project = Planned(tmp_path, spec(), chunks())
    assert project.ralph("spec", "new", "A search box", "--yes").returncode == 0
    prompt = project.planner.prompts[-1]
    assert "Clerks find orders." in prompt
    assert "## Global Rules\n- Use tabs" in prompt
    assert "Key Types: Order (app.py)" in prompt
    for word in ("one session", "dependsOn", "acceptanceCriteria", "relevantFiles"):
        assert word in prompt, word


class TestPhase2:
    def test_multi_spec_per_project(self, shop):
        assert [(each["id"], len(each["tasks"])) for each in shop.json("spec", "list")] == [("cart", 2), ("list", 1)]
        assert shop.status_of("B-1") == "pending"
        assert shop.git("branch", "--list", "ralph/*", "--format=%(refname:short)").split() == ["ralph/cart"]

    def test_review_loop(self, shop):
        first, second = shop.json("show", "A-1")["iterations"]
        assert [each["reviewResult"]["decision"] for each in (first, second)] == ["REVISE", "SHIP"]
        assert "Fix this: no total" in shop.prompts()[1]

    def test_run_all_chunks_sequentially(self, shop):
        assert [shop.status_of(name) for name in ("A-1", "A-2")] == ["completed", "completed"]
        assert shop.subjects("ralph/cart") == ["Make A-1", "Make A-2"]

    def test_git_integration_branch_commit_pr(self, shop):
        tip = shop.git("rev-parse", "ralph/cart").strip()
        assert shop.on_branch("work.txt", "ralph/cart") == "good, better\n"
        assert "Ralph-Task: A-2" in shop.git("log", "-1", "--format=%B", "ralph/cart")
        assert shop.host.head("refs/heads/ralph/cart") == tip
        [pr] = shop.host.prs
        assert (pr["headRefName"], pr["baseRefName"], pr["isDraft"]) == ("ralph/cart", "main", False)
        assert "I wrote a better cart." in pr["body"]
        assert "Opened the pull request #12" in shop.done.out


class TestPhase3:
    def test_dependency_graph_visualization(self, shop):
        assert shop.ralph("spec", "graph", "cart").out.splitlines()[1:] == [
            "A-1  completed  Make A-1",
            "└─ A-2  completed  Make A-2",
        ]
        assert "t1 --> t2" in shop.ralph("spec", "graph", "cart", "--format", "mermaid").out
        assert '"A-1" -> "A-2"' in shop.ralph("spec", "graph", "cart", "--format", "dot").out

    def test_dependency_editor(self, shop):
        assert shop.ralph("task", "depend", "B-1", "--on", "A-2").code == 0
        refused = shop.ralph("task", "depend", "A-1", "--on", "B-1")
        assert (refused.code, "A-1 -> B-1 -> A-2 -> A-1" in refused.err) == (2, True)
        assert shop.ralph("task", "depend", "B-1", "--not-on", "A-2").code == 0
        assert next(task for task in shop.json("task", "list") if task["id"] == "B-1")["dependencies"] == []

    def test_execution_plan_preview(self, shop):
        plan = shop.json("spec", "preview", "list")
        assert ([[task["id"] for task in wave] for wave in plan["waves"]], plan["criticalPath"]) == ([["B-1"]], ["B-1"])
        assert (plan["total"]["iterations"], plan["waves"][0][0]["samples"]) == (1.5, 2)
        assert "from 2 completed tasks of this project" in shop.ralph("spec", "preview", "list").out

    def test_view_mode_list_graph_plan(self, shop):
        views = [{task["id"] for task in shop.json("spec", word, "cart")["tasks"]} for word in ("show", "graph")]
        assert views == [{"A-1", "A-2"}] * 2
        assert shop.json("spec", "preview", "cart")["completed"] == 2


class TestPhase35:
    def test_codebase_analysis(self, shop):
        analysis = json.loads(shop.repo.read(".ralph/specs/cart/codebase-analysis.json"))
        assert "Cart" in json.dumps(analysis)
        assert "Cart" in shop.prompts()[0]

    def test_output_summaries_for_context_passing(self, shop):
        assert "I wrote a better cart." in shop.prompts()[2]
        assert "I wrote the first cart." not in shop.prompts()[2]


class TestWhatAScreenShows:
    def test_ui_shows_available_options_from_config(self, shop):
        shown = shop.ralph("agents").out
        assert "executor" in shown
        assert "quick" in shown
        config = json.loads(shop.ralph("config", "show", "--json").out)
        assert [each["id"] for each in config["tools"]["reviewers"]] == ["quick-one", "final-one"]

    def test_changing_executor_for_a_spec_is_shown(self, shop):
        assert shop.ralph("spec", "config", "list", "executor", "executor").code == 0
        assert 'executor: "executor"  # set by the spec' in shop.ralph("spec", "config", "list").out

    def test_results_are_shown(self, shop):
        assert "✓ Made: exit code 0, as expected" in shop.done.err
        assert "Lint: exit code 1" in shop.done.err
        [run] = [each for each in shop.json("runs") if each["recipe"] == "spec"]
        assert "Lint: exit code 1" in shop.ralph("show", run["id"]).out


def test_an_executor_of_the_config_is_the_one_that_works(tmp_path):
    crew = ChunkCrew(tmp_path)
    crew.task()
    crew.hire([GOOD])
    other = ScriptedAgent(GOOD, directory=tmp_path / "agents" / "other")
    assert crew.run("--agent", other.command).code == 0
    assert (len(other.starts), crew.agents["executor"].starts) == (1, [])
