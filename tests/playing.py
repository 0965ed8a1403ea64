"""A recipe played against given results: no process, no file, no clock."""

from itertools import repeat

import msgspec

from ralph.kernel.actions.agent import (
    CommitMessage,
    FeedBack,
    Prompt,
    ReadCommitMessage,
    ReadPrompt,
    ReadResponse,
    RunAgent,
    Said,
)
from ralph.kernel.actions.checks import (
    Answer,
    AskModel,
    Change,
    FileDiff,
    Files,
    ReadChange,
    ReadFiles,
    RecordEvidence,
    RunCheck,
)
from ralph.kernel.actions.commands import NoteUserChanges, RunCommand, RunScmTask, StageChanges, Staged, UserChanges
from ralph.kernel.actions.planning import BuildContext, KeepSummary, ReadWork, WorkSeen
from ralph.kernel.actions.proof import (
    CanaryTrees,
    ComposeCanary,
    Composed,
    ComposeTrees,
    ConfirmTip,
    Excused,
    ExcuseFailure,
    Judged,
    JudgeTrials,
    ProofWritten,
    Restored,
    RestoreProtected,
    Snapshot,
    TakeSnapshot,
    TipSeen,
    Tried,
    TryCheck,
    WriteProof,
)
from ralph.kernel.actions.reviews import (
    Anchor,
    AnchorIssues,
    Anchors,
    FindReview,
    FoundReview,
    RecordReview,
    RunReviewer,
)
from ralph.kernel.actions.tasks import RecordStart, Start
from ralph.kernel.actions.waiting import BackOff, FindVerifiedStages, GiveUp, Granted, VerifiedStages, Waited
from ralph.kernel.forms import SummaryGiven
from ralph.model.context import ChunkContext
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.tasks import OutputSummary

FINAL = "All is done.\n<response>DONE</response>"
SAID = Said(FINAL)
WORKED = AgentReport("ok", "it exited with code 0", ".ralph/runs/r/iteration-1", final=FINAL)


def crashed(*, silent=False, tail=""):
    return AgentReport(
        "failed", "it exited with code 1", ".ralph/runs/r/iteration-1", duration=2.0, silent=silent, tail=tail
    )


def passed(command="make test"):
    return Evidence(command, passed=True, reason="exit code 0", exit_code=0)


def failed(command="make test", output="", code=1):
    return Evidence(command, passed=False, reason=f"exit code {code}", exit_code=code, output=output, log="the.log")


CLAIMED = Evidence("response", passed=True, reason="the response was DONE")
UNCLAIMED = Evidence("response", passed=False, reason="the response was NOT DONE, expected DONE")
GO_ON = Granted(go_on=True)


def judgement(*criteria, met=True, reason="seen in the diff", **more):
    """What a model answers that judges these alike."""
    verdicts = [{"criterion": each, "met": met, "reason": reason} for each in criteria]
    return Answer(value={"criteria": verdicts}, **more)


def reviewed_as(decision="SHIP", *issues, prior=(), **more):
    """What a reviewer answers."""
    answers = [{"id": name, "answer": said} for name, said in dict(prior).items()]
    return Answer(value={"decision": decision, "issues": list(issues), "priorFindings": answers, **more})


def tried(action, *, passed, **more):
    reason = "exit code 0, as expected" if passed else "exit code 1, expected 0"
    return Tried(passed, reason, int(not passed), tree=action.tree, digest=action.name, **more)


ANSWERS = {
    "": Answer(text="Do it"),
    "review": reviewed_as(),
    "judgement": judgement(*map(str, range(1, 10))),
    "summary": Answer(value=msgspec.to_builtins(SummaryGiven("It is so.", [], [], [], [], ["look"]))),
}
ALL_GOES_WELL = {
    ReadPrompt: lambda action: Prompt("from the file" if action.file else "", seen=action.seen),
    RunAgent: WORKED,
    FeedBack: Prompt("what the recipe said"),
    RunCommand: passed(),
    ReadResponse: CLAIMED,
    NoteUserChanges: UserChanges(),
    StageChanges: Staged(pending=True),
    AskModel: lambda action: ANSWERS[action.form],
    ReadCommitMessage: CommitMessage("Do it"),
    RunScmTask: passed("git commit"),
    RunCheck: lambda action: Evidence(action.label, passed=True, reason="it looks good"),
    TakeSnapshot: Snapshot(why_none="there is no git here"),
    TryCheck: lambda action: tried(action, passed=True),
    ComposeTrees: lambda action: Composed(action.base, action.commit, action.commit, action.base),
    ComposeCanary: CanaryTrees(left_out="there is no test"),
    ExcuseFailure: lambda action: Excused(action.reason),
    JudgeTrials: Judged(),
    WriteProof: ProofWritten(),
    ConfirmTip: TipSeen(),
    RecordStart: Start(),
    FindVerifiedStages: VerifiedStages(),
    BuildContext: ChunkContext(),
    ReadWork: WorkSeen(OutputSummary("It works now.", files_created=("work.py",))),
    KeepSummary: lambda action: action.summarised,
    RestoreProtected: Restored(),
    ReadChange: Change(files=(FileDiff("work.py", "+ it works\n"),), boundary="0123456789abcdef"),
    ReadFiles: lambda action: Files(tuple(FileDiff(path, "+ more\n") for path in action.paths)),
    RecordEvidence: lambda action: action.evidence,
    FindReview: lambda action: FoundReview(f"tree of {action.commit}"),
    RunReviewer: reviewed_as(),
    AnchorIssues: lambda action: Anchors(tuple(Anchor(each.file, each.lines) for each in action.issues)),
    RecordReview: lambda action: action.review,
    GiveUp: Granted(),
    BackOff: Waited(0.0),
}


def play(recipe, results=None, first=min):
    """The actions that a recipe asks for, and what it comes to. `results` has, for each kind of action, the result of
    all of them, a function of the action, or a list of these one after the other; what it does not name goes well, and
    nobody grants anything. Of actions side by side the one ends first whose place `first` chooses.

    The question for guidance before each prompt without a file, and the snapshot before the first, are left out of the
    list; `play_all` has them, too."""
    actions, verdict = play_all(recipe, results, first)
    return [action for action in actions if not _is_told_apart(action)], verdict


def _is_told_apart(action):
    asks_people_only = isinstance(action, ReadPrompt) and action.file is None
    return asks_people_only or (isinstance(action, TakeSnapshot) and not action.base)


def play_all(recipe, results=None, first=min):
    answers = {kind: _endless(given) for kind, given in (ALL_GOES_WELL | (results or {})).items()}
    actions, ended, result = {}, set(), None
    while True:
        try:
            step = recipe.send(result)
        except StopIteration as end:
            return list(actions.values()), end.value
        at_once = step if isinstance(step, tuple) else (step,)
        keys = [action.key for action in at_once]
        assert len({*keys}) == len(keys), f"{keys} are not different"
        assert ended.isdisjoint(keys), f"one of {keys} is asked for again"
        actions |= {action.key: action for action in at_once if action.key not in actions}
        done = at_once[first(range(len(at_once)))]
        ended.add(done.key)
        answer = next(answers[type(done)])
        answer = answer(done) if callable(answer) else answer
        result = (done, answer) if isinstance(step, tuple) else answer


def _endless(given):
    return iter(given) if isinstance(given, list) else repeat(given)


def prompts(actions):
    return [action.prompt for action in actions if isinstance(action, RunAgent)]


def fed_back(actions):
    return [action.text for action in actions if isinstance(action, FeedBack)]


def given_up(actions):
    """Why the recipe asked whether to go on."""
    return [action.why for action in actions if isinstance(action, GiveUp)]


def kinds(actions):
    return [type(action) for action in actions]
