"""Where a story loop may work: which branch it may take, and what it says of one that it may not."""

import asyncio

import pytest

from ralph.app.stories.archive import archive
from ralph.app.stories.ground import look_at_ground, refuse_branch_of_spec
from ralph.model.errors import ConfigError
from ralph.model.tasks import Spec
from ralph.store.projects import project_at
from ralph.store.sqlite import SqliteStore
from ralph.store.tasks import add_spec
from ralph.testing import temp_repo


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"a.txt": "a\n"})


def ground(repo, branch, *, allow_dirty=False):
    return asyncio.run(look_at_ground(repo.path, branch, "ralph", allow_dirty=allow_dirty))


def refused(repo, branch, **how):
    with pytest.raises(ConfigError) as caught:
        ground(repo, branch, **how)
    return str(caught.value)


@pytest.mark.parametrize("name", ["-x", "a..b", "a b", "", "@", "ralph/a.lock", "ralph//a", "a~1", "HEAD"])
def test_a_name_that_is_no_branch_is_refused(repo, name):
    assert f"branchName {name!r} is not a valid name for a branch" in refused(repo, name)


def test_a_branch_that_is_checked_out_elsewhere_is_refused_with_its_place(repo, tmp_path):
    repo.git("worktree", "add", "--quiet", "-b", "ralph/shop", str(tmp_path / "other"))
    assert f"ralph/shop is checked out in {tmp_path / 'other'}" in refused(repo, "ralph/shop")


def test_a_branch_below_or_above_another_is_refused(repo):
    repo.git("branch", "ralph/shop")
    assert "there is a branch ralph/shop" in refused(repo, "ralph/shop/cart")
    assert "there is a branch ralph/shop" in refused(repo, "ralph")


def test_a_branch_that_exists_is_gone_on_with_and_a_new_one_is_made(repo):
    repo.git("branch", "ralph/shop")
    for branch in ("ralph/shop", "ralph/other", "main"):
        assert ground(repo, branch)[:2] == ((), "main")
    repo.git("checkout", "--quiet", "--detach")
    assert ground(repo, "ralph/shop").checked_out == repo.git("rev-parse", "HEAD").strip()


def test_what_is_not_committed_is_left_out_only_where_no_other_branch_is_checked_out(repo):
    repo.write("a.txt", "mine\n")
    assert "not everything is committed: a.txt" in refused(repo, "ralph/shop")
    assert ground(repo, "ralph/shop", allow_dirty=True).dirty == ("a.txt",)
    repo.git("branch", "ralph/shop")
    assert "with --allow-dirty ralph/shop must be checked out already" in refused(repo, "ralph/shop", allow_dirty=True)


def test_a_change_of_gitignore_is_the_users_unless_it_is_the_line_of_the_plan(repo):
    repo.write(".gitignore", ".ralph-active\n")
    assert ground(repo, "ralph/shop").dirty == ()
    repo.write(".gitignore", "*.log\n.ralph-active\n")
    assert "not everything is committed: .gitignore" in refused(repo, "ralph/shop")
    assert ground(repo, "ralph/shop", allow_dirty=True).dirty == (".gitignore",)
    repo.git("add", ".gitignore")
    repo.git("commit", "--quiet", "--message", "ignore")
    repo.write(".gitignore", "*.log\n")
    assert "not everything is committed: .gitignore" in refused(repo, "ralph/shop")


@pytest.mark.parametrize("name", ["prd.md", "prompt.md", "progress.txt"])
def test_a_file_of_the_plan_that_is_a_link_is_refused_and_stays(repo, name):
    repo.write("docs/file.md", "the real one\n")
    repo.commit_all("docs")
    link = repo.path / "ralph" / name
    link.parent.mkdir()
    link.symlink_to("../docs/file.md")
    assert f"ralph/{name} is a link" in refused(repo, "ralph/shop")
    with pytest.raises(ConfigError, match=f"ralph/{name} is a link"):
        asyncio.run(archive(repo.path))
    assert link.read_text() == "the real one\n"


def test_a_branch_of_a_spec_is_refused(repo):
    with SqliteStore(repo.home / ".ralph") as store:
        refuse_branch_of_spec(store, repo.path, "ralph/shop")
        known = project_at(store, repo.path).id
        store.write(add_spec(known, Spec(id="shop", title="Shop", created_at=1, updated_at=1)))
        for branch in ("ralph/shop", "ralph/shop--T1"):
            with pytest.raises(ConfigError, match="is in use by the spec shop"):
                refuse_branch_of_spec(store, repo.path, branch)
        refuse_branch_of_spec(store, repo.path, "ralph/shopping")
