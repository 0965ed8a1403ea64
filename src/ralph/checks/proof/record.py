"""The record of a proof: what was checked on which commit, so that others can check it again.

It consists of in-toto statements about one subject. Everything that is stated twice is derived from one statement, so a
record in which only a part was changed is inconsistent.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from ralph.model.proof import Finding, Outcome, Proof, TrialSeen
from ralph.model.verification import External

TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
PROOF = "urn:ralph-engine:proof:1"
VERDICT = "https://in-toto.io/attestation/svr/v0.2"
STATEMENT = "https://in-toto.io/Statement/v1"
VERIFIER = "urn:ralph-engine:ralph"
PROPERTIES: dict[Proof, str] = {
    "checked": "RALPH_PROVEN",
    "warned": "RALPH_PROVEN_WITH_WARNINGS",
    "judged": "RALPH_JUDGED_BY_A_MODEL",
    "word": "RALPH_BY_PROMISE_ONLY",
}


class Subject(Struct, frozen=True, omit_defaults=True):
    """What was checked."""

    name: str
    tree: str
    commit: str = ""
    """The commit; empty if what was checked is no commit."""


class CheckRecord(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A check, and its results on the subject and on the other trees on which it was tried."""

    name: str
    check: External
    passed: bool
    reason: str
    exit_code: int | None = None
    output_digest: str = ""
    """The SHA-256 of the whole output."""
    before: tuple[External, ...] = ()
    """The checks that ran before it in the same tree, because it needs what they build."""
    runners: tuple[str, ...] = ()
    tests: dict[str, Outcome] = {}
    flaky: tuple[str, ...] = ()
    trials: tuple[TrialSeen, ...] = ()
    findings: tuple[Finding, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def result(self) -> str:
        if not self.passed:
            return "FAILED"
        return "WARNED" if any(each.level == "warn" for each in self.findings) else "PASSED"


class Judgement(Struct, frozen=True, omit_defaults=True):
    """What a model said about a criterion."""

    role: str
    passed: bool
    reason: str


class CriterionRecord(Struct, frozen=True, omit_defaults=True):
    criterion: str
    checks: tuple[str, ...] = ()
    """The names of the checks that cover it."""
    judged: tuple[Judgement, ...] = ()


class Environment(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """Where the checks ran."""

    ralph: str
    platform: str
    programs: dict[str, str] = {}
    """The versions of the programs that the checks name."""
    setup: str = ""
    """The digest of what `worktree.copy` and `worktree.init` made."""
    image: str = ""
    """The image of the sandbox in which the checks ran; `none` if they ran on the machine itself."""


class Predicate(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """Everything that is known about a proof."""

    run: str
    recipe: str
    proof: Proof
    base: str
    """The commit at which the work began, or its tree."""
    checks: tuple[CheckRecord, ...]
    environment: Environment
    task: str = ""
    criteria: tuple[CriterionRecord, ...] = ()
    doubts: tuple[str, ...] = ()
    rules: dict[str, Any] = {}
    """Who may change what: `mayChange`, `protectedPaths`, `tamper`."""
    agent_sandbox: tuple[str, ...] = ()
    """How agents without a sandbox were restricted, such as `unsandboxed + guard`."""


class Record(Struct, frozen=True):
    subject: Subject
    predicate: Predicate
    verified_at: str
    """The time, as in RFC 3339."""


class BadRecord(ValueError):
    """The record is inconsistent. Its text is one sentence without a full stop."""


def lines_of(record: Record) -> list[bytes]:
    """The statements, one on each line. The last one names the digests of all others."""
    predicate = record.predicate
    bodies = [(TEST_RESULT, _test_result(each)) for each in predicate.checks]
    bodies.append((PROOF, msgspec.to_builtins(predicate)))
    lines = [_statement(record.subject, kind, body) for kind, body in bodies]
    return [*lines, _statement(record.subject, VERDICT, _verdict(record, lines))]


def read_record(lines: list[bytes]) -> Record:
    """The record that these statements form; a BadRecord if one of them contradicts the others."""
    statements = [_decoded(line) for line in lines]
    proof = _only(statements, PROOF)
    verdict = _only(statements, VERDICT)
    try:
        subject = _subject(proof["subject"])
        predicate = msgspec.convert(proof["predicate"], Predicate)
        record = Record(subject, predicate, str(verdict["predicate"]["timeVerified"]))
    except (msgspec.ValidationError, KeyError, IndexError, TypeError) as error:
        raise BadRecord(f"the statement of the proof cannot be read: {error}") from None
    wanted = lines_of(record)
    for number, (line, other) in enumerate(zip(lines, wanted, strict=False), start=1):
        if line != other:
            raise BadRecord(f"line {number} does not fit the others: a statement or its digest was changed")
    if len(lines) != len(wanted):
        raise BadRecord(f"the record has {len(lines)} statements where {len(wanted)} belong together")
    return record


def digest_of(data: bytes) -> str:
    return sha256(data).hexdigest()


def _statement(subject: Subject, kind: str, predicate: Mapping[str, Any]) -> bytes:
    digest = {"gitTree": subject.tree} | ({"gitCommit": subject.commit} if subject.commit else {})
    about = [{"name": subject.name, "digest": digest}]
    return _canonical({"_type": STATEMENT, "subject": about, "predicateType": kind, "predicate": predicate})


def _test_result(check: CheckRecord) -> dict[str, Any]:
    def those(outcome: Outcome) -> list[str]:
        return sorted(name for name, seen in check.tests.items() if seen == outcome and name not in check.flaky)

    config = {
        "name": check.name,
        "digest": {"sha256": digest_of(_canonical(msgspec.to_builtins(check.check)))},
        "annotations": {"command": check.check.command},
    }
    return {
        "result": check.result,
        "configuration": [config],
        "passedTests": those("passed"),
        "warnedTests": sorted(name for name in check.flaky if name in check.tests),
        "failedTests": those("failed"),
    }


def _verdict(record: Record, lines: list[bytes]) -> dict[str, Any]:
    rules = record.predicate.rules
    return {
        "verifier": {"id": VERIFIER, "version": {"ralph": record.predicate.environment.ralph}},
        "timeVerified": record.verified_at,
        "properties": [PROPERTIES[record.predicate.proof]],
        "policies": [{"name": "rules", "digest": {"sha256": digest_of(_canonical(rules))}, "annotations": rules}],
        "inputAttestations": [{"digest": {"sha256": digest_of(line)}} for line in lines],
    }


def _subject(told: Any) -> Subject:
    [one] = told
    return Subject(str(one["name"]), str(one["digest"]["gitTree"]), str(one["digest"].get("gitCommit", "")))


def _decoded(line: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadRecord(f"a line of the record is not JSON: {error}") from None


def _only(statements: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    found = [each for each in statements if each.get("predicateType") == kind]
    if len(found) != 1:
        raise BadRecord(f"the record has {len(found)} statements of the type {kind} instead of one")
    return found[0]


def _canonical(value: Any) -> bytes:
    return msgspec.json.encode(value, order="sorted")
