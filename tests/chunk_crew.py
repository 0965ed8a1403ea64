"""Chunks at work: a git repository, a scripted executor, scripted reviewers, and the real `ralph`."""

import json

from loops import Ended, Running
from ralph.testing import ScriptedAgent, run_ralph, temp_repo

MADE = {"name": "Made", "command": "grep -q good work.txt"}
SHIP = {
    "final": json.dumps({"decision": "SHIP", "issues": [], "summary": {"total": 0, "high": 0, "medium": 0, "low": 0}})
}


def writes(final="I wrote the file that was asked for.", **files):
    """A turn of the executor that writes these files; `__` in a name is a dot."""
    return {"write": {name.replace("__", "."): text for name, text in files.items()}, "final": final}


GOOD = writes(work__txt="good\n")
BAD = writes(work__txt="bad\n")


def issue(description="it is wrong", file="work.txt", lines=(1, 1), severity="high", **more):
    return {
        "file": file,
        "lines": list(lines),
        "type": "logic_bug",
        "severity": severity,
        "description": description,
        "suggestion": "do it right",
        "agentPrompt": f"Fix this: {description}",
        **more,
    }


def revise(*issues, **more):
    return {"final": json.dumps({"decision": "REVISE", "issues": list(issues or (issue(),)), **more})}


class ChunkCrew:
    """`crew.task()` writes a chunk, `crew.hire(executor=[...])` scripts the agents, `crew.run()` runs it."""

    def __init__(self, root):
        self.repo = temp_repo(root)
        self._root = root
        self.agents = {}
        self.agent = None

    def hire(self, executor, *, quick=None, deep=None, final=None, judge=None, steps=(MADE,), **settings):
        """A tier without a script is switched off."""
        scripts = {"executor": executor, "quick": quick, "deep": deep, "final": final, "judge": judge}
        for name, script in scripts.items():
            if script is not None:
                self.agents[name] = ScriptedAgent(*script, directory=self._root / "agents" / name)
        tiers = [name for name in ("quick", "deep", "final") if scripts[name] is not None]
        written = {
            "defaults": {
                "executor": "executor",
                **{
                    f"{tier}Reviewer": f"{tier}-one" if tier in tiers else "none" for tier in ("quick", "deep", "final")
                },
            },
            "tools": {
                "executors": [
                    {"id": name, "type": "claude", "command": agent.command} for name, agent in self.agents.items()
                ],
                "reviewers": [{"id": f"{tier}-one", "agent": tier} for tier in tiers],
            },
            "verification": {"steps": list(steps)},
            "quota": {"initialWait": 0.05, "maxWait": 0.1},
            **({"ralph": {"semantic_model": "judge"}} if judge is not None else {}),
        }
        for key, value in settings.items():
            written[key] = {**written.get(key, {}), **value} if isinstance(value, dict) else value
        self.repo.home.joinpath(".ralph").mkdir(exist_ok=True)
        self.repo.home.joinpath(".ralph/config.yaml").write_text(json.dumps(written))

    def task(self, name="T-1", spec="s", dependencies=(), criteria=(), **more):
        task = {
            "id": name,
            "spec": spec,
            "title": f"Make {name}",
            "description": f"Write {name} down.",
            "dependencies": list(dependencies),
            "completion": {"outcome": "work.txt says good", "acceptance_criteria": list(criteria) or ["it is good"]},
            **more,
        }
        if not criteria:
            del task["completion"]
        done = run_ralph(self.repo, "task", "import", "-", "--without-criteria", input=json.dumps(task))
        assert done.returncode == 0, done.stderr

    def run(self, *args, name="T-1", env=None):
        return self.ralph("task", "run", name, *args, env=env)

    def start(self, *args):
        return Running(self, args or ("task", "run", "T-1"), {})

    def ralph(self, *args, env=None):
        done = run_ralph(self.repo, *args, env=env)
        return Ended(done.returncode, done.stdout, done.stderr)

    def json(self, *args):
        done = self.ralph(*args, "--json")
        assert done.code == 0, done.err
        return json.loads(done.out)

    def status_of(self, name="T-1"):
        return next(task["status"] for task in self.json("task", "list") if task["id"] == name)

    def prompts(self, role="executor"):
        return self.agents[role].prompts

    def git(self, *args):
        return self.repo.git(*args)

    def on_branch(self, path, branch="ralph/s"):
        return self.git("show", f"{branch}:{path}")

    def subjects(self, branch="ralph/s"):
        return self.git("log", "--reverse", "--format=%s", f"main..{branch}").splitlines()

    def discarded(self):
        return self.git("for-each-ref", "--format=%(refname)", "refs/ralph/discarded").split()
