"""The prompt of a stage: its role, the task, what done means, and why the last claim did not hold."""

from msgspec import Struct

from ralph.kernel.actions.proof import told
from ralph.kernel.feedback import GAP, Note
from ralph.model.evidence import NOT_VERIFIED, Evidence
from ralph.model.proof import Finding
from ralph.model.verification import External, MultiStage, NamedCheck, Semantic, StringMatch, Verification

SHOWN = 200
MOST_TOLD = 20


class TaskText(Struct, frozen=True, omit_defaults=True):
    id: str
    title: str
    description: str = ""
    outcome: str = ""
    acceptance: tuple[str, ...] = ()


class Stage(Struct, frozen=True, omit_defaults=True):
    """What one role must do for a task, and how its promise is verified."""

    role: str
    promise: str
    check: Verification
    limit: int
    success: str = ""
    """The description of the role's completion criteria."""
    instructions: str = ""
    project_rules: tuple[str, ...] = ()
    """The rules that every agent of the project must follow."""
    trusts_promise: bool = False
    """Whether the promise is enough when no judge can be asked."""
    is_loop: bool = True
    """Whether the stage works until its promise is verified. Otherwise it runs once, and nothing is verified."""

    @property
    def doubts(self) -> tuple[str, ...]:
        """What the records of the task say about a stage that is not verified."""
        return () if self.is_loop else (f"{self.role}: {NOT_VERIFIED}",)


def stage_prompt(task: TaskText, stage: Stage, iteration: int, limit: int, earlier: tuple[str, ...]) -> str:
    blocks = [
        stage.instructions.strip(),
        f"# {task.id}: {task.title}",
        task.description.strip(),
        f"## Ralph Loop Status\n- **Iteration**: {iteration}/{limit}\n- **Agent**: {stage.role}",
        f'## Task Outcome (What "Done" Means)\n{task.outcome.strip() or "Complete the assigned task."}',
        _acceptance(task.acceptance),
        global_rules(stage.project_rules),
        _requirements(stage) if stage.is_loop else "",
        _sending_back(earlier),
        f"The loop will continue until genuine completion or iteration {limit}." if stage.is_loop else "",
    ]
    return GAP.join(block for block in blocks if block)


def claim_note(problem: str, expected: str, earlier: tuple[str, ...]) -> Note:
    lines = [f"The previous iteration did not complete this stage: {problem}."]
    if earlier:
        lines.append(f"The task can be sent back to: {', '.join(earlier)}.")
    lines.append(f"When this stage is complete, end your final message with: <promise>{expected}</promise>")
    return Note("APPEND", "\n".join(lines))


def sent_back(by: str, why: str) -> Note:
    text = why.strip() or "no reason was given"
    return Note("APPEND", f"The {by} sent the task back to this stage. Fix this before anything else:\n{text}")


def not_verified(seen: Evidence) -> Note:
    what = "it could not be verified:" if is_unjudged(seen) else "the claim does not hold. Verification failed:"
    first = f"The previous iteration claimed to be done, and {what} {seen.reason}"
    return Note("APPEND", "\n".join([first, *complaints(seen)]))


def complaints(seen: Evidence) -> list[str]:
    """What is wrong with the work, line by line, with the output of what failed."""
    lines = [f"- {told(each)}{_shown(each)}" for each in _told_findings(seen)]
    failed = [part for part in seen.parts if not part.passed]
    lines += [f"- {part.check}: {part.reason}{'' if part.required else ' (a warning only)'}" for part in failed]
    for shown in (seen, *failed):
        if shown.output:
            where = f" (all of it: {shown.log})" if shown.log else ""
            lines += [f"Output of {shown.check}{where}:", shown.output]
    return lines


def _told_findings(seen: Evidence) -> list[Finding]:
    """The findings that block the claim, then the warnings about other lines, such as a changed assertion."""
    blocks = [each for each in seen.findings if each.level == "block"]
    known = {(each.file, each.line) for each in blocks}
    besides = [each for each in seen.findings if each.level == "warn" and (each.file, each.line) not in known]
    return [*blocks, *(besides if blocks else ())][:MOST_TOLD]


def is_unjudged(seen: Evidence) -> bool:
    """Whether the only problem is that the model that should judge the work gave no answer."""
    failed = [part for part in seen.parts if not part.passed and part.required]
    return seen.problem is not None or (bool(failed) and all(map(is_unjudged, failed)))


def _shown(found: Finding) -> str:
    return f"\n  {found.shown.strip()[:SHOWN]}" if found.shown.strip() else ""


def _acceptance(criteria: tuple[str, ...]) -> str:
    return "\n".join(["## Acceptance Criteria", *(f"- [ ] {each}" for each in criteria)]) if criteria else ""


def global_rules(rules: tuple[str, ...]) -> str:
    """The rules of the project as a block of a prompt; empty if there are none."""
    return "\n".join(["## Global Rules", *(f"- {' '.join(each.split())}" for each in rules)]) if rules else ""


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
        case External(label=label):
            return f"external (`{label[:SHOWN]}`)"
        case NamedCheck(name=name, label=label):
            return f"{name} ({label[:SHOWN]})"
        case Semantic():
            return "semantic"
        case MultiStage(stages=stages):
            return f"multi_stage ({', '.join(stage.name for stage in stages)})"


def _sending_back(earlier: tuple[str, ...]) -> str:
    if not earlier:
        return ""
    return (
        "If the work of an earlier stage is not good enough, do not fix it yourself and make no promise: send it"
        f' back with `<reject stage="{earlier[0]}">why</reject>`. Earlier stages: {", ".join(earlier)}.'
    )
