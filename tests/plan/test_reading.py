"""The process that reads source files: it finds the same, and no file takes the others along."""

import asyncio
import sys

import pytest

from ralph.model.errors import StateError
from ralph.plan import reading
from ralph.plan.outlines import FileOutline, SourceText
from ralph.plan.reading import read_outlines
from ralph.proc.own_python import own_module

GOOD = SourceText("good.py", b"def good(): ...\n")
LAST = SourceText("last.py", b"class Last: ...\n")
READ = [FileOutline(exports=("good",)), FileOutline(types=("Last",), exports=("Last",))]
CRASH = """
import os, runpy
import ralph.plan.outlines as outlines
read = outlines.outline_of
def crash(source):
    if source.path.startswith("bad"):
        {how}
    return read(source)
outlines.outline_of = crash
runpy.run_module("ralph.plan", run_name="__main__")
"""


def scripted(monkeypatch, program):
    """Another program reads."""
    monkeypatch.setattr(reading, "PROGRAM", (sys.executable, "-P", "-c", program))


def read(*sources):
    return asyncio.run(read_outlines(sources))


def bad(number=0):
    return SourceText(f"bad{number}.py", b"")


def test_each_file_is_read_in_order():
    assert read(GOOD, LAST) == READ
    assert read() == []


@pytest.mark.parametrize("how", ["os.abort()", "raise RecursionError", "bytearray(1 << 40)"])
def test_a_file_that_breaks_the_reader_is_told_and_the_rest_is_read(monkeypatch, how):
    scripted(monkeypatch, CRASH.format(how=how))
    assert read(GOOD, bad(), LAST) == [READ[0], None, READ[1]]
    assert read(bad(), bad(1)) == [None, None]


def test_a_file_that_the_parser_does_not_come_to_an_end_with_is_told():
    assert read(GOOD, SourceText("endless.ts", b'"' * 200_000), LAST) == [READ[0], None, READ[1]]


def test_a_process_that_says_nothing_any_more_is_ended(monkeypatch):
    scripted(monkeypatch, CRASH.format(how="__import__('time').sleep(600)"))
    monkeypatch.setattr(reading, "PATIENCE", 1.0)
    assert read(bad(), GOOD)[0] is None


def test_after_too_many_of_them_the_rest_is_not_read(monkeypatch):
    scripted(monkeypatch, CRASH.format(how="os.abort()"))
    monkeypatch.setattr(reading, "MOST_RESTARTS", 2)
    assert read(bad(), GOOD, bad(1), GOOD, bad(2), GOOD, GOOD) == [None, READ[0], None, READ[0], None, None, None]


def test_a_process_that_cannot_start_is_an_error(monkeypatch):
    scripted(monkeypatch, "import sys; sys.exit('no module named x')")
    with pytest.raises(StateError, match="no module named x"):
        read(GOOD)


def test_a_grammar_that_cannot_be_loaded_is_an_error(monkeypatch, tmp_path):
    (tmp_path / "tree_sitter_python.py").write_text("raise ImportError('damaged')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("ralph.plan.reading.PROGRAM", own_module("ralph.plan"))
    with pytest.raises(StateError, match=r"grammar of python cannot be loaded .*damaged"):
        read(GOOD)
