"""Trees of git for tests: committed quickly, with content of any kind."""

import asyncio
import subprocess

from ralph.checks.proof.judge_files import is_test
from ralph.git.repository import Repository
from ralph.plan.analysis import analyse
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench


class Codebase:
    """`codebase.commit({path: content})` commits files by their bytes, whatever a file system would make of them."""

    def __init__(self, root):
        self.repo = temp_repo(root)

    def commit(self, files, *, modes=None, parent="HEAD"):
        """The commit on top of `parent` with these files more; nothing as content takes one away."""
        lines = [b"commit refs/heads/made\n", b"committer A <a@b.c> 0 +0000\n", b"data 0\n"]
        lines += [f"from {self.git('rev-parse', parent)}\n".encode()] if parent else []
        for path, content in files.items():
            name = path if isinstance(path, bytes) else path.encode()
            quoted = b'"' + b"".join(b"\\%03o" % byte for byte in name) + b'"'
            if content is None:
                lines.append(b"D " + quoted + b"\n")
                continue
            mode = (modes or {}).get(path, "100644")
            if mode == "160000":
                lines.append(b"M 160000 " + content.encode() + b" " + quoted + b"\n")
                continue
            data = content if isinstance(content, bytes) else content.encode()
            lines += [b"M " + mode.encode() + b" inline " + quoted + b"\n", b"data %d\n" % len(data), data, b"\n"]
        self.git("update-ref", "-d", "refs/heads/made")
        subprocess.run(
            ["git", "fast-import", "--quiet", "--force"],
            cwd=self.repo.path,
            env=self.repo.env,
            input=b"".join(lines),
            check=True,
            timeout=60,
        )
        return self.git("rev-parse", "made")

    def git(self, *args):
        return self.repo.git(*args).strip()

    @property
    def repository(self):
        return Repository(Workbench(self.repo.path, self.repo.env, "test"))

    def analyse(self, commit, known=None, **options):
        return asyncio.run(analyse(self.repository, commit, known, is_test=is_test, **options))
