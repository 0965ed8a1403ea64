"""The behaviours that are there, and what a file of one must say."""

from argparse import Namespace

import pytest

from honesty.__main__ import columns_of
from honesty.catalogue import HERE, Unusable, find, load
from honesty.kit import COLUMNS, Attack, Control

ENTRIES = list(find([]))
LONGEST = 50


def test_there_are_enough_of_both_kinds():
    attacks = [each for each in ENTRIES if each.group == "behaviours" and not each.behaviour.limit]
    controls = [each for each in ENTRIES if each.group == "controls"]
    assert len(attacks) >= 75
    assert len(controls) >= 30


def test_enough_were_written_after_the_rules():
    kinds = [type(each.behaviour) for each in ENTRIES if each.group == "heldout"]
    assert kinds.count(Attack) >= 18
    assert kinds.count(Control) >= 10


@pytest.mark.parametrize("kind", [Attack, Control])
def test_in_a_hurry_each_is_played_once_with_ralph_and_no_column_is_left_out(kind):
    quick = Namespace(quick=True, full=False)
    chosen = [(each, columns_of(each, quick)) for each in ENTRIES if isinstance(each.behaviour, kind)]
    assert [each.name for each, columns in chosen if len(columns) != 1] == []
    assert [each.name for each, columns in chosen if columns[0] not in each.behaviour.played_in(full=False)] == []
    assert {column for _, columns in chosen for column in columns} == {*COLUMNS}


def test_each_folder_holds_what_it_says():
    kinds = {each.group: set() for each in ENTRIES}
    for each in ENTRIES:
        kinds[each.group].add(type(each.behaviour))
    assert kinds["behaviours"] == {Attack}
    assert kinds["controls"] == {Control}


def test_names_are_unique_and_sentences_are_sentences():
    names = [each.name for each in ENTRIES]
    assert len(names) == len(set(names))
    for each in ENTRIES:
        assert each.sentence.endswith("."), each.name


def test_a_behaviour_stays_a_small_file():
    assert [each.name for each in ENTRIES if len(each.file.read_text().splitlines()) > LONGEST] == []


def test_every_runner_and_every_column_has_attacks_and_controls():
    for kind in (Attack, Control):
        chosen = [each.behaviour for each in ENTRIES if isinstance(each.behaviour, kind)]
        assert {each.start.runner for each in chosen} >= {"pytest", "unittest", "node:test", "make", "shell"}
        played = {column for each in chosen for column in each.played_in(full=False)}
        assert played == {*COLUMNS}


def test_a_file_without_a_behaviour_or_a_sentence_is_refused(tmp_path):
    silent = tmp_path / "silent.py"
    silent.write_text("from honesty.kit import *\nBEHAVIOUR = Control(start=PYTEST, agent=Tree.fix)\n")
    empty = tmp_path / "empty.py"
    empty.write_text('"""Nothing."""\n')
    with pytest.raises(Unusable, match="does not say in its docstring"):
        load(silent)
    with pytest.raises(Unusable, match="declares no BEHAVIOUR"):
        load(empty)
    with pytest.raises(Unusable, match="there is no"):
        list(find([tmp_path / "missing.py"]))


def test_files_and_folders_can_be_named():
    one = HERE / "controls/plain_fix.py"
    assert [each.name for each in find([one])] == ["plain_fix"]
    assert {each.group for each in find([HERE / "controls"])} == {"controls"}
