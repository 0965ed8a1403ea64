"""The boxes of "Ralph Loop" and "Verification": a chunk is tried until it ships; what does not ship is taken back."""

import json

import pytest

from chunk_crew import BAD, GOOD, MADE, SHIP, ChunkCrew, issue, revise, writes
from ralph.testing import done

BETTER = writes(work__txt="good, at last\n")


def user_tree(crew):
    """Uncommitted work of the user's in the project: changed, staged and untracked."""
    crew.repo.write("mine.txt", "committed\n")
    crew.git("add", "mine.txt")
    crew.git("commit", "--quiet", "-m", "mine")
    crew.repo.write("mine.txt", "changed\n")
    crew.repo.write("staged.txt", "staged\n")
    crew.git("add", "staged.txt")
    crew.repo.write("work.txt", "the user's own draft\n")
    return seen(crew)


def seen(crew):
    files = {
        str(path.relative_to(crew.repo.path)): path.read_bytes()
        for path in crew.repo.path.rglob("*")
        if path.is_file() and not {".git", ".ralph"} & set(path.parts)
    }
    # The definitions of a spec are files of the project's.
    status = crew.git("status", "--porcelain", "--", ".", ":!.ralph")
    return files, status, crew.git("branch", "--show-current"), crew.git("stash", "list")


def test_revise_twice_then_ship_leaves_one_commit_and_both_attempts_reachable(crew):
    before = user_tree(crew)
    crew.task()
    first, second = writes(work__txt="good one\n"), writes(work__txt="good two\n", other__txt="two\n")
    fixed = {"priorFindings": [{"id": "F1", "answer": "fixed"}, {"id": "F2", "answer": "fixed"}]}
    answers = [
        revise(issue("it is one")),
        revise(issue("it is two")),
        {"final": json.dumps({"decision": "SHIP", "issues": [], **fixed})},
    ]
    crew.hire([first, second, BETTER], quick=answers)
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert crew.subjects() == ["Make T-1"]
    assert crew.on_branch("work.txt") == "good, at last\n"
    assert "other.txt" not in crew.git("ls-tree", "--name-only", "ralph/s")
    one, two = crew.discarded()
    assert (one[-6:], two[-6:]) == ("/T-1/1", "/T-1/2")
    assert (crew.on_branch("work.txt", one), crew.on_branch("other.txt", two)) == ("good one\n", "two\n")
    assert seen(crew) == before
    assert "proven done after 3 iterations" in ended.err


def test_chunk_retries_up_to_max_iterations(crew):
    before = user_tree(crew)
    base = crew.git("rev-parse", "HEAD")
    crew.task(max_iterations=3)
    crew.hire([BAD])
    ended = crew.run()
    assert ended.code == 1
    assert "not done after 3 iterations" in ended.err
    assert len(crew.prompts()) == 3
    # The branch of the spec and that of the chunk are at the base; the attempts are reachable.
    assert crew.git("rev-parse", "ralph/s") == crew.git("rev-parse", "ralph/s--T-1") == base
    assert len(crew.discarded()) == 3
    assert seen(crew) == before


def test_max_iterations_reached_fails_the_chunk(crew):
    crew.task(max_iterations=1)
    crew.hire([BAD])
    assert crew.run().code == 1
    shown = crew.json("task", "show", "T-1")
    assert shown["status"] == "failed"
    assert "Made: exit code 1" in shown["error"]


def test_failed_work_is_rolled_back(crew):
    crew.task()
    look = {"run": "git log --format=%s > ../../seen; ls >> ../../seen"}
    crew.hire([writes(work__txt="bad\n", junk__txt="x\n"), {**GOOD, **look}])
    assert crew.run().code == 0
    assert (crew.repo.path / ".ralph/seen").read_text().split() == ["base", "work.txt"]


@pytest.mark.e2e
def test_retry_prompt_includes_review_feedback(crew):
    crew.task()
    crew.hire([GOOD, BETTER], quick=[revise(issue("the file is rude", agentPrompt="Say please in work.txt.")), SHIP])
    assert crew.run().code == 0
    first, second = crew.prompts()
    assert "Say please" not in first
    assert "1. work.txt:1: Say please in work.txt." in second
    assert second.index("Say please") < second.index("## Your Task")


def test_ship_decision_moves_to_the_next_chunk(crew):
    crew.task("T-1")
    crew.task("T-2", dependencies=["T-1"])
    crew.hire([GOOD, writes(work__txt="good too\n")], quick=[SHIP])
    ended = crew.ralph("spec", "run", "s")
    assert ended.code == 0, ended.err
    assert crew.subjects() == ["Make T-1", "Make T-2"]


@pytest.mark.e2e
def test_quick_ship_then_a_deep_medium_finding_discards(crew):
    crew.task()
    crew.hire([GOOD, BETTER], quick=[SHIP], deep=[revise(issue(severity="medium")), SHIP])
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert len(crew.discarded()) == 1
    assert crew.on_branch("work.txt") == "good, at last\n"
    assert "Fix this: it is wrong" in crew.prompts()[1]


def test_an_agent_that_changes_nothing_is_told_so_and_no_reviewer_is_asked(crew):
    crew.task()
    crew.hire([done("There was nothing to do."), GOOD], quick=[SHIP])
    assert crew.run().code == 0
    assert "changed no file" in crew.prompts()[1]
    assert len(crew.prompts("quick")) == 1


@pytest.mark.e2e
def test_the_delivered_commit_has_title_summary_and_trailers(crew):
    crew.task()
    crew.hire([writes("I wrote work.txt. It says good.", work__txt="good\n")])
    assert crew.run().code == 0
    (run,) = crew.json("runs")
    message = crew.git("log", "-1", "--format=%B", "ralph/s")
    assert message.startswith("Make T-1\n\nI wrote work.txt. It says good.\n\nRalph-Task: T-1\n")
    assert f"Ralph-Run: {run['id']}" in message


@pytest.mark.e2e
def test_on_revise_keep_goes_on_with_the_work(crew):
    crew.task()
    crew.hire([writes(a__txt="1\n"), GOOD], review={"onRevise": "keep"})
    assert crew.run().code == 0
    assert crew.discarded() == []
    assert {"a.txt", "work.txt"} <= set(crew.git("ls-tree", "--name-only", "ralph/s").split())


class TestStepsAfterTheCommit:
    """Each of the seed's three steps, in a run that has all of them and in one that has none but the first."""

    STEPS = ("Type Check", "Lint", "Tests")

    @pytest.fixture(scope="class")
    @classmethod
    def steps_seen(cls, tmp_path_factory):
        """What each step saw: by how many steps are configured, the name, the committed tree, and what is beside it."""
        crew = ChunkCrew(tmp_path_factory.mktemp("steps"))
        looks = crew.repo.home / "looks"
        look = "grep -q good work.txt && echo '{}' $(git rev-parse HEAD^{{tree}}) $(git status --porcelain) >> $LOOKS"
        steps = [{"name": name, "command": look.format(name)} for name in cls.STEPS]
        found = {}
        for number in (3, 1):
            crew.task(f"T-{number}", spec=f"s{number}")
            crew.hire([writes(work__txt=f"good {number}\n")], steps=steps[:number])
            assert crew.run(name=f"T-{number}", env={"LOOKS": str(looks)}).code == 0
            (iteration,) = crew.json("show", f"T-{number}")["iterations"]
            told = {each["step"]: each["passed"] for each in iteration["verificationResults"]}
            found[number] = (
                looks.read_text().splitlines(),
                told,
                crew.git("rev-parse", f"ralph/s{number}^{{tree}}").strip(),
            )
            looks.unlink()
        return found

    def ran_once_on_the_commit(self, steps_seen, name):
        lines, told, tree = steps_seen[3]
        return lines.count(f"{name} {tree}") == 1 and told[name] is True

    def ran_unasked(self, steps_seen, name):
        lines, told, _ = steps_seen[1]
        return name in told or any(line.startswith(name) for line in lines)

    def test_type_check_runs_after_the_commit(self, steps_seen):
        assert self.ran_once_on_the_commit(steps_seen, "Type Check")

    def test_lint_runs_after_the_commit_if_configured(self, steps_seen):
        assert self.ran_once_on_the_commit(steps_seen, "Lint")
        assert not self.ran_unasked(steps_seen, "Lint")

    def test_tests_run_after_the_commit_if_configured(self, steps_seen):
        assert self.ran_once_on_the_commit(steps_seen, "Tests")
        assert not self.ran_unasked(steps_seen, "Tests")

    def test_they_run_in_their_order(self, steps_seen):
        lines, _, tree = steps_seen[3]
        assert [line.removesuffix(f" {tree}") for line in lines] == list(self.STEPS)


class TestVerification:
    def test_required_step_failure_triggers_a_retry_and_no_review(self, crew):
        crew.task()
        crew.hire([BAD, GOOD], quick=[SHIP])
        assert crew.run().code == 0
        assert len(crew.prompts("quick")) == 1
        assert "Made: exit code 1" in crew.prompts()[1]

    def test_optional_step_failure_is_told_to_the_reviewer_and_does_not_block(self, crew):
        crew.task()
        lint = {"name": "Lint", "command": "echo a long line; exit 1", "required": False}
        crew.hire([GOOD], quick=[SHIP], steps=[MADE, lint])
        assert crew.run().code == 0
        assert "Lint (optional, failed)" in crew.prompts("quick")[0]
        assert "a long line" in crew.prompts("quick")[0]

    def test_steps_end_at_the_first_required_failure(self, crew):
        crew.task(max_iterations=1)
        crew.hire([BAD], steps=[MADE, {"name": "Never", "command": "touch $LOOKS"}])
        looks = crew.repo.home / "looks"
        assert crew.run(env={"LOOKS": str(looks)}).code == 1
        assert not looks.exists()

    def test_a_step_that_edits_files_changes_nothing_of_the_work(self, crew):
        crew.task()
        edits = {"name": "Edits", "command": "echo edited > work.txt; echo new > made.txt"}
        crew.hire([GOOD], steps=[MADE, edits, {**MADE, "name": "Still"}])
        ended = crew.run()
        assert ended.code == 0, ended.err
        assert crew.on_branch("work.txt") == "good\n"
        assert "made.txt" not in crew.git("ls-tree", "--name-only", "ralph/s")

    def test_verification_can_be_switched_off(self, crew):
        crew.task()
        crew.hire([BAD], quick=[SHIP], verification={"enabled": False})
        ended = crew.run()
        assert ended.code == 0
        assert "reviewed; nothing was run" in ended.err

    @pytest.mark.e2e
    def test_a_criterion_with_a_command_is_required(self, crew):
        crew.task(criteria=[{"check": "test -e there", "text": "it is there"}])
        crew.hire([GOOD, writes(work__txt="good\n", there="1")], steps=[])
        assert crew.run().code == 0
        assert "it is there" in crew.prompts()[1].split("## Your Task")[0]
        (criterion,) = crew.json("task", "show", "T-1")["acceptanceCriteria"]
        assert criterion["passed"] is True


class TestCriteria:
    @pytest.mark.e2e
    def test_a_model_judges_once_for_the_same_files(self, crew):
        met, unmet = (
            {"final": json.dumps({"criteria": [{"criterion": "it is good", "met": met, "reason": "so"}]})}
            for met in (True, False)
        )
        crew.task(criteria=["it is good"])
        crew.hire([GOOD, GOOD, BETTER], judge=[unmet, met], steps=[MADE])
        ended = crew.run()
        assert ended.code == 0, ended.err
        assert len(crew.prompts("judge")) == 2
        assert len(crew.discarded()) == 2
        (criterion,) = crew.json("task", "show", "T-1")["acceptanceCriteria"]
        assert (criterion["passed"], criterion["reason"]) == (True, "so")


class TestPeople:
    CRITERIA = ("it is good", {"person": "it looks good"}, {"time": "before the fair"})

    def hire(self, crew, *executor):
        crew.task(criteria=self.CRITERIA[1:])
        crew.hire(executor or [GOOD])

    def test_a_person_is_asked_once_all_else_is_verified_and_nothing_is_delivered_before(self, crew):
        self.hire(crew)
        blocked = crew.run()
        assert blocked.code == 3
        assert "a person must approve: 1. it looks good; 2. before the fair." in blocked.err
        (run,) = crew.json("runs")
        assert (run["status"], run["verdict"]) == ("stopped", "blocked")
        assert crew.subjects() == []
        approved = crew.ralph("approve", "T-1")
        assert approved.code == 0, approved.err
        assert crew.subjects() == ["Make T-1"]
        assert crew.status_of() == "completed"
        first, second = crew.json("task", "show", "T-1")["acceptanceCriteria"]
        assert first["passed"] is second["passed"] is True
        assert "approved by" in first["reason"]
        assert len(crew.prompts()) == 1

    @pytest.mark.e2e
    def test_one_criterion_after_the_other(self, crew):
        self.hire(crew)
        assert crew.run().code == 3
        (run,) = crew.json("runs")
        still = crew.ralph("approve", run["id"], "--criterion", "2")
        assert still.code == 3
        assert "a person must approve: 1. it looks good." in still.err
        wrong = crew.ralph("approve", "T-1", "--criterion", "9")
        assert (wrong.code, "criterion 9 of T-1 does not wait for a person" in wrong.err) == (2, True)
        assert crew.ralph("approve", "T-1", "--criterion", "1").code == 0

    @pytest.mark.e2e
    def test_a_rejection_is_feedback_for_one_more_iteration(self, crew):
        self.hire(crew, GOOD, BETTER)
        crew.ralph("task", "edit", "T-1", "--max-iterations", "1")
        assert crew.run().code == 3
        again = crew.ralph("reject", "T-1", "Say at last.")
        assert again.code == 3, again.err
        assert "Say at last." in crew.prompts()[1]
        assert len(crew.discarded()) == 1
        assert crew.ralph("approve", "T-1").code == 0
        assert crew.on_branch("work.txt") == "good, at last\n"

    @pytest.mark.e2e
    def test_what_does_not_wait_cannot_be_approved(self, crew):
        crew.task("T-1")
        crew.hire([GOOD])
        assert crew.run().code == 0
        refused = crew.ralph("approve", "T-1")
        assert (refused.code, "T-1 does not wait for a person" in refused.err) == (2, True)
        inside = crew.ralph("approve", "T-1", env={"RALPH_RUN_ID": "0123abcd"})
        assert (inside.code, "cannot be used inside a run" in inside.err) == (2, True)

    def test_the_task_is_not_run_again_over_work_that_waits(self, crew):
        self.hire(crew)
        assert crew.run().code == 3
        refused = crew.run()
        assert (refused.code, "waits for a person in run" in refused.err) == (2, True)
        assert len(crew.prompts()) == 1

    @pytest.mark.e2e
    def test_a_spec_does_all_else_first_and_goes_on_after_the_approval(self, crew):
        crew.task("T-1", criteria=[{"person": "it looks good"}])
        crew.task("T-2", dependencies=["T-1"])
        crew.task("T-3")
        crew.hire([writes(**{name: "good\n"}) for name in ("one", "three", "two")], steps=[])
        blocked = crew.ralph("spec", "run", "s")
        assert blocked.code == 3, blocked.err
        assert crew.subjects() == ["Make T-3"]
        approved = crew.ralph("approve", "T-1")
        assert approved.code == 0, approved.err
        assert [crew.status_of(name) for name in ("T-1", "T-2", "T-3")] == ["completed", "pending", "completed"]
        resumed = crew.ralph("resume")
        assert resumed.code == 0, resumed.err
        assert crew.subjects() == ["Make T-3", "Make T-1", "Make T-2"]
