import pytest

from exchanges import Exchange


@pytest.fixture
def exchange(tmp_path, monkeypatch):
    exchange = Exchange(tmp_path)
    for name, value in exchange.repo.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(exchange.path)
    yield exchange
    exchange.close()
