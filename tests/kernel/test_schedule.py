"""The ready set of a graph, over random graphs and random ends."""

from hypothesis import given
from hypothesis import strategies as st

from ralph.kernel.schedule import Schedule


@st.composite
def graphs(draw, most=8):
    """Tasks with dependencies on earlier ones, and on some that are not in the graph."""
    names = [f"T{number}" for number in range(draw(st.integers(1, most)))]
    return {
        name: tuple(draw(st.lists(st.sampled_from([*names[:place], "done before"]), unique=True)))
        for place, name in enumerate(names)
    }


def behind(graph, name):
    """All that depend on it, at first or at second hand."""
    found = {name}
    for each, needs in graph.items():
        if found.intersection(needs):
            found.add(each)
    return found - {name}


def driven(data, graph, schedule, room, bad=()):
    """Begin what may begin and end it in any order; those in `bad` fail. The names, as they begin and as they end."""
    running, begun, ended = [], [], []
    while True:
        ready = schedule.ready(room - len(running))
        for name in ready:
            assert all(need in schedule.done for need in graph[name] if need in graph), "it begins too early"
        running += ready
        begun += ready
        assert len(running) <= room
        if not running:
            return begun, ended
        name = running.pop(data.draw(st.integers(0, len(running) - 1)))
        ended.append(name)
        schedule.fail(name, "because") if name in bad else schedule.finish(name)


@given(graphs(), st.integers(1, 4), st.data())
def test_every_task_is_done_once_after_those_that_it_needs(graph, room, data):
    schedule = Schedule(graph)
    begun, ended = driven(data, graph, schedule, room)
    assert sorted(begun) == sorted(ended) == sorted(graph)
    assert list(schedule.done) == ended
    assert (schedule.is_over, schedule.failed) == (True, {})


@given(graphs(), st.integers(1, 4), st.data())
def test_a_failure_stops_all_behind_it_and_nothing_else(graph, room, data):
    bad = data.draw(st.sets(st.sampled_from(sorted(graph))))
    schedule = Schedule(graph)
    begun, _ = driven(data, graph, schedule, room, bad)
    stopped = set().union(*(behind(graph, name) for name in bad))
    assert set(begun) == set(graph) - stopped
    assert schedule.failed.keys() == bad | stopped
    assert schedule.done.keys() == graph.keys() - bad - stopped
    assert schedule.is_over


@given(graphs(), st.integers(1, 4), st.data())
def test_each_that_is_not_done_has_its_own_reason_or_names_the_one_that_is_missing(graph, room, data):
    bad = data.draw(st.sets(st.sampled_from(sorted(graph))))
    schedule = Schedule(graph)
    begun, _ = driven(data, graph, schedule, room, bad)
    for name, why in schedule.failed.items():
        missing = {f"it depends on {need}" for need in graph[name] if need in schedule.failed}
        assert why == "because" if name in begun else why in missing


@given(graphs(), st.integers(1, 4), st.data())
def test_what_failed_is_tried_again_and_what_is_done_is_not(graph, room, data):
    bad = data.draw(st.sets(st.sampled_from(sorted(graph))))
    schedule = Schedule(graph)
    _, first = driven(data, graph, schedule, room, bad)
    schedule.try_again()
    assert schedule.is_over is not bool(bad)
    begun, _ = driven(data, graph, schedule, room)
    assert sorted(begun) == sorted(graph.keys() - (set(first) - bad))
    assert (schedule.done.keys(), schedule.failed) == (graph.keys(), {})


@given(graphs(), st.data())
def test_those_that_are_ready_come_in_the_order_of_the_graph(graph, data):
    schedule = Schedule(graph)
    begun, _ = driven(data, graph, schedule, 1)
    assert begun == [name for name in graph if name in begun]


def test_without_room_nothing_begins_and_what_was_left_open_can_be_tried_again():
    schedule = Schedule({"A": (), "B": (), "C": ("A",)})
    assert schedule.ready(1) == ["A"]
    assert schedule.ready(0) == schedule.ready(-1) == []
    schedule.fail("A", "no agent")
    schedule.try_again()
    assert schedule.ready(9) == ["A", "B"]


def test_one_that_is_behind_another_in_two_ways_is_stopped_once():
    schedule = Schedule({"A": (), "B": ("A",), "C": ("A", "B"), "D": ("C", "A")})
    schedule.ready(1)
    schedule.fail("A", "because")
    assert schedule.failed.keys() == {"A", "B", "C", "D"}
