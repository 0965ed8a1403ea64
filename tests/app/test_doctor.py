import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from ralph.app.doctor import Finding, blocking, examine

GIT = shutil.which("git")


@pytest.fixture
def bin_dir(tmp_path, monkeypatch) -> Path:
    """The only directory on PATH, with git and nothing else; a home of its own."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").symlink_to(str(GIT))
    for name in ("RALPH_DATABASE_URL", "RALPH_HOME", "GIT_DIR", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "home").mkdir()
    return folder


@pytest.fixture
def project(tmp_path, bin_dir) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def install(bin_dir: Path, name: str, script: str, interpreter: str = "/bin/sh") -> Path:
    path = bin_dir / name
    path.write_text(f"#!{interpreter}\n{script}\n")
    path.chmod(0o755)
    return path


def settle(project: Path, text: str) -> None:
    (project / ".ralph").mkdir()
    (project / ".ralph/settings.json").write_text(text)


def git(project: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", project, *arguments], check=True, capture_output=True)


def found(project: Path) -> dict[str, Finding]:
    return {finding.name: finding for finding in examine(project)}


def blocked_by(project: Path) -> list[str]:
    return [finding.name for finding in blocking(examine(project))]


def test_everything_is_looked_at_in_order(project):
    assert list(found(project)) == [
        "python", "ralph", "git", "repository", "identity", "agents", "settings", "agent",
        "bwrap", "docker sandbox", "sbx", "project", "state", "disk", "sqlite", "database",
    ]  # fmt: skip


def test_whatever_is_missing_has_a_hint(project):
    missing = [finding for finding in examine(project) if finding.status == "missing"]
    assert [finding.name for finding in missing] == ["agents", "bwrap", "docker sandbox", "sbx"]
    assert all(finding.hint for finding in missing)


def test_an_empty_directory_with_git_is_enough(project):
    assert blocked_by(project) == []


def test_git_missing_blocks(project, bin_dir):
    (bin_dir / "git").unlink()
    findings = found(project)
    assert findings["git"].status == "missing"
    assert findings["git"].hint
    assert "repository" not in findings
    assert blocked_by(project) == ["git"]


def test_git_that_fails_blocks(project, bin_dir):
    (bin_dir / "git").unlink()
    install(bin_dir, "git", "echo 'xcrun: no developer tools' >&2; exit 1")
    assert "xcrun: no developer tools" in found(project)["git"].detail
    assert blocked_by(project) == ["git"]


def test_not_a_repository_is_a_warning(project):
    repository = found(project)["repository"]
    assert (repository.status, repository.detail) == ("warning", "this is not a git repository")
    assert "git init" in repository.hint


def test_a_repository_without_a_commit_is_a_warning(project):
    git(project, "init")
    repository = found(project)["repository"]
    assert (repository.status, repository.detail) == ("warning", "there is no commit yet")


def test_a_repository_with_a_commit_and_an_identity(project):
    git(project, "init")
    git(project, "config", "user.name", "Ada")
    git(project, "config", "user.email", "ada@example.org")
    git(project, "commit", "--allow-empty", "-m", "base")
    findings = found(project)
    assert findings["repository"].status == "ok"
    assert (findings["identity"].status, findings["identity"].detail) == ("ok", "Ada <ada@example.org>")


def test_a_directory_outside_the_work_tree_is_a_warning(project):
    git(project, "init")
    repository = found(project / ".git")["repository"]
    assert (repository.status, repository.detail) == (
        "warning",
        "this is inside a repository, but not in its work tree",
    )


def test_no_identity_is_a_warning_that_says_how_to_set_it(project):
    git(project, "init")
    git(project, "config", "user.useConfigOnly", "true")
    identity = found(project)["identity"]
    assert identity.status == "warning"
    assert "user.email" in identity.hint


def test_an_agent_answers_with_its_version(project, bin_dir):
    path = install(bin_dir, "claude", "echo; printf '\\033[1m2.1.0 (Claude Code)\\033[0m\\n'; echo more")
    findings = found(project)
    assert findings["claude"] == Finding("claude", "ok", f"2.1.0 (Claude Code) ({path})")
    assert findings["agents"].status == "ok"
    assert findings["agents"].detail.startswith("1 found; not on PATH: codex, amp")


def test_an_agent_that_reads_from_stdin_does_not_wait(project, bin_dir):
    install(bin_dir, "amp", "read line; echo amp 1.0")
    assert found(project)["amp"].status == "ok"


def test_an_agent_that_says_nothing_is_still_there(project, bin_dir):
    path = install(bin_dir, "goose", "exit 0")
    assert found(project)["goose"].detail == f"no version ({path})"


def test_an_agent_that_fails_gets_a_clear_word(project, bin_dir):
    path = install(bin_dir, "codex", "echo 'license expired' >&2; exit 3")
    assert found(project)["codex"] == Finding(
        "codex",
        "warning",
        f"found at {path}, but it failed with exit code 3: license expired",
        "Try it by hand: codex --version",
    )


def test_an_agent_that_cannot_be_started_gets_a_clear_word(project, bin_dir):
    path = install(bin_dir, "aider", "", interpreter="/no/such/python")
    assert found(project)["aider"].detail == f"found at {path}, but it could not be started"


def test_a_flood_of_bytes_that_are_not_text_becomes_one_short_line(project, bin_dir):
    install(bin_dir, "qwen", "printf '\\377\\000'; head -c 1000000 /dev/zero | tr '\\0' x")
    for tool in ("head", "tr"):
        (bin_dir / tool).symlink_to(str(shutil.which(tool, path="/usr/bin:/bin")))
    qwen = found(project)["qwen"]
    assert qwen.status == "ok"
    assert len(qwen.detail) < 300
    assert "\0" not in qwen.detail


def test_without_settings_no_agent_is_chosen(project):
    findings = found(project)
    assert findings["settings"].detail == "no files, only defaults"
    assert findings["agent"].status == "warning"
    assert "ralph init" in findings["agent"].hint


def test_the_chosen_agent_is_found(project, bin_dir):
    path = install(bin_dir, "claude", "echo 1")
    settle(project, '{"agent": {"command": "claude"}}')
    findings = found(project)
    assert findings["agent"] == Finding("agent", "ok", f"claude ({path})")
    assert findings["settings"].detail == ".ralph/settings.json"


def test_the_chosen_agent_is_missing_and_blocks(project):
    settle(project, '{"agent": {"command": "claude --model opus"}}')
    agent = found(project)["agent"]
    assert agent.status == "missing"
    assert "claude is not an executable on PATH" in agent.detail
    assert blocked_by(project) == ["agent"]


def test_a_chosen_agent_of_ones_own_is_never_started(project, bin_dir):
    install(bin_dir, "mine", f"echo started > {project}/trace")
    settle(project, '{"agent": {"command": "mine"}}')
    assert found(project)["agent"].status == "ok"
    assert not (project / "trace").exists()


def test_a_chosen_agent_may_lie_in_the_project(project):
    install(project, "agent.sh", "")
    settle(project, '{"agent": {"command": "./agent.sh --fast"}}')
    assert found(project)["agent"].status == "ok"


def test_a_chosen_executor_is_looked_up_by_its_command(project, bin_dir):
    install(bin_dir, "python9", "")
    executor = '{"id": "mine", "command": "python9 agent.py"}'
    settle(project, f'{{"agent": {{"command": "mine"}}, "tools": {{"executors": [{executor}]}}}}')
    assert found(project)["agent"].status == "ok"


def test_a_default_executor_counts_as_chosen(project):
    settle(project, '{"defaults": {"executor": "nowhere"}}')
    assert blocked_by(project) == ["agent"]


def test_an_agent_command_that_no_shell_could_split_blocks(project):
    settle(project, '{"agent": {"command": "claude \'"}}')
    agent = found(project)["agent"]
    assert agent.status == "missing"
    assert "agent.command" in agent.detail


def test_the_agent_in_the_environment_is_the_chosen_one(project, monkeypatch):
    monkeypatch.setenv("RALPH_AGENT__COMMAND", "nowhere")
    assert blocked_by(project) == ["agent"]


def test_invalid_settings_block_and_name_the_key(project):
    settle(project, '{"maximumIteration": 3}')
    settings = found(project)["settings"]
    assert settings.status == "missing"
    assert "maximumIteration" in settings.detail
    assert blocked_by(project) == ["settings"]


def test_bwrap_that_works(project, bin_dir):
    install(bin_dir, "bwrap", 'test "$*" = "--ro-bind / / --unshare-user true"')
    assert found(project)["bwrap"].status == "ok"


def test_bwrap_that_is_forbidden_is_a_warning_with_its_own_words(project, bin_dir):
    install(bin_dir, "bwrap", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1")
    bwrap = found(project)["bwrap"]
    assert bwrap.status == "warning"
    assert "setting up uid map: Permission denied" in bwrap.detail
    assert bwrap.hint


def test_docker_with_and_without_its_sandbox(project, bin_dir):
    install(bin_dir, "docker", "echo \"docker: 'sandbox' is not a docker command.\"; exit 1")
    assert found(project)["docker sandbox"].status == "missing"
    install(bin_dir, "docker", 'test "$*" = "sandbox version" && echo v0.7.1')
    assert found(project)["docker sandbox"] == Finding("docker sandbox", "ok", "v0.7.1")


def test_sbx_says_its_version(project, bin_dir):
    path = install(bin_dir, "sbx", 'test "$1" = version && echo sbx 0.9')
    assert found(project)["sbx"] == Finding("sbx", "ok", f"sbx 0.9 ({path})")


def test_state_directory_that_is_not_there_yet_can_be_created(project, tmp_path):
    findings = found(project)
    assert findings["state"].detail == f"{tmp_path}/home/.ralph will be created"
    assert findings["database"].detail == f"{tmp_path}/home/.ralph/ralph.db will be created"
    assert not (tmp_path / "home/.ralph").exists()


def test_state_directory_below_a_file_blocks(project, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RALPH_HOME", str(tmp_path / "file/ralph"))
    assert "state" in blocked_by(project)


def test_a_database_that_can_be_read(project, tmp_path, monkeypatch):
    monkeypatch.setenv("RALPH_HOME", str(tmp_path / "ralph home"))
    (tmp_path / "ralph home").mkdir()
    connection = sqlite3.connect(tmp_path / "ralph home/ralph.db")
    connection.execute("CREATE TABLE runs (id)")
    connection.close()
    assert found(project)["database"] == Finding("database", "ok", f"{tmp_path}/ralph home/ralph.db")


def test_a_damaged_database_blocks(project, tmp_path, monkeypatch):
    monkeypatch.setenv("RALPH_HOME", str(tmp_path))
    (tmp_path / "ralph.db").write_bytes(b"this is not a database, and long enough to be seen as none" * 100)
    database = found(project)["database"]
    assert "not a database" in database.detail
    assert blocked_by(project) == ["database"]


URLS = {
    "postgresql://ada:hunter2@db.example.org:5432/ralph?password=hunter2": "postgresql on db.example.org:5432",
    "postgresql:///ralph": "postgresql on this machine",
    "hunter2": "no scheme on this machine",
    "postgresql://ada:hunter2@db.example.org:port/": "RALPH_DATABASE_URL is not an address",
    "postgresql://ada:hunter2@[db/": "RALPH_DATABASE_URL is not an address",
}


@pytest.mark.parametrize(("url", "told"), URLS.items(), ids=URLS.values())
def test_a_database_server_is_named_without_its_password(project, monkeypatch, url, told):
    monkeypatch.setenv("RALPH_DATABASE_URL", url)
    database = found(project)["database"]
    assert database.detail.startswith(f"{told}: ")
    assert "hunter2" not in str(examine(project))
