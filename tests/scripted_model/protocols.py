"""The protocols that the scripted model server speaks. One protocol is one file and one line here."""

from scripted_model.anthropic import Anthropic
from scripted_model.base import Protocol
from scripted_model.chat import Chat
from scripted_model.gemini import Gemini
from scripted_model.responses import Responses

_BY_ENDING: dict[str, Protocol] = {
    "/messages": Anthropic(),
    "/responses": Responses(),
    "/chat/completions": Chat(),
    ":generateContent": Gemini(),
    ":streamGenerateContent": Gemini(),
}


def protocol_of(path: str) -> Protocol | None:
    """The protocol in which a request to this path is asked; none if it does not ask for an answer of a model."""
    plain = path.partition("?")[0]
    return next((protocol for ending, protocol in _BY_ENDING.items() if plain.endswith(ending)), None)
