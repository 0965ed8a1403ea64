"""A separate program: one prompt to one agent that speaks the Agent Client Protocol (ACP) over stdio.

usage: python -m ralph.agents.acp_client [--permissions allow|reads|deny] [--model MODEL] -- COMMAND...

The prompt comes in on stdin. The agent's messages go to stdout unchanged; its stderr is passed through. Lines of the
client itself are notifications with the names below, which no agent uses. It implements JSON-RPC itself: importing the
protocol's Python library would take ten times as long as everything else, for every single prompt.
"""

DENIED = "_ralph/denied"
"""A permission was asked for, and the policy rejected it."""
PROBLEM = "_ralph/problem"
"""Why there will be no answer, if the agent itself does not say so."""
