"""The boxes of "State Directory": every attempt stays readable, without ralph and after everything else is gone."""

import json
import shutil
import signal

import pytest

from chunk_crew import BAD, GOOD, SHIP, issue, revise, writes
from loops import wait_until
from ralph.testing import hangs

BETTER = writes(work__txt="good, at last\n")
LARGE = b" " * 20_000_001
DEEP = b"[" * 100_000 + b"]" * 100_000


def folder(crew, spec="s"):
    return crew.repo.path / ".ralph/specs" / spec


def tree(crew):
    """All files of the state directory with what they hold."""
    top = folder(crew)
    return {str(path.relative_to(top)): path.read_bytes() for path in top.rglob("*") if path.is_file()}


def iterations(crew, task="T-1"):
    return sorted(path.name for path in (folder(crew) / "iterations" / task).iterdir() if path.is_dir())


def read(crew, path):
    return json.loads((folder(crew) / path).read_text())


def test_iteration_files_are_written(crew):
    crew.task()
    crew.hire([BAD, GOOD], quick=[SHIP])
    assert crew.run().code == 0
    first, second = (folder(crew) / f"iterations/T-1/iteration-{number}" for number in (1, 2))
    assert {path.name for path in first.iterdir() if path.is_file()} == {
        "context.md",
        "output.md",
        "stream.ndjson",
        "verification.json",
    }
    assert {path.name for path in second.iterdir() if path.is_file()} == {
        "context.md",
        "output.md",
        "stream.ndjson",
        "verification.json",
        "review.json",
        "summary.json",
    }
    assert (folder(crew) / "iterations/T-1/proof.intoto.jsonl").is_file()


def test_context_output_review_are_captured(crew):
    crew.task()
    crew.hire([GOOD, BETTER], quick=[revise(issue("the file is rude")), SHIP], deep=[SHIP])
    assert crew.run().code == 0
    at = "iterations/T-1/iteration-1"
    assert (folder(crew) / at / "context.md").read_text() == crew.prompts()[0]
    assert (folder(crew) / at / "output.md").read_text() == GOOD["final"]
    (step,) = read(crew, f"{at}/verification.json")
    assert {name: step[name] for name in ("step", "command", "passed")} == {
        "step": "Made",
        "command": "grep -q good work.txt",
        "passed": True,
    }
    assert isinstance(step["duration"], int)
    review = read(crew, f"{at}/review.json")
    assert (review["decision"], review["summary"]) == ("REVISE", {"total": 1, "high": 1, "medium": 0, "low": 0})
    assert review["issues"][0]["agentPrompt"] == "Fix this: the file is rude"
    shipped = read(crew, "iterations/T-1/iteration-2/review.json")
    assert [(each["tier"], each["decision"]) for each in shipped["reviews"]] == [("quick", "SHIP"), ("deep", "SHIP")]
    summary = read(crew, "iterations/T-1/iteration-2/summary.json")
    assert (summary["summary"], summary["filesCreated"]) == (BETTER["final"], ["work.txt"])


@pytest.mark.e2e
def test_old_iterations_can_be_inspected(crew):
    crew.task(max_iterations=1)
    crew.hire([BAD])
    assert crew.run().code == 1
    before = tree(crew)
    crew.hire([GOOD])
    assert crew.run().code == 0
    assert iterations(crew) == ["iteration-1", "iteration-2"]
    after = tree(crew)
    changed = {name for name in before if after.get(name) != before[name]}
    assert changed <= {"codebase-analysis.json"}


def test_nothing_is_overwritten_by_a_second_delivery(crew):
    """Nor is the record of the proof, which is that of another commit."""
    crew.task()
    crew.hire([GOOD, BETTER], quick=[SHIP])
    assert crew.run().code == 0
    before = tree(crew)
    assert crew.run("--again").code == 0
    after = tree(crew)
    assert {name for name in before if after.get(name) != before[name]} <= {"codebase-analysis.json"}
    assert {"iterations/T-1/proof.intoto.jsonl", "iterations/T-1/proof.2.intoto.jsonl"} <= set(after)
    second, first = (each["id"] for each in crew.json("runs"))
    told = {name: crew.json("proof", "show", name) for name in ("T-1", first, second)}
    assert {name: each["proof"]["run"] for name, each in told.items()} == {"T-1": second, first: first, second: second}
    assert told["T-1"]["subject"]["commit"] == crew.git("rev-parse", "ralph/s").strip()


def test_state_survives_a_kill_and_nothing_is_overwritten(crew):
    crew.task()
    crew.hire([hangs() | {"write": {"work.txt": "half\n"}}, GOOD])
    with crew.start() as running:
        wait_until(crew.prompts, "the executor never began")
        running.send(signal.SIGKILL)
        running.end()
    before = tree(crew)
    assert crew.ralph("resume").code == 0
    assert iterations(crew) == ["iteration-1", "iteration-1.2"]
    after = tree(crew)
    assert {name: data for name, data in after.items() if name in before and "iterations" in name} == {
        name: data for name, data in before.items() if "iterations" in name
    }


@pytest.mark.e2e
def test_a_stage_has_its_role_between_task_and_iteration(crew):
    role = {"promise": "MADE", "verification_method": "external", "verification_config": {"command": "true"}}
    crew.task(criteria=["it is good"], completion={"outcome": "o", "acceptance_criteria": ["c"], "coder": role})
    crew.hire([writes("<promise>MADE</promise>", work__txt="good\n")], pipeline=["coder"])
    assert crew.run().code == 0
    (step, _) = read(crew, "iterations/T-1/coder/iteration-1/verification.json")
    assert (step["step"], step["command"]) == ("Made", "grep -q good work.txt")
    assert not (crew.repo.path / ".ralph/runs").exists() or not list((crew.repo.path / ".ralph/runs").iterdir())


@pytest.mark.e2e
def test_the_final_review_has_a_folder_for_each_round(crew):
    crew.task()
    crew.hire([GOOD, BETTER], final=[revise(issue("it is rude")), SHIP])
    ended = crew.ralph("spec", "run", "s")
    assert ended.code == 0, ended.err
    assert crew.subjects() == ["Make T-1", "Fix 1 finding of the final review"]
    assert [read(crew, f"final/round-{number}/review.json")["decision"] for number in (1, 2)] == ["REVISE", "SHIP"]
    assert iterations(crew, "FINAL-1") == ["iteration-1"]
    assert "Fix this: it is rude" in crew.prompts()[1]
    assert crew.status_of("FINAL-1") == "completed"
    left = crew.json("task", "show", "FINAL-1")["summary"]
    assert (left["summary"], left["filesModified"]) == ("I wrote the file that was asked for.", ["work.txt"])


@pytest.mark.e2e
def test_a_final_review_that_never_ships_fails_the_spec_and_keeps_the_branch(crew):
    crew.task()
    fixes = [writes(work__txt=f"good {number}\n") for number in range(9)]
    crew.hire(fixes, final=[revise(issue(f"it is rude {number}")) for number in range(9)], review={"finalRounds": 1})
    ended = crew.ralph("spec", "run", "s")
    assert ended.code == 9
    assert "the final review asks for changes after 1 task to fix what it found" in ended.err
    assert len(crew.subjects()) == 2


class TestDefinitions:
    def test_chunks_json_has_definitions_and_no_status(self, crew):
        crew.task(criteria=["it is good", {"check": "true"}], relevant_files=["a.py"], max_iterations=3)
        assert crew.ralph("state", "export", "s").code == 0
        file = read(crew, "chunks.json")
        assert (file["spec"], file["config"]) == ({"id": "s", "title": "s"}, {})
        (chunk,) = file["chunks"]
        assert (chunk["id"], chunk["relevantFiles"], chunk["maxIterations"]) == ("T-1", ["a.py"], 3)
        assert chunk["completion"]["acceptanceCriteria"] == ["it is good", {"check": "true"}]
        assert not {"status", "error", "summary", "iteration"} & set(chunk)

    def test_only_the_spec_and_its_definitions_are_for_git(self, crew):
        (crew.repo.home / "text.md").write_text("# A spec\n")
        assert crew.ralph("spec", "create", "s", "--file", str(crew.repo.home / "text.md")).code == 0
        crew.task()
        crew.hire([GOOD], final=[SHIP])
        assert crew.ralph("spec", "run", "s").code == 0
        crew.git("add", "--all")
        assert set(crew.git("diff", "--cached", "--name-only").split()) == {
            ".ralph/specs/s/chunks.json",
            ".ralph/specs/s/spec.md",
        }

    def test_a_hand_edit_is_noticed_said_and_never_overwritten(self, crew):
        crew.task("T-1")
        assert crew.ralph("state", "export", "s").err == ""
        file = folder(crew) / "chunks.json"
        edited = file.read_text().replace("Write T-1 down.", "Write T-1 in capitals.")
        file.write_text(edited)
        assert "Import it: ralph state import s" in crew.ralph("state", "export", "s").err
        assert file.read_text() == edited
        taken = crew.ralph("state", "import", "s")
        assert taken.code == 0, taken.err
        assert crew.json("task", "show", "T-1")["description"] == "Write T-1 in capitals."
        crew.task("T-2")
        assert crew.ralph("state", "export", "s").err == ""
        assert [chunk["id"] for chunk in read(crew, "chunks.json")["chunks"]] == ["T-1", "T-2"]

    @pytest.mark.e2e
    def test_a_run_says_it_too_and_goes_on(self, crew):
        crew.task()
        assert crew.ralph("state", "export", "s").err == ""
        file = folder(crew) / "chunks.json"
        file.write_text(file.read_text().replace("Write T-1 down.", "Write T-1 in capitals."))
        crew.hire([GOOD])
        ended = crew.run()
        assert (ended.code, "Import it: ralph state import s" in ended.err) == (0, True), ended.err
        assert "capitals" in file.read_text()

    @pytest.mark.parametrize(
        "make",
        [lambda path: path.mkdir(), lambda path: path.symlink_to("/dev/null"), lambda path: path.write_bytes(LARGE)],
        ids=["a directory", "a link", "a very large file"],
    )
    def test_what_ralph_cannot_read_stays_and_is_told(self, crew, make):
        crew.task()
        folder(crew).mkdir(parents=True, exist_ok=True)
        make(folder(crew) / "chunks.json")
        exported = crew.ralph("state", "export", "s")
        assert exported.code == 0, exported.err
        assert "chunks.json is not a plain file or is too large, so it stays." in exported.err
        left = folder(crew) / "chunks.json"
        assert left.is_symlink() or left.is_dir() or left.read_bytes() == LARGE

    def test_a_link_in_the_place_of_the_folder_is_not_followed(self, crew, tmp_path):
        crew.task()
        (tmp_path / "elsewhere").mkdir()
        shutil.rmtree(crew.repo.path / ".ralph/specs", ignore_errors=True)
        (crew.repo.path / ".ralph").mkdir(exist_ok=True)
        (crew.repo.path / ".ralph/specs").symlink_to(tmp_path / "elsewhere")
        exported = crew.ralph("state", "export", "s")
        assert (exported.code, "chunks.json could not be written" in exported.err) == (0, True), exported.err
        assert list((tmp_path / "elsewhere").iterdir()) == []


class TestExportAndImport:
    @pytest.mark.e2e
    def test_what_was_deleted_is_written_again_from_the_store(self, crew):
        crew.task()
        crew.hire([BAD, GOOD], quick=[SHIP], final=[SHIP])
        assert crew.ralph("spec", "run", "s").code == 0
        before = tree(crew)
        shutil.rmtree(folder(crew))
        exported = crew.ralph("state", "export", "s")
        assert exported.code == 0, exported.err
        after = tree(crew)
        # Streams and logs are files alone, and so is what only makes ralph quicker.
        kept = {"context.md", "output.md", "verification.json", "review.json", "summary.json", "chunks.json"}
        assert {name for name in before if name.rpartition("/")[2] in kept} == set(after)
        assert all(after[name] == before[name] for name in after if not name.endswith("verification.json"))

    def forget(self, crew):
        """Another store: as on another machine, or after the database was lost."""
        for path in crew.repo.home.joinpath(".ralph").glob("ralph.db*"):
            path.unlink()

    @pytest.mark.e2e
    def test_history_comes_back_and_only_a_delivered_commit_makes_a_task_completed(self, crew):
        crew.task("T-1")
        crew.task("T-2", max_iterations=1)
        crew.hire([GOOD, BAD], quick=[SHIP])
        crew.ralph("spec", "run", "s")
        assert [crew.status_of(name) for name in ("T-1", "T-2")] == ["completed", "failed"]
        # A file can say anything.
        forged = folder(crew) / "iterations/T-2/iteration-1/summary.json"
        forged.write_text(json.dumps({"summary": "It is all done."}))
        self.forget(crew)
        imported = crew.ralph("state", "import")
        assert imported.code == 0, imported.err
        assert "s: 2 tasks, 1 completed, 2 attempts restored." in imported.out
        assert [crew.status_of(name) for name in ("T-1", "T-2")] == ["completed", "pending"]
        shown = crew.json("show", "T-1")
        assert shown["verdict"] == "imported"
        assert crew.json("task", "show", "T-1")["summary"]["filesCreated"] == ["work.txt"]
        assert crew.json("task", "show", "T-2")["summary"] is None
        # A second import brings nothing twice.
        assert "0 attempts restored" in crew.ralph("state", "import", "s").out

    @pytest.mark.e2e
    def test_the_reviews_of_the_whole_branch_come_back_and_nothing_of_them_counts(self, crew):
        crew.task()
        crew.hire([GOOD, BETTER], final=[revise(issue("it is rude")), SHIP])
        assert crew.ralph("spec", "run", "s").code == 0
        before = {path: path.read_bytes() for path in folder(crew).rglob("*") if path.is_file()}
        self.forget(crew)
        assert "1 attempt, 2 final reviews restored." in crew.ralph("state", "import").out
        [run] = [each for each in crew.json("runs") if each["recipe"] == "spec"]
        assert run["verdict"] == "imported"
        shown = crew.ralph("show", run["id"]).out
        assert "it is rude" in shown
        assert "(imported)" in shown
        (folder(crew) / "final/round-3").mkdir()
        (folder(crew) / "final/round-4").mkdir()
        (folder(crew) / "final/round-4/review.json").write_text("{")
        again = crew.ralph("state", "import", "s")
        assert "final review" not in again.out
        assert "final/round-4/review.json cannot be read" in again.err
        crew.ralph("state", "export", "s")
        assert {path: path.read_bytes() for path in before} == before
        # The reviewer is asked again: what a file says ships nothing.
        crew.hire([GOOD], final=[SHIP])
        assert crew.ralph("spec", "run", "s").code == 0
        assert len(crew.prompts("final")) == 1

    @pytest.mark.e2e
    def test_imported_evidence_is_marked(self, crew):
        crew.task(criteria=[{"check": "grep -q good work.txt", "text": "it is good"}])
        crew.hire([GOOD], quick=[SHIP], steps=[])
        assert crew.run().code == 0
        self.forget(crew)
        assert crew.ralph("state", "import").code == 0
        text = crew.ralph("show", "T-1").out
        assert "imported" in text
        (criterion,) = crew.json("task", "show", "T-1")["acceptanceCriteria"]
        assert criterion["reason"].startswith("imported")

    @pytest.mark.e2e
    def test_a_task_without_its_commit_on_the_branch_is_run_again(self, crew):
        crew.task()
        crew.hire([GOOD])
        assert crew.run().code == 0
        crew.git("branch", "--quiet", "-D", "ralph/s")
        self.forget(crew)
        assert crew.ralph("state", "import").code == 0
        assert crew.status_of() == "pending"
        assert crew.run().code == 0
        assert iterations(crew) == ["iteration-1", "iteration-2"]

    @pytest.mark.e2e
    def test_an_id_that_another_spec_has_gets_its_specs_own_before_it(self, crew):
        crew.task("T-1")
        crew.task("T-2", dependencies=["T-1"])
        crew.hire([writes(one="good\n")], steps=[])
        assert crew.run().code == 0
        self.forget(crew)
        crew.task("T-1", spec="other")
        imported = crew.ralph("state", "import", "s")
        assert imported.code == 0, imported.err
        assert "Another spec has the task T-1, so here it is s-T-1." in imported.out
        tasks = {task["id"]: task for task in crew.json("task", "list", "--spec", "s")}
        assert set(tasks) == {"s-T-1", "T-2"}
        assert tasks["T-2"]["dependencies"] == ["s-T-1"]

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            (b"[1, 2", "chunks.json cannot be read"),
            (b'{"spec": {"id": "\xff"}, "chunks": []}', "chunks.json cannot be read"),
            (b'{"spec": {"id": "s"}, "chunks": [], "config": {"x": ' + DEEP + b"}}", "chunks.json cannot be read"),
            (b'{"spec": {"id": "t"}, "chunks": []}', "belongs to the spec 't'"),
            (b'{"spec": {"id": "s"}, "chunks": [{"id": "T-1", "status": "completed"}]}', 'unknown key "status"'),
            (b'{"spec": {"id": "s"}, "chunks": [], "config": {"agent": {"command": "x"}}}', "cannot set 'agent'"),
            (
                b'{"spec": {"id": "s"}, "chunks": [], "config": {"defaults": {"planner": "x"}}}',
                "cannot set 'defaults.planner'",
            ),
        ],
        ids=["cut", "not utf-8", "deep", "another spec", "a status", "a key of the project", "another default"],
    )
    def test_definitions_that_cannot_be_read_are_one_line(self, crew, text, told):
        crew.repo.write(".ralph/specs/s/chunks.json", "")
        (folder(crew) / "chunks.json").write_bytes(text)
        ended = crew.ralph("state", "import", "s")
        assert (ended.code, ended.err.count("\n"), told in ended.err) == (2, 1, True), ended.err

    def test_definitions_that_are_not_there_are_one_line(self, crew):
        missing = crew.ralph("state", "import", "nowhere")
        assert (missing.code, "there is no .ralph/specs/nowhere/chunks.json" in missing.err) == (2, True)

    @pytest.mark.e2e
    def test_a_file_of_an_attempt_that_cannot_be_read_is_named_and_the_rest_counts(self, crew):
        crew.task()
        crew.hire([GOOD], quick=[SHIP])
        assert crew.run().code == 0
        self.forget(crew)
        at = folder(crew) / "iterations/T-1/iteration-1"
        endless = {"step": "x", "command": "y", "passed": True, "output": "", "duration": 10**400}
        (at / "verification.json").write_text(json.dumps([endless]))
        (at / "review.json").write_bytes(DEEP)
        imported = crew.ralph("state", "import", "s")
        assert (imported.code, imported.err.count("\n"), imported.err.count("cannot be read")) == (0, 2, 2), (
            imported.err
        )
        assert crew.status_of() == "completed"


@pytest.mark.e2e
def test_gc_cleans_the_state_tree_and_drops_discarded_attempts(crew):
    crew.task()
    crew.hire([BAD, GOOD], final=[SHIP])
    assert crew.ralph("spec", "run", "s").code == 0
    assert len(crew.discarded()) == 1
    done = crew.ralph("runs", "gc", "--keep", "0")
    assert done.code == 0, done.err
    assert crew.discarded() == []
    left = {name for name in tree(crew) if not name.startswith("codebase")}
    assert left == {"chunks.json", "iterations/T-1/proof.intoto.jsonl"}
    assert crew.on_branch("work.txt") == "good\n"
