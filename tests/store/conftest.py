import pytest

from stores import Database


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    """An empty database, once of each kind."""
    environ = {"RALPH_HOME": str(tmp_path / "home")}
    if request.param == "postgres":
        environ["RALPH_DATABASE_URL"] = request.getfixturevalue("postgres")
    return Database(environ)


@pytest.fixture
def store(database):
    with database.open() as store:
        yield store


@pytest.fixture
def another(database):
    """The same database, as another process has it open."""
    with database.open() as store:
        yield store


@pytest.fixture
def sqlite(tmp_path):
    return Database({"RALPH_HOME": str(tmp_path / "home")})
