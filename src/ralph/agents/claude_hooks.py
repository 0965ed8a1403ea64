"""What a hook of Claude Code forbade: it is not a permission that nobody was there to give."""

from msgspec import Raw, Struct, json

from ralph.agents.parser import decoded

BLOCKING_EXIT = 2


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
    """A hook's answer does not name the call, but its reason stands in what the call gives back."""

    def __init__(self) -> None:
        self._reasons: list[str] = []
        self._calls: set[str] = set()

    def __contains__(self, call: str) -> bool:
        return call in self._calls

    def hear(self, exit_code: int | None, stdout: Raw, stderr: Raw) -> None:
        """The answer of a hook that was asked before a tool is used."""
        if exit_code == BLOCKING_EXIT:
            self._reasons.append(decoded(_text, stderr, "").strip())
            return
        answer = decoded(_decision, Raw(decoded(_text, stdout, "").encode()), Decision())
        specific = answer.hook_specific_output or Specific()
        if specific.permission_decision == "deny" or answer.decision == "block":
            self._reasons.append(specific.permission_decision_reason or answer.reason)

    @property
    def waits(self) -> bool:
        return bool(self._reasons)

    def match(self, call: str, output: str) -> None:
        """Whether this failed call is one that a hook forbade."""
        for reason in self._reasons:
            if reason in output:
                self._reasons.remove(reason)
                self._calls.add(call)
                return
