"""The verify recipe, started by an agent that wants to stop."""

from ralph.loop.kinds.verify import VerifyKind

NAME = "guard"


class GuardKind(VerifyKind):
    is_meant_unnamed = False
