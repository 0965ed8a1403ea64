"""An agent tells git, in the repository, to run a program or to push elsewhere when ralph next reaches a remote."""

import signal
import subprocess

import pytest

from chunk_crew import SHIP
from loops import wait_until, waits
from pull_request_scene import PullRequestScene
from ralph.testing import ScriptedAgent, done, run_ralph
from ralph.testing.program import ralph_program
from refusals import one_clear_line

RECEIVES = "git config remote.origin.receivepack 'touch ../pwned; git-receive-pack'"
PLANTED = {
    "remote.origin.receivepack": RECEIVES,
    "remote.origin.uploadpack": "git config remote.origin.uploadpack 'touch ../pwned; git-upload-pack'",
    "remote.origin.url": "git config remote.origin.url ../evil.git",
    "url.../evil.git.pushinsteadof": "git config url.../evil.git.pushInsteadOf https://github.com/acme/shop.git",
    "core.sshcommand": "git config core.sshCommand 'touch ../pwned'",
    "credential.helper": "printf '[credential]helper = !touch ../pwned' >> .git/config",
    "include.path": "printf '[core]\\nsshCommand = x' > ../more; git config include.path ../../more",
}


@pytest.fixture
def scene(tmp_path, monkeypatch):
    scene = PullRequestScene(tmp_path, monkeypatch)
    scene.repo.git("init", "--quiet", "--bare", str(tmp_path / "evil.git"))
    return scene


def arguments(scene, *steps):
    agent = ScriptedAgent(*steps, directory=scene.root / "bin")
    return ("run", "-p", "Do it.", "--agent", agent.command)


def agent_runs(scene, script):
    ended = run_ralph(scene.repo, *arguments(scene, {"run": script} | done()))
    assert ended.returncode == 0, ended.stderr
    return ended.stderr.partition("ralph run ")[2].split(" ")[0]


def nothing_happened(scene):
    assert not (scene.root / "pwned").exists()
    assert scene.host.head("refs/heads/ralph/s") == ""
    evil = ["git", "--git-dir", scene.root / "evil.git", "for-each-ref"]
    assert subprocess.run(evil, capture_output=True, check=True).stdout == b""


@pytest.mark.parametrize("name", PLANTED)
def test_it_is_refused_with_its_name_until_it_is_removed(scene, name):
    run = agent_runs(scene, PLANTED[name])
    for _ in range(2):
        refused = scene.pr()
        one_clear_line(refused, 2, f".git/config was changed during run {run}", f"{name} ", "ralph config accept")
        nothing_happened(scene)
    undo = refused.err.partition("If it was not you: ")[2].partition(". If it was: ")[0]
    subprocess.run(undo, shell=True, check=True, cwd=scene.repo.path)  # noqa: S602 - as a person does
    scene.good()
    assert scene.host.head("refs/heads/ralph/s") == scene.tip
    assert not (scene.root / "pwned").exists()


def test_it_is_used_once_a_person_has_accepted_it(scene):
    agent_runs(scene, RECEIVES)
    accepted = scene.ralph("config", "accept")
    assert "Accepted: .git/config was changed during run" in accepted.out
    assert "remote.origin.receivepack (not set) → " in accepted.out
    scene.good()
    assert (scene.root / "pwned").exists()


def test_restore_says_how_to_do_it_by_hand(scene):
    agent_runs(scene, RECEIVES)
    restored = scene.ralph("config", "restore")
    assert "  git config --unset-all remote.origin.receivepack\n" in restored.out
    assert scene.pr().code == 2


def test_what_was_there_before_the_run_or_came_between_runs_is_the_users(scene):
    scene.repo.git("config", "core.sshCommand", "ssh -i mine")
    agent_runs(scene, "git config user.name me; git config branch.main.remote origin")
    scene.repo.git("config", "credential.helper", "store")
    agent_runs(scene, "true")
    scene.good()


def test_a_later_run_does_not_make_it_the_users(scene):
    agent_runs(scene, RECEIVES)
    agent_runs(scene, "true")
    one_clear_line(scene.pr(), 2, "remote.origin.receivepack")
    nothing_happened(scene)


def test_what_the_agent_of_a_killed_run_did_is_seen(scene):
    argv = arguments(scene, {"run": f"{RECEIVES}; {waits()}"} | done())
    with subprocess.Popen(
        [ralph_program(), *argv], cwd=scene.repo.path, env=scene.repo.env,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    ) as process:  # fmt: skip
        wait_until((scene.repo.path / "ready").exists, "the agent did not begin")
        process.send_signal(signal.SIGKILL)
    one_clear_line(scene.pr(), 2, "remote.origin.receivepack")
    nothing_happened(scene)


def test_what_the_final_reviewer_did_is_seen(scene):
    scene.reviewed_by(SHIP | {"run": f"cd {scene.repo.path} && {RECEIVES}"})
    refused = scene.pr("--quiet")
    assert refused.code == 2
    assert "remote.origin.receivepack" in refused.err
    nothing_happened(scene)


def test_notes_are_not_fetched_with_it(scene):
    agent_runs(scene, PLANTED["remote.origin.uploadpack"])
    one_clear_line(scene.ralph("proof", "show", "ralph/s"), 2, "remote.origin.uploadpack")
    nothing_happened(scene)
    scene.repo.git("config", "--unset-all", "remote.origin.uploadpack")
    assert "has no record of a proof" in scene.ralph("proof", "show", "ralph/s").err


def test_the_run_itself_does_not_push_with_it(scene):
    scene.settings(scm={"command": "git", "tasks": ["commit", "push origin main"]})
    before = scene.host.head("refs/heads/main")
    script = f"echo 1 > made; {RECEIVES}"
    ended = run_ralph(scene.repo, *arguments(scene, {"run": script} | done(), {"final": "Add it"}))
    assert ended.returncode == 9, ended.stderr
    assert "remote.origin.receivepack (not set) → " in ended.stderr
    assert scene.repo.log()[-1] == "Add it"
    assert scene.host.head("refs/heads/main") == before
    nothing_happened(scene)
