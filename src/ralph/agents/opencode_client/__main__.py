import os
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

import msgspec

from ralph.agents.client_signals import Stopped, heed_signals, ignore_signals
from ralph.agents.opencode_client import PROBLEM
from ralph.agents.opencode_client.server import Server, Trouble
from ralph.agents.opencode_client.session import Session

SECONDS_TO_CANCEL = 3.0
"""How many seconds an aborted session may take to say so. The caller waits for five."""
FAILED, CANCELLED = 1, 130


def main() -> int:
    given = arguments()
    prompt = sys.stdin.buffer.read().decode(errors="replace")
    session = Session(Server(given.endpoint, os.environ, directory=os.getcwd()), note, auto=given.auto)  # noqa: PTH109 - spares an import
    heed_signals(session, SECONDS_TO_CANCEL)
    try:
        return converse(session, prompt, given)
    finally:
        ignore_signals()
        session.end()


def arguments() -> Namespace:
    parser = ArgumentParser(prog="python -m ralph.agents.opencode_client", allow_abbrev=False)
    parser.add_argument("--model", "-m", default="")
    parser.add_argument("--agent", default="")
    parser.add_argument("--variant", default="")
    parser.add_argument("--auto", action="store_true")
    parser.add_argument("endpoint")
    return parser.parse_args()


def converse(session: Session, prompt: str, given: Namespace) -> int:
    try:
        session.run(prompt, choices(given))
    except (Stopped, BrokenPipeError):
        return say("cancelled", CANCELLED)
    except Trouble as error:
        return say("cancelled", CANCELLED) if session.cancelled else failed(error)
    return say("cancelled", CANCELLED) if session.cancelled else 0


def choices(given: Namespace) -> dict[str, Any]:
    provider, _, model = given.model.partition("/")
    named = {"agent": given.agent, "variant": given.variant}
    chosen: dict[str, Any] = {key: value for key, value in named.items() if value}
    return {**chosen, "model": {"providerID": provider, "modelID": model}} if model else chosen


def note(line: bytes) -> None:
    # An event is one line, whatever it contains.
    view = memoryview(line.replace(b"\n", b" ") + b"\n")
    while view:
        view = view[os.write(1, view) :]


def failed(error: Trouble) -> int:
    """Report a failure, also in the stream, if the server itself does not report it."""
    told = {"message": str(error), "kind": error.kind, "until": error.until}
    note(msgspec.json.encode({"type": PROBLEM, "properties": told}))
    return say(str(error), FAILED)


def say(message: str, code: int) -> int:
    sys.stderr.write(f"opencode: {message}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
