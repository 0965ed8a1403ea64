"""What was spent, added up by spec, task, iteration and day: dollars where they are known, tokens always."""

import json
from datetime import datetime

import pytest

from ralph.app.runs.costs import added_up, costs
from ralph.cli.json_text import json_text
from ralph.model.errors import ConfigError
from ralph.model.events import Tokens
from ralph.model.evidence import Spent
from ralph.store.costs import Call
from ralph.store.sqlite import SqliteStore

NOON = datetime(2026, 2, 5, 12).astimezone().timestamp()
DAY = 86400.0
CALLS = [
    Call("r1", NOON, Spent(0.1, Tokens(10, 1, 2, 3)), "s", "T-1", "", 1),
    Call("r1", NOON, Spent(0.2, Tokens(20)), "s", "T-1", "", 1),
    Call("r1", NOON + DAY, Spent(None, Tokens(output=40)), "s", "T-1", "", 2),
    Call("r1", NOON + DAY, Spent(0.4, Tokens(80)), "s", "T-2", "coder", 1),
    Call("r1", NOON + DAY, Spent(0.8, Tokens(160)), "s"),
    Call("r2", NOON + DAY, Spent(None, Tokens(320))),
]


def test_sums_by_spec_task_iteration_and_day():
    found = json.loads(json_text(added_up(CALLS)))
    (spec,) = found["specs"]
    first, second = spec["chunks"]
    assert [(each["iteration"], each["costUsd"], each["tokens"]) for each in first["iterations"]] == [
        (1, 0.3, 36),
        (2, None, 40),
    ]
    assert (first["id"], first["costUsd"], first["tokens"], first["tokensWithoutPrice"]) == ("T-1", 0.3, 76, 40)
    assert [each["role"] for each in second["iterations"]] == ["coder"]
    assert (spec["id"], spec["costUsd"], spec["tokens"]) == ("s", 1.5, 316)
    assert (spec["whole"]["costUsd"], spec["whole"]["tokens"]) == (0.8, 160)
    assert (found["elsewhere"]["costUsd"], found["elsewhere"]["tokens"]) == (None, 320)
    assert [(day["day"], day["costUsd"], day["tokens"]) for day in found["days"]] == [
        ("2026-02-05", 0.3, 36),
        ("2026-02-06", 1.2, 600),
    ]
    assert found["total"] == {
        "costUsd": 1.5,
        "tokens": 636,
        "tokensInput": 590,
        "tokensOutput": 41,
        "tokensCacheRead": 2,
        "tokensCacheWrite": 3,
        "tokensWithoutPrice": 360,
    }


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"spec": "nowhere"}, "there is no spec 'nowhere' here. See them: ralph spec list"),
        ({"since": "soon"}, "--since 'soon' is not a time. Give yesterday, a date or time such as 2026-02-05"),
    ],
)
def test_what_cannot_be_added_up_is_one_line(tmp_path, asked, told):
    with SqliteStore(tmp_path / "home") as store, pytest.raises(ConfigError) as raised:
        costs(store, tmp_path, **asked)
    assert told in f"{raised.value}"


def test_a_project_without_runs_has_cost_nothing(tmp_path):
    with SqliteStore(tmp_path / "home") as store:
        found = costs(store, tmp_path)
    assert (found.total.cost_usd, found.total.tokens, found.specs, found.days) == (None, 0, [], [])
