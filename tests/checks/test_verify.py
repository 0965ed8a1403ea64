"""A claim is verified by each of the four methods."""

import asyncio
import json
import os

import pytest

from ralph.agents.ask import ask
from ralph.agents.registry import choose
from ralph.agents.run import Limits, Surroundings
from ralph.checks.semantic import Judgement
from ralph.checks.verify import Verifier
from ralph.config.schema import apply_schema
from ralph.model.verification import External, MultiStage, Part, Semantic, StringMatch
from ralph.testing import ScriptedAgent, temp_repo


class Made:
    """Counts how often the diff and the tree are asked for."""

    def __init__(self, repo):
        self._repo = repo
        self.diffs = 0
        self.trees = 0

    async def diff(self):
        self.diffs += 1
        return self._repo.git("diff", "HEAD")

    async def tree(self):
        self.trees += 1
        return self._repo.git("write-tree").strip()


@pytest.fixture
def repo(tmp_path):
    repo = temp_repo(tmp_path, {"a.py": "x = 1\n"})
    repo.write("a.py", "x = 1\nTODO = 2\n")
    return repo


@pytest.fixture
def made(repo):
    return Made(repo)


@pytest.fixture
def verify(tmp_path, repo, made):
    def run(check, *, met=True, said="It is done."):
        verdicts = {"criteria": [{"criterion": "it works", "met": met, "reason": "I looked"}]}
        agent = ScriptedAgent({"final": json.dumps(verdicts)}, directory=tmp_path / "bin")

        async def judge(question, model):
            chosen = choose(apply_schema({"agent": {"command": agent.command}}))
            around = Surroundings(tmp_path, tmp_path / "judge", {"PATH": os.environ["PATH"]}, "j", Limits(run=60))
            return await ask(chosen, question, Judgement, around)

        verifier = Verifier(
            worktree=repo.path,
            said=said,
            env={"PATH": os.environ["PATH"]},
            attempt="run.1.1",
            logs=tmp_path / "a/logs",
            keep=100,
            judge=judge,
            diff=made.diff,
            tree=made.tree,
        )
        return asyncio.run(verifier.verify(check))

    return run


def stages(*checks):
    return MultiStage(tuple(Part(f"stage {number}", check) for number, check in enumerate(checks)))


@pytest.mark.parametrize(
    ("check", "name"),
    [
        (StringMatch(), "string_match"),
        (External("true"), "true"),
        (Semantic(check_for=("it works",), negative_patterns=("FIXME",)), "semantic"),
        (Semantic(negative_patterns=("FIXME",)), "semantic"),
        (stages(StringMatch(), External("true"), Semantic(("it works",))), "multi_stage"),
    ],
)
def test_every_method_passes(verify, check, name):
    evidence = verify(check)
    assert (evidence.check, evidence.passed) == (name, True)


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (External("exit 3"), "exit code 3, wanted 0"),
        (Semantic(check_for=("it works",)), "not verified: it works (I looked)"),
        (Semantic(negative_patterns=("todo",)), 'found the negative pattern "todo" in a.py:2'),
        (stages(External("exit 3")), "1 verification stage failed: stage 0: exit code 3, wanted 0"),
    ],
)
def test_every_method_that_looks_fails(verify, check, reason):
    evidence = verify(check, met=False)
    assert (evidence.passed, evidence.reason) == (False, reason)


def test_a_promise_that_was_given_is_enough_for_string_match(verify, made):
    assert verify(StringMatch()).reason == "the promise was given, and it is enough"
    assert (made.diffs, made.trees) == (0, 0)


def test_the_log_of_a_command_is_named_by_it(verify, tmp_path):
    evidence = verify(External("echo hello there"))
    assert evidence.log == str(tmp_path / "a/logs/echo_hello_there.log")
    assert (tmp_path / "a/logs/echo_hello_there.log").read_text() == "hello there\n"


def test_the_diff_is_made_once_and_only_for_those_who_read_it(verify, made):
    assert verify(stages(External("true"), StringMatch())).passed
    assert made.diffs == 0
    assert verify(stages(Semantic(("it works",)), Semantic(negative_patterns=("FIXME",)))).passed
    assert made.diffs == 1


def test_a_negative_pattern_in_the_final_message_counts(verify):
    evidence = verify(Semantic(negative_patterns=("security concern",)), said="There is a security  concern.")
    assert evidence.reason == 'found the negative pattern "security concern" in the final message'


def test_how_long_it_took_is_told(verify):
    assert verify(External("sleep 0.2")).duration >= 0.2
