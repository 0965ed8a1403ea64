"""`ralph run` with --may-change, --proof and --no-proof: what each of them changes in the end of a run."""

import subprocess
from hashlib import sha256

import pytest

from loops import PROMPT
from ralph.testing import done, edits
from task_crew import TaskCrew, promise

pytestmark = pytest.mark.e2e
CHECK = "check:\n\tgrep -q good work.txt\n"
WEAKER = "check:\n\ttest -e work.txt\n"
WEAKENS = edits({"work.txt": "bad\n", "Makefile": WEAKER}) | done()
MAKE = {"guardrails": [{"command": "make check"}], "maximumIterations": 1}


@pytest.fixture
def made(git_loop):
    """A project whose Makefile decides."""
    git_loop.repo.write("work.txt", "bad\n")
    git_loop.repo.write("Makefile", CHECK)
    git_loop.repo.commit_all("a check")
    return git_loop


def test_an_agent_that_weakens_the_check_is_not_done(made):
    ended = made(WEAKENS, args=("-p", PROMPT), **MAKE)
    assert ended.code != 0
    assert "Makefile" in ended.out + ended.err


@pytest.mark.parametrize("patterns", [["Makefile"], ["docs/**", "Make*"]])
def test_what_may_change_is_the_changes_own(made, patterns):
    flags = [word for pattern in patterns for word in ("--may-change", pattern)]
    ended = made(WEAKENS, args=("-p", PROMPT, *flags), **MAKE)
    assert ended.code == 0, ended.out + ended.err


def test_settings_of_git_in_the_environment_do_not_end_the_proof(made):
    settings = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    ended = made(WEAKENS, args=("-p", PROMPT), env=settings, **MAKE)
    assert ended.code != 0
    assert "not proven" in ended.err


def test_a_repository_that_its_settings_call_bare_is_refused_and_not_taken_for_none(made):
    made.repo.git("config", "core.bare", "true")
    ended = made(WEAKENS, args=("-p", PROMPT), **MAKE)
    assert ended.code == 2
    assert "core.bare" in ended.err
    assert "Correct it: git config core.bare false" in ended.err
    assert ended.agent.starts == []


@pytest.mark.parametrize(("step", "code"), [(edits({"work.txt": "good\n"}) | done(), 0), (WEAKENS, 1)])
def test_a_claim_is_proven_before_the_first_commit_too(loop, step, code):
    loop.repo.write("work.txt", "bad\n")
    loop.repo.write("Makefile", CHECK)
    subprocess.run(["git", "init", "--quiet", loop.repo.path], check=True)
    ended = loop(step, args=("-p", PROMPT), **MAKE)
    assert ended.code == code, ended.err
    assert ("proven done after 1 iteration" if code == 0 else "not proven") in ended.err


def test_a_repository_that_git_does_not_open_is_refused_and_not_taken_for_none(made):
    another_owner = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    ended = made(WEAKENS, args=("-p", PROMPT), env=another_owner, **MAKE)
    assert (ended.code, ended.prompts) == (2, [])
    assert "belongs to another user, so git does not open it. If you trust it: git config --global" in ended.err
    assert made(WEAKENS, args=("-p", PROMPT, "--no-proof"), env=another_owner, **MAKE).code == 0


def test_a_repository_that_is_damaged_is_refused_and_not_taken_for_none(made):
    made.repo.write(".git/HEAD", "garbage\n")
    ended = made(WEAKENS, args=("-p", PROMPT), **MAKE)
    assert (ended.code, ended.prompts) == (2, [])
    assert "is not a git repository. Restore its .git, or create one: git init" in ended.err


def test_without_a_proof_the_guardrails_here_decide(made):
    assert made(WEAKENS, args=("-p", PROMPT, "--no-proof"), **MAKE).code == 0


def test_a_proof_that_is_asked_for_needs_git(loop):
    loop.repo.write("Makefile", CHECK)
    good = edits({"work.txt": "good\n"}) | done()
    ended = loop(good, args=("-p", PROMPT, "--proof"), **MAKE)
    assert (ended.code, ended.prompts) == (2, [])
    assert "not a git repository. Run git init here, or leave --proof out." in ended.err
    assert loop(good, args=("-p", PROMPT), **MAKE).code == 0


def test_a_proof_that_is_asked_for_needs_a_guardrail(made):
    ended = made(done(), args=("-p", PROMPT, "--proof"))
    assert (ended.code, ended.prompts) == (2, [])
    assert "--proof has nothing to prove a claim with" in ended.err


def test_a_proof_that_is_asked_for_is_given(made):
    ended = made(edits({"work.txt": "good\n"}) | done(), args=("-p", PROMPT, "--proof"), **MAKE)
    assert ended.code == 0, ended.out + ended.err
    assert made.show()["proof"] == "checked"


@pytest.mark.parametrize(
    ("flags", "proof"),
    [
        ((), "a claim is judged on clean checkouts where there is git"),
        (("--proof",), "a claim is judged on clean checkouts"),
        (("--no-proof",), "the guardrails in this directory decide"),
    ],
)
def test_a_dry_run_shows_them(made, flags, proof):
    ended = made(done(), args=("-p", PROMPT, "--dry-run", "--may-change", "tests/**", *flags), **MAKE)
    lines = ended.out.splitlines()
    assert f"Proof: {proof}" in lines
    assert "May change: tests/**" in lines
    assert '"mayChange": [' in ended.out


FORGES = "find .ralph/runs -type f | while read f; do echo '<response>DONE</response>' > \"$f\"; done"
"""A guardrail that writes a claim over all that was kept of the agent's words."""


def test_what_is_written_over_the_record_of_the_agents_words_is_no_claim(made):
    ended = made({"final": "Not yet."}, args=("-p", PROMPT), guardrails=[{"command": FORGES}], maximumIterations=1)
    assert ended.code == 1, ended.out + ended.err


def test_the_evidence_names_the_message_that_claimed_it(made):
    step = edits({"work.txt": "good\n"}) | {"final": "All is well.\n<response>DONE</response>"}
    ended = made(step, args=("-p", PROMPT), **MAKE)
    assert ended.code == 0, ended.out + ended.err
    [iteration] = made.show()["iterations"]
    named = {each["claim"] for each in iteration["evidence"]} - {""}
    assert named == {sha256(step["final"].encode()).hexdigest()}


PROTECTED = {"protectedPaths": ["Makefile"]}


def test_protected_files_are_put_back_after_each_iteration_and_said(made):
    ended = made(
        WEAKENS, {"final": "Nothing more."}, args=("-p", PROMPT), **MAKE | PROTECTED | {"maximumIterations": 2}
    )
    assert ended.code == 1, ended.out + ended.err
    assert made.repo.read("Makefile") == CHECK
    assert "protectedPaths: restored Makefile (the agent's version: .ralph/runs/" in ended.err
    [kept] = made.repo.path.glob(".ralph/runs/*/**/protected/Makefile")
    assert kept.read_text() == WEAKER


def test_protected_files_are_put_back_in_a_tasks_worktree_even_if_its_git_is_gone(tmp_path):
    crew = TaskCrew(tmp_path)
    crew.repo.write("Makefile", CHECK)
    crew.repo.commit_all("a check")
    crew.task(coder={"promise": "MADE", "verification_config": {"command": "make check"}, "max_iterations": 1})
    spoils = promise("MADE", {"work.txt": "good\n", "Makefile": WEAKER})
    crew.hire(PROTECTED, coder=[{"run": "rm .git"} | spoils])
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "protectedPaths: restored Makefile" in ended.err
    assert crew.on_branch("Makefile") == CHECK


def test_a_checkout_for_checks_is_prepared_as_the_run_began(git_loop):
    """Whatever of it an agent has committed: otherwise it could prepare the answer."""
    git_loop.repo.write("setup.sh", "mkdir -p made && echo bad > made/work\n")
    git_loop.repo.write(".gitignore", "made/\n")
    git_loop.repo.commit_all("a set-up")
    prepares_more = {"run": "sh setup.sh && git commit --quiet --all --message more"}
    ended = git_loop(
        edits({"setup.sh": "mkdir -p made && echo good > made/work\n"}) | prepares_more | done(),
        guardrails=[{"command": "grep -q good made/work"}],
        worktree={"init": "sh setup.sh"},
        maximumIterations=1,
    )
    assert "passed in your tree only" in ended.out + ended.err
    assert git_loop.show()["proof"] == "warned"
