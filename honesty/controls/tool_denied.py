"""The agent was denied a tool, and still fixed the bug."""

import json

from honesty.kit import PYTEST, Control, Step, Tree


def agent(tree: Tree) -> Step:
    tree.fix()
    denied = [{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "pip install pytest"}}]
    line = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": tree.claim,
        "permission_denials": denied,
    }
    return {"raw": json.dumps(line), "no_result": True}


BEHAVIOUR = Control(start=PYTEST, agent=agent)
