import os
import select
import stat
import subprocess

import pytest

from ralph.testing.program import ralph_program
from refusals import one_clear_line
from task_shell import TaskShell, many

pytestmark = pytest.mark.e2e

PATIENCE = 30.0


@pytest.fixture
def auth(tmp_path):
    """A project with a spec."""
    shell = TaskShell(tmp_path.resolve())
    shell.spec("auth")
    return shell


def editor(shell, script):
    """A program that changes the file it is given."""
    path = shell.repo.home / "editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return {"EDITOR": str(path)}


def drafts(shell):
    return list((shell.repo.home / "tmp").iterdir())


@pytest.fixture
def editing(auth):
    """Starts `ralph task edit T` with such an editor; its temporary files lie in a place of their own."""
    auth.create("T")
    (auth.repo.home / "tmp").mkdir()

    def edit(script, **env):
        return auth("task", "edit", "T", env={**editor(auth, script), "TMPDIR": str(auth.repo.home / "tmp"), **env})

    return edit


# Delete


def test_delete(auth):
    auth.create("T")
    one_clear_line(auth("task", "delete", "T"), 2, "stdin is not a terminal", "--yes")
    assert auth.ids() == ["T"]
    assert auth.good("task", "delete", "T", "--yes") == "Deleted T.\n"
    assert auth.ids() == []


def test_task_that_others_need_is_not_deleted(auth):
    auth.create("A")
    auth.create("B", "--depends-on", "A")
    auth.create("C", "--depends-on", "A")
    one_clear_line(auth("task", "delete", "A", "--yes"), 2, "B, C depend on task A")
    assert auth.ids() == ["A", "B", "C"]


def test_running_task_is_left_alone(auth, editing):
    run = auth.run_task("T")
    facts = ("task T is running", f"ralph cancel {run}")
    one_clear_line(auth("task", "delete", "T", "--yes"), 2, *facts)
    one_clear_line(auth("task", "import", "--replace", "-", input=many(("T", {}))), 2, *facts)
    one_clear_line(auth("spec", "delete", "auth", "--with-tasks", "--yes"), 2, *facts)
    one_clear_line(editing("echo >> $1"), 2, *facts)
    assert auth.ids() == ["T"]
    assert drafts(auth) == []


# Edit


def test_edit_changes_the_task(auth, editing):
    done = editing("sed -i 's/A title/Better/; s/No token gets 401/It works well/' $1")
    assert (done.code, done.out) == (0, "Saved T.\n")
    assert done.err.startswith('ralph: task T: a criterion is vague: "works well"')
    assert auth.show("T")["title"] == "Better"
    assert drafts(auth) == []


def test_edit_changes_what_a_chunk_is_told(auth, editing):
    auth.good("task", "import", "-", "--replace", input=many(("T", {"relevant_files": ["a.py"], "max_iterations": 3})))
    done = editing("sed -i 's/a.py/b.py/; s/max_iterations: 3/max_iterations: 4/' \"$1\"")
    assert done.code == 0, done.err
    assert (auth.show("T")["relevantFiles"], auth.show("T")["maxIterations"]) == (["b.py"], 4)


def test_visual_comes_before_editor_and_may_have_arguments(auth, editing):
    done = editing("exit 1", VISUAL="sed -i -e 's/A title/Better/'")
    assert (done.code, done.err) == (0, "")
    assert auth.show("T")["title"] == "Better"


def test_edit_that_changes_nothing_says_so(auth, editing):
    before = auth.show("T")
    assert editing("touch $1").out == "Nothing changed.\n"
    assert auth.show("T") == before
    assert drafts(auth) == []


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("sed -i s/title:/titel:/ $1", 'unknown key "titel"'),
        ("echo '[' > $1", "the edited text is not valid YAML"),
        ("sed -i 's/id: T/id: U/' $1", "holds U instead of T: an id cannot be changed"),
        ("sed -i 's/dependencies: .*/dependencies: [T]/' $1", "task T depends on itself"),
        ("sed -i '/outcome/d' $1", "the outcome is missing"),
        ("echo changed > $1; exit 3", "editor' failed"),
        ("sed -i 's/spec_id: .*/spec_id: nowhere/' $1", "there is no spec nowhere"),
    ],
)
def test_invalid_text_is_never_lost(auth, editing, script, told):
    before = auth.show("T")
    done = editing(script)
    (draft,) = drafts(auth)
    one_clear_line(done, 2, told, f"Nothing was saved; the text is kept in {draft}")
    assert auth.show("T") == before
    assert draft.read_text()


def on_terminal(shell, *args, env, answers):
    """Runs it on a pseudo-terminal, typing each answer when its question comes; the exit code, and what was shown."""
    master, slave = os.openpty()
    process = subprocess.Popen(
        [ralph_program(), *args],
        cwd=shell.repo.path,
        env={**shell.repo.env, **env},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    screen, waiting = "", list(answers)
    try:
        while data := _shown(master):
            screen += data
            if waiting and waiting[0][0] in screen:
                os.write(master, waiting.pop(0)[1].encode())
        assert not waiting, screen
        return process.wait(PATIENCE), screen
    finally:
        process.kill()
        process.wait()
        os.close(master)


def _shown(master):
    assert select.select([master], [], [], PATIENCE)[0], "nothing more was shown"
    try:
        return os.read(master, 4096).decode()
    except OSError:
        return ""


def test_on_a_terminal_it_can_be_edited_again(auth, editing):
    mended = "if grep -q titel $1; then sed -i 's/titel: .*/title: Mended/' $1; else sed -i s/title:/titel:/ $1; fi"
    env = {**editor(auth, mended), "TMPDIR": str(auth.repo.home / "tmp")}
    code, screen = on_terminal(auth, "task", "edit", "T", env=env, answers=[("Edit again? [Y/n]", "\n")])
    assert (code, 'unknown key "titel"' in screen, "Saved T." in screen) == (0, True, True)
    assert auth.show("T")["title"] == "Mended"
    assert drafts(auth) == []


def test_on_a_terminal_no_keeps_the_text(auth, editing):
    env = {**editor(auth, "echo '[' > $1"), "TMPDIR": str(auth.repo.home / "tmp")}
    code, screen = on_terminal(auth, "task", "edit", "T", env=env, answers=[("Edit again? [Y/n]", "n\n")])
    (draft,) = drafts(auth)
    assert (code, str(draft) in screen.replace("\r\n", "")) == (2, True)


@pytest.mark.parametrize(("answer", "left"), [("y\n", []), ("n\n", ["T"]), ("\n", ["T"])])
def test_on_a_terminal_delete_asks(auth, answer, left):
    auth.create("T")
    on_terminal(auth, "task", "delete", "T", env={}, answers=[("Delete T (A title)? [y/N]", answer)])
    assert auth.ids() == left
