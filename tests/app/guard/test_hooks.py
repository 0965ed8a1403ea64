"""The stop guard in the hooks of an agent: added once, taken out without a trace, and never at the cost of a file."""

import json
import stat

import pytest

from ralph.app.guard.hook_files import agents_here, hook_file, program
from ralph.app.guard.hooks import install, remove
from ralph.model.errors import ConfigError

CALL = "ralph guard"
OWN = """{
    "model": "opus",
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "say done"}]}
        ],
        "PreToolUse": []
    },
    "permissions": {"allow": ["Bash(make:*)"]}
}
"""


@pytest.fixture
def file(tmp_path):
    return hook_file("claude", "project", tmp_path, {})


def write(file, text):
    file.path.parent.mkdir(parents=True, exist_ok=True)
    file.path.write_bytes(text.encode())


def hooks(file):
    return json.loads(file.path.read_text())["hooks"]


def commands(file, event):
    return [hook["command"] for group in hooks(file)[event] for hook in group["hooks"]]


def test_a_new_file_holds_both_events_and_goes_again(file):
    assert install(file, CALL)
    assert list(hooks(file)) == ["SessionStart", "Stop"]
    assert hooks(file)["Stop"] == [{"hooks": [{"type": "command", "command": CALL, "timeout": 3600}]}]
    assert remove(file)
    assert not file.path.exists()


def test_a_second_time_changes_nothing(file):
    install(file, CALL)
    before = file.path.read_bytes(), file.path.stat().st_ino
    assert not install(file, CALL)
    assert not install(file, "/opt/ralph/bin/ralph guard")
    assert (file.path.read_bytes(), file.path.stat().st_ino) == before
    remove(file)
    assert not remove(file)


def test_all_else_stays_byte_for_byte(file):
    write(file, OWN)
    assert install(file, CALL)
    assert commands(file, "Stop") == ["say done", CALL]
    kept = iter(file.path.read_text().splitlines())
    assert all(any(line.rstrip(",") == each.rstrip(",") for each in kept) for line in OWN.splitlines())
    assert remove(file)
    assert file.path.read_text() == OWN


def test_half_of_it_is_completed(file):
    write(file, json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": CALL}]}]}}))
    assert install(file, CALL)
    assert (commands(file, "Stop"), commands(file, "SessionStart")) == ([CALL], [CALL])


def test_it_is_taken_out_of_the_midst_of_others(file):
    hook = [{"type": "command", "command": each} for each in ("a", "'/opt/my ralph/ralph' guard", "b")]
    write(
        file, json.dumps({"hooks": {"Stop": [{"hooks": hook}, {"hooks": hook[1:2]}], "Other": [{"hooks": hook[1:2]}]}})
    )
    assert remove(file)
    assert hooks(file) == {"Stop": [{"hooks": [hook[0], hook[2]]}]}


@pytest.mark.parametrize(
    "command", ["ralph run", "ralph guard install", "echo ralph guard", "ralph 'guard", "guard", 3, None]
)
def test_what_only_looks_like_it_is_left(file, command):
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})
    write(file, text)
    assert not remove(file)
    assert file.path.read_text() == text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{broken", "is not JSON"),
        ('{"a": 1,}', "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "is not an object"),
        ('{"hooks": []}', "hooks in .claude/settings.json is not an object"),
        ('{"hooks": {"Stop": {}}}', "hooks.Stop in .claude/settings.json is not a list"),
        ('{"hooks": {"Stop": [3]}}', "is not an object"),
        ('{"hooks": {"Stop": [{"hooks": 3}]}}', "is not a list"),
    ],
)
@pytest.mark.parametrize("change", [lambda file: install(file, CALL), remove])
def test_a_file_that_is_not_what_it_should_be_is_refused_and_kept(file, text, problem, change):
    write(file, text)
    with pytest.raises(ConfigError, match="Nothing was changed") as refused:
        change(file)
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)
    assert file.path.read_text() == text


def test_bytes_that_are_no_text_are_refused(file):
    file.path.parent.mkdir()
    file.path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(ConfigError, match="is not UTF-8"):
        install(file, CALL)


def test_an_empty_file_is_a_new_one(file):
    write(file, "\n")
    assert install(file, CALL)
    assert list(hooks(file)) == ["SessionStart", "Stop"]


def test_a_link_stays_a_link_and_the_mode_stays(file, tmp_path):
    real = tmp_path / "dotfiles/settings.json"
    real.parent.mkdir()
    real.write_text("{}")
    real.chmod(0o600)
    file.path.parent.mkdir()
    file.path.symlink_to(real)
    install(file, CALL)
    assert file.path.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert CALL in real.read_text()


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / ".codex").write_text("a file")
    with pytest.raises(ConfigError, match=r"cannot read \.codex/hooks\.json: Not a directory"):
        install(hook_file("codex", "project", tmp_path, {}), CALL)


@pytest.mark.parametrize(
    ("agent", "scope", "environ", "place"),
    [
        ("claude", "project", {}, "project/.claude/settings.json"),
        ("codex", "project", {"CODEX_HOME": "/elsewhere"}, "project/.codex/hooks.json"),
        ("claude", "user", {}, "home/.claude/settings.json"),
        ("claude", "user", {"CLAUDE_CONFIG_DIR": "{}/mine"}, "mine/settings.json"),
        ("codex", "user", {}, "home/.codex/hooks.json"),
        ("codex", "user", {"CODEX_HOME": "{}/mine"}, "mine/hooks.json"),
    ],
)
def test_each_agent_has_its_file(tmp_path, agent, scope, environ, place):
    given = {"HOME": str(tmp_path / "home"), **{key: value.format(tmp_path) for key, value in environ.items()}}
    assert hook_file(agent, scope, tmp_path / "project", given).path == tmp_path / place


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Makes programs of these names the only ones on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("RALPH_HOME", str(tmp_path / "ralph"))

    def make(*names):
        for name in names:
            (folder / name).touch(0o755)
        return {"PATH": str(folder)}

    return make


def test_the_agent_of_the_settings_comes_before_those_that_are_installed(tmp_path, programs):
    environ = programs("claude", "codex")
    assert agents_here(tmp_path, environ) == ["claude", "codex"]
    (tmp_path / ".ralph").mkdir()
    for chosen, expected in (("codex", ["codex"]), ("/opt/claude", ["claude"]), ("gemini", ["claude", "codex"])):
        (tmp_path / ".ralph/settings.json").write_text(json.dumps({"agent": {"command": chosen}}))
        assert agents_here(tmp_path, environ) == expected


def test_without_any_agent_one_must_be_named(tmp_path, programs):
    with pytest.raises(ConfigError, match="Name one: --agent"):
        agents_here(tmp_path, programs())


def test_ralph_is_called_by_its_name_where_that_finds_it(programs, monkeypatch):
    monkeypatch.setattr("sys.argv", ["/opt/my ralph/bin/ralph"])
    assert program(programs()) == "'/opt/my ralph/bin/ralph'"
    assert program(programs("ralph")) == "ralph"
