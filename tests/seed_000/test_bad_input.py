"""Reviewers, agents and repositories that misbehave under a chunk: a clear line each, and nothing is lost."""

import json

import pytest

from chunk_crew import BAD, GOOD, SHIP, issue, revise, writes
from ralph.testing import hangs

BETTER = writes(work__txt="good, at last\n")


def shipping(*issues):
    return {"final": json.dumps({"decision": "SHIP", "issues": list(issues)})}


def delivered(crew, ended, text="good\n"):
    assert ended.code == 0, ended.err
    assert crew.subjects() == ["Make T-1"]
    assert crew.on_branch("work.txt") == text


class TestReviewers:
    @pytest.mark.e2e
    def test_ship_with_a_high_finding_takes_the_work_back(self, crew):
        crew.task()
        crew.hire([GOOD, BETTER], quick=[shipping(issue("it is rude")), SHIP])
        ended = crew.run()
        delivered(crew, ended, "good, at last\n")
        assert "it is rude" in ended.err
        assert len(crew.discarded()) == 1

    @pytest.mark.e2e
    @pytest.mark.parametrize(
        "answer",
        [
            {"final": json.dumps({"decision": "REVISE", "issues": []})},
            revise(issue("it is rude", quote="code that nobody wrote")),
            revise(issue("it is rude", file="invented.py")),
        ],
        ids=["revise without a finding", "a quote that is not there", "an invented file"],
    )
    def test_revise_without_anything_that_blocks_is_asked_again_and_ships(self, crew, answer):
        crew.task()
        crew.hire([GOOD], quick=[answer, answer])
        ended = crew.run()
        delivered(crew, ended)
        assert len(crew.prompts("quick")) == 2
        (iteration,) = crew.json("show", "T-1")["iterations"]
        assert iteration["reviewResult"]["decision"] == "SHIP"
        assert "nothing blocking was named" in json.dumps(iteration)

    @pytest.mark.e2e
    @pytest.mark.parametrize(
        ("answer", "told"),
        [({"final": "Looks good to me!"}, "no JSON"), (hangs(), "it ran longer than timeouts.guardrail")],
        ids=["prose", "one that never ends"],
    )
    def test_no_review_is_never_ship_and_the_work_stays_reachable(self, crew, answer, told):
        crew.task(max_iterations=1)
        crew.hire([GOOD], quick=[answer, answer], timeouts={"guardrail": 3})
        ended = crew.run()
        assert ended.code == 1, ended.err
        assert told in ended.err
        assert crew.subjects() == []
        (iteration,) = crew.json("show", "T-1")["iterations"]
        assert crew.on_branch("work.txt", iteration["commitHash"]) == "good\n"

    @pytest.mark.e2e
    def test_the_same_finding_in_other_words_is_taken_for_the_same_and_a_new_one_of_medium_severity_does_not_block(
        self, crew
    ):
        crew.task()
        first = revise(issue("total ignores the discounts of a cart", severity="medium"))
        again = revise(issue("the discounts of a cart are ignored by total", severity="medium"))
        fixed = {"priorFindings": [{"id": "F1", "answer": "fixed"}]}
        picky = revise(issue("the file could be shorter", severity="medium", type="error_handling"), **fixed)
        texts = [writes(work__txt=f"good {number}\n") for number in (1, 2, 3)]
        crew.hire(texts, quick=[first, again, picky, picky])
        ended = crew.run()
        delivered(crew, ended, "good 3\n")
        reviews = [each["reviewResult"] for each in crew.json("show", "T-1")["iterations"]]
        assert [each["decision"] for each in reviews] == ["REVISE", "REVISE", "SHIP"]
        assert [each["issues"][0]["id"] for each in reviews[:2]] == ["F1", "F1"]

    @pytest.mark.e2e
    def test_an_answer_of_codex_takes_the_work_back(self, crew):
        crew.task()
        place = {"absolute_file_path": "work.txt", "line_range": {"start": 1, "end": 1}}
        finding = {"title": "It is rude", "body": "Say it kindly.", "confidence_score": 0.9, "priority": 1}
        said = {"findings": [{**finding, "code_location": place}], "overall_correctness": "patch is incorrect"}
        crew.hire([GOOD, BETTER], quick=[{"final": json.dumps(said)}, SHIP])
        delivered(crew, crew.run(), "good, at last\n")
        assert "Say it kindly." in crew.prompts()[1]
        assert len(crew.discarded()) == 1


class TestRepositories:
    """What keeps work from being delivered is said before any agent works."""

    def refused(self, crew):
        crew.task()
        crew.hire([GOOD])
        ended = crew.run()
        assert (ended.code, ended.err.count("\n"), crew.prompts()) == (2, 1, [])
        return ended.err

    def test_no_commit_yet(self, crew):
        crew.git("update-ref", "-d", "HEAD")
        assert "has no commit yet" in self.refused(crew)

    def test_the_branch_of_the_spec_is_checked_out(self, crew):
        crew.git("switch", "--quiet", "-c", "ralph/s")
        assert "the branch ralph/s is checked out in" in self.refused(crew)

    @pytest.mark.e2e
    def test_a_branch_that_exists_is_gone_on_with(self, crew):
        crew.git("branch", "ralph/s")
        crew.repo.write("later.txt", "later\n")
        crew.git("add", "later.txt")
        crew.git("commit", "--quiet", "-m", "later")
        crew.task()
        crew.hire([GOOD])
        ended = crew.run()
        delivered(crew, ended)
        assert "ralph/s exists already: tasks go on top of it, without 1 commit of main." in ended.err
        assert "later.txt" not in crew.git("ls-tree", "--name-only", "ralph/s")

    @pytest.mark.e2e
    def test_a_detached_head_is_told(self, crew):
        crew.git("switch", "--quiet", "--detach")
        crew.task()
        crew.hire([GOOD])
        ended = crew.run()
        delivered(crew, ended)
        assert "HEAD is detached: ralph/s begins at" in ended.err
        assert crew.git("branch", "--show-current") == ""

    @pytest.mark.e2e
    def test_submodules_are_told(self, crew, tmp_path):
        crew.git("init", "--quiet", str(tmp_path / "other"))
        for command in (
            ("config", "user.name", "t"),
            ("config", "user.email", "t@t"),
            ("commit", "-qm", "x", "--allow-empty"),
        ):
            crew.git("-C", str(tmp_path / "other"), *command)
        crew.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "other"), "sub")
        crew.git("commit", "--quiet", "-m", "with a submodule")
        crew.task()
        crew.hire([GOOD])
        ended = crew.run()
        delivered(crew, ended)
        assert "submodules are empty in a task's worktree" in ended.err

    @pytest.mark.e2e
    def test_a_shallow_clone_works_on_what_it_has(self, crew):
        for number in range(3):
            crew.git("commit", "--quiet", "--allow-empty", "-m", f"{number}")
        head = crew.git("rev-parse", "HEAD").strip()
        (crew.repo.path / ".git/shallow").write_text(f"{head}\n")
        assert crew.git("rev-parse", "--is-shallow-repository").strip() == "true"
        crew.task()
        crew.hire([BAD, GOOD])
        ended = crew.run()
        delivered(crew, ended)
        assert "this clone is shallow" in ended.err
        assert len(crew.discarded()) == 1


@pytest.mark.e2e
def test_fixes_of_the_final_review_are_made_by_the_executor_of_the_spec(crew, tmp_path):
    """Like any chunk of it: also where the spec has chosen another one than the project."""
    crew.task()
    crew.hire([GOOD], judge=[GOOD, BETTER], final=[revise(issue("it is rude")), SHIP], steps=[])
    assert crew.ralph("spec", "config", "s", "executor", "judge").code == 0
    ended = crew.ralph("spec", "run", "s")
    assert ended.code == 0, ended.err
    assert crew.prompts("executor") == []
    assert "Fix this: it is rude" in crew.prompts("judge")[1]
    assert crew.status_of("FINAL-1") == "completed"
    assert crew.subjects() == ["Make T-1", "Fix 1 finding of the final review"]
    task = crew.json("task", "show", "FINAL-1")
    assert task["summary"]["filesModified"] == ["work.txt"]
