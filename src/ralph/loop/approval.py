"""A person's decision about a run in which everything else is verified."""

from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from ralph.kernel.actions.approval import Approval, Approved, AwaitApproval, AwaitPeople
from ralph.loop.context import Attempt
from ralph.model.errors import Blocked
from ralph.model.evidence import Done
from ralph.store.control import Word, heard


class ApprovalText(Struct, frozen=True, omit_defaults=True):
    """The content of the control word `approve`."""

    criterion: int | None = None
    """The criterion's number among all criteria of the task; None for all open ones."""


async def await_approval(action: AwaitApproval, attempt: Attempt) -> Approval:
    """The decisions so far. Each look reads all words since the last answer. The run is blocked while a criterion is
    open.
    """
    words = heard(attempt.run.store, attempt.run.run_id, "approve", "reject", after=action.seen)
    approved: dict[int, Approved] = {}
    for word in words:
        if word.said == "reject":
            return Approval(rejected_by=word.said_by, why=word.text, seen=word.id)
        approved |= {each.number: each for each in _approved(word, action) if each.number not in approved}
    if missing := [each for each in action.wanted if each.number not in approved]:
        wanted = "; ".join(f"{each.number}. {each.text}" for each in missing)
        raise Blocked(
            f"{action.task}: everything else is verified, and a person must approve: {wanted}."
            f' Approve: ralph approve {action.task}, or: ralph reject {action.task} "why".'
        )
    return Approval(tuple(approved[each.number] for each in action.wanted), seen=words[-1].id)


def _approved(word: Word, action: AwaitApproval) -> list[Approved]:
    text = msgspec.json.decode(word.text or "{}", type=ApprovalText)
    at = datetime.fromtimestamp(word.at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    numbers = [each.number for each in action.wanted if text.criterion in (None, each.number)]
    return [Approved(number, word.said_by, at) for number in numbers]


async def await_people(action: AwaitPeople, attempt: Attempt) -> Done:
    if attempt.number == 1:
        raise Blocked(action.why, f"Then continue: ralph resume {attempt.run.run_id}")
    return Done()
