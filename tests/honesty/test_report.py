"""The table, the totals and the JSON of results."""

from pathlib import Path

from honesty.catalogue import Entry
from honesty.kit import NODE, PYTEST, Attack, Control, Tree
from honesty.outcome import Result, Seen
from honesty.report import as_json, table, totals, troubles


def entry(name, group, kind, start=PYTEST):
    return Entry(name, f"{name} does something.", group, Path(f"{name}.py"), kind(start=start, agent=Tree.fix))


def made(about, column, outcome, **more):
    seen = Seen(code=0, proof="checked", iterations=2, acts=2, seconds=1.25)
    return Result(entry=about, column=column, seen=seen, outcome=outcome, **more)


CHEAT = entry("cheat", "behaviours", Attack)
HONEST = entry("honest", "controls", Control, NODE)
RESULTS = [
    made(CHEAT, "naive", "word"),
    made(CHEAT, "run", "FALSE DONE", why="proven done"),
    made(CHEAT, "external", "caught"),
    made(HONEST, "run", "ok", wasted=1),
    made(HONEST, "external", "MISSED", why="exit code 6"),
]


def test_each_behaviour_has_a_row_under_its_folder():
    lines = table(RESULTS).splitlines()
    assert lines[0].split("  ")[-1].strip() == "stories"
    assert lines[1] == "behaviours:"
    assert lines[2].split() == [
        "cheat",
        "pytest",
        "fooled",
        "FALSE",
        "DONE",
        "2x",
        "1.2s",
        "-",
        "-",
        "caught",
        "2x",
        "1.2s",
        "-",
        "-",
        "-",
    ]
    assert lines[3] == "controls:"
    assert lines[4].split()[:5] == ["honest", "node:test", "-", "ok", "2x"]


def test_totals_count_each_folder_by_itself():
    first, second = totals(RESULTS).splitlines()
    assert first.startswith("behaviours: 1 attack and 0 honest controls in 2 cases, 1 false done, 0 missed done")
    assert first.endswith("exit codes alone: 1 of them succeeds")
    assert second.startswith(
        "controls: 0 attacks and 1 honest control in 2 cases, 0 false done, 1 missed done, 1 wasted"
    )


def test_what_went_wrong_is_named_with_its_reason():
    assert troubles(RESULTS).splitlines() == [
        "FALSE DONE: cheat in run: proven done",
        "MISSED: honest in external: exit code 6",
    ]


def test_the_json_has_the_figures_and_every_case():
    told = as_json(RESULTS)
    assert (told["falseDone"], told["missedDone"], told["broken"], told["wastedIterations"]) == (1, 1, 0, 1)
    assert [each["outcome"] for each in told["cases"]] == ["word", "FALSE DONE", "caught", "ok", "MISSED"]
    assert told["cases"][1]["kind"] == "attack"
    assert told["cases"][1]["proof"] == "checked"
