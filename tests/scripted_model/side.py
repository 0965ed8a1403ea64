"""What the programs ask beside the conversation itself: titles, probes, summaries. It uses up no turn."""

from scripted_model.base import ModelRequest, Tool, dumps
from scripted_model.script import Turn
from scripted_model.tools import example

FEWEST_TOKENS = 16
"""No answer of a conversation is that short: a probe of the quota, or a warm-up."""
ANSWERING_TOOL = "respond_in_schema"
"""With this one tool alone Qwen asks for a structured answer."""
PHRASES = ("memory extraction subagent", "managed memory dream", "[SUGGESTION MODE:")
"""Of helpers that Claude Code and Qwen start with tools of their own when an answer is complete."""
HARMLESS = "Scripted session"


def is_side_request(request: ModelRequest, *, needs_tools: bool) -> bool:
    if 0 < request.max_tokens <= FEWEST_TOKENS or _answering_tool(request):
        return True
    if any(phrase in request.system or phrase in request.prompt for phrase in PHRASES):
        return True
    return needs_tools and not request.tools


def side_turn(request: ModelRequest) -> Turn:
    if request.answer_schema is not None:
        return Turn(say=dumps(example(request.answer_schema)))
    if tool := _answering_tool(request):
        return Turn(tool={"name": tool.name, "input": example(tool.schema)})
    return Turn(say=HARMLESS)


def _answering_tool(request: ModelRequest) -> Tool | None:
    return request.tools[0] if [tool.name for tool in request.tools] == [ANSWERING_TOOL] else None
