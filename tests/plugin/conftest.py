import pytest

from plugin_hooks import Hooks


@pytest.fixture
def hooks(monkeypatch, capsys):
    return Hooks(monkeypatch, capsys)
