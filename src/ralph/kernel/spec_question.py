"""What the planner of a spec is told and asked: the spec, the codebase, the rules, the existing tasks."""

from collections.abc import Iterable, Sequence

from ralph.kernel.chunk_draft import MOST_CHUNKS, PresentTask
from ralph.kernel.chunk_text import codebase_lines
from ralph.kernel.plan_options import Exchange, SpecPlanRun
from ralph.kernel.planner_words import exchanges, put_together
from ralph.model.context import CodebaseContext

START = """\
You plan work for coding agents. Each of them begins with a fresh context: it knows the chunk that it works on, a short
summary of the chunks that it depends on, and the project's files. The folder that you are in is a copy of the
project{where}: read its code, its structure and how it is tested. Change nothing: whatever you write is thrown away,
and ralph writes the files from your answer."""
TEXT = """\
## Your task: the text of the spec
{task}
Write Markdown in `text`, without the title, with these sections where there is something to say: `## Goal`,
`## Requirements`, `## Out of scope`, `## Technical notes` (name files and patterns of this project), `## Done when`
(what can be seen or run), `## Assumptions` (what the user did not confirm). What is out of scope matters most: it
keeps an agent from building what nobody asked for. Leave the questions and answers out: ralph adds them.

Questions cover: the problem and the goal, the core behaviour, what is out of scope, the technical context, how success
is seen. If answers contradict each other, what the user said or the current text, ask which one holds, and name both.
Where nobody answers, decide, and put what contradicts and what you decided into `contradictions`, one line each."""
NEW = "Write the spec of what the user wants."
REFINE = """\
The spec is already written, and is below. Ask about what is unclear, missing or contradictory in it. Then write the
whole text again: better, with the answers in it, and unchanged where nothing was said about it.{wish}"""
CHUNKS = """\
## Your task: the chunks
Cut the spec into chunks, in the order in which they are to be done. A good chunk
- is one session's work: an agent finishes it in one go, with its tests, and it can be reviewed in one sitting;
- has a `description` of what to do step by step, one step a line, complete for somebody who has seen nothing else;
- names in `relevantFiles` the files to check before starting: files that exist, or that a chunk it depends on makes;
- has a `dependsOn` only where it uses what that chunk puts out. Order alone is not a dependency;
- has an `outcome`: one sentence that says what can be seen when it is done;
- has `acceptanceCriteria` with their type: {{"check": COMMAND}} wherever a command can show it (exit code 0), a plain
  text where a model must judge it, {{"person": TEXT}} or {{"time": TEXT}} only where nobody else can tell.
`id` is short, such as T001, and is not an id of an existing task unless you replace that task. `criteria` is for
tasks that several roles work on one after another: leave it empty. At most {most} chunks.
Ask only about what is ambiguous or missing in the spec."""
TASKS = """\
## Your task: the tasks
Make tasks from the text below, by these rules. Each task is an entry of `chunks`: its `outcome` and
`acceptanceCriteria` are the required fields of the rules, its `criteria` the entries for the roles ({roles}),
`command` and `checkFor` what verifies the promise of each. `dependsOn` names the tasks whose output it uses. At most
{most} tasks.

{guide}"""


def text_question(
    run: SpecPlanRun, codebase: CodebaseContext | None, heard: Sequence[Exchange], notes: str, *, may_ask: bool
) -> str:
    wish = f"\n\nThe user wants this changed:\n{run.said}" if run.said else ""
    task = TEXT.format(task=NEW if run.aim == "new" else REFINE.format(wish=wish))
    said = _section("What the user wants", run.said) if run.aim == "new" else ""
    return _question(run, codebase, run.text, (said, exchanges(heard), task), notes, may_ask=may_ask)


def chunks_question(
    run: SpecPlanRun,
    text: str,
    codebase: CodebaseContext | None,
    heard: Sequence[Exchange],
    notes: str,
    *,
    may_ask: bool,
) -> str:
    if run.aim == "tasks":
        task = TASKS.format(roles=", ".join(run.roles), guide=run.guide, most=MOST_CHUNKS)
    else:
        task = CHUNKS.format(most=MOST_CHUNKS)
    said = _section("What the user said", run.said) if run.aim in ("plan", "tasks") else ""
    return _question(run, codebase, text, (said, exchanges(heard), task), notes, may_ask=may_ask)


def _question(
    run: SpecPlanRun,
    codebase: CodebaseContext | None,
    text: str,
    parts: Iterable[str],
    notes: str,
    *,
    may_ask: bool,
) -> str:
    where = f", which is its folder `{run.prefix}`" if run.prefix else ""
    blocks = (
        f"# Plan: {run.title}",
        START.format(where=where),
        _section("Spec", text),
        _section("Codebase", codebase_lines(codebase)),
        _section("Global Rules", "\n".join(f"- {each}" for each in run.rules)),
        _section("Verification of every chunk", "\n".join(f"- {each}" for each in run.steps)),
        _section("Existing tasks", "\n".join(map(_present, run.present))),
        *parts,
    )
    return put_together(blocks, notes, may_ask=may_ask)


def _present(task: PresentTask) -> str:
    after = f", after {', '.join(task.depends_on)}" if task.depends_on else ""
    stays = ": it stays as it is" if task.has_begun else ""
    outcome = f". {task.outcome}" if task.outcome else ""
    return f"- {task.id}: {task.title} ({task.status}{stays}{after}){outcome}"


def _section(heading: str, body: str) -> str:
    return f"## {heading}\n{body.strip()}" if body.strip() else ""
