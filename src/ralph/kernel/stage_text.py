"""What the agent of a stage is told: its role, the task, what done means, and why the last claim did not hold."""

from msgspec import Struct

from ralph.kernel.actions import Claim
from ralph.kernel.feedback import GAP, Note
from ralph.model.evidence import Evidence
from ralph.model.verification import External, MultiStage, Semantic, StringMatch, Verification

SHOWN = 200


class TaskText(Struct, frozen=True, omit_defaults=True):
    id: str
    title: str
    description: str = ""
    outcome: str = ""
    acceptance: tuple[str, ...] = ()


class Stage(Struct, frozen=True, omit_defaults=True):
    """What one role has to do for a task, and how its word is verified."""

    role: str
    promise: str
    check: Verification
    limit: int
    success: str = ""
    """The description of the role's completion criteria."""
    instructions: str = ""


def stage_prompt(task: TaskText, stage: Stage, iteration: int, earlier: tuple[str, ...]) -> str:
    blocks = [
        stage.instructions.strip(),
        f"# {task.id}: {task.title}",
        task.description.strip(),
        f"## Ralph Loop Status\n- **Iteration**: {iteration}/{stage.limit}\n- **Agent**: {stage.role}",
        f'## Task Outcome (What "Done" Means)\n{task.outcome.strip() or "Complete the assigned task."}',
        _acceptance(task.acceptance),
        _requirements(stage),
        _sending_back(earlier),
        f"The loop will continue until genuine completion or iteration {stage.limit}.",
    ]
    return GAP.join(block for block in blocks if block)


def claim_problem(claim: Claim, expected: str, earlier: tuple[str, ...]) -> str:
    """Why there is nothing to verify, in a few words; nothing if there is."""
    if claim.reject_stage:
        return "" if claim.reject_stage in earlier else f"there is no earlier stage {claim.reject_stage[:SHOWN]!r}"
    if claim.reject_why:
        return "a rejection must name the stage that is to work again"
    if claim.promise is None:
        return "no completion promise found"
    # The word of the criterion and no other: a promise of another stage, or half a promise, is none.
    wrong = claim.promise != expected
    return f"wrong promise: it said {claim.promise[:SHOWN]!r}, wanted {expected!r}" if wrong else ""


def claim_note(problem: str, expected: str, earlier: tuple[str, ...]) -> Note:
    lines = [f"The previous iteration did not complete this stage: {problem}."]
    if earlier:
        lines.append(f"The task can be sent back to: {', '.join(earlier)}.")
    lines.append(f"When this stage is complete, end your final message with: <promise>{expected}</promise>")
    return Note("APPEND", "\n".join(lines))


def sent_back(by: str, why: str) -> Note:
    text = why.strip() or "no reason was given"
    return Note("APPEND", f"The {by} sent the task back to this stage. Mend this before anything else:\n{text}")


def not_verified(seen: Evidence) -> Note:
    lines = [f"The completion promise of the previous iteration was false. Verification failed: {seen.reason}"]
    failed = [part for part in seen.parts if not part.passed]
    lines += [f"- {part.check}: {part.reason}{'' if part.required else ' (a warning only)'}" for part in failed]
    for shown in (seen, *failed):
        if shown.output:
            where = f" (all of it: {shown.log})" if shown.log else ""
            lines += [f"Output of {shown.check}{where}:", shown.output]
    return Note("APPEND", "\n".join(lines))


def _acceptance(criteria: tuple[str, ...]) -> str:
    return "\n".join(["## Acceptance Criteria", *(f"- [ ] {each}" for each in criteria)]) if criteria else ""


def _requirements(stage: Stage) -> str:
    return f"""\
## Your Completion Requirements

When you have GENUINELY completed this stage:

**Success Criteria for {stage.role}:**
{stage.success}

**To signal completion, output:**
```
<promise>{stage.promise}</promise>
```

**CRITICAL:**
- Only output the promise when ALL acceptance criteria are truly met
- Your completion will be verified using: {method_words(stage.check)}
- False promises will be detected and the loop will continue
- If blocked, explain what's preventing completion
- All that you leave in the working directory is committed for you"""


def method_words(check: Verification) -> str:
    match check:
        case StringMatch():
            return "string_match"
        case External(command=command):
            return f"external (`{' '.join(command.split())[:SHOWN]}`)"
        case Semantic():
            return "semantic"
        case MultiStage(stages=stages):
            return f"multi_stage ({', '.join(stage.name for stage in stages)})"


def _sending_back(earlier: tuple[str, ...]) -> str:
    if not earlier:
        return ""
    return (
        "If the work of an earlier stage is not good enough, do not mend it yourself and make no promise: send it"
        f' back with `<reject stage="{earlier[0]}">why</reject>`. Earlier stages: {", ".join(earlier)}.'
    )
