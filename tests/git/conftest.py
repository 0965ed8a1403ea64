import shutil

import pytest

from ralph.testing import temp_repo


@pytest.fixture(params=["sha1", "sha256"])
def empty_repo(request, tmp_path):
    """A repository without a commit, with each kind of hash."""
    repo = temp_repo(tmp_path)
    shutil.rmtree(repo.path / ".git")
    repo.git("init", "--quiet", "--initial-branch=main", "--template=", f"--object-format={request.param}")
    repo.git("config", "user.name", "Ada")
    repo.git("config", "user.email", "ada@example.org")
    return repo
