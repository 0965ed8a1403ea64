"""A recipe played against given results: no process, no file, no clock."""

from itertools import repeat

from ralph.kernel.actions import (
    CommitMessage,
    ReadCommitMessage,
    ReadPrompt,
    ReadResponse,
    RunAgent,
    RunCommand,
    RunScmTask,
    StageChanges,
    Staged,
)
from ralph.model.evidence import AgentReport, Evidence

WORKED = AgentReport("ok", "it exited with code 0", ".ralph/runs/r/iteration-1")


def crashed(*, silent=False, tail=""):
    return AgentReport("failed", "it exited with code 1", ".ralph/runs/r/iteration-1", silent=silent, tail=tail)


def passed(command="make test"):
    return Evidence(command, passed=True, reason="exit code 0", exit_code=0)


def failed(command="make test", output="", code=1):
    return Evidence(command, passed=False, reason=f"exit code {code}", exit_code=code, output=output, log="the.log")


CLAIMED = Evidence("response", passed=True, reason="the response was DONE")
UNCLAIMED = Evidence("response", passed=False, reason="the response was NOT DONE, wanted DONE")

ALL_GOES_WELL = {
    ReadPrompt: "from the file",
    RunAgent: WORKED,
    RunCommand: passed(),
    ReadResponse: CLAIMED,
    StageChanges: Staged(pending=True),
    ReadCommitMessage: CommitMessage("Do it"),
    RunScmTask: passed("git commit"),
}


def play(recipe, results=None):
    """The actions that a recipe asks for, and its verdict. `results` has, for each kind of action, the result of
    all of them or a list of one after the other; what it does not name goes well."""
    answers = {kind: _endless(given) for kind, given in (ALL_GOES_WELL | (results or {})).items()}
    actions, result = [], None
    while True:
        try:
            actions.append(recipe.send(result))
        except StopIteration as end:
            return actions, end.value
        result = next(answers[type(actions[-1])])


def _endless(given):
    return iter(given) if isinstance(given, list) else repeat(given)


def prompts(actions):
    return [action.prompt for action in actions if isinstance(action, RunAgent) and action.purpose == "work"]


def kinds(actions):
    return [type(action) for action in actions]
