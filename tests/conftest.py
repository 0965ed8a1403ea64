import pytest
from hypothesis import HealthCheck, settings

from loops import Loop
from ralph.testing import TempRepo, temp_repo

# On a machine that is busy with other tests no example has a fair chance to be quick.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture
def loop(tmp_path):
    """A loop in a plain directory, its settings in `.ralph/settings.json`."""
    repo = TempRepo(tmp_path)
    repo.path.mkdir()
    repo.home.mkdir()
    return Loop(repo, tmp_path / "bin", repo.path / ".ralph/settings.json")


@pytest.fixture
def git_loop(tmp_path):
    """A loop in a git repository with one commit, its settings outside of it."""
    repo = temp_repo(tmp_path)
    return Loop(repo, tmp_path / "bin", repo.home / ".ralph/config.yaml")
