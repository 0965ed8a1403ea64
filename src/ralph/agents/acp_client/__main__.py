import sys
from argparse import ArgumentParser
from typing import get_args

from ralph.agents.acp_client import PROBLEM
from ralph.agents.acp_client.dialogue import Gone, Refused, note
from ralph.agents.acp_client.permissions import Policy
from ralph.agents.acp_client.session import Session, Trouble
from ralph.agents.client_signals import Stopped, heed_signals, ignore_signals

SECONDS_TO_CANCEL = 2.0
"""How many seconds a cancelled agent may take to say so. The caller waits for five."""
FAILED, NOT_STARTED, CANCELLED = 1, 127, 130


def main() -> int:
    parser = ArgumentParser(prog="python -m ralph.agents.acp_client", allow_abbrev=False)
    parser.add_argument("--permissions", choices=get_args(Policy), default="allow")
    parser.add_argument("--model", default="")
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    prompt = sys.stdin.buffer.read().decode(errors="replace")
    try:
        session = Session(given.command, given.permissions)
    except OSError as error:
        return failed(f"{given.command[0]} cannot be started: {error.strerror}", NOT_STARTED)
    try:
        heed_signals(session, SECONDS_TO_CANCEL)
        return converse(session, prompt, given.model)
    finally:
        ignore_signals()
        session.end()


def converse(session: Session, prompt: str, model: str) -> int:
    try:
        reason = session.run(prompt, model)
    except (Stopped, BrokenPipeError):
        return say("cancelled", CANCELLED)
    except Refused as error:
        return say(str(error), FAILED)
    except Trouble as error:
        return failed(str(error), FAILED, error.kind)
    except Gone as error:
        return say("cancelled", CANCELLED) if session.cancelled else failed(str(error), FAILED)
    if session.cancelled:
        return say("cancelled", CANCELLED)
    return 0 if reason == "end_turn" else say(f"the agent stopped early: {reason}", FAILED)


def failed(message: str, code: int, kind: str = "other") -> int:
    """Report a failure, also in the stream, if the agent itself does not report it."""
    note(PROBLEM, {"message": message, "kind": kind})
    return say(message, code)


def say(message: str, code: int) -> int:
    sys.stderr.write(f"acp: {message}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
