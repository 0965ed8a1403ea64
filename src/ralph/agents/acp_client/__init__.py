"""A program of its own: one prompt to one agent that speaks the Agent Client Protocol (ACP) over stdio.

usage: python -m ralph.agents.acp_client [--permissions allow|reads|deny] [--model MODEL] -- COMMAND...

The prompt comes in on stdin. What the agent says goes to stdout as it came; its stderr is passed through. Lines of the
client itself are notifications under the names below, which no agent uses. It speaks JSON-RPC on its own: the
protocol's Python library would take ten times as long to import as all the rest, for every single prompt.
"""

DENIED = "_ralph/denied"
"""A permission was asked for, and the policy rejected it."""
PROBLEM = "_ralph/problem"
"""Why there will be no answer, where the agent itself does not say so."""
