import pytest

from refusals import one_clear_line
from task_shell import TaskShell

pytestmark = pytest.mark.e2e


@pytest.fixture
def shell(tmp_path):
    return TaskShell(tmp_path.resolve())


def test_create_list_show_delete(shell):
    told = shell.good("spec", "create", "auth", "--title", "Log in")
    assert (
        told == "Created auth (Log in). Add a task: ralph task create ID auth TITLE --outcome TEXT --acceptance TEXT\n"
    )
    assert shell.good("spec", "list") == "auth  Log in · 0 of 0 tasks completed\n"
    assert shell.good("spec", "show", "auth").startswith("auth  Log in\n\nIt has no tasks yet.")
    assert shell.good("spec", "delete", "auth", "--yes") == "Deleted auth.\n"
    assert shell.json("spec", "list") == []
    assert shell.good("spec", "list").startswith("There are no specs yet.")


def test_text_is_copied_and_gives_the_title(shell):
    shell.repo.write("plan.md", "Some words.\n\n# Log in with a token\n\n## Later\n")
    shell.good("spec", "create", "auth", "--file", "plan.md")
    assert shell.repo.read(".ralph/specs/auth/spec.md") == shell.repo.read("plan.md")
    spec = shell.json("spec", "show", "auth")
    assert (spec["title"], spec["file"], spec["tasks"]) == ("Log in with a token", ".ralph/specs/auth/spec.md", [])
    assert "text in .ralph/specs/auth/spec.md\n" in shell.good("spec", "show", "auth")


def test_title_is_the_id_if_nothing_else_is_known(shell):
    shell.good("spec", "create", "auth", "--file", "-", input="no heading\n")
    shell.good("spec", "create", "other")
    assert [spec["title"] for spec in shell.json("spec", "list")] == ["auth", "other"]


def test_text_that_is_there_is_never_lost(shell):
    shell.repo.write(".ralph/specs/auth/spec.md", "# Mine\n")
    shell.repo.write("plan.md", "# Another\n")
    one_clear_line(shell("spec", "create", "auth", "--file", "plan.md"), 2, "spec.md exists, with another text")
    assert shell.json("spec", "list") == []
    shell.good("spec", "create", "auth")
    assert shell.json("spec", "show", "auth")["title"] == "Mine"
    assert shell.good("spec", "delete", "auth", "-y") == "Deleted auth. Its text stays in .ralph/specs/auth/spec.md.\n"
    shell.good("spec", "create", "auth", "--file", ".ralph/specs/auth/spec.md")
    assert shell.repo.read(".ralph/specs/auth/spec.md") == "# Mine\n"


def test_tasks_are_shown_in_running_order(shell):
    shell.good("spec", "create", "auth")
    shell.create("A", "--priority", "2")
    shell.create("B", "--depends-on", "A")
    shell.create("C", "--priority", "1", title="First")
    shell.set_status("C", "completed")
    assert [(task["id"], task["status"]) for task in shell.json("spec", "show", "auth")["tasks"]] == [
        ("C", "completed"), ("A", "pending"), ("B", "pending"),
    ]  # fmt: skip
    assert "C  completed    First · priority 1\n" in shell.good("spec", "show", "auth")
    assert shell.good("spec", "list") == "auth  auth · 1 of 3 tasks completed\n"


def test_spec_with_tasks_is_deleted_only_with_them(shell):
    shell.good("spec", "create", "auth")
    shell.create("A")
    shell.create("B", "--depends-on", "A")
    one_clear_line(shell("spec", "delete", "auth", "--yes"), 2, "spec auth has tasks: A, B", "--with-tasks")
    assert shell.good("spec", "delete", "auth", "--with-tasks", "--yes") == "Deleted auth with 2 tasks.\n"
    assert (shell.ids(), shell.json("spec", "list")) == ([], [])


def test_spec_whose_tasks_are_needed_elsewhere_stays(shell):
    shell.good("spec", "create", "auth")
    shell.good("spec", "create", "other")
    shell.create("A")
    shell.create("B", "--depends-on", "A", spec="other")
    one_clear_line(shell("spec", "delete", "auth", "--with-tasks", "--yes"), 2, "B depends on task A")
    assert shell.ids() == ["A", "B"]


def test_what_cannot_be_is_one_clear_line(shell):
    shell.good("spec", "create", "auth")
    one_clear_line(shell("spec", "create", "auth"), 2, "there is a spec auth already")
    one_clear_line(shell("spec", "create", "../up"), 2, "the spec id '../up' must be letters")
    one_clear_line(shell("spec", "create", "x", "--title", "a\nb"), 2, "must be one line of text")
    one_clear_line(shell("spec", "create", "x", "--file", "gone.md"), 2, "gone.md cannot be read: No such file")
    one_clear_line(shell("spec", "show", "nope"), 2, "there is no spec 'nope'", "ralph spec create")
    one_clear_line(shell("spec", "delete", "nope", "--yes"), 2, "there is no spec 'nope'")
    one_clear_line(shell("spec", "delete", "auth"), 2, "stdin is not a terminal")
    assert [spec["id"] for spec in shell.json("spec", "list")] == ["auth"]


def test_text_is_not_written_through_a_link(shell, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    shell.repo.write(".ralph/x", "")
    (shell.repo.path / ".ralph/specs").symlink_to(outside)
    one_clear_line(shell("spec", "create", "auth", "--file", "-", input="# x"), 9, "has become a symbolic link")
    assert list(outside.iterdir()) == []
    assert shell.json("spec", "list") == []
