import shutil

import pytest


@pytest.fixture(autouse=True)
def make_room(tmp_path):
    """Large streams and logs go with their test: pytest keeps the directories of several sessions."""
    yield
    shutil.rmtree(tmp_path / "repo/.ralph", ignore_errors=True)
