"""A run never asks for one key twice, whatever its actions give back: a replay could not tell the two apart."""

from functools import cache, partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from choosing import answers, result_of
from ralph.kernel.actions.agent import Said
from ralph.kernel.actions.approval import WantedApproval
from ralph.kernel.actions.base import describe
from ralph.kernel.actions.checks import Answer, AskModel, Change, Material
from ralph.kernel.actions.proof import CanaryTrees, Composed, Excused, Judged, Snapshot, Tried
from ralph.kernel.actions.tasks import Worktree
from ralph.kernel.actions.waiting import RunChild
from ralph.kernel.budget import Budget, within
from ralph.kernel.chunk_options import ChunkRun
from ralph.kernel.prompt_options import Guardrail, PromptRun, ScmTasks
from ralph.kernel.quota import Quota, patient
from ralph.kernel.recipes.chunk import chunk_loop
from ralph.kernel.recipes.prompt import prompt_loop
from ralph.kernel.recipes.spec import SpecRun, SpecTask, spec_loop
from ralph.kernel.recipes.stage import StageRun, stage_loop
from ralph.kernel.recipes.supervise import SuperviseRun, supervise
from ralph.kernel.recipes.task import TaskRun, task_loop
from ralph.kernel.stage_text import Stage, TaskText
from ralph.kernel.verification import verified
from ralph.model.events import Problem
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.projects import Located
from ralph.model.proof import Finding
from ralph.model.reviews import ReviewBy
from ralph.model.verdicts import Verified
from ralph.model.verification import External, MultiStage, Part, Semantic, StringMatch

LONGEST = 120
"""So many actions of a run are looked at: with a person who always says go on some would never end."""
WORKTREE = Worktree("w", "w", "ralph/s--T-1", "c0ffee", "ralph/s")
TASK = TaskRun(
    spec="s",
    task=TaskText("T-1", "Make it"),
    stages=tuple(Stage(role, role.upper(), StringMatch(), 3) for role in ("coder", "reviewer", "tester")),
    init="npm ci",
)
SPEC = SpecRun(
    "s",
    tuple(
        SpecTask(replace(TASK, task=TaskText(name, "Make it")), dependencies)
        for name, *dependencies in (("A",), ("B", "A"), ("C",))
    ),
)
PROMPT = PromptRun(
    limit=3,
    completion="DONE",
    file=Located("p.md"),
    # The same twice, on purpose.
    guardrails=(Guardrail("make test"), Guardrail("make test")),
    scm=ScmTasks("git", ("commit", "push", "push", "commit")),
)
SUPERVISE = SuperviseRun(task_dir=Located("t"), file=Located("p.md"), max_restarts=3)
AT_ONCE = replace(SUPERVISE, restart_delay=0)


CHUNK = ChunkRun(
    spec="s",
    task=TASK.task,
    limit=3,
    check=MultiStage((Part("unit", External("make test")), Part("lint", External("make lint"), required=False))),
    judged=Semantic(("it is good",)),
    quick=ReviewBy("quick", "sonnet"),
    deep=ReviewBy("deep", "opus"),
    people=(WantedApproval(1, "it looks good"),),
)
STAGE = StageRun("s", TASK.task, TASK.stages[0], WORKTREE, earlier=("planner",))
ABOUT = Material(1, Said("It is done."), "c0ffee", "tree")
CHECKS = {
    "string_match": StringMatch(),
    "external": External("make test"),
    "semantic": Semantic(("it is good", "it is there"), ("TODO",)),
    "multi_stage": MultiStage(
        (
            Part("unit", External("make test")),
            # Names that are spelt almost alike, and neighbours side by side.
            Part("unit tests", External("make test"), parallel=True),
            Part("unit-tests", External("make test"), parallel=True),
            *(Part(f"more {number}", External("make more"), parallel=True) for number in range(5)),
            Part("judge", Semantic(("it is good",))),
            Part("Judge!", Semantic(("it is good",)), required=False),
            Part("promise", StringMatch()),
        ),
        require_all=False,
    ),
}


def stage_with(check):
    return lambda: stage_loop(replace(STAGE, stage=replace(STAGE.stage, check=check)))


def verified_twice(check):
    """As a verification is made again that was gone on with: in the same iteration, under another number."""
    for again in range(2):
        yield from verified(check, replace(ABOUT, again=again))
    return Verified(1)


RECIPES = {
    "prompt": lambda: prompt_loop(PROMPT),
    "supervise": lambda: supervise(SUPERVISE),
    "supervise without a delay": lambda: supervise(AT_ONCE),
    "task": lambda: task_loop(TASK),
    "chunk": lambda: chunk_loop(CHUNK),
    "chunk that keeps": lambda: chunk_loop(replace(CHUNK, on_revise="keep")),
    "spec, one worker": lambda: spec_loop(SPEC),
    "spec, three workers": lambda: spec_loop(replace(SPEC, workers=3)),
    **{f"stage, {name}": stage_with(check) for name, check in CHECKS.items()},
    **{f"verified, {name}": partial(verified_twice, check) for name, check in CHECKS.items()},
}
LIMITED = Problem("quota", "429")
REFUSED = Problem("auth", "not logged in")
TOO_LONG = Problem("prompt_too_long", "too long")


BLOCKED = Judged((Finding("gone", "block", "a test is gone"),))
SOME = {
    Change: [Change(boundary="b"), Change("found it")],
    Tried: [Tried(passed, "so", tree="tree", tests=tests) for passed in (True, False) for tests in (0, 1)],
    Composed: [Composed("base", "commit", "held", "alone"), Composed("b", "c", "c", "b", hides_files=True)],
    CanaryTrees: [CanaryTrees("canary", "own"), CanaryTrees(left_out="no test")],
    Judged: [Judged(), BLOCKED],
    Excused: [Excused(), Excused("it fails"), Excused("it fails", is_suspect=True)],
    Snapshot: [Snapshot("tree"), Snapshot(why_none="no git")],
}


AGENT_ENDS = [
    AgentReport("ok", "it worked", "d"),
    AgentReport("failed", "it failed", "d", silent=True),
    *(AgentReport("failed", "it failed", "d", problem=problem) for problem in (LIMITED, REFUSED, TOO_LONG)),
]
OFTEN = {AgentReport: st.sampled_from(AGENT_ENDS), Answer: st.just(Answer(reason="429", problem=LIMITED))}


def results(action):
    """Whatever it may give; what makes a recipe ask once more comes more often than chance would have it."""
    if isinstance(action, AskModel):
        return OFTEN[Answer] | answers(action.form)
    return result_of(action) if isinstance(action, RunChild) else _results(type(action))


@cache
def _results(kind):
    """Made once for each kind of action: Hypothesis takes long to make them."""
    if issubclass(kind.result, Evidence):
        return st.sampled_from([kind.result("check", passed=passed, reason="so") for passed in (True, False)])
    if kind.result in SOME:
        return st.sampled_from(SOME[kind.result])
    return OFTEN[kind.result] | result_of(kind) if kind.result in OFTEN else result_of(kind)


@pytest.mark.parametrize("budget", [Budget(), Budget(usd=1.0)], ids=["without a budget", "with a budget"])
@pytest.mark.parametrize("name", RECIPES)
def test_no_key_is_asked_for_twice(name, budget):
    @settings(max_examples=12)
    @given(st.data())
    def holds(data):
        recipe = within(budget, patient(Quota(fallback_agent="codex"), RECIPES[name]()))
        begun, ended, result = {}, set(), None
        while len(begun) < LONGEST:
            try:
                step = recipe.send(result)
            except StopIteration:
                break
            at_once = step if isinstance(step, tuple) else (step,)
            keys = {action.key for action in at_once}
            assert len(keys) == len(at_once)
            assert keys.isdisjoint(ended)
            # What is named again is what was begun, and nothing else under its key.
            assert [begun.setdefault(action.key, action) for action in at_once] == list(at_once)
            done = data.draw(st.sampled_from(at_once)) if len(at_once) > 1 else at_once[0]
            ended.add(done.key)
            answer = data.draw(results(done), done.key)
            describe(done, None), describe(done, answer)  # None of them fails.
            result = (done, answer) if isinstance(step, tuple) else answer
        recipe.close()

    holds()
