"""Seventeen secrets, by name and by shape, printed in every way: none is written or shown anywhere."""

import json
import sqlite3
from base64 import b64encode
from urllib.parse import quote

import pytest

from loops import Loop
from ralph.testing import TempRepo, done, edits
from task_crew import TaskCrew, judges, promise

NAMED = {
    "DB_PASS": "pass-4f1c9a7e",
    "PGPASSWORD": "pgpassword-77aa",
    "MYSQL_PWD": "mysql-pwd-91bc",
    "CLIENT_SECRET_V2": "client/secret+82d1",
    "GITHUB_TOKEN_RO": "token-b7e1c3d5",
    "STRIPE_KEY_TEST": "stripe-key-0d9f",
    "BASIC_AUTH": "me:basic-auth-1b2c",
    "SESSION_COOKIE": "session=cookie-5e6f",
    "SLACK_WEBHOOK_URL": "https://hooks.example.org/T1/webhook-3a4b",
    "DATABASE_URL": "postgres://app:url-password-6c7d@db/shop",
    "SSH_PRIVATE_KEY": "line-one-of-the-private-key-aa\nline-two-of-the-private-key-bb",
    "ACME_LICENSE": "license-by-settings-8e9f",
}
SHAPED = {
    "anthropic": "sk-ant-api03-abcdefgh0123",
    "github": "ghp_abcdefghijklmnop1234",
    "aws": "AKIAABCDEFGHIJKLMNOP",
    "slack": "xoxb-123456789012-abcdefghijkl",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN",
}
ORDINARY = {
    "OLDPWD": "/home/dev/old-directory",
    "SSH_AUTH_SOCK": "/tmp/agent-socket-1234",
    "XAUTHORITY": "/home/dev/.Xauthority",
    "API_KEY": "short-7",
}
VALUES = {**NAMED, **SHAPED, "DATABASE_URL": "url-password-6c7d"}
assert len(VALUES) == 17


def forms(value):
    """A token that only its shape tells is not known in base64."""
    known = () if value in SHAPED.values() else (b64encode(value.encode()).decode(),)
    return value, json.dumps(value), quote(value, safe=""), *known


def printed(values, spell):
    return "\n".join(f"{name}: {spell(value)}" for name, value in values.items())


def everything(loop):
    """What lies in the project and in ralph's home, and each cell of its database."""
    for folder in (loop.repo.path / ".ralph", loop.repo.home / ".ralph"):
        for path in folder.rglob("*"):
            if path.is_file() and path.name not in ("settings.json", "config.yaml"):
                yield str(path), path.read_bytes()
    with sqlite3.connect(loop.repo.home / ".ralph/ralph.db") as database:
        for table in ("runs", "journal", "blobs"):
            for row in database.execute(f"SELECT * FROM {table}"):  # noqa: S608 - a name from the line above
                yield table, repr(row).encode()


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """All that is left of one run whose agent, its standard error and its guardrail print all secrets in all forms."""
    root = tmp_path_factory.mktemp("matrix")
    repo = TempRepo(root)
    repo.path.mkdir()
    repo.home.mkdir()
    loop = Loop(repo, root / "bin", repo.path / ".ralph/settings.json")
    text = printed({**VALUES, **ORDINARY}, lambda value: " and ".join(forms(value)))
    (repo.path / "all.txt").write_text(text)
    loop.prepare(
        {"say": text, "stderr": text, "final": text},
        edits({"made": ""}) | done(),
        guardrails=[{"command": "cat all.txt; test -f made"}],
        env={"secrets": ["ACME_*"]},
    )
    ended = loop.ralph("run", "-p", "Do the work.", "--verbose", env={**NAMED, **ORDINARY})
    assert ended.code == 0, ended.err
    shown = [loop.ralph(*args).out for args in (("logs",), ("show",), ("show", "--json"), ("runs", "--json"))]
    places = [("screen", ended.out.encode()), ("stderr", ended.err.encode()), *everything(loop)]
    return places + [("screens", out.encode()) for out in shown], ended


@pytest.mark.parametrize("name", VALUES)
def test_seventeen_of_seventeen_are_masked_everywhere(seen, name):
    places, ended = seen
    for form in forms(VALUES[name]):
        for line in form.splitlines():
            leaks = [place for place, data in places if line.strip('"').encode() in data]
            assert leaks == []
            assert line not in ended.prompts[1]


@pytest.mark.parametrize("name", ORDINARY)
def test_nothing_ordinary_is_masked(seen, name):
    places, ended = seen
    assert ORDINARY[name] in ended.prompts[1]
    assert any(ORDINARY[name].encode() in data for place, data in places if place.endswith("stream.ndjson"))


def test_the_judge_is_asked_without_secrets(tmp_path):
    crew = TaskCrew(tmp_path)
    secret = "s3cret-of-the-judge"
    crew.hire(
        coder=[promise("MADE", {"work.txt": f"good {secret} ghp_abcdefghijklmnop1234\n"})],
        judge=[judges(it_is_good=True)],
    )
    crew.task(coder={"promise": "MADE", "verification_method": "semantic"})
    ended = crew.run(env={"SERVICE_PASS": secret})
    assert ended.code == 0, ended.err
    [asked] = crew.agents["judge"].prompts
    assert "good [redacted] [redacted]" in asked
    assert secret not in asked
