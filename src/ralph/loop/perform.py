"""The table from an action to the function that performs it, imported on first use."""

from collections.abc import Awaitable, Callable
from functools import cache
from importlib import import_module
from typing import Any

from ralph.loop.context import Attempt, RunContext
from ralph.model.errors import StateError
from ralph.model.evidence import Result
from ralph.store.journal import Begun

Performer = Callable[[Any, Attempt], Awaitable[Result]]

# A new action is a struct in its family, a function and one line here.
PERFORMERS = {
    "read-prompt": "ralph.loop.agent:read_prompt",
    "run-agent": "ralph.loop.agent:run",
    "read-response": "ralph.loop.agent:read_response",
    "read-commit-message": "ralph.loop.agent:read_message",
    "read-claim": "ralph.loop.agent:read_claim_of",
    "feedback": "ralph.loop.agent:feed_back",
    "run-command": "ralph.loop.commands:run_guardrail",
    "note-user-changes": "ralph.loop.commands:note_user_changes",
    "stage-changes": "ralph.loop.commands:stage_changes",
    "run-scm-task": "ralph.loop.commands:run_scm_task",
    "wait": "ralph.loop.waiting:wait",
    "give-up": "ralph.loop.waiting:give_up",
    "read-spent": "ralph.loop.waiting:read_spent",
    "run-child": "ralph.loop.children:run_child",
    "find-verified-stages": "ralph.loop.children:find_verified_stages",
    "look-for-markers": "ralph.loop.supervising:look",
    "await-go": "ralph.loop.supervising:await_go",
    "restart": "ralph.loop.supervising:restart",
    "post-message": "ralph.loop.supervising:post",
    "wait-for-children": "ralph.loop.supervising:wait_for_children",
    "save-work": "ralph.loop.tasks:save",
    "run-check": "ralph.loop.checks:run_check",
    "read-change": "ralph.loop.checks:read_change",
    "read-files": "ralph.loop.checks:read_files",
    "back-off": "ralph.loop.waiting:back_off",
    "ask-model": "ralph.loop.asking:ask_model",
    "recall-evidence": "ralph.loop.checks:recall_evidence",
    "verify": "ralph.loop.checks:record_evidence",
    "find-review": "ralph.loop.reviewing:find_earlier_review",
    "run-reviewer": "ralph.loop.reviewing:run_reviewer",
    "anchor-issues": "ralph.loop.reviewing:anchor_issues",
    "review": "ralph.loop.reviewing:record_review",
    "take-snapshot": "ralph.loop.proof:take_snapshot",
    "read-tree": "ralph.loop.stalling:read_tree",
    "compose-trees": "ralph.loop.proof:compose_trees",
    "try-check": "ralph.loop.proof:try_check",
    "excuse-failure": "ralph.loop.proof:excuse_failure",
    "compose-canary": "ralph.loop.proof:compose_canary",
    "judge-trials": "ralph.loop.proof:judge_trials",
    "confirm-tip": "ralph.loop.proof:confirm_tip",
    "restore-protected": "ralph.loop.proof:restore_protected",
    "write-proof": "ralph.loop.proof_record:write_proof",
    "open-worktree": "ralph.loop.tasks:open_worktree",
    "record-start": "ralph.loop.tasks:record_start",
    "set-up-worktree": "ralph.loop.tasks:set_up_worktree",
    "discard-work": "ralph.loop.tasks:discard_work",
    "await-approval": "ralph.loop.approval:await_approval",
    "await-people": "ralph.loop.approval:await_people",
    "look-at-branch": "ralph.loop.specs:look_at_branch",
    "add-fixing-task": "ralph.loop.specs:add_fixing_task",
    "find-unfinished": "ralph.loop.tasks:find_unfinished",
    "deliver-work": "ralph.loop.tasks:deliver_work",
    "build-context": "ralph.loop.planning:build_context",
    "read-work": "ralph.loop.planning:read_work",
    "open-stories": "ralph.loop.stories:open_stories",
    "begin-story": "ralph.loop.stories:begin_story",
    "settle-story": "ralph.loop.story_settling:settle_story",
    "edit-plan": "ralph.loop.stories:edit_plan",
    "ask-person": "ralph.loop.people:ask_person",
    "show-draft": "ralph.loop.people:show_draft",
    "write-plan-file": "ralph.loop.story_planning:write_plan_file",
    "write-spec-text": "ralph.loop.spec_planning:write_spec_text",
    "write-chunks": "ralph.loop.spec_planning:write_chunks",
    "keep-summary": "ralph.loop.planning:keep_summary",
}
RESTORE = "ralph.loop.tasks:restore_deleted"
"""The function that is called before each action in the worktree of a task."""


def performing(context: RunContext) -> Callable[[Begun], Awaitable[Result]]:
    async def perform(begun: Begun) -> Result:
        attempt, place = Attempt(context, begun), begun.action.place
        try:
            if place.kind == "task":
                await _loaded(RESTORE)(attempt, place.name)
            return await performer(begun.action.kind)(begun.action, attempt)
        except OSError as error:
            # This is neither the user's nor the agent's mistake: a full disk, or a folder that was removed.
            where = f" ({error.filename})" if error.filename else ""
            raise StateError(
                f"cannot continue: {error.strerror or error}{where}.", "Fix that, then: ralph resume"
            ) from error

    return perform


@cache
def performer(kind: str) -> Performer:
    return _loaded(PERFORMERS[kind])


@cache
def _loaded(where: str) -> Callable[..., Awaitable[Any]]:
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)
