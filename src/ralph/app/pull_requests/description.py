"""The description of a pull request in Markdown: every statement in it has evidence."""

from collections.abc import Iterable, Iterator

from ralph.app.pull_requests.facts import CriterionFact, SpecFacts, TaskFact
from ralph.app.pull_requests.inert import block, span
from ralph.app.pull_requests.inert import title as inert_title
from ralph.app.runs.costs import Amount
from ralph.git.notes import PROOF
from ralph.model.words import count, dollars, tokens

BEGIN, END = "<!-- ralph: begin -->", "<!-- ralph: end -->"
"""The markers around ralph's part; the rest of a description is left as it is."""
MOST = 60_000
"""The most bytes of a description: hosts and argument lists accept little more."""
LONGEST_SUMMARY = 2_000
ALL_SUMMARIES = 24_000
"""The characters that all summaries share, so that criteria and reviews have room beside many of them."""
LONGEST_TITLE = 200
SHORT = 12
PROOF_WORDS = {
    "checked": "checked by ralph",
    "warned": "checked by ralph, with warnings",
    "judged": "judged by a model; nothing was run",
    "word": "by the agent's word; nothing was checked",
}
KINDS = {
    "check": "command",
    "judge": "judged by a model",
    "person": "approved by a person",
    "time": "approved by a person",
}
GAP = "\n\n"
CUT = "*The rest was left out: the description would be too long. See `ralph spec show` and `ralph task show`.*"


def title_of(facts: SpecFacts) -> str:
    return inert_title(facts.title, LONGEST_TITLE) or facts.id


def description(facts: SpecFacts, draft_reason: str = "") -> str:
    """The description. `draft_reason` says why it is only a draft."""
    parts = (*_head(facts, draft_reason), *_summaries(facts), *_criteria(facts), *_reviews(facts), *_cost(facts))
    return f"{BEGIN}\n{GAP.join(_fitting(parts))}\n{END}\n".encode(errors="replace").decode()


def merged_into(body: str, new: str) -> str:
    """A description that people may have edited, with ralph's own part replaced, or added at the end."""
    before, begin, rest = body.partition(BEGIN)
    _, end, after = rest.partition(END)
    if begin and end:
        return f"{before}{new.rstrip()}{after}"
    return f"{body.rstrip()}\n\n{new}" if body.strip() else new


def _fitting(parts: Iterable[str]) -> Iterator[str]:
    """As many parts as there is room for. If a table does not fit, its first rows stay."""
    room = MOST
    for part in parts:
        lines = part.split("\n") if part.startswith("|") else [part]
        kept: list[str] = []
        for line in lines:
            room -= len(line.encode(errors="replace")) + len(GAP)
            if room < 0:
                break
            kept.append(line)
        if kept:
            yield "\n".join(kept)
        if room < 0:
            yield CUT
            return


def _head(facts: SpecFacts, draft_reason: str) -> Iterator[str]:
    completed = [task for task in facts.tasks if task.status == "completed"]
    skipped = [task.id for task in facts.tasks if task.status == "skipped"]
    opened = [task.id for task in facts.tasks if task.status not in ("completed", "skipped")]
    done = f"{len(completed)} of {count(len(facts.tasks), 'task')} completed"
    yield f"Spec `{facts.id}`: {done}, at commit `{facts.commit[:SHORT]}`."
    if draft_reason:
        yield f"**Draft:** {draft_reason}."
    if opened:
        yield f"Open: {', '.join(f'`{each}`' for each in opened)}."
    if skipped:
        yield f"Skipped by a person: {', '.join(f'`{each}`' for each in skipped)}."
    if facts.by_people:
        listed = "\n".join(f"- {span(each)}" for each in facts.by_people)
        yield f"Commits that no task delivered, so the evidence below does not cover them:\n\n{listed}"


def _summaries(facts: SpecFacts) -> Iterator[str]:
    yield "## Summary"
    told = [(task, task.summary) for task in facts.tasks if task.summary and task.commit]
    most = min(LONGEST_SUMMARY, ALL_SUMMARIES // max(1, len(told)))
    for task, summary in told:
        yield f"**`{task.id}`** {span(task.title)}\n\n{block(summary.summary, most)}"
    if not told:
        yield "No task has left a summary."


def _criteria(facts: SpecFacts) -> Iterator[str]:
    yield "## Criteria"
    rows = [row for task in facts.tasks for row in _rows(task)]
    yield "\n".join(["| task | criterion | evidence | proof |", "|---|---|---|---|", *rows])
    if any(task.record == "noted" for task in facts.tasks):
        yield f"Proof records are git notes under `{PROOF}`. Check one again: `ralph proof verify TASK`."


def _rows(task: TaskFact) -> Iterator[str]:
    proof = _proof(task)
    if not task.criteria:
        checks = ", ".join(span(each) for each in task.checks) or "none"
        yield f"| `{task.id}` | *no criteria written* | commands that passed: {checks} | {proof} |"
    for each in task.criteria:
        yield f"| `{task.id}` | {span(each.text)} | {_evidence(each, task)} | {proof} |"


def _evidence(criterion: CriterionFact, task: TaskFact) -> str:
    how = KINDS[criterion.kind]
    named = f"{how} {span(criterion.command)}" if criterion.command else how
    if not task.commit:
        return f"nothing delivered ({named})"
    if criterion.passed is None:
        return f"**not verified** ({named})"
    word = "met" if criterion.passed else "**not met**"
    said = f": {span(criterion.reason)}" if criterion.reason else ""
    return f"{word} ({named}){said}"


def _proof(task: TaskFact) -> str:
    if not task.commit:
        return "none"
    record = {"noted": "", "missing": ", no record", "unreadable": ", **unreadable record**"}[task.record]
    return f"{PROOF_WORDS.get(task.proof, span(task.proof))} at `{task.commit[:SHORT]}`{record}"


def _reviews(facts: SpecFacts) -> Iterator[str]:
    yield "## Reviews"
    if facts.reviews:
        head = [
            "| tier | reviews | SHIP | REVISE | no decision | findings (high, medium, low) |",
            "|---|---|---|---|---|---|",
        ]
        rows = [
            f"| {each.tier} | {each.reviews} | {each.ship} | {each.revise} | {each.undecided} "
            f"| {each.high}, {each.medium}, {each.low} |"
            for each in facts.reviews
        ]
        yield "\n".join([*head, *rows])
    else:
        yield "There is no review."
    if facts.final_decision:
        yield f"Final review of the whole branch: **{facts.final_decision}** by {span(facts.final_reviewer)}."
    if facts.final_findings:
        yield "\n".join(f"- {span(each)}" for each in facts.final_findings)


def _cost(facts: SpecFacts) -> Iterator[str]:
    yield "## Cost"
    iterations = sum(task.iterations for task in facts.tasks)
    yield f"{count(iterations, 'iteration')}, {_amount(facts.cost)}."


def _amount(cost: Amount) -> str:
    known = "dollars unknown" if cost.cost_usd is None else dollars(cost.cost_usd)
    lacking = f" ({tokens(cost.tokens_without_price)} of them without a price)" if cost.tokens_without_price else ""
    return f"{known}, {tokens(cost.tokens)} tokens{lacking if cost.cost_usd is not None else ''}"
