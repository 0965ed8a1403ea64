"""Sessions of agents that other programs run, on both databases."""

import pytest
from msgspec.structs import replace

from ralph.store.projects import project_at
from ralph.store.sessions import KEPT, Session, accept_settings, begin_session, count_blocks, find_session
from ralph.store.sql import Sql


@pytest.fixture
def session(store, tmp_path):
    return Session("s-1", project_at(store, tmp_path / "one").id, "c0ffee", b'{"git": null}', {"guardrails": []})


def test_a_session_is_found_by_whoever_opens_the_store(store, another, session):
    assert find_session(store, "s-1") is None
    begin_session(store, session)
    assert find_session(another, "s-1") == session


def test_one_that_is_begun_again_stays_as_it_began(store, session):
    begin_session(store, session)
    count_blocks(store, "s-1", 2)
    begin_session(store, replace(session, head="later", settings={}))
    assert find_session(store, "s-1") == replace(session, blocks=2)


def test_refusals_are_counted_for_each(store, session):
    begin_session(store, session)
    begin_session(store, replace(session, id="s-2"))
    count_blocks(store, "s-2", 3)
    assert [find_session(store, each).blocks for each in ("s-1", "s-2")] == [0, 3]


def test_accepted_settings_hold_in_all_sessions_of_the_project(store, session, tmp_path):
    other = project_at(store, tmp_path / "two").id
    begin_session(store, session)
    begin_session(store, replace(session, id="elsewhere", project=other))
    new = {"guardrails": [{"command": "make test"}]}
    assert accept_settings(store, session.project, new) == 1
    assert accept_settings(store, session.project, new) == 0
    assert find_session(store, "s-1").settings == new
    assert find_session(store, "elsewhere").settings == session.settings


def test_what_is_long_over_is_forgotten_when_another_begins(store, session):
    begin_session(store, session)
    store.write(Sql("UPDATE sessions SET at = at - :age", {"age": KEPT + 1}))
    begin_session(store, replace(session, id="s-2"))
    assert find_session(store, "s-1") is None
    assert find_session(store, "s-2")
