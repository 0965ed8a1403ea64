"""The stages of a multi-stage check, run by real commands."""

import asyncio
import json
import os
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from ralph.agents.ask import ask
from ralph.agents.registry import choose
from ralph.agents.run import Limits, Surroundings
from ralph.checks.multi_stage import AT_ONCE
from ralph.checks.semantic import Judgement
from ralph.checks.verify import AS_BEFORE, Verifier
from ralph.config.schema import apply_schema
from ralph.model.events import Tokens
from ralph.model.verification import read_verification
from ralph.testing import ScriptedAgent, temp_repo

CASSETTES = Path(__file__).parents[1] / "cassettes"
MET = json.dumps({"criteria": [{"criterion": "it works", "met": True, "reason": "seen"}]})
NOT_MET = json.dumps({"criteria": [{"criterion": "it works", "met": False, "reason": "it does not"}]})


def external(name, command="true", **more):
    config = {"command": command} | more.pop("config", {})
    return {"name": name, "method": "external", "config": config} | more


def semantic(name, **more):
    return {"name": name, "method": "semantic", "config": {"check_for": ["it works"]}} | more


def meets(mine, other):
    """A command that passes only if another one runs beside it."""
    return f"touch {mine}; for i in $(seq 300); do test -e {other} && exit 0; sleep 0.02; done; exit 1"


class Bench:
    """A worktree, and a verifier for its checks."""

    def __init__(self, tmp_path):
        self.repo = temp_repo(tmp_path / "work")
        self.logs = tmp_path / "project/logs"
        self.project = tmp_path / "project"
        self.questions = 0
        self.diffs = 0
        self.trees = 0
        self._bin = tmp_path / "bin"
        self.agent = None

    def answers(self, *finals):
        steps = [final if isinstance(final, dict) else {"final": final} for final in finals]
        self.agent = ScriptedAgent(*steps, directory=self._bin, after="error").command

    def refuses(self):
        """The judge says that its quota is used up."""
        self._bin.mkdir(exist_ok=True)
        program = self._bin / "claude"
        program.write_text(f"#!/bin/sh\ncat > /dev/null\ncat {CASSETTES / 'claude/err429-maxretries2.ndjson'}\n")
        program.chmod(0o755)
        self.agent = str(program)

    async def _judge(self, question, _model):
        self.questions += 1
        agent = choose(apply_schema({"agent": {"command": self.agent}}))
        place = self.project / f"judge-{self.questions}"
        env = {"PATH": os.environ["PATH"]}
        return await ask(agent, question, Judgement, Surroundings(self.project, place, env, "j", Limits(run=60)))

    async def _diff(self):
        self.diffs += 1
        return self.repo.git("diff", "HEAD")

    async def _tree(self):
        self.trees += 1
        self.repo.git("add", "--all")
        return self.repo.git("write-tree").strip()

    @property
    def verifier(self):
        return Verifier(
            worktree=self.repo.path,
            said="It is done.",
            env={"PATH": os.environ["PATH"]},
            attempt="run.1.1",
            logs=self.logs,
            keep=1000,
            secrets=[b"s3cret-value"],
            judge=self._judge,
            diff=self._diff,
            tree=self._tree,
        )

    def verify(self, *stages, **config):
        check = read_verification("multi_stage", {"stages": list(stages)} | config)
        return asyncio.run(self.verifier.verify(check))


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def seen(evidence):
    return {part.check: part.passed for part in evidence.parts}


def test_all_stages_pass(bench):
    bench.answers(MET)
    evidence = bench.verify(external("unit"), {"name": "promise"}, semantic("criteria"), external("lint"))
    assert (evidence.check, evidence.passed) == ("multi_stage", True)
    assert evidence.reason == "all 4 verification stages passed"
    assert seen(evidence) == {"unit": True, "promise": True, "criteria": True, "lint": True}
    assert evidence.duration > 0


def test_the_first_required_failure_ends_it(bench):
    stages = external("unit", "echo red; exit 3"), semantic("criteria"), external("late", "touch late")
    evidence = bench.verify(*stages)
    assert not evidence.passed
    assert evidence.reason == "1 verification stage failed: unit: exit code 3, wanted 0"
    assert seen(evidence) == {"unit": False}
    assert (evidence.parts[0].output, evidence.output) == ("red\n", "")
    assert not (bench.repo.path / "late").exists()
    assert bench.questions == 0


def test_without_require_all_every_stage_is_looked_at(bench):
    bench.answers(NOT_MET)
    evidence = bench.verify(
        external("unit", "exit 3"),
        semantic("criteria"),
        external("lint"),
        external("types", "exit 4"),
        require_all=False,
    )
    assert not evidence.passed
    assert evidence.reason == (
        "3 verification stages failed: unit: exit code 3, wanted 0;"
        " criteria: not verified: it works (it does not); types: exit code 4, wanted 0"
    )
    assert seen(evidence) == {"unit": False, "criteria": False, "lint": True, "types": False}


@pytest.mark.parametrize("require_all", [True, False])
def test_a_stage_that_is_not_required_only_warns(bench, require_all):
    optional = external("coverage", "exit 2", required=False)
    evidence = bench.verify(external("unit"), optional, external("late", depends_on=["unit"]), require_all=require_all)
    assert evidence.passed
    assert evidence.reason == "no required verification stage failed; warning: coverage: exit code 2, wanted 0"
    assert [(part.check, part.passed, part.required) for part in evidence.parts] == [
        ("unit", True, True),
        ("coverage", False, False),
        ("late", True, True),
    ]


def test_a_warning_is_told_beside_a_failure(bench):
    evidence = bench.verify(external("coverage", "exit 2", required=False), external("unit", "exit 3"))
    assert evidence.reason == (
        "1 verification stage failed: unit: exit code 3, wanted 0; warning: coverage: exit code 2, wanted 0"
    )


def test_external_stages_that_are_independent_run_side_by_side(bench):
    assert bench.verify(external("a", meets("one", "two")), external("b", meets("two", "one"))).passed


def test_all_of_a_group_have_their_result_when_one_fails(bench):
    evidence = bench.verify(external("a", "exit 1"), external("b", "sleep 0.3; exit 2"), external("c", "touch c"))
    assert seen(evidence) == {"a": False, "b": False, "c": True}
    assert evidence.reason.startswith("2 verification stages failed: a: ")


def test_a_stage_waits_for_what_it_depends_on(bench):
    evidence = bench.verify(
        external("build", "sleep 0.3; touch built"), external("test", "test -e built", depends_on=["build"])
    )
    assert evidence.passed


def test_a_stage_does_not_start_if_what_it_depends_on_fails(bench):
    evidence = bench.verify(external("build", "exit 1"), external("test", "touch tested", depends_on=["build"]))
    assert seen(evidence) == {"build": False}
    assert not (bench.repo.path / "tested").exists()


def test_a_semantic_stage_waits_for_all_before_it_and_the_next_for_it(bench):
    bench.answers({"final": MET})
    evidence = bench.verify(
        external("a", "sleep 0.3; touch a"), semantic("criteria"), external("b", f"ls {bench.project}/judge-1")
    )
    assert evidence.passed


def test_no_more_than_four_run_at_once(bench):
    running = "mkdir -p slots; touch slots/{0}; ls slots | wc -l >> seen; sleep 0.3; rm slots/{0}"
    assert bench.verify(*(external(f"s{number}", running.format(number)) for number in range(9))).passed
    most = max(map(int, (bench.repo.path / "seen").read_text().split()))
    assert 1 < most <= AT_ONCE


def test_a_command_that_leaves_something_running_harms_no_neighbour(bench):
    leaver = "sleep 300 >/dev/null 2>&1 & echo $! > left"
    assert bench.verify(
        external("leaver", leaver), external("neighbour", "sleep 0.5; sh -c 'sleep 0.5; echo ok'")
    ).passed
    assert not psutil.pid_exists(int((bench.repo.path / "left").read_text()))


def test_logs_are_named_by_their_stages(bench):
    evidence = bench.verify(external("unit tests", "echo 1"), external("unit-tests", "echo 2 s3cret-value"))
    assert [(bench.logs / f"{name}.log").read_text() for name in ("unit_tests", "unit_tests_2")] == [
        "1\n",
        "2 [redacted]\n",
    ]
    assert [part.log for part in evidence.parts] == [str(bench.logs / f"unit_tests{end}.log") for end in ("", "_2")]


def test_the_same_check_on_unchanged_files_is_not_run_again(bench):
    # What it counts lies outside the worktree: the files are unchanged.
    count = f"echo ran >> {bench.project}/count; echo red; exit 1"
    bench.project.mkdir()
    evidence = bench.verify(
        external("first", count, required=False), external("second", count, required=False), require_all=False
    )
    assert (bench.project / "count").read_text() == "ran\n"
    assert [part.reason for part in evidence.parts] == [
        "exit code 1, wanted 0",
        f"exit code 1, wanted 0 ({AS_BEFORE})",
    ]
    assert [part.output for part in evidence.parts] == ["red\n", "red\n"]
    assert [part.check for part in evidence.parts] == ["first", "second"]


def test_a_changed_file_makes_the_same_check_run_again(bench):
    bench.project.mkdir()
    count = f"echo ran >> {bench.project}/count"
    evidence = bench.verify(external("first", count), external("edit", "echo new > file"), external("last", count))
    assert (bench.project / "count").read_text() == "ran\nran\n"
    assert not any(AS_BEFORE in part.reason for part in evidence.parts)


def test_another_configuration_is_another_check(bench):
    bench.project.mkdir()
    count = f"echo ran >> {bench.project}/count"
    bench.verify(external("first", count), external("second", count, config={"timeout": 5}))
    assert (bench.project / "count").read_text() == "ran\nran\n"


def test_the_same_question_is_asked_once(bench):
    bench.answers({"final": MET, "cost": 0.5, "tokens": {"input": 7}})
    evidence = bench.verify(semantic("one"), external("between"), semantic("two"))
    assert bench.questions == 1
    assert [part.cost_usd for part in evidence.parts] == [0.5, None, None]
    assert (evidence.cost_usd, evidence.tokens) == (0.5, Tokens(input=7))
    assert evidence.parts[2].reason == f"the criterion is met ({AS_BEFORE})"


def test_costs_of_all_stages_are_added_up(bench):
    bench.answers({"final": MET, "cost": 0.5, "tokens": {"input": 7}}, {"final": MET, "cost": 0.25})
    other = semantic("two") | {"config": {"check_for": "it works", "negative_patterns": ["nothing"]}}
    evidence = bench.verify(semantic("one"), other)
    assert (evidence.passed, evidence.cost_usd, evidence.tokens) == (True, 0.75, Tokens(input=7))
    assert bench.diffs == 1


def test_a_quota_of_a_stage_is_handed_up(bench):
    bench.refuses()
    evidence = bench.verify(external("unit"), semantic("criteria"))
    assert not evidence.passed
    assert evidence.problem.kind == "quota"
    assert "criteria: not verified: the model cannot be asked for now" in evidence.reason


def test_after_a_quota_only_the_question_is_asked_again(bench):
    bench.refuses()
    bench.project.mkdir()
    verifier = bench.verifier
    check = read_verification(
        "multi_stage", {"stages": [external("unit", f"echo ran >> {bench.project}/count"), semantic("criteria")]}
    )
    assert asyncio.run(verifier.verify(check)).problem
    bench.answers(MET)
    assert asyncio.run(verifier.verify(check)).passed
    assert (bench.project / "count").read_text() == "ran\n"


@pytest.mark.parametrize(
    ("stages", "passed"),
    [
        ([semantic("criteria", required=False)], True),
        ([external("unit", "exit 1"), semantic("criteria")], False),
    ],
)
def test_a_quota_that_changes_nothing_is_not_waited_for(bench, stages, passed):
    bench.refuses()
    evidence = bench.verify(*stages, require_all=False)
    assert (evidence.passed, evidence.problem) == (passed, None)


def test_a_stage_outside_the_worktree_fails_alone(bench):
    evidence = bench.verify(external("out", config={"working_dir": "../.."}), external("in"))
    assert seen(evidence) == {"out": False, "in": True}
    assert "working_dir '../..'" in evidence.reason


def test_a_log_that_cannot_be_written_is_raised_when_all_have_ended(bench):
    bench.logs.mkdir(parents=True)
    (bench.logs / "b.log").symlink_to(bench.repo.path / "a")
    with pytest.raises(OSError, match=r"b\.log"):
        bench.verify(external("a"), external("b", "echo b"), external("c", "sleep 0.3; touch c"))
    assert (bench.repo.path / "c").exists()


def wait_for_two_words(file):
    while not file.exists() or len(file.read_text().split()) < 2:
        time.sleep(0.01)


def test_a_cancelled_verification_leaves_nothing_running(bench):
    started = bench.repo.path / "pids"
    stages = [external(name, f"echo $$ >> pids; exec sleep 30{name}") for name in "12"]

    async def cancelled():
        check = read_verification("multi_stage", {"stages": stages})
        task = asyncio.create_task(bench.verifier.verify(check))
        await asyncio.to_thread(wait_for_two_words, started)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        return task.cancelled(), [psutil.pid_exists(int(pid)) for pid in started.read_text().split()]

    assert asyncio.run(cancelled()) == (True, [False, False])
