import json
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from opencode_stub import OpenCodeStub
from ralph.agents.permissions import flags_for
from ralph.app.setup.doctor import Finding, blocking, examine

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


def found(project: Path, **where: Path) -> dict[str, Finding]:
    return {finding.name: finding for finding in examine(project, **where)}


def blocked_by(project: Path) -> list[str]:
    return [finding.name for finding in blocking(examine(project))]


def test_everything_is_looked_at_in_order(project):
    assert list(found(project)) == [
        "python", "ralph", "git", "repository", "identity", "agents", "settings", "agent",
        "sandboxes", "project", "state", "disk", "sqlite", "database",
    ]  # fmt: skip


def test_whatever_is_missing_has_a_hint(project):
    missing = [finding for finding in examine(project) if finding.status == "missing"]
    assert [finding.name for finding in missing] == ["agents", "agent"]
    assert all(finding.hint for finding in missing)


def test_an_empty_directory_with_git_lacks_only_an_agent(project):
    assert blocked_by(project) == ["agent"]


def test_it_can_run_where_an_agent_is_chosen_found_and_allowed_to_work(project, bin_dir):
    assert chosen(project, bin_dir, "claude", "--permission-mode acceptEdits").status == "ok"
    assert blocked_by(project) == []


@pytest.mark.parametrize(
    ("settings", "name", "why"),
    [
        ({"sandbox": "required"}, "sandbox", '"sandbox": "required" asks for a sandbox, and this version has none.'),
        ({"sandbox": {"limits": {"cpus": 2}}}, "sandbox", "sandbox.limits needs a sandbox"),
        ({"budget": {"usd": 1}}, "budget", "budget.usd cannot be measured: mine reports no cost."),
        ({"scm": {"tasks": ["commit"]}}, "scm", "is not a git repository, and the SCM tasks need one."),
        ({"scm": {"command": "git 'x", "tasks": ["commit"]}}, "scm", "cannot be split into words"),
        ({"scm": {"command": "gitt", "tasks": ["commit"]}}, "scm", "the SCM tasks need gitt, which is not on PATH."),
    ],
)
def test_it_cannot_run_with_settings_that_a_run_refuses(project, bin_dir, settings, name, why):
    install(bin_dir, "mine", "echo 1")
    settle(project, json.dumps({"agent": {"command": "mine"}, **settings}))
    assert blocked_by(project) == [name]
    assert why in found(project)[name].detail
    assert found(project)[name].hint


def test_it_can_run_with_settings_that_a_run_takes(project, bin_dir):
    install(bin_dir, "mine", "echo 1")
    git(project, "init")
    taken = {"sandbox": "auto", "budget": {"usd": 1, "seconds": 60}, "scm": {"tasks": ["commit", "push"]}}
    settle(project, json.dumps({"agent": {"command": "mine"}, **taken}))
    assert blocked_by(project) == []


def test_a_fallback_agent_that_is_missing_keeps_runs_from_starting(project, bin_dir):
    install(bin_dir, "mine", "echo 1")
    settle(project, json.dumps({"agent": {"command": "mine"}, "quota": {"fallbackAgent": "spare"}}))
    assert found(project)["fallback"] == Finding(
        "fallback",
        "missing",
        "the settings choose spare, but spare is not an executable on PATH",
        "Install it, or correct quota.fallbackAgent.",
    )
    assert blocked_by(project) == ["fallback"]
    install(bin_dir, "spare", "echo 1")
    assert found(project)["fallback"].status == "ok"


def test_sandboxes_that_nobody_asked_for_are_one_line(project):
    sandboxes = found(project)["sandboxes"]
    assert sandboxes == Finding("sandboxes", "note", "none is asked for; not here: bwrap, docker sandbox, sbx")


def test_being_started_inside_another_agents_session_is_named(project, monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "another agent's session (CLAUDECODE" in found(project)["session"].detail


def test_git_missing_blocks(project, bin_dir):
    (bin_dir / "git").unlink()
    findings = found(project)
    assert findings["git"].status == "missing"
    assert findings["git"].hint
    assert "repository" not in findings
    assert blocked_by(project) == ["git", "agent"]


def test_git_that_fails_blocks(project, bin_dir):
    (bin_dir / "git").unlink()
    install(bin_dir, "git", "echo 'xcrun: no developer tools' >&2; exit 1")
    assert "xcrun: no developer tools" in found(project)["git"].detail
    assert blocked_by(project) == ["git", "repository", "agent"]


def test_not_a_repository_is_a_warning(project):
    repository = found(project)["repository"]
    assert (repository.status, repository.detail) == ("warning", "this is not a git repository")
    assert "git init" in repository.hint


def test_a_repository_that_git_does_not_open_blocks(project, monkeypatch):
    git(project, "init")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert "repository" in blocked_by(project)
    assert "dubious ownership" in found(project)["repository"].detail


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
    assert findings["agent"].status == "missing"
    assert "ralph init" in findings["agent"].hint


def test_the_chosen_agent_is_found(project, bin_dir):
    path = install(bin_dir, "claude", "echo 1")
    settle(project, '{"agent": {"command": "claude"}}')
    findings = found(project)
    assert findings["agent"] == Finding("agent", "ok", f"claude ({path})")
    assert findings["settings"].detail == ".ralph/settings.json"


def chosen(project, bin_dir, command, *flags, guardrails=()):
    name = Path(command.split()[0]).name
    install(bin_dir, name, "echo 1")
    agent = {"command": command, "flags": flags}
    settle(project, json.dumps({"agent": agent, "guardrails": [{"command": each} for each in guardrails]}))
    return found(project).get("permissions")


@pytest.mark.parametrize("agent", ["claude", "gemini", "qwen", "copilot"])
def test_an_agent_that_would_be_denied_everything_blocks_with_the_very_flags_that_help(project, bin_dir, agent):
    permissions = chosen(project, bin_dir, agent, "--model opus", guardrails=["make test"])
    assert permissions.status == "missing"
    assert permissions.detail.startswith(f"{agent} asks before it edits or runs anything")
    added = json.loads(f"[{permissions.hint.removeprefix('Add to agent.flags: ')}]")
    assert added == flags_for(agent, "project", ["make test"])
    settings = {"agent": {"command": agent, "flags": ["--model opus", *added]}}
    (project / ".ralph/settings.json").write_text(json.dumps(settings))
    assert found(project)["permissions"].status == "ok"


def test_a_denied_agent_keeps_ralph_from_running(project, bin_dir):
    assert chosen(project, bin_dir, "claude").status == "missing"
    assert blocked_by(project) == ["permissions"]


GIVEN = {
    "edits": ("claude", ["--permission-mode acceptEdits"]),
    "with an equals sign": ("claude", ["--permission-mode=acceptEdits"]),
    "single tools": ("claude", ["--allowedTools Edit"]),
    "in the command": ("claude --permission-mode acceptEdits", []),
    "yolo, in short": ("gemini", ["-y"]),
    "one that asks nobody": ("codex", []),
    "one that is told by ralph": ("amp", []),
}


@pytest.mark.parametrize(("command", "flags"), GIVEN.values(), ids=GIVEN)
def test_an_agent_that_may_work_is_told_with_what_it_may_do(project, bin_dir, command, flags):
    permissions = chosen(project, bin_dir, command, *flags)
    assert permissions.status == "ok"
    assert permissions.detail.startswith(f"{command.split()[0]} ")


def test_flags_of_the_chosen_executor_count(project, bin_dir):
    install(bin_dir, "claude", "echo 1")
    executor = {"id": "fast", "type": "claude", "flags": ["--permission-mode acceptEdits"]}
    settle(project, json.dumps({"agent": {"command": "fast"}, "tools": {"executors": [executor]}}))
    assert found(project)["permissions"].status == "ok"


def test_of_an_agent_of_ones_own_nothing_is_said(project, bin_dir):
    assert chosen(project, bin_dir, "mine") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused")
def test_as_root_claude_refuses_to_skip_permissions_unless_told_that_this_is_a_sandbox(project, bin_dir, monkeypatch):
    monkeypatch.delenv("IS_SANDBOX", raising=False)
    permissions = chosen(project, bin_dir, "claude", "--dangerously-skip-permissions")
    assert (permissions.status, permissions.detail) == ("missing", "as root claude refuses to work with its flags")
    assert "IS_SANDBOX=1" in permissions.hint
    monkeypatch.setenv("IS_SANDBOX", "1")
    assert found(project)["permissions"].status == "ok"


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
    settle(project, '{"sandbox": "auto"}')
    install(
        bin_dir,
        "bwrap",
        'case "$*" in --version) echo bubblewrap 0.8.0;; "--ro-bind / / --unshare-user true");; *) exit 1;; esac',
    )
    assert found(project)["bwrap"] == Finding("bwrap", "ok", "0.8.0, works")


def test_bwrap_that_is_forbidden_is_a_warning_with_its_own_words(project, bin_dir):
    settle(project, '{"sandbox": "auto"}')
    install(bin_dir, "bwrap", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1")
    bwrap = found(project)["bwrap"]
    assert bwrap.status == "warning"
    assert "setting up uid map: Permission denied" in bwrap.detail
    assert bwrap.hint


@pytest.mark.parametrize(
    ("values", "switch", "allowed"),
    [
        (("1", "1", "100"), "kernel.apparmor_restrict_unprivileged_userns", "0"),
        (("0", "0", "100"), "kernel.unprivileged_userns_clone", "1"),
        (("0", "1", "0"), "user.max_user_namespaces", "10000"),
        ((None, None, "0"), "user.max_user_namespaces", "10000"),
    ],
)
def test_the_switch_that_forbids_user_namespaces_is_named_with_its_command(
    project, bin_dir, tmp_path, values, switch, allowed
):
    settle(project, '{"sandbox": "auto"}')
    install(bin_dir, "bwrap", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1")
    hint = found(project, switches=kernel(tmp_path, *values))["bwrap"].hint
    assert f"{switch} is " in hint
    assert hint.endswith(f"Allow them: sudo sysctl {switch}={allowed}")


def test_where_no_switch_forbids_user_namespaces_none_is_blamed(project, bin_dir, tmp_path):
    settle(project, '{"sandbox": "auto"}')
    install(bin_dir, "bwrap", "exit 1")
    hint = found(project, switches=kernel(tmp_path, "0", "1", "100"))["bwrap"].hint
    assert "sysctl" not in hint
    assert "see kernel.unprivileged_userns_clone and AppArmor" in hint


def kernel(tmp_path: Path, apparmor: str | None, clone: str | None, most: str | None) -> Path:
    """A folder of switches as in /proc/sys, each with this value. None is a kernel without the switch."""
    names = ("kernel/apparmor_restrict_unprivileged_userns", "kernel/unprivileged_userns_clone")
    for name, value in zip((*names, "user/max_user_namespaces"), (apparmor, clone, most), strict=True):
        path = tmp_path / "proc/sys" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if value is not None:
            path.write_text(f"{value}\n")
    return tmp_path / "proc/sys"


def test_docker_with_and_without_its_sandbox(project, bin_dir):
    settle(project, '{"sandbox": "auto"}')
    install(bin_dir, "docker", "echo \"docker: 'sandbox' is not a docker command.\"; exit 1")
    assert found(project)["docker sandbox"].status == "missing"
    install(bin_dir, "docker", 'test "$*" = "sandbox version" && echo v0.7.1')
    assert found(project)["docker sandbox"] == Finding("docker sandbox", "ok", "v0.7.1")


def test_sbx_says_its_version(project, bin_dir):
    settle(project, '{"sandbox": "auto"}')
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
    assert blocked_by(project) == ["agent", "database"]


URLS = {
    "postgresql://ada:hunter2@db.example.org:5432/ralph?password=hunter2": "postgresql on db.example.org:5432",
    "postgresql:///ralph": "postgresql on this machine",
    "hunter2": "RALPH_DATABASE_URL is not the address of a Postgres database",
    "postgresql://ada:hunter2@db.example.org:port/": "RALPH_DATABASE_URL is not an address",
    "postgresql://ada:hunter2@[db/": "RALPH_DATABASE_URL is not an address",
}


@pytest.mark.parametrize(("url", "told"), URLS.items(), ids=URLS.values())
def test_a_database_server_is_named_without_its_password(project, monkeypatch, url, told):
    monkeypatch.setenv("RALPH_DATABASE_URL", url)
    database = found(project)["database"]
    assert database.detail.startswith((f"{told}: ", f"{told}."))
    assert "hunter2" not in str(examine(project))


def executor(project, **entry):
    settle(project, json.dumps({"tools": {"executors": [{"id": "mine", **entry}]}, "defaults": {"executor": "mine"}}))


def test_a_server_that_answers_is_told_with_its_version(project):
    with OpenCodeStub() as stub:
        executor(project, type="opencode", endpoint=stub.url)
        told = found(project)
    assert (told["agent"].status, told["agent"].detail) == ("ok", f"mine (OpenCode 9.9 at {stub.url})")
    assert told["permissions"].status == "ok"


def test_a_server_that_does_not_answer_blocks(project):
    with OpenCodeStub() as stub:
        executor(project, type="opencode", endpoint=stub.url)
    told = found(project)["agent"]
    assert told.detail == f"the settings choose mine, but no OpenCode server answers at {stub.url}: Connection refused"
    assert told.hint.startswith("Start it (opencode serve)")
    assert "agent" in blocked_by(project)


def test_a_server_that_refuses_the_login_blocks_without_a_word_of_it(project, monkeypatch):
    monkeypatch.setenv("OPENCODE_SERVER_PASSWORD", "open-sesame")
    with OpenCodeStub(password="another") as stub:
        executor(project, type="opencode", endpoint=stub.url)
        told = found(project)["agent"]
    assert "does not take OPENCODE_SERVER_PASSWORD" in told.detail
    assert "sesame" not in told.detail + told.hint


def test_the_endpoint_of_a_model_is_asked_for_a_connection_only(project, bin_dir):
    install(bin_dir, "codex", "exit 0")
    with OpenCodeStub() as stub:
        executor(project, type="codex", endpoint=f"{stub.url}/v1")
        told = found(project)["endpoint"]
        assert (told.status, told.detail, stub.asked) == ("ok", f"mine: {stub.url}/v1 accepts connections", [])
    told = found(project)["endpoint"]
    assert (told.status, told.detail) == ("missing", f"mine: nothing answers at {stub.url}/v1: Connection refused")


CLAUDE = """\
if [ "$1" = --help ]; then echo "Commands:"; echo "  auth   Manage authentication"; exit 0; fi
if [ "$1 $2" = "auth status" ]; then exit {}; fi
echo 2.1"""


@pytest.mark.parametrize(("code", "status"), [(0, "ok"), (1, "missing")])
def test_whether_the_agent_is_logged_in_is_asked_of_it(project, bin_dir, code, status):
    install(bin_dir, "claude", CLAUDE.format(code))
    executor(project, type="claude", command=str(bin_dir / "claude"))
    told = found(project)["login"]
    assert told.status == status
    assert ("claude auth login" in told.hint) == (status == "missing")


def test_a_version_that_would_take_the_question_for_a_prompt_is_not_asked(project, bin_dir):
    install(bin_dir, "claude", 'if [ "$1" = --help ]; then echo "  -p, --print"; exit 0; fi; touch asked')
    executor(project, type="claude", command=f"{bin_dir}/claude")
    assert "login" not in found(project)


def test_an_executor_of_tasks_and_a_reviewer_that_are_missing_are_told(project, bin_dir):
    install(bin_dir, "mine", "exit 0")
    tools = {"executors": [{"id": "tasks", "command": "not-there"}], "reviewers": [{"id": "r", "command": "nor-this"}]}
    chosen = {"agent": {"command": "mine"}, "defaults": {"executor": "tasks", "quickReviewer": "r"}}
    settle(project, json.dumps({"tools": tools, **chosen}))
    told = found(project)
    assert (told["agent"].status, told["executor"].status, told["reviewers"].status) == ("ok", "missing", "warning")
    assert told["reviewers"].detail == "nor-this, which makes the quick review, is not on PATH"
    assert blocked_by(project) == []
