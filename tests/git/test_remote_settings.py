"""Which settings of a repository decide how git reaches remotes, and in which files they are."""

import json
import subprocess

import pytest

from ralph.config.read import LARGEST
from ralph.git.remote_settings import differences, remote_settings, undoing
from ralph.testing import temp_repo


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path)


def read(path):
    return path.read_bytes() if path.is_file() else None


def found(folder):
    return json.loads(remote_settings(folder, read))


@pytest.mark.parametrize(
    "name",
    [
        *("core.sshCommand", "core.gitProxy", "core.askPass", "core.alternateRefsCommand"),
        *("credential.helper", "credential.https://example.org.helper", "http.proxy", "http.https://x.sslVerify"),
        *("url.ext::sh.insteadOf", "url.ssh://evil/.pushInsteadOf", "protocol.ext.allow", "gpg.program"),
        *("gpg.ssh.program", "remote.origin.url", "remote.Fork.pushurl", "remote.origin.receivepack"),
        *("remote.origin.uploadpack", "remote.origin.vcs", "push.recurseSubmodules", "alias.push", "include.path"),
    ],
)
def test_what_decides_is_seen(repo, name):
    assert found(repo.path) == {}
    repo.git("config", name, "evil")
    section, _, rest = name.partition(".")
    *middle, key = rest.rpartition(".")[::2]
    full = ".".join([section, *(each for each in middle if each), key.lower()])
    assert found(repo.path)[full][0] == "evil"


def test_what_agents_and_tools_write_every_day_is_not_asked_about(repo):
    for name in (
        "user.name",
        "branch.main.remote",
        "core.hooksPath",
        "core.autocrlf",
        "submodule.a.url",
        "rerere.enabled",
    ):
        repo.git("config", name, "x")
    assert found(repo.path) == {}


def test_a_linked_worktree_and_a_folder_below_have_the_settings_of_their_repository(repo, tmp_path):
    repo.git("config", "core.sshCommand", "mine")
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    repo.git("config", "extensions.worktreeConfig", "true")
    subprocess.run(["git", "-C", tmp_path / "linked", "config", "--worktree", "core.askPass", "own"], check=True)
    assert found(tmp_path / "linked") == {"core.askpass": ["own"], "core.sshcommand": ["mine"]}
    (repo.path / "below").mkdir()
    assert found(repo.path / "below") == {"core.sshcommand": ["mine"]}


def test_outside_of_a_repository_there_are_none(tmp_path):
    assert found(tmp_path) == {}
    (tmp_path / ".git").write_text("gitdir: /nowhere\n")
    assert found(tmp_path) == {}


def test_a_changed_file_that_is_included_is_a_change(repo):
    repo.write("more", "[user]\nname = a\n")
    repo.git("config", "include.path", "../more")
    before = remote_settings(repo.path, read)
    repo.write("more", "[core]\nsshCommand = evil\n")
    assert list(differences(before, remote_settings(repo.path, read))) == ["include.path"]


def test_nothing_hides_behind_a_megabyte_of_comments(repo):
    before = remote_settings(repo.path, read)
    config = repo.path / ".git/config"
    config.write_text(f"{config.read_text()}# {'x' * LARGEST}\n[core]\nsshCommand = evil\n")

    def beginning(path):
        return (read(path) or b"")[: LARGEST + 1]

    assert list(differences(before, remote_settings(repo.path, beginning))) == ["its size"]


def test_logins_are_not_kept_but_their_changes_are_seen(repo):
    repo.git("config", "remote.origin.url", "https://me:hunter2secret@example.org/a.git")
    before = remote_settings(repo.path, read)
    assert b"hunter2" not in before
    repo.git("config", "remote.origin.url", "https://me:hunter3secret@example.org/a.git")
    now = remote_settings(repo.path, read)
    assert list(differences(before, now)) == ["remote.origin.url"]
    assert undoing("remote.origin.url", before) == "set remote.origin.url as it was"


def test_a_change_is_told_with_the_command_that_undoes_it(repo):
    repo.git("config", "remote.origin.url", "/there")
    before = remote_settings(repo.path, read)
    repo.git("config", "remote.origin.url", "/elsewhere")
    repo.git("config", "url.evil it.insteadOf", "/there")
    told = differences(before, remote_settings(repo.path, read))
    assert told["remote.origin.url"] == 'remote.origin.url "/there" → "/elsewhere"'
    assert told["url.evil it.insteadof"] == 'url.evil it.insteadof (not set) → "/there"'
    for name in told:
        subprocess.run(undoing(name, before), shell=True, check=True, cwd=repo.path)  # noqa: S602 - as a person does
    assert remote_settings(repo.path, read) == before
