"""Advice that works: after damage to git's state, the command that the message names fixes it, and the work arrives.

Each test runs the command exactly as the message has it.
"""

import json
import re
import shlex
import shutil

import pytest

from chunk_crew import GOOD as CHUNK_GOOD
from chunk_crew import ChunkCrew
from loops import Ended, Running, waits
from task_crew import GOOD, TaskCrew

WORKTREE = ".ralph/worktrees/T-1"
COMMAND = re.compile(
    r"(?:there|file|one|Continue|continue|again|away): ((?:git|ralph|mv) .*?)(?: · [\d.]+m?s)?$", re.MULTILINE
)


class Damaged:
    """A task whose agent waits in its first turn, so that something can be damaged meanwhile."""

    def __init__(self, kind, root):
        self._go = root / "go"
        first = {"run": waits("ready", shlex.quote(str(self._go)))}
        if kind == "pipeline":
            self.crew = TaskCrew(root)
            self.crew.hire(coder=[GOOD | first, GOOD, GOOD])
        else:
            self.crew = ChunkCrew(root)
            self.crew.hire([CHUNK_GOOD | first, CHUNK_GOOD, CHUNK_GOOD])
        self.crew.task()
        self.path = self.crew.repo.path
        self.worktree = self.path / WORKTREE
        (self.path / "mine.txt").write_text("not committed\n")

    def exists(self, path):
        return (self.path / path).exists()

    @property
    def repo(self):
        return self.crew.repo

    @property
    def agent(self):
        return None

    def go(self):
        """Let the agent finish its first turn."""
        self._go.touch()

    def while_it_runs(self, damage, *args):
        """The end of a run during whose first turn the damage is done."""
        with Running(self, args or ("task", "run", "T-1"), {}) as running:
            running.wait_for(f"{WORKTREE}/ready")
            damage()
            self.go()
            return running.end()

    def stopped(self, damage):
        """The end of a run that was interrupted in its first turn; the damage is done after that."""
        with Running(self, ("task", "run", "T-1"), {}) as running:
            running.wait_for(f"{WORKTREE}/ready")
            running.send_and_hear()
            running.send()
            ended = running.end()
        damage()
        return ended

    def follow(self, ended):
        """Run the command that the last message names, and return how it ended."""
        named = COMMAND.findall(ended.err)
        assert named, ended.err
        return self.shell(named[-1])

    @staticmethod
    def as_ended(done):
        return Ended(done.returncode, done.stdout, done.stderr)

    def settings(self, **more):
        file = self.repo.home / ".ralph/config.yaml"
        file.write_text(json.dumps(json.loads(file.read_text()) | more))

    def shell(self, command):
        return self.repo.run("sh", "-c", command)

    def is_delivered(self):
        assert self.crew.status_of() == "completed"
        assert self.crew.on_branch("work.txt") == "good\n"
        assert (self.path / "mine.txt").read_text() == "not committed\n"
        return True


@pytest.fixture(params=[pytest.param("pipeline", marks=pytest.mark.e2e), "chunk"])
def scene(request, tmp_path):
    return Damaged(request.param, tmp_path)


@pytest.fixture
def chunk(tmp_path):
    return Damaged("chunk", tmp_path)


class TestTheSpecsBranchIsCheckedOut:
    def test_here_before_the_run(self, chunk):
        chunk.crew.git("switch", "--quiet", "--create", "ralph/s")
        ended = chunk.crew.run()
        assert ended.code == 2
        assert chunk.follow(ended).returncode == 0
        chunk.go()
        assert chunk.crew.run().code == 0
        assert chunk.is_delivered()

    def test_here_while_it_runs(self, scene):
        ended = scene.while_it_runs(lambda: scene.crew.git("switch", "--quiet", "ralph/s"))
        assert ended.code == 9
        assert scene.follow(ended).returncode == 0
        assert scene.is_delivered()

    def test_in_another_worktree_while_a_spec_runs(self, chunk, tmp_path):
        other = tmp_path / "my other tree"
        ended = chunk.while_it_runs(
            lambda: chunk.crew.git("worktree", "add", "--quiet", str(other), "ralph/s"), "spec", "run", "s"
        )
        assert ended.code == 9
        assert chunk.follow(ended).returncode == 0
        assert chunk.is_delivered()

    def test_in_a_worktree_that_was_deleted_is_nowhere(self, chunk, tmp_path):
        def comes_and_goes():
            chunk.crew.git("worktree", "add", "--quiet", str(tmp_path / "other"), "ralph/s")
            shutil.rmtree(tmp_path / "other")

        assert chunk.while_it_runs(comes_and_goes).code == 0
        assert chunk.is_delivered()


class TestABrokenIndex:
    def test_of_the_user_before_the_run(self, chunk):
        (chunk.path / ".git/index").write_bytes(b"garbage")
        ended = chunk.crew.run()
        assert ended.code == 9
        assert "ralph resume" not in ended.err, "there is no run to resume"
        assert chunk.follow(ended).returncode == 0
        chunk.go()
        assert chunk.crew.run().code == 0
        assert chunk.is_delivered()

    @pytest.mark.parametrize("garbage", [b"garbage", b"\0" * 400], ids=["short", "long"])
    def test_of_the_user_is_not_read_while_it_runs(self, chunk, garbage):
        ended = chunk.while_it_runs(lambda: (chunk.path / ".git/index").write_bytes(garbage))
        assert ended.code == 0, ended.err
        assert chunk.is_delivered()
        assert (chunk.path / ".git/index").read_bytes() == garbage

    def test_of_the_user_is_not_read_after_an_interruption(self, scene):
        scene.stopped(lambda: (scene.path / ".git/index").write_bytes(b"garbage"))
        ended = scene.crew.ralph("resume")
        assert ended.code == 0, ended.err
        assert scene.is_delivered()

    def test_of_the_worktree_is_replaced(self, chunk):
        ended = chunk.stopped(lambda: (chunk.path / ".git/worktrees/T-1/index").write_bytes(b"garbage"))
        assert chunk.follow(ended).returncode == 0
        assert chunk.is_delivered()


class TestADeletedWorktree:
    def test_while_the_run_is_stopped_is_made_again_and_set_up(self, tmp_path, scene):
        (scene.path / ".env").write_text("KEY=1\n")
        scene.crew.git("config", "core.excludesFile", str(tmp_path / "ignored"))
        (tmp_path / "ignored").write_text(".env\n")
        scene.settings(worktree={"copy": [".env"], "init": f"cat .env && pwd >> {tmp_path}/inits"})
        ended = scene.stopped(lambda: shutil.rmtree(scene.worktree))
        resumed = scene.follow(ended)
        assert resumed.returncode == 0, resumed.stderr
        assert "created again from ralph/s--T-1: uncommitted work is lost" in resumed.stderr
        assert (tmp_path / "inits").read_text().splitlines().count(str(scene.worktree)) == 2
        assert scene.is_delivered()

    def test_while_it_runs_costs_one_iteration(self, scene):
        ended = scene.while_it_runs(lambda: shutil.rmtree(scene.worktree))
        assert ended.code == 0, ended.err
        assert "created again from ralph/s--T-1: uncommitted work is lost" in ended.err
        assert scene.is_delivered()

    def test_and_pruned_is_made_again(self, chunk):
        def gone():
            shutil.rmtree(chunk.worktree)
            chunk.crew.git("worktree", "prune")

        resumed = chunk.follow(chunk.stopped(gone))
        assert resumed.returncode == 0, resumed.stderr
        assert chunk.is_delivered()

    def test_with_its_branch_names_the_new_start(self, chunk):
        def gone():
            shutil.rmtree(chunk.worktree)
            chunk.crew.git("worktree", "prune")
            chunk.crew.git("branch", "--quiet", "-D", "ralph/s--T-1")

        resumed = chunk.follow(chunk.stopped(gone))
        assert resumed.returncode == 9
        assert chunk.follow(chunk.as_ended(resumed)).returncode == 0
        assert chunk.is_delivered()


class TestAMissingGit:
    def test_file_of_the_worktree_is_restored(self, chunk):
        resumed = chunk.follow(chunk.stopped((chunk.worktree / ".git").unlink))
        assert resumed.returncode == 0, resumed.stderr
        assert chunk.is_delivered()

    def test_of_the_project_is_put_back_and_the_run_goes_on(self, scene, tmp_path):
        ended = scene.while_it_runs(lambda: (scene.path / ".git").rename(tmp_path / "kept"))
        assert ended.code == 9
        assert "Restore the project's .git" in ended.err
        (tmp_path / "kept").rename(scene.path / ".git")
        assert scene.follow(ended).returncode == 0
        assert scene.is_delivered()

    def test_of_the_project_is_missed_below_an_empty_one_of_a_killed_agent(self, chunk, tmp_path):
        (chunk.path.parent / ".git").mkdir()
        ended = chunk.while_it_runs(lambda: (chunk.path / ".git").rename(tmp_path / "kept"))
        assert "Restore the project's .git" in ended.err

    def test_of_the_project_before_the_run_is_begun_anew(self, chunk):
        shutil.rmtree(chunk.path / ".git")
        (chunk.repo.home / ".gitconfig").write_text("[user]\nname = A\nemail = a@example.invalid\n")
        (chunk.path / ".gitignore").write_text(".ralph\n")
        ended = chunk.crew.run()
        assert ended.code == 2
        assert chunk.follow(ended).returncode == 0
        chunk.go()
        assert chunk.crew.run().code == 0
        assert chunk.is_delivered()

    def test_of_the_project_that_is_lost_leaves_the_worktree_to_be_moved_away(self, chunk):
        def lost():
            shutil.rmtree(chunk.path / ".git")
            (chunk.path / ".gitignore").write_text(".ralph\n")

        chunk.stopped(lost)
        (chunk.repo.home / ".gitconfig").write_text("[user]\nname = A\nemail = a@example.invalid\n")
        assert chunk.follow(chunk.crew.run()).returncode == 0
        refused = chunk.crew.run()
        assert refused.code == 2
        assert chunk.follow(refused).returncode == 0
        assert chunk.crew.run().code == 0
        assert chunk.is_delivered()
        assert (chunk.path / f"{WORKTREE}.old/work.txt").read_text() == "good\n", "the old work is still there"
