from pathlib import Path

import pytest

from ralph.git.checkout import Checkout
from ralph.git.named_paths import NamedPaths

HOME = {"HOME": "/home/ada"}


def at(top):
    return Checkout(Path(top), Path(top, ".git/worktrees/T-1"), Path(top, ".git"), "")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/p/.git/worktrees/T-1/config.worktree", "$GIT_DIR/config.worktree"),
        ("/p/.git/info/exclude", "$GIT_COMMON_DIR/info/exclude"),
        ("/p/.ignored", "$GIT_WORK_TREE/.ignored"),
        ("/home/ada/.gitconfig", "~/.gitconfig"),
        ("/etc/gitconfig", "/etc/gitconfig"),
    ],
)
def test_a_path_is_named_by_its_folder_and_found_where_that_is_now(path, name):
    assert NamedPaths(at("/p"), HOME).name(Path(path)) == name
    moved = NamedPaths(at("/q"), {"HOME": "/home/bob"}).path(name)
    assert str(moved) == path.replace("/p/", "/q/").replace("ada", "bob")


def test_without_a_home_its_files_keep_their_paths():
    assert NamedPaths(at("/p"), {}).name(Path("/home/ada/.gitconfig")) == "/home/ada/.gitconfig"
