"""A checklist, and what every file of a plan must survive: odd bytes, edits, other writers."""

import codecs
import os

import pytest

from exchanges import changed_lines
from ralph.app.exchange.source_file import change_source
from ralph.model.errors import ConfigError, StateError

CHORES = "# Chores\n\n- [ ] Wash up\n  - [ ] plates\n  - [x] cups\n- [x] Sweep\n- [ ] Wash up\n- [ ]\n"


def test_boxes_become_tasks_in_their_order(exchange):
    exchange.write("TODO.md", CHORES)
    imported = exchange.imports("TODO.md")
    assert (imported.spec, imported.title, imported.tasks) == ("TODO", "Chores", ("ITEM-1", "ITEM-2", "ITEM-3"))
    assert imported.closed == {"ITEM-2": "done before the import"}
    assert imported.notes == ("the box at line 8 has no text: it is left out",)
    tasks = exchange.tasks()
    assert [tasks[f"ITEM-{number}"].priority for number in (1, 2, 3)] == [1, 2, 3]
    assert "- plates\n- cups (done before)" in tasks["ITEM-1"].description


def test_a_task_is_ticked_with_its_steps_and_nothing_else(exchange):
    exchange.write("TODO.md", CHORES)
    exchange.imports("TODO.md", spec="chores")
    exchange.complete("ITEM-1")
    synced = exchange.sync("chores")
    assert (synced.open, [each.is_new for each in synced.tasks]) == (1, [True])
    assert changed_lines(CHORES.encode(), exchange.bytes("TODO.md")) == {
        3: (b"- [ ] Wash up\n", b"- [x] Wash up\n"),
        4: (b"  - [ ] plates\n", b"  - [x] plates\n"),
    }
    assert [each.is_new for each in exchange.sync("chores").tasks] == [False]


def test_nothing_is_ticked_that_ralph_has_not_completed(exchange):
    from ralph.store.tasks import set_status

    exchange.write("TODO.md", "- [ ] a\n- [ ] b\n- [ ] c\n- [ ] d\n")
    exchange.imports("TODO.md", spec="s")
    for name, status in {"ITEM-1": "failed", "ITEM-2": "skipped", "ITEM-3": "running"}.items():
        set_status(exchange.store, exchange.project, name, status)
    synced = exchange.sync("s")
    assert (synced.tasks, synced.open) == ([], 3)
    assert exchange.bytes("TODO.md") == b"- [ ] a\n- [ ] b\n- [ ] c\n- [ ] d\n"


@pytest.mark.parametrize(
    "raw",
    [
        b"- [ ] one\r\n- [ ] two\r\n",
        codecs.BOM_UTF8 + "- [ ] one\r\n- [ ] zwölf\n".encode(),
        codecs.BOM_UTF16_LE + "- [ ] one\r\n- [ ] zwölf 🎯\r\n".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "- [ ] one\n- [ ] two".encode("utf-16-be"),
        b"- [ ] one\r- [ ] two\r",
        "- [ ] one\x0b\x0c\x85\u2028 \n- [] two\n\t\n".encode(),
    ],
    ids=["windows", "bom", "utf-16-le", "utf-16-be", "old mac", "odd breaks"],
)
def test_line_ends_marks_and_encodings_stay_byte_for_byte(exchange, raw):
    exchange.write("list.md", raw)
    exchange.imports("list.md", spec="s")
    exchange.complete("ITEM-1")
    exchange.sync("s")
    wide = raw[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    encoding = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}[raw[:2]] if wide else "ascii"
    assert exchange.bytes("list.md") == raw.replace("[ ] one".encode(encoding), "[x] one".encode(encoding), 1)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("- [ ] caf\xe9\n".encode("latin-1"), "is not UTF-8: byte 10 is wrong. Save it as UTF-8 text."),
        (codecs.BOM_UTF16_LE + b"a", "is not UTF-16: byte 3 is wrong"),
        ("- [ ] a".encode("utf-16-le"), "is not text: it has a byte 0"),
        (b"", 'has no box such as "- [ ] text"'),
        (b"# nothing\n```\n- [ ] a\n", "the code fence that begins at line 2 is never closed"),
        (b"- [ ] a\n" * 1001, "has 1001 tasks; the limit is 1000"),
    ],
    ids=["latin-1", "half utf-16", "utf-16 without a mark", "empty", "open fence", "too many"],
)
def test_what_cannot_be_read_is_one_clear_line(exchange, raw, words):
    exchange.write("list.md", raw)
    with pytest.raises(ConfigError) as refused:
        exchange.imports("list.md")
    assert words in str(refused.value)
    assert exchange.bytes("list.md") == raw
    assert exchange.tasks() == {}


def test_50_mb_are_refused_unread(exchange):
    with exchange.write("list.md", b"").open("r+b") as file:
        file.truncate(50_000_000)
    with pytest.raises(ConfigError, match=r"list.md has 50.0 MB; the limit is 10 MB"):
        exchange.imports("list.md")


def test_a_fifo_is_refused_at_once(exchange):
    os.mkfifo(exchange.path / "pipe.md")
    with pytest.raises(ConfigError, match=r"pipe.md is not a regular file"):
        exchange.imports("pipe.md")


def test_a_link_out_of_the_project_is_refused(exchange):
    (exchange.path.parent / "secret.md").write_text("- [ ] a\n")
    (exchange.path / "list.md").symlink_to("../secret.md")
    with pytest.raises(ConfigError, match=r"list.md is a link out of the project"):
        exchange.imports("list.md")
    with pytest.raises(ConfigError, match=r"secret.md is outside of the project"):
        exchange.imports("../secret.md")


def test_a_link_that_appears_after_the_import_is_not_written_through(exchange):
    exchange.write("list.md", "- [ ] a\n")
    exchange.imports("list.md", spec="s")
    exchange.complete("ITEM-1")
    outside = exchange.path.parent / "outside.md"
    outside.write_text("- [ ] a\n")
    (exchange.path / "list.md").unlink()
    (exchange.path / "list.md").symlink_to(outside)
    [synced] = exchange.sync("s").tasks
    assert "is a link out of the project" in synced.problem
    assert outside.read_text() == "- [ ] a\n"


def test_what_a_person_edited_meanwhile_stays_and_what_reads_differently_is_not_ticked(exchange):
    exchange.write("list.md", "- [ ] one\n- [ ] two\n- [ ] three\n  - [ ] step\n")
    exchange.imports("list.md", spec="s")
    exchange.complete("ITEM-1", "ITEM-2", "ITEM-3")
    edited = b"New words.\n- [ ] zero\n- [ ] one\n- [ ] three\n  - [ ] another step\n"
    exchange.write("list.md", edited)
    synced = exchange.sync("s")
    assert exchange.bytes("list.md") == edited.replace(b"[ ] one", b"[x] one")
    assert {each.task: each.problem for each in synced.tasks} == {
        "ITEM-1": "",
        "ITEM-2": "it no longer exists",
        "ITEM-3": "its text has changed since the import",
    }


def test_a_file_that_is_gone_is_said(exchange):
    exchange.write("list.md", "- [ ] one\n")
    exchange.imports("list.md", spec="s")
    exchange.complete("ITEM-1")
    (exchange.path / "list.md").unlink()
    assert [each.problem for each in exchange.sync("s").tasks] == [
        "there is no list.md. Name a file, a folder or an issue."
    ]


def test_an_edit_between_reading_and_writing_is_not_lost(exchange):
    file = exchange.write("list.md", "- [ ] one\n")
    edits = iter([b"- [ ] one\n- [ ] two\n", b"- [ ] one\n- [ ] two\n- [ ] three\n"])

    def change(before):
        if edit := next(edits, None):
            file.write_bytes(edit)
        return before.text.replace("[ ] one", "[x] one")

    change_source(exchange.path, "list.md", change)
    assert file.read_bytes() == b"- [x] one\n- [ ] two\n- [ ] three\n"


def test_a_file_that_never_rests_is_given_up_and_not_clobbered(exchange):
    file = exchange.write("list.md", "- [ ] one\n")

    def change(before):
        file.write_bytes(before.raw + b"more\n")
        return before.text.replace("[ ] one", "[x] one")

    with pytest.raises(StateError, match=r"another program keeps changing list.md"):
        change_source(exchange.path, "list.md", change)
    assert file.read_bytes().startswith(b"- [ ] one\nmore\n")


def test_the_mode_of_the_file_stays(exchange):
    exchange.write("list.md", "- [ ] one\n").chmod(0o640)
    exchange.imports("list.md", spec="s")
    exchange.complete("ITEM-1")
    exchange.sync("s")
    assert (exchange.path / "list.md").stat().st_mode & 0o777 == 0o640


def test_terminal_escapes_do_not_become_a_title(exchange):
    exchange.write("list.md", "# \x1b[31mRed\n- [ ] do \x1b]0;x\x07this\n")
    imported = exchange.imports("list.md", spec="s")
    assert "\x1b" not in imported.title
    assert exchange.tasks()["ITEM-1"].title.isprintable()
