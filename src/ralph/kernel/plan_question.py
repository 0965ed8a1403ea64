"""What a planner of stories is told and asked."""

from collections.abc import Sequence

from ralph.kernel.plan_options import Exchange, StoryPlanRun
from ralph.kernel.planner_words import exchanges, put_together

START = """\
You plan a feature for a loop of coding agents. Each of them begins with a fresh context and knows nothing but two
files: the requirements (prd.md), which nobody changes during the loop, and the stories (tasks.json). The folder
that you are in is a copy of the project: read its code, its structure and how it is tested. Change nothing:
whatever you write is thrown away, and ralph writes the files from your answer."""
REQUIREMENTS = """\
## Your task: the requirements
Write the sections of prd.md, each as Markdown without its heading. Choose the tier by the size of the work: S is a
patch, M a feature, L an epic. Write what the tier requires, what it recommends as far as there is something to say,
and leave the rest empty. What is out of scope and the constraints matter most: they keep an agent from building
what nobody asked for. Name files and patterns of this project. Under open questions list what is undecided, and
each assumption that the user did not confirm.

Questions cover: the problem and the goal, the core functionality, what is out of scope, the technical context,
constraints, how success is seen.

This is the template, with what belongs in each section:
{template}"""
STORIES = """\
## Your task: the stories
Derive the stories from the requirements below, by these rules:
{rules}

You cannot run commands here: take the verify commands from the project's own files.{commands}{branch}
Ask only about what is ambiguous or missing in the requirements.

## prd.md
{prd}"""


def requirements_question(run: StoryPlanRun, heard: Sequence[Exchange], notes: str, *, may_ask: bool) -> str:
    return _question(run, heard, notes, REQUIREMENTS.format(template=run.template), may_ask=may_ask)


def stories_question(run: StoryPlanRun, prd: str, heard: Sequence[Exchange], notes: str, *, may_ask: bool) -> str:
    known = [*run.commands, *(each for each in run.detected if each not in run.commands)]
    commands = f" ralph found: {', '.join(f'`{each}`' for each in known)}." if known else ""
    branch = f" `branchName` is `{run.branch}`." if run.branch else " Choose `branchName`, such as `ralph/login`."
    task = STORIES.format(rules=run.rules, commands=commands, branch=branch, prd=prd)
    return _question(run, heard, notes, task, may_ask=may_ask)


def _question(run: StoryPlanRun, heard: Sequence[Exchange], notes: str, task: str, *, may_ask: bool) -> str:
    said = f"## What the user said\n{run.said}" if run.said else ""
    return put_together((f"# Plan {run.project}", START, said, exchanges(heard), task), notes, may_ask=may_ask)
