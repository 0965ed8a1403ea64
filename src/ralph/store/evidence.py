"""Stored results by project, tree and check: evidence, the trials of a check with their tests, and reviews."""

import time
from hashlib import blake2b
from typing import Any

import msgspec

from ralph.model.evidence import Evidence
from ralph.model.proof import Trial
from ralph.model.reviews import Review
from ralph.store.sql import Sql, Store

_KEEP = """INSERT INTO evidence (project_id, tree, check_digest, at, body)
    VALUES (:project, :tree, :digest, :at, :body) ON CONFLICT (project_id, tree, check_digest) """
_FIRST, _LATEST = f"{_KEEP} DO NOTHING", f"{_KEEP} DO UPDATE SET at = excluded.at, body = excluded.body"
_FIND = "SELECT body FROM evidence WHERE project_id = :project AND tree = :tree AND check_digest = :digest"


def check_digest(*parts: bytes) -> str:
    """The digest of everything besides the tree that a check's result depends on."""
    return blake2b(b"\0".join(parts), digest_size=16).hexdigest()


def keep_evidence(store: Store, project: str, tree: str, digest: str, evidence: Evidence) -> None:
    """Keep evidence, unless some was kept before. A failure is not kept, so that it is checked again."""
    store.write(Sql(_FIRST, _values(project, tree, digest, msgspec.json.encode(evidence))))


def _values(project: str, tree: str, digest: str, body: bytes) -> dict[str, Any]:
    return {"project": project, "tree": tree, "digest": digest, "at": time.time(), "body": body}


def keep_trial(store: Store, project: str, tree: str, digest: str, trial: Trial) -> None:
    """Keep a trial, whatever its result: the decision reads it again."""
    store.write(Sql(_LATEST, _values(project, tree, digest, msgspec.json.encode(trial))))


def find_trial(store: Store, project: str, tree: str, digest: str) -> Trial | None:
    rows = store.read(_FIND, project=project, tree=tree, digest=digest)
    return msgspec.json.decode(rows[0]["body"], type=Trial) if rows else None


def find_evidence(store: Store, project: str, tree: str, digest: str) -> Evidence | None:
    rows = store.read(_FIND, project=project, tree=tree, digest=digest)
    return msgspec.json.decode(rows[0]["body"], type=Evidence) if rows else None


def keep_review(store: Store, project: str, tree: str, digest: str, review: Review) -> None:
    """Keep a review, whatever its decision: the same files are not reviewed twice."""
    store.write(Sql(_LATEST, _values(project, tree, digest, msgspec.json.encode(review))))


def find_review(store: Store, project: str, tree: str, digest: str) -> Review | None:
    rows = store.read(_FIND, project=project, tree=tree, digest=digest)
    return msgspec.json.decode(rows[0]["body"], type=Review) if rows else None
