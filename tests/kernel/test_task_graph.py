"""Waves, the critical path and the time with workers, by hand and against graphs that nobody has thought of."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ralph.kernel.task_graph import critical_path, time_with_workers, waves

DIAMOND = {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c")}


@st.composite
def graphs(draw):
    names = [f"t{number}" for number in range(draw(st.integers(0, 12)))]
    graph = {
        name: tuple(draw(st.lists(st.sampled_from(names[:place]), unique=True))) if place else ()
        for place, name in enumerate(names)
    }
    shuffled = draw(st.permutations(names))
    return {name: graph[name] for name in shuffled}, {name: float(draw(st.integers(1, 9))) for name in names}


def test_a_diamond_has_three_waves():
    assert waves(DIAMOND) == [["a"], ["b", "c"], ["d"]]


def test_what_is_no_node_is_done_already():
    assert waves({"a": ("gone",)}) == [["a"]]
    assert critical_path({"a": ("gone",)}, {"a": 1.0}) == ["a"]


def test_the_critical_path_is_the_heaviest_chain_and_not_the_longest():
    graph = {"a": (), "b": ("a",), "c": ("b",), "heavy": (), "last": ("c", "heavy")}
    weights = {"a": 1.0, "b": 1.0, "c": 1.0, "heavy": 10.0, "last": 1.0}
    assert critical_path(graph, weights) == ["heavy", "last"]
    assert critical_path(graph, dict.fromkeys(graph, 1.0)) == ["a", "b", "c", "last"]


def test_workers_make_a_diamond_shorter_up_to_its_critical_path():
    weights = {"a": 1.0, "b": 5.0, "c": 3.0, "d": 1.0}
    assert [time_with_workers(DIAMOND, weights, workers) for workers in (1, 2, 9)] == [10.0, 7.0, 7.0]


def test_a_deep_chain_needs_no_recursion():
    graph = {f"t{number}": (f"t{number - 1}",) if number else () for number in range(3000)}
    assert len(waves(graph)) == len(critical_path(graph, dict.fromkeys(graph, 1.0))) == 3000


@given(graphs())
def test_every_task_is_in_one_wave_after_all_that_it_needs(found):
    graph, _ = found
    place = {name: number for number, wave in enumerate(waves(graph)) for name in wave}
    assert sorted(place) == sorted(graph)
    assert all(place[need] < place[name] for name in graph for need in graph[name])


@given(graphs())
def test_no_number_of_workers_is_faster_than_the_critical_path(found):
    graph, weights = found
    path = critical_path(graph, weights)
    length = sum(weights[name] for name in path)
    assert all(need in graph[name] for need, name in pairwise(path))
    assert time_with_workers(graph, weights, len(graph) + 1) == length
    assert (
        length <= time_with_workers(graph, weights, 2) <= time_with_workers(graph, weights, 1) == sum(weights.values())
    )
