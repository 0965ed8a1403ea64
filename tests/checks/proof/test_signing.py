"""Statements in DSSE envelopes, signed by real ssh keys."""

import asyncio
import base64
import json
import os
import subprocess

import pytest

from ralph.checks.proof.record import BadRecord
from ralph.checks.proof.signing import PAYLOAD_TYPE, CannotSign, opened, signed, signer_of
from ralph.workbench.bench import Workbench

STATEMENT = b'{"_type":"https://in-toto.io/Statement/v1"}'


@pytest.fixture
def bench(tmp_path):
    return Workbench(tmp_path, dict(os.environ), "test")


def make_key(folder, name, passphrase=""):
    made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", name, "-f", str(folder / name)]
    subprocess.run(made, check=True)
    return folder / name


def allow(folder, name):
    file = folder / "allowed"
    file.write_text(f"{name}@example.invalid {(folder / f'{name}.pub').read_text()}")
    return file


def test_a_signed_line_is_an_envelope_that_its_signer_is_known_by(tmp_path, bench):
    line = asyncio.run(signed(STATEMENT, make_key(tmp_path, "one"), bench))
    assert json.loads(line)["payloadType"] == "application/vnd.in-toto+json"
    payload, envelope = opened(line)
    assert payload == STATEMENT
    assert asyncio.run(signer_of(payload, envelope, allow(tmp_path, "one"), bench)) == "one@example.invalid"


def test_another_key_another_statement_and_a_broken_signature_have_no_signer(tmp_path, bench):
    payload, envelope = opened(asyncio.run(signed(STATEMENT, make_key(tmp_path, "one"), bench)))
    make_key(tmp_path, "two")
    assert asyncio.run(signer_of(payload, envelope, allow(tmp_path, "two"), bench)) == ""
    allowed = allow(tmp_path, "one")
    assert asyncio.run(signer_of(payload + b" ", envelope, allowed, bench)) == ""
    for sig in ("", "????", base64.b64encode(b"nonsense").decode()):
        line = json.dumps({"payload": "", "payloadType": PAYLOAD_TYPE, "signatures": [{"sig": sig}]})
        _, broken = opened(line.encode())
        assert asyncio.run(signer_of(payload, broken, allowed, bench)) == ""


def test_a_line_without_a_signature_is_a_statement():
    assert opened(STATEMENT) == (STATEMENT, None)


@pytest.mark.parametrize("line", [b"", b'{"payload": "x"}', b'{"payload": "", "payloadType": "a/b", "signatures": []}'])
def test_what_is_no_envelope_is_told_so(line):
    with pytest.raises(BadRecord):
        opened(line)


def test_a_key_that_cannot_sign_says_why(tmp_path, bench):
    with pytest.raises(CannotSign, match="could not sign"):
        asyncio.run(signed(STATEMENT, tmp_path / "missing", bench))
    with pytest.raises(CannotSign, match="could not sign"):
        asyncio.run(signed(STATEMENT, make_key(tmp_path, "locked", "secret words"), bench))
