"""Statements signed with an ssh key: each line is a DSSE envelope."""

import base64
import binascii
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ralph.checks.proof.record import BadRecord
from ralph.workbench.bench import Workbench

PAYLOAD_TYPE = "application/vnd.in-toto+json"
NAMESPACE = "ralph-proof"
PROGRAM = "ssh-keygen"
SILENT = {"SSH_ASKPASS_REQUIRE": "never", "DISPLAY": ""}
"""The environment without prompts, because nobody is there to type a passphrase: ssh-agent must have such a key."""
LIMIT = 60.0


class Signature(Struct, frozen=True, omit_defaults=True):
    sig: str
    keyid: str = ""


class Envelope(Struct, frozen=True, rename={"payload_type": "payloadType"}):
    payload: str
    payload_type: str
    signatures: tuple[Signature, ...]


class CannotSign(Exception):
    """The statement cannot be signed. The text is one sentence without a full stop."""


def named_file(project: Path, given: str) -> Path:
    """A file that the settings name: relative to the project, or to the user's home."""
    return project / Path(given).expanduser()


def opened(line: bytes) -> tuple[bytes, Envelope | None]:
    """The statement in a line, and the envelope of its signature, if it is signed."""
    try:
        told: dict[str, Any] = msgspec.json.decode(line, type=dict[str, Any])
        if "payload" not in told:
            return line, None
        envelope = msgspec.convert(told, Envelope)
        if envelope.payload_type != PAYLOAD_TYPE:
            raise BadRecord(f"a line is an envelope of the type {envelope.payload_type!r}")
        return base64.b64decode(envelope.payload, validate=True), envelope
    except (msgspec.DecodeError, UnicodeDecodeError, binascii.Error) as error:
        raise BadRecord(f"a line of the record cannot be read: {error}") from None


async def signed(statement: bytes, key: Path, bench: Workbench) -> bytes:
    """The line with the signature of that key."""
    argv = [PROGRAM, "-Y", "sign", "-q", "-f", str(key), "-n", NAMESPACE]
    done = await bench.run(argv, env=SILENT, stdin=_authenticated(statement), limit=LIMIT)
    if done.code != 0 or not done.out.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        raise CannotSign(f"{key} could not sign: {' '.join(done.err.split())[:300] or 'ssh-keygen wrote no signature'}")
    envelope = Envelope(_base64(statement), PAYLOAD_TYPE, (Signature(_base64(done.out)),))
    return msgspec.json.encode(envelope, order="sorted")


async def signer_of(statement: bytes, envelope: Envelope, allowed: Path, bench: Workbench) -> str:
    """The allowed signer who signed the statement; empty if none did."""
    for signature in envelope.signatures:
        try:
            told = base64.b64decode(signature.sig, validate=True)
        except binascii.Error:
            continue
        with tempfile.NamedTemporaryFile(prefix="ralph-signature-") as file:
            file.write(told)
            file.flush()
            if name := await _verified(statement, Path(file.name), allowed, bench):
                return name
    return ""


async def _verified(statement: bytes, file: Path, allowed: Path, bench: Workbench) -> str:
    found = await bench.run([PROGRAM, "-Y", "find-principals", "-s", str(file), "-f", str(allowed)], limit=LIMIT)
    for name in found.text.splitlines() if found.code == 0 else ():
        argv = [PROGRAM, "-Y", "verify", "-f", str(allowed), "-I", name, "-n", NAMESPACE, "-s", str(file)]
        done = await bench.run(argv, stdin=_authenticated(statement), limit=LIMIT)
        if done.code == 0:
            return name
    return ""


def _authenticated(statement: bytes) -> bytes:
    """The bytes that DSSE signs: the type and the payload, each with its length."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(statement), statement)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
