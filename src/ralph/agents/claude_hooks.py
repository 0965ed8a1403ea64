"""What a hook of Claude Code forbade. It is not a permission that nobody was there to grant."""

from msgspec import Raw, Struct, json

from ralph.agents.parser import decoded

BLOCKING_EXIT = 2
GUARD_WORDS = "ralph's guard denied this: "
"""The beginning of the command guard's reason: Claude Code reports its answer only in the result of the call."""


class Specific(Struct, gc=False, rename="camel"):
    permission_decision: str = ""
    permission_decision_reason: str = ""


class Decision(Struct, gc=False, rename="camel"):
    hook_specific_output: Specific | None = None
    decision: str = ""
    reason: str = ""


_text = json.Decoder(str)
_decision = json.Decoder(Decision)


class Forbidden:
    """The calls that hooks forbade. A hook's answer does not name the call, but its reason is in the call's result."""

    def __init__(self) -> None:
        self._reasons: list[str] = []
        self._calls: set[str] = set()

    def __contains__(self, call: str) -> bool:
        return call in self._calls

    def hear(self, exit_code: int | None, stdout: Raw, stderr: Raw) -> None:
        """Record the answer of a hook that was asked before a tool is used."""
        if exit_code == BLOCKING_EXIT:
            self._reasons.append(decoded(_text, stderr, "").strip())
            return
        answer = decoded(_decision, Raw(decoded(_text, stdout, "").encode()), Decision())
        specific = answer.hook_specific_output or Specific()
        if specific.permission_decision == "deny" or answer.decision == "block":
            self._reasons.append(specific.permission_decision_reason or answer.reason)

    def may_be_in(self, content: Raw) -> bool:
        """Whether the result of a failed call is worth reading."""
        return bool(self._reasons) or GUARD_WORDS.encode() in bytes(content)

    def match(self, call: str, output: str) -> None:
        """Record whether this failed call is one that a hook forbade."""
        if output.startswith(GUARD_WORDS):
            self._calls.add(call)
        for reason in self._reasons:
            if reason in output:
                self._reasons.remove(reason)
                self._calls.add(call)
                return
