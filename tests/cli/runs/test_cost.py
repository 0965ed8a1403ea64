"""`ralph cost`, over a spec that was really run."""

import pytest

from chunk_crew import BAD, GOOD, ChunkCrew

PRICED = {"cost": 0.25, "tokens": {"input": 1000, "output": 200}}


@pytest.fixture(scope="module")
def crew(tmp_path_factory):
    crew = ChunkCrew(tmp_path_factory.mktemp("crew"))
    crew.task()
    crew.hire([BAD | PRICED, GOOD | PRICED])
    assert crew.run().code == 0
    return crew


def test_each_iteration_task_spec_and_day_has_a_line(crew):
    ended = crew.ralph("cost")
    assert ended.code == 0, ended.err
    lines = [line.split() for line in ended.out.splitlines()]
    assert [line[:-3] for line in lines][:4] == [["s"], ["T-1"], ["iteration", "1"], ["iteration", "2"]]
    assert [line[-3:] for line in lines] == [
        ["$0.5", "2.4K", "tokens"],
        ["$0.5", "2.4K", "tokens"],
        ["$0.25", "1.2K", "tokens"],
        ["$0.25", "1.2K", "tokens"],
        ["$0.5", "2.4K", "tokens"],
        ["$0.5", "2.4K", "tokens"],
    ]


def test_of_one_spec_and_of_a_time(crew):
    assert crew.json("cost", "s", "--since", "1h")["total"]["costUsd"] == 0.5
    assert crew.json("cost", "s", "--since", "2999-01-01")["total"]["tokens"] == 0
    nothing = crew.ralph("cost", "s", "--since", "2999-01-01")
    assert nothing.out == "No agent or model has reported what it used.\n"
