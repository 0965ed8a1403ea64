import signal
import sys
from argparse import ArgumentParser
from typing import get_args

from ralph.agents.acp_client import PROBLEM
from ralph.agents.acp_client.dialogue import Gone, Refused, note
from ralph.agents.acp_client.permissions import Policy
from ralph.agents.acp_client.session import Session, Trouble

ENDS = (signal.SIGINT, signal.SIGTERM)
SECONDS_TO_CANCEL = 2.0
"""How long a cancelled agent may take to say so. Whoever cancels us waits for five."""
FAILED, NOT_STARTED, CANCELLED = 1, 127, 130


class Stopped(Exception):
    """Nobody waits for the agent any longer."""


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
        heed_signals(session)
        return converse(session, prompt, given.model)
    finally:
        for number in (*ENDS, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
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


def heed_signals(session: Session) -> None:
    """The first signal cancels the turn, politely; a second, or no reaction to the first, ends it."""

    def stop(_number: int, _frame: object) -> None:
        raise Stopped

    def cancel(_number: int, _frame: object) -> None:
        for number in ENDS:
            signal.signal(number, stop)
        if not session.cancel():
            raise Stopped
        signal.setitimer(signal.ITIMER_REAL, SECONDS_TO_CANCEL)

    signal.signal(signal.SIGALRM, stop)
    for number in ENDS:
        signal.signal(number, cancel)


def failed(message: str, code: int, kind: str = "other") -> int:
    """Also said in the stream, where the agent itself says nothing of it."""
    note(PROBLEM, {"message": message, "kind": kind})
    return say(message, code)


def say(message: str, code: int) -> int:
    sys.stderr.write(f"acp: {message}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
