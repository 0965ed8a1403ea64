"""A story loop in a real repository, with an agent that is a real program and plays given behaviours turn by turn."""

import json
import stat
import sys

from ralph.testing import run_ralph, temp_repo

AGENT = """#!{python}
import json, os, subprocess, sys

sys.stdin.read()
def git(*words):
    subprocess.run(["git", *words], check=True, stdout=subprocess.DEVNULL)
def commit(words="work"):
    git("add", "--all")
    git("commit", "--quiet", "--allow-empty", "--message", words)
counter = os.path.join(os.environ["HOME"], "turn")
turn = int(open(counter).read()) if os.path.exists(counter) else 0
open(counter, "w").write(str(turn + 1))
tasks = json.load(open("ralph/tasks.json"))
mode = json.load(open(".ralph-active"))["iterationMode"]
story = tasks["userStories"][0]
def save():
    json.dump(tasks, open("ralph/tasks.json", "w"), indent=2)
    with open("ralph/progress.txt", "a") as log:
        log.write(f"\\n## {{turn}} {{mode}}\\n")
def honest():
    if mode == "review":
        story["reviewCount"] += 1
        story.update(reviewStatus="approved", passes=True)
    else:
        open("work.txt", "a").write("right\\n")
        story.update(reviewStatus="needs_review", reviewFeedback="", notes="wrote work.txt")
    save()
    commit()

{behaviours}
turns[min(turn, len(turns) - 1)]()
print("turn", turn, mode)
"""


CHEATS = """
def cheats():
    open("work.txt", "w").write("right\\n")
    story.update(reviewStatus="approved", passes=True, reviewCount=1, notes="trust me")
    save()
    commit()
"""
"""An implementation that approves itself."""


class StoryProject:
    def __init__(self, root, files=None):
        self.repo = temp_repo(root, files)
        self.agent = root / "agent.py"

    def prd(self, *args, **how):
        return run_ralph(self.repo, "prd", *args, **how)

    def prepare(self, *, commands=("grep -q right work.txt",), **changes):
        assert self.prd("init", "--name", "shop").returncode == 0
        story = self.story | {"title": "Write it", "acceptanceCriteria": ["work.txt says right"], **changes}
        self.change(verifyCommands=list(commands), userStories=[story])

    def prepare_commands(self, *commands):
        self.change(verifyCommands=list(commands))

    def prepare_stories(self, number):
        """So many like the first."""
        stories = [{**self.story, "id": f"US-{each:03}", "priority": each} for each in range(1, number + 1)]
        self.change(verifyCommands=["grep -q US-001 work.txt"], userStories=stories)

    def change(self, **fields):
        self.repo.write("ralph/tasks.json", json.dumps({**self.plan, **fields}, indent=2))

    def write_agent(self, turns, behaviours=""):
        text = AGENT.format(python=sys.executable, behaviours=f"{behaviours}\nturns = [{turns}]")
        self.agent.write_text(text, encoding="utf-8")
        self.agent.chmod(self.agent.stat().st_mode | stat.S_IXUSR)
        return self.agent

    def run(self, turns, *args, behaviours="", **how):
        return self.prd("run", "--agent", str(self.write_agent(turns, behaviours)), *args, **how)

    @property
    def plan(self):
        return json.loads(self.repo.read("ralph/tasks.json"))

    @property
    def story(self):
        return self.plan["userStories"][0]

    @property
    def branch(self):
        return self.repo.git("branch", "--show-current").strip()
