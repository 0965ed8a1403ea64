"""The command guard on a corpus of commands: `make guard-corpus` prints what it caught, missed and falsely denied."""

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from plugin_hooks import script

CORPUS, UNSEEN = (Path(__file__).parent / "plugin" / f"guard_{name}.txt" for name in ("corpus", "unseen"))
"""What the rules were written against, and what was written after them."""
KINDS = ("danger", "evasive", "benign")


def commands(file):
    """Each command of such a file, with its kind."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, text = line.split("\t", 1)
            yield kind, text.replace("⏎", "\n")


def judge_in(project):
    """A function that says why a command is denied in this project; empty if it is not."""
    rules = script("guard_rules")
    environ = {"HOME": str(project.parent), "PWD": str(project), "PATH": os.defpath, "TMPDIR": "/tmp"}

    def judged(text):
        judge = rules.Judge(str(project), str(project), environ)
        # The project itself lies below the folder for temporary files.
        judge.places.temporary = ("/var/tmp",)
        try:
            judge.judge(text)
        except rules.Denied as denied:
            return str(denied)
        return ""

    return judged


class Figures:
    def __init__(self, judged, file=CORPUS):
        self.counts, self.wrong = Counter(), []
        for kind, text in commands(file):
            denied = judged(text)
            self.counts[kind, bool(denied)] += 1
            if bool(denied) != (kind != "benign"):
                self.wrong.append(f"{kind}: {text!r} {denied}")

    def __str__(self):
        counts = self.counts
        caught, missed = (counts["danger", hit] + counts["evasive", hit] for hit in (True, False))
        sizes = {kind: counts[kind, True] + counts[kind, False] for kind in KINDS}
        of_each = ", ".join(f"{size} {kind}" for kind, size in sizes.items() if size)
        return (
            f"{counts.total()} commands ({of_each}): caught {caught}, missed {missed},"
            f" falsely denied {counts['benign', True]}"
        )


def main():
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "home", "project")
        project.mkdir(parents=True)
        known, unseen = (Figures(judge_in(project), file) for file in (CORPUS, UNSEEN))
    lines = [*known.wrong, f"The corpus: {known}", *unseen.wrong, f"Written after the rules: {unseen}"]
    sys.stdout.write("\n".join([*lines, ""]))
    return 1 if known.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
