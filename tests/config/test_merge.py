import copy

from hypothesis import given
from hypothesis import strategies as st

from ralph.config.merge import leaves, merge, nested

scalars = st.none() | st.booleans() | st.integers() | st.text("ab", max_size=3)
arrays = st.lists(scalars, max_size=3)
KEYS = st.sampled_from(["a", "b", "c", "agent", "flags"])
anything = st.recursive(scalars | arrays, lambda inner: st.dictionaries(KEYS, inner, max_size=4), max_leaves=12)
objects = st.dictionaries(KEYS, anything, max_size=4)


def shaped(depth):
    """Objects in which a key that begins with `o` always holds an object, and no other key does: as in a schema."""
    leaf = st.dictionaries(st.sampled_from(["x", "y", "list"]), scalars | arrays, max_size=3)
    if depth == 0:
        return leaf
    inner = st.dictionaries(st.sampled_from(["o1", "o2"]), shaped(depth - 1), max_size=2)
    return st.builds(lambda plain, deep: plain | deep, leaf, inner)


def test_the_example_of_the_specification():
    base = {"agent": {"command": "claude", "flags": ["--model opus"]}}
    local = {"agent": {"flags": ["--verbose"]}}
    assert merge(base, local) == {"agent": {"command": "claude", "flags": ["--verbose"]}}


@given(objects)
def test_an_empty_layer_changes_nothing(data):
    assert merge(data, {}) == data
    assert merge({}, data) == data


@given(objects)
def test_a_layer_over_itself_changes_nothing(data):
    assert merge(data, data) == data


@given(objects, objects)
def test_arguments_stay_as_they_were(base, over):
    before = copy.deepcopy((base, over))
    merge(base, over)
    assert (base, over) == before


@given(shaped(2), shaped(2), shaped(2))
def test_layers_may_be_combined_in_any_grouping_when_keys_keep_their_kind(a, b, c):
    assert merge(merge(a, b), c) == merge(a, merge(b, c))


def test_grouping_matters_only_where_a_scalar_stands_between_two_objects():
    a, b, c = {"scm": {"command": "hg"}}, {"scm": None}, {"scm": {"tasks": ["push"]}}
    assert merge(merge(a, b), c) == {"scm": {"tasks": ["push"]}}
    assert merge(a, merge(b, c)) == {"scm": {"command": "hg", "tasks": ["push"]}}


@given(objects, objects)
def test_every_value_of_the_upper_layer_wins(base, over):
    merged = merge(base, over)
    for path, value in leaves(over):
        if value != {}:
            assert found(merged, path) == value


@given(objects, objects)
def test_values_that_the_upper_layer_does_not_reach_are_kept(base, over):
    merged = merge(base, over)
    for path, value in leaves(base):
        if path[0] not in over:
            assert found(merged, path) == value


@given(arrays, arrays)
def test_arrays_replace_and_are_never_joined(lower, upper):
    assert merge({"a": {"list": lower}}, {"a": {"list": upper}}) == {"a": {"list": upper}}


@given(objects)
def test_leaves_laid_over_each_other_make_the_object_again(data):
    rebuilt = {}
    for path, value in leaves(data):
        rebuilt = merge(rebuilt, nested(path, value))
    assert rebuilt == data


def found(data, path):
    for key in path:
        data = data[key]
    return data
