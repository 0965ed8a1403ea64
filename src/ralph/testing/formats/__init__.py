"""The output of each agent, as its recordings show it. One format is one file and one line here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph.testing.formats.base import Stream

_CLASSES = {
    "claude": "Claude",
    "codex": "Codex",
    "amp": "Amp",
    "text": "Text",
    "opencode": "OpenCode",
    "gemini": "Gemini",
    "qwen": "Qwen",
    "copilot": "Copilot",
}


def stream_of(format_name: str, args: list[str], prompt: str) -> Stream:
    """The stream that the agent writes when it is started with these arguments."""
    from importlib import import_module

    module = import_module(f"ralph.testing.formats.{format_name}")
    stream: type[Stream] = getattr(module, _CLASSES[format_name])
    if stream.prints_text(args):
        from ralph.testing.formats.text import FinalText

        return FinalText(args, prompt)
    return stream(args, prompt)
