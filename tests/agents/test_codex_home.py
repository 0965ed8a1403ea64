"""The home that Codex gets for one run: links to what is the user's, and ralph's hooks."""

import json
import shlex
import stat
from pathlib import Path

import pytest

import ralph.plugin
from ralph.agents.codex import Codex
from ralph.agents.codex_home import make_home

PLUGIN = Path(ralph.plugin.__file__).parent
UNFENCED = ["--dangerously-bypass-approvals-and-sandbox"]
USERS = {
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}, {"type": "command", "command": "odd"}]}]}
}


@pytest.fixture
def users(tmp_path):
    folder = tmp_path / "users"
    (folder / "skills" / "own").mkdir(parents=True)
    (folder / "sessions").mkdir()
    (folder / "auth.json").write_text("{}", encoding="utf-8")
    (folder / "config.toml").write_text('model = "m"\n', encoding="utf-8")
    return folder


@pytest.fixture
def made(tmp_path, users):
    home = tmp_path / "home"

    def made(plugin=PLUGIN):
        make_home(home, plugin, {"CODEX_HOME": str(users)})
        return home

    return made


def commands(home, event):
    groups = json.loads((home / "hooks.json").read_text(encoding="utf-8"))["hooks"][event]
    return [hook["command"] for group in groups for hook in group["hooks"]]


def test_login_and_settings_are_links_and_sessions_are_not(made, users):
    home = made()
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    for name in ("auth.json", "config.toml", "skills/own"):
        assert (home / name).readlink() == users / name
    assert not (home / "skills").is_symlink(), "what Codex adds to it goes with the run"
    assert not (home / "sessions").exists()


def test_the_hooks_are_the_plugins_with_a_path_that_a_shell_reads_as_one_word(made, tmp_path):
    plugin = tmp_path / "a $(touch x) 'place'"
    (plugin / "hooks").mkdir(parents=True)
    (plugin / "hooks/hooks.json").write_bytes((PLUGIN / "hooks/hooks.json").read_bytes())
    [guard] = commands(made(plugin), "PreToolUse")
    assert shlex.split(guard) == ["python3", "-I", f"{plugin}/hooks/scripts/command_guard.py", "||", "exit", "2"]


def test_what_an_agent_has_made_of_it_is_put_right(made, tmp_path, users):
    home = made()
    (home / "hooks.json").write_text("{}", encoding="utf-8")
    (home / "auth.json").unlink()
    (home / "auth.json").write_text("stolen", encoding="utf-8")
    made()
    assert commands(home, "Stop")
    assert (home / "auth.json").readlink() == users / "auth.json"
    elsewhere = tmp_path / "elsewhere"
    home.rename(elsewhere)
    home.symlink_to(elsewhere)
    assert not made().is_symlink()


@pytest.mark.parametrize(
    ("state", "kept"),
    [("", []), ('trusted_hash = "sha256:1"', ["mine"]), ('trusted_hash = "sha256:1"\nenabled = false', [])],
)
def test_of_the_users_hooks_those_stay_that_are_trusted(made, users, state, kept):
    (users / "hooks.json").write_text(json.dumps(USERS), encoding="utf-8")
    (users / "config.toml").write_text(f'[hooks.state."{users}/hooks.json:stop:0:0"]\n{state}\n', encoding="utf-8")
    *first, last = commands(made(), "Stop")
    assert first == kept
    assert "stop_loop_reminder.py" in last


@pytest.mark.parametrize("text", ["", "{", "[]", '{"hooks": 3}', '{"hooks": {"Stop": [3]}}', '{"hooks": {"Stop": {}}}'])
def test_hooks_of_the_user_that_cannot_be_read_are_left_out(made, users, text):
    (users / "hooks.json").write_text(text, encoding="utf-8")
    (users / "config.toml").write_text("[", encoding="utf-8")
    assert len(commands(made(), "Stop")) == 1


@pytest.fixture
def codex(tmp_path):
    program = tmp_path / "codex"
    program.write_text("#!/bin/sh\necho '  --json --dangerously-bypass-hook-trust'\n", encoding="utf-8")
    program.chmod(0o755)

    def hooks(home, environ, flags=UNFENCED):
        return Codex().hooks([str(program)], flags, home, environ)

    return hooks


def test_it_takes_hooks_where_its_home_may_lie(codex, tmp_path, users):
    environ = {"CODEX_HOME": str(users), "TMPDIR": str(tmp_path / "tmp")}
    assert codex(tmp_path / "tmp/home", environ).env == {"CODEX_HOME": f"{tmp_path}/tmp/home"}
    assert codex(tmp_path / "tmp/home", environ, flags=[]) is None, "its own sandbox would fail without a word"
    assert codex(Path("/home/u/project/home"), environ, flags=[])


def test_a_login_in_the_keyring_is_found_from_its_own_home_alone(codex, tmp_path, users):
    (users / "config.toml").write_text('cli_auth_credentials_store = "keyring"\n', encoding="utf-8")
    assert codex(tmp_path, {"CODEX_HOME": str(users)})
    (users / "auth.json").unlink()
    assert codex(tmp_path, {"CODEX_HOME": str(users)}) is None


def test_an_old_codex_takes_none(tmp_path, users):
    program = tmp_path / "codex"
    program.write_text("#!/bin/sh\necho '  --json --full-auto'\n", encoding="utf-8")
    program.chmod(0o755)
    assert Codex().hooks([str(program)], UNFENCED, tmp_path, {"CODEX_HOME": str(users)}) is None
