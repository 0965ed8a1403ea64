import pytest

from supervised import Supervised


@pytest.fixture
def supervised(loop):
    return Supervised(loop.repo)
