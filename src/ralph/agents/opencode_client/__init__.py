"""A separate program: one prompt to one session of a running OpenCode server, over HTTP.

usage: python -m ralph.agents.opencode_client [--model PROVIDER/MODEL] [--agent NAME] [--variant NAME] [--auto] ENDPOINT

The prompt comes in on stdin. The session works in the current directory. The server's events about it, and about the
sessions of its subagents, go to stdout unchanged, one per line; lines of the client itself have the types below, which
no server uses. A signal aborts the session. The password comes in OPENCODE_SERVER_PASSWORD, and is used only in the
header that the server asks for.
"""

SESSION = "ralph.session"
"""The session in which the prompt is answered."""
PROBLEM = "ralph.problem"
"""Why there will be no answer, if the server itself does not say so."""
