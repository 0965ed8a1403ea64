"""Evidence that was gathered before: found again by project, tree and check, on both databases."""

import pytest

from ralph.model.evidence import Evidence
from ralph.store.evidence import check_digest, find_evidence, keep_evidence
from ralph.store.projects import project_at
from ralph.store.sql import Sql
from stores import count

SEEN = Evidence(
    "make test", passed=True, reason="exit code 0, as expected", exit_code=0, log="runs/r/v.log", duration=2.5
)


@pytest.fixture
def project(store, tmp_path):
    return project_at(store, tmp_path / "one").id


def test_what_was_kept_is_found_by_whoever_opens_the_store(store, another, project):
    keep_evidence(store, project, "tree", "digest", SEEN)
    assert find_evidence(another, project, "tree", "digest") == SEEN


def test_another_project_tree_or_check_has_none(store, project, tmp_path):
    keep_evidence(store, project, "tree", "digest", SEEN)
    elsewhere = project_at(store, tmp_path / "two").id
    assert find_evidence(store, elsewhere, "tree", "digest") is None
    assert find_evidence(store, project, "other", "digest") is None
    assert find_evidence(store, project, "tree", "other") is None


def test_of_two_that_gather_the_same_at_once_the_first_is_kept(store, another, project):
    keep_evidence(store, project, "tree", "digest", SEEN)
    keep_evidence(another, project, "tree", "digest", Evidence("make test", passed=True, reason="later"))
    assert find_evidence(store, project, "tree", "digest") == SEEN
    assert count(store, "evidence") == 1


def test_it_goes_with_its_project(store, project):
    keep_evidence(store, project, "tree", "digest", SEEN)
    store.write(Sql("DELETE FROM projects WHERE id = :id", {"id": project}, must=1))
    assert count(store, "evidence") == 0


def test_a_digest_tells_what_is_put_together_in_another_way():
    texts = [(b"ab",), (b"a", b"b"), (b"a", b"", b"b"), (b"", b"ab"), (b"b", b"a")]
    assert len({check_digest(*each) for each in texts}) == len(texts)
    assert check_digest(b"a", b"b") == check_digest(b"a", b"b")
